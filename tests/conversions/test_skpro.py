"""What skpro predicts. Where skpro is not installed, classes with the same names and parameters stand in for it."""

import numpy as np
import pytest

from rsens import InputError, as_family
from tests.conversions import values as v


class BaseDistribution:
    """The part of skpro's that is used: parameters as given, and the shape of the table."""

    __module__ = "skpro.distributions.base._base"

    def __init__(self, **parameters):
        self.__dict__.update(parameters)
        self.names = tuple(parameters)

    def get_params(self, deep=True):
        return {**{name: getattr(self, name) for name in self.names}, "index": None, "columns": None}

    @property
    def shape(self):
        return np.broadcast_shapes(*(np.shape(value) for value in self.get_params().values() if value is not None))


def standing_in(name):
    return type(name, (BaseDistribution,), {"__module__": f"skpro.distributions.{name.lower()}"})


def column(values):
    return np.asarray(values)[:, None]


MEAN, SD, POSITIVE, SHAPE, P = map(column, (v.MEAN, v.SD, v.POSITIVE, v.SHAPE, v.P))
GIVEN = [
    ("Normal", {"mu": MEAN, "sigma": SD}, v.NORMAL, v.REAL),
    ("TDistribution", {"mu": MEAN, "sigma": SD, "df": v.DF}, v.STUDENT, v.REAL),
    ("Cauchy", {"mu": MEAN, "scale": SD}, v.CAUCHY, v.REAL),
    ("LogNormal", {"mu": MEAN, "sigma": SD}, v.LOGNORMAL, v.ABOVE),
    ("Gamma", {"alpha": SHAPE, "beta": SHAPE / POSITIVE}, v.GAMMA, v.ABOVE),
    ("Exponential", {"rate": 1.0 / POSITIVE}, v.EXPONENTIAL, v.ABOVE),
    ("Beta", {"alpha": POSITIVE, "beta": SHAPE}, v.BETA, v.INSIDE),
    ("Weibull", {"scale": POSITIVE, "k": SHAPE}, v.WEIBULL, v.ABOVE),
    ("Binomial", {"n": 9, "p": P}, v.BINOMIAL, v.COUNTS),
    ("Poisson", {"mu": POSITIVE}, v.POISSON, v.COUNTS),
    ("NegativeBinomial", {"mu": POSITIVE, "alpha": SHAPE}, v.NEGATIVE_BINOMIAL, v.COUNTS),
]


def libraries():
    """Real classes if they are there, else ours."""
    stand_ins = {name: standing_in(name) for name in [*(case[0] for case in GIVEN), "Laplace", "Mixture"]}
    try:
        import skpro.distributions as real
    except ImportError:
        return {"stand-in": stand_ins}
    return {"stand-in": stand_ins, "skpro": {name: getattr(real, name) for name in stand_ins}}


LIBRARIES = libraries()
SOURCES = pytest.mark.parametrize("classes", LIBRARIES.values(), ids=LIBRARIES)


@SOURCES
@pytest.mark.parametrize(("name", "parameters", "family", "y"), GIVEN, ids=[case[0] for case in GIVEN])
def test_family_and_density(classes, name, parameters, family, y):
    obj = classes[name](**parameters)
    got = as_family(obj)
    assert type(got) is type(family)
    np.testing.assert_allclose(got.checked(3).parameters, family.checked(3).parameters, rtol=1e-13)
    for value in y if hasattr(obj, "log_pdf") else ():
        column_of_y = np.full((3, 1), value)
        own = obj.log_pmf(column_of_y) if family.support == "counts" else obj.log_pdf(column_of_y)
        np.testing.assert_allclose(got.log_prob(column_of_y[:, 0]), np.asarray(own)[:, 0], rtol=1e-9, atol=1e-11)


@SOURCES
def test_a_mixture_and_errors(classes):
    parts = [classes["Normal"](mu=column(v.MEANS[:, s]), sigma=column(v.SDS[:, s])) for s in range(2)]
    obj = classes["Mixture"](distributions=[("a", parts[0]), ("b", parts[1])], weights=[1.0, 3.0])
    np.testing.assert_allclose(as_family(obj).checked(3).log_prob(v.MEAN), v.MIXTURE.log_prob(v.MEAN), rtol=1e-14)
    with pytest.raises(InputError, match=r"expected one distribution per row.*got shape \(1, 3\)"):
        as_family(classes["Normal"](mu=v.MEAN[None], sigma=1.0))  # a list of numbers is a row of outputs in skpro
    with pytest.raises(InputError, match=r"Laplace of skpro does not correspond"):
        as_family(classes["Laplace"](mu=MEAN, scale=SD))
