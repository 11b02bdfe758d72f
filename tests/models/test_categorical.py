"""Categorical columns in the estimators: labels in, indicators or level codes inside, and effects found."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import rsens
from rsens import InputError

FLAT = rsens.BayesianLinearRegression()
PROPER = [
    rsens.BayesianLinearRegression(prior_precision=1.0, standardize=True),
    rsens.BayesianProbitRegression(),
    rsens.BayesianLogisticRegression(),
    rsens.BayesianPoissonRegression(),
    rsens.GPRegressor(n_restarts=0, random_state=0),
    rsens.GPRegressor(likelihood="poisson", n_restarts=0, random_state=0),
    rsens.GPRegressor(n_restarts=0, inducing=25, random_state=0),
    rsens.GPClassifier(n_restarts=0, random_state=0),
]
over_all = pytest.mark.parametrize("estimator", [FLAT, *PROPER], ids=repr)
over_proper = pytest.mark.parametrize("estimator", PROPER, ids=repr)


EFFECTS = {"Bergen": 1.2, "Oslo": 0.0, "Tromsø": -1.2}


def table(estimator, n=90):
    """Rows in which the town matters most, age a little, and the rest not; and a y that the estimator can take."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "age": rng.normal(40.0, 10.0, n),
            "town": rng.choice(list(EFFECTS), n),
            "noise": rng.normal(size=n),
            "flag": rng.random(n) < 0.4,
            "colour": pd.Categorical(rng.choice(["red", "blue"], n), categories=["red", "blue"]),
        }
    )
    f = X["town"].map(EFFECTS).to_numpy() + 0.02 * (X["age"].to_numpy() - 40.0)
    if is_classifier(estimator):
        return X, np.where(f + 0.5 * rng.normal(size=n) > 0.0, "yes", "no")
    if "oisson" in repr(estimator):
        return X, rng.poisson(np.exp(1.0 + f)).astype(float)
    return X, f + 0.3 * rng.normal(size=n)


@cache
def fitted(estimator):
    return clone(estimator).fit(*table(estimator))


def parameters(model, X):
    return model.predict_distribution(X).parameters


@over_all
def test_attributes_and_the_level_effect_that_made_the_data(estimator):
    X, _ = table(estimator)
    model = fitted(estimator)
    assert model.feature_names_in_.tolist() == list(X)
    assert model.n_features_in_ == 5
    assert model.coding_.categorical == (1, 3, 4)
    assert model.coding_[1].labels == ("Bergen", "Oslo", "Tromsø")
    np.testing.assert_allclose(model.coding_[1].frequencies, X["town"].value_counts(normalize=True)[list(EFFECTS)])
    np.testing.assert_array_equal(model.training_inputs_[:, 1], pd.factorize(X["town"], sort=True)[0])
    np.testing.assert_allclose(model.input_scale_, [X["age"].std(ddof=0), 1.0, X["noise"].std(ddof=0), 1.0, 1.0])
    main = rsens.rsens(model, X).mean(axis=0)
    assert main.argmax() == 1
    assert main[1] > 3.0 * main[[2, 3, 4]].max()
    mean = [model.predict_distribution(X.assign(town=town)).mean.mean() for town in EFFECTS]
    np.testing.assert_array_equal(np.argsort(mean), np.argsort(list(EFFECTS.values())))


@over_all
def test_names_and_order_of_levels_change_nothing(estimator):
    X, y = table(estimator)
    names = {"Bergen": "z", "Oslo": "a", "Tromsø": "m"}
    other = X.assign(
        town=pd.Categorical(X["town"].map(names), categories=["m", "z", "a"], ordered=True),
        flag=~X["flag"],
        colour=X["colour"].astype(str),
    )
    model, relabelled = fitted(estimator), clone(estimator).fit(other, y)
    np.testing.assert_allclose(parameters(relabelled, other), parameters(model, X), rtol=1e-7)
    np.testing.assert_allclose(rsens.rsens(relabelled, other), rsens.rsens(model, X), rtol=1e-6)
    np.testing.assert_allclose(rsens.rsens2(relabelled, other), rsens.rsens2(model, X), rtol=1e-5, atol=1e-9)


@over_all
def test_derivatives_are_zero_in_categorical_columns_and_right_in_the_others(estimator):
    X, _ = table(estimator)
    model = fitted(estimator)
    some = X[:12]
    record = model.derivatives(some, 2)
    assert record.first.shape[2] == 5
    assert not record.first[:, :, [1, 3, 4]].any()
    assert not record.second[:, :, [1, 3, 4], :].any()
    assert not record.second[:, :, :, [1, 3, 4]].any()
    for d, (name, step) in {0: ("age", 1e-3), 2: ("noise", 1e-4)}.items():
        up, down = (model.derivatives(some.assign(**{name: some[name] + s}), 1) for s in (step, -step))
        slope = (up.distribution.parameters - down.distribution.parameters) / (2.0 * step)
        curve = (up.first - down.first) / (2.0 * step)
        for found, difference in ((record.first[:, :, d], slope), (record.second[:, :, d], curve)):
            np.testing.assert_allclose(found, difference, rtol=1e-5, atol=1e-5 * np.abs(found).max())


@over_all
def test_numbers_that_are_named_categorical_are_the_same_as_labels(estimator):
    X, y = table(estimator)
    codes = np.column_stack([pd.factorize(X[name], sort=True)[0] * 7.0 - 3.0 for name in ("town", "flag", "colour")])
    array = np.column_stack([X["age"], codes[:, 0], X["noise"], codes[:, 1:]])
    named = clone(estimator).set_params(categorical=[1, 3, -1]).fit(array, y)
    np.testing.assert_allclose(parameters(named, array), parameters(fitted(estimator), X), rtol=1e-9)
    assert [column.labels for column in named.coding_.columns] == [(-3.0, 4.0, 11.0), (-3.0, 4.0), (-3.0, 4.0)]
    by_name = clone(estimator).set_params(categorical=["x1", "x3", "x4"]).fit(array.tolist(), y)
    np.testing.assert_allclose(parameters(by_name, array), parameters(named, array), rtol=1e-12)
    as_numbers = clone(estimator).fit(array, y)
    assert as_numbers.coding_ is None
    assert np.abs(parameters(as_numbers, array) - parameters(named, array)).max() > 1e-3


@over_all
def test_a_column_of_one_level_adds_nothing(estimator):
    X, y = table(estimator)
    if isinstance(estimator, rsens.GPRegressor | rsens.GPClassifier):
        estimator = clone(estimator).set_params(optimize=False)  # else its length-scale has a prior without data
    without = clone(estimator).fit(X, y)
    constant = X.assign(country="Norway")
    model = clone(estimator).fit(constant, y)
    np.testing.assert_allclose(parameters(model, constant), parameters(without, X), rtol=1e-9)
    local = rsens.rsens(model, constant)
    np.testing.assert_allclose(local[:, :5], rsens.rsens(without, X), rtol=1e-7)
    assert not local[:, 5].any()


@pytest.mark.parametrize("estimator", [rsens.BayesianLogisticRegression(), rsens.GPRegressor(n_restarts=0)], ids=repr)
def test_only_categorical_columns(estimator):
    X, y = table(estimator)
    X = X[["town", "flag"]]
    model = clone(estimator).fit(X, y)
    assert not model.derivatives(X, 2).second.any()
    main = rsens.rsens(model, X).mean(axis=0)
    assert main[0] > 3.0 * main[1] > 0.0
    pair = rsens.rsens2(model, X)
    np.testing.assert_array_equal(pair[:, [0, 1], [0, 1]], 0.0)
    assert (pair[:, 0, 1] > 0.0).all()


def test_flat_prior_is_least_squares_with_dummies():
    X, y = table(FLAT)
    X = X[["town", "age", "colour"]]
    model = clone(FLAT).fit(X, y)
    assert model.coef_names_.tolist() == ["town=Oslo", "town=Tromsø", "age", "colour=blue"]
    dummies = pd.get_dummies(X, columns=["town", "colour"])
    design = dummies[["town_Oslo", "town_Tromsø", "age", "colour_blue"]].assign(one=1.0).to_numpy(dtype=float)
    beta, rss, *_ = np.linalg.lstsq(design, y)
    np.testing.assert_allclose([*model.coef_, model.intercept_], beta, rtol=1e-9)
    assert model.degrees_of_freedom_ == 85
    np.testing.assert_allclose(model.noise_variance_, rss[0] / 85, rtol=1e-9)
    covariance = model.noise_variance_ * np.linalg.inv(design.T @ design)
    np.testing.assert_allclose(model.coef_scale2_, covariance[:-1, :-1], rtol=1e-7)


def test_without_an_intercept_the_first_column_has_all_levels():
    X, y = table(FLAT)
    model = rsens.BayesianLinearRegression(fit_intercept=False).fit(X[["town"]], y)
    assert model.coef_names_.tolist() == ["town=Bergen", "town=Oslo", "town=Tromsø"]
    np.testing.assert_allclose(model.coef_, pd.Series(y).groupby(X["town"]).mean(), rtol=1e-12)
    both = rsens.BayesianLinearRegression(fit_intercept=False).fit(X[["flag", "town"]], y)
    assert both.coef_names_.tolist() == ["flag=False", "flag=True", "town=Oslo", "town=Tromsø"]
    np.testing.assert_allclose(
        both.predict(X[["flag", "town"]]), clone(FLAT).fit(X[["flag", "town"]], y).predict(X[["flag", "town"]])
    )


UNSCALED = [
    rsens.BayesianLinearRegression(prior_precision=0.7),
    rsens.BayesianLogisticRegression(prior_precision=0.7, standardize=False),
    rsens.BayesianProbitRegression(standardize=False, fit_intercept=False),
    rsens.BayesianPoissonRegression(prior_precision=0.7, standardize=False, intercept_precision=0.0),
]


@pytest.mark.parametrize("estimator", UNSCALED, ids=repr)
def test_a_proper_prior_is_that_of_indicators_made_by_hand(estimator):
    X, y = table(estimator)
    X = X.assign(age=X["age"] / 50.0)
    levels = ["town", "flag", "colour"]
    parts = [pd.get_dummies(X[[name]], columns=[name]) if name in levels else X[[name]] for name in X]
    by_hand = pd.concat(parts, axis=1).astype(float)
    model, same = clone(estimator).fit(X, y), clone(estimator).fit(by_hand, y)
    assert len(model.coef_names_) == 9
    assert [name.replace("=", "_") for name in model.coef_names_] == list(same.coef_names_)
    np.testing.assert_allclose(model.coef_, same.coef_, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(parameters(model, X), parameters(same, by_hand), rtol=1e-9)
    np.testing.assert_allclose(model.predict_distribution(X).variance, same.predict_distribution(by_hand).variance)


@over_all
def test_unknown_missing_and_misplaced_levels(estimator):
    X, y = table(estimator)
    model = fitted(estimator)
    unknown = X.assign(town=X["town"].where(X.index != 3, "oslo"))
    missing = X.assign(town=X["town"].where(X.index > 1, None))
    reordered = X[["town", "age", "noise", "flag", "colour"]]
    for rows, word in ((unknown, "'oslo' at row 3"), (missing, "'town' has 2 missing"), (reordered, "feature names")):
        with pytest.raises(InputError, match=word):
            model.predict(rows)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        from_array = model.predict(X.to_numpy())
    np.testing.assert_array_equal(from_array, model.predict(X))
    with pytest.raises(InputError, match="'town' has 2 missing"):
        clone(estimator).fit(missing, y)
    for wrong in (["city"], "town"):
        with pytest.raises(InputError) as error:
            clone(estimator).set_params(categorical=wrong).fit(X, y)
        assert error.value.argument == "categorical"


@over_proper
def test_a_level_without_rows_is_predicted_from_the_prior(estimator):
    X, y = table(estimator)
    declared = X.assign(town=pd.Categorical(X["town"], categories=["Alta", *EFFECTS]))
    model = clone(estimator).fit(declared, y)
    np.testing.assert_allclose(parameters(model, declared), parameters(fitted(estimator), X), rtol=1e-7)
    assert np.isfinite(parameters(model, declared.assign(town="Alta"))).all()
    assert np.isfinite(rsens.rsens(model, declared.assign(town="Alta"))).all()


def test_the_flat_prior_knows_only_levels_with_rows():
    X, y = table(FLAT)
    declared = X.assign(town=pd.Categorical(X["town"], categories=["Alta", *EFFECTS]))
    model = clone(FLAT).fit(declared, y)
    with pytest.raises(InputError, match="the level 'Alta' at row 0, which is not known"):
        model.predict(declared.assign(town="Alta"))
    given = rsens.BayesianLinearRegression(categorical={"town": [*EFFECTS, "Alta"]})
    with pytest.raises(InputError, match=r"constant: 'town=Alta'.*prior_precision"):
        given.fit(X, y)
    wide = given.set_params(prior_precision=1.0).fit(X, y)
    alta, oslo = (wide.predict_distribution(X.assign(town=town)).variance for town in ("Alta", "Oslo"))
    assert (alta > oslo + wide.noise_variance_ / 2.0).all()
