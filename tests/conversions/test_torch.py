"""torch.distributions, GPyTorch's, and gradients through them."""

import numpy as np
import pytest

import rsens
from rsens import InputError, as_family
from tests.conversions import values as v
from tests.conversions.values import Given, check

torch = pytest.importorskip("torch")
D = torch.distributions


def t(values):
    return torch.as_tensor(values, dtype=torch.float64)


def given(name, obj, family, y):
    return Given(name, obj, family, lambda grid: obj.log_prob(t(grid)).numpy(), y)


MEAN, SD, POSITIVE, SHAPE, P = map(t, (v.MEAN, v.SD, v.POSITIVE, v.SHAPE, v.P))
LOGIT, CLASSES, MEANS, SDS, WEIGHTS = map(t, (v.LOGIT, v.CLASSES, v.MEANS, v.SDS, v.WEIGHTS))
AFFINE = D.AffineTransform


class Renamed(D.Normal):
    """Overrides nothing."""


SHARED = v.of_torch_and_numpyro(D, t, AFFINE, D.ExpTransform)
GIVEN = [
    *(given(name, make(), family, y) for name, (make, family, y) in SHARED.items()),
    given("Bernoulli-used", D.Bernoulli(P), v.BERNOULLI, v.EVENTS),
    given("Bernoulli-logits-used", D.Bernoulli(logits=LOGIT), v.BERNOULLI_LOGIT, v.EVENTS),
    Given(
        "OneHotCategorical",
        D.OneHotCategorical(CLASSES),
        v.CATEGORICAL,
        lambda grid: D.OneHotCategorical(CLASSES).log_prob(torch.eye(3)[t(grid).long()].double()).numpy(),
        v.CODES,
    ),
    given(
        "Mixture-for-all-rows",
        D.MixtureSameFamily(D.Categorical(logits=WEIGHTS.log()), D.Normal(MEANS[0], SDS[0])),
        rsens.Mixture([rsens.Normal(v.MEANS[0, s], v.SDS[0, s] ** 2) for s in range(2)], v.WEIGHTS),
        v.REAL,
    ),
    given(
        "affine-twice",
        D.TransformedDistribution(
            D.Normal(t([0.0] * 3), t(1.0)), D.ComposeTransform([AFFINE(0.0, -2.0 * SD), AFFINE(MEAN, t(-0.5))])
        ),
        v.NORMAL,
        v.REAL,
    ),
    given("affine-t", D.TransformedDistribution(D.StudentT(t(v.DF)), [AFFINE(MEAN, SD)]), v.STUDENT, v.REAL),
    given(
        "exp-affine",
        D.TransformedDistribution(D.Normal(MEAN, SD), [D.ExpTransform(), AFFINE(0.0, 2.0)]),
        rsens.LogNormal(v.MEAN + np.log(2.0), v.SD**2),
        v.ABOVE,
    ),
    given("scaled-gamma", D.TransformedDistribution(D.Gamma(SHAPE, SHAPE), AFFINE(0.0, POSITIVE)), v.GAMMA, v.ABOVE),
]


@pytest.mark.parametrize("given", GIVEN, ids=lambda each: each.name)
def test_family_and_density(given):
    if given.name.endswith("used"):  # torch computes the other attribute on first use and keeps it
        assert given.obj.probs.shape == given.obj.logits.shape
    check(given)


@pytest.mark.parametrize(
    "obj",
    [
        D.Normal(MEAN[:, None], SD[:, None]),
        D.Independent(D.Normal(MEAN[:, None], SD[:, None]), 1),
        D.Independent(D.Normal(MEAN, SD), 1),
        D.MultivariateNormal(MEAN[:, None], torch.diag_embed(SD[:, None] ** 2)),
        Renamed(MEAN, SD),
    ],
    ids=["column", "column-as-event", "rows-as-event", "vectors-of-one", "subclass"],
)
def test_axes_of_length_one_are_dropped_and_subclasses_are_known(obj):
    family = as_family(obj)
    assert type(family) is rsens.Normal
    np.testing.assert_allclose(family.parameters, v.NORMAL.parameters, rtol=1e-14)


def test_gpytorch_gives_the_marginals_of_the_rows():
    gpytorch = pytest.importorskip("gpytorch")
    covariance = torch.tensor([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]], dtype=torch.float64)
    family = as_family(gpytorch.distributions.MultivariateNormal(MEAN, covariance))
    assert type(family) is rsens.Normal
    np.testing.assert_allclose(family.parameters, np.stack([v.MEAN, [2.0, 1.0, 3.0]], 1))
    batch = gpytorch.distributions.MultivariateNormal(MEAN[:, None], SD[:, None, None] ** 2)
    np.testing.assert_allclose(as_family(batch).parameters, v.NORMAL.parameters)
    tasks = gpytorch.distributions.MultitaskMultivariateNormal(t(np.zeros((2, 2))), torch.eye(4).double())
    with pytest.raises(InputError, match=r"Normal: expected one distribution per row.*got shape \(2, 2\)"):
        as_family(tasks)


ROWS = np.random.default_rng(0).uniform(0.2, 0.9, size=(4, 2))
RETURNED = {
    "Normal": lambda X: (D.Normal(X[:, 0].sin(), X[:, 1].exp()), rsens.Normal(X[:, 0].sin(), (2.0 * X[:, 1]).exp())),
    "column": lambda X: (D.Normal(X[:, :1].sin(), X[:, 1:].exp()), rsens.Normal(X[:, 0].sin(), (2 * X[:, 1]).exp())),
    "Gamma": lambda X: (D.Gamma(X[:, 0], X[:, 1]), rsens.Gamma(X[:, 0] / X[:, 1], X[:, 0])),
    "NegativeBinomial": lambda X: (
        D.NegativeBinomial(X[:, 0], logits=X[:, 1]),
        rsens.NegativeBinomial(X[:, 0] * X[:, 1].exp(), X[:, 0]),
    ),
    "Categorical": lambda X: (D.Categorical(logits=X), rsens.Categorical(torch.softmax(X, -1))),
    "Mixture": lambda X: (
        D.MixtureSameFamily(D.Categorical(t([[0.2, 0.8]]).expand(len(X), 2)), D.Normal(X, t(1.5))),
        rsens.Mixture([rsens.Normal(X[:, 0], 2.25), rsens.Normal(X[:, 1], 2.25)], t([0.2, 0.8])),
    ),
    "Independent": lambda X: (
        D.Independent(D.Normal(X, X), 1),
        rsens.MultivariateNormal(X, torch.diag_embed(X**2)),
    ),
    "transformed": lambda X: (
        D.TransformedDistribution(D.Normal(t(0.0), t(1.0)), [AFFINE(X[:, 0], X[:, 1]), D.ExpTransform()]),
        rsens.LogNormal(X[:, 0], X[:, 1] ** 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RETURNED)
def test_from_torch_differentiates_what_the_function_returns(name):
    foreign, own = (rsens.from_torch(lambda X, i=i: RETURNED[name](X)[i]) for i in range(2))
    got, want = foreign.derivatives(ROWS, 2), own.derivatives(ROWS, 2)
    assert type(got.distribution) is type(want.distribution)
    np.testing.assert_allclose(got.first, want.first, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(got.second, want.second, rtol=1e-12, atol=1e-13)
    assert np.abs(want.first).max() > 0.1


def test_weights_that_depend_on_x_are_refused():
    model = rsens.from_torch(lambda X: D.MixtureSameFamily(D.Categorical(logits=X), D.Normal(X, t(1.0))))
    with pytest.raises(InputError, match="weights depends on x"):
        rsens.rsens(model, ROWS)


class Truncated(D.Normal):
    def log_prob(self, value):
        return torch.where(value > 0, super().log_prob(value) - torch.log(1 - self.cdf(t(0.0))), -torch.inf)


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (D.Laplace(MEAN, SD), "Laplace of torch does not correspond"),
        (D.HalfNormal(SD), "a Normal transformed by AbsTransform does not correspond"),
        (Truncated(MEAN, SD), "Truncated of torch does not correspond"),
        (D.Independent(D.Poisson(MEANS.exp()), 1), "Poisson: y is a vector or an array per row"),
        (D.TransformedDistribution(D.Gamma(SHAPE, SHAPE), D.ExpTransform()), "exp of Gamma does not"),
    ],
)
def test_errors(obj, text):
    with pytest.raises(InputError, match=text):
        as_family(obj).checked()
