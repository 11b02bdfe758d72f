"""`as_family`: distributions of other libraries as our families, one table each, from the name of a class to a family.

Classes are recognised by their names, so that no library is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    Mixture,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
    namespace,
)

Shape = tuple[int, ...]
#: From a foreign distribution to our family.
Builder = Callable[[Any], Distribution]
UNKNOWN = "does not correspond to any rsens family"


def as_family(obj: Any) -> Distribution:
    """A predictive distribution of another library as one of rsens' families, in rsens' parameters λ.

    Known are frozen `scipy.stats` distributions and the newer `scipy.stats.Normal` and its like, `torch.distributions`,
    GPyTorch's MultivariateNormal over rows (its marginals), NumPyro, TensorFlow Probability, NGBoost and skpro. Arrays
    stay what they are, so gradients flow and JAX can trace it. Functions given to `from_function`, `from_jax` and
    `from_torch` may return any of these without calling it.

    Args:
        obj: The distribution, with one value per row, shape (n,) or (n, 1). A family of rsens is returned unchanged.

    Returns:
        The family. A standard deviation has become a variance, a Gamma its (mean, shape), a negative binomial its
        (mean, size); logits stay logits.

    Example:
        >>> from scipy.stats import norm
        >>> from rsens import as_family
        >>> as_family(norm(loc=[0.0, 1.0], scale=2.0))
        Normal(mean=array([0., 1.]), variance=array(4.))
    """
    return converted(obj, "expected a distribution")


def converted(obj: Any, expected: str) -> Distribution:
    """`as_family`, with an error that begins with the expectation."""
    if isinstance(obj, Distribution):
        return obj
    found = None if isinstance(obj, type) else next((each for each in CONVERSIONS if each.accepts(obj)), None)
    if found is None:
        raise InputError(
            f"{expected}: one of rsens' families with one value per row, such as Normal(mean, variance), or a "
            "distribution of scipy.stats, torch, NumPyro, TensorFlow Probability, NGBoost or skpro; got "
            f"{_describe(obj)}. {_advice(obj)}"
        )
    try:
        return one_value_per_row(found.convert(obj))
    except (AttributeError, KeyError) as error:  # a class of the same name, or another version of the library
        raise InputError(
            f"{type(obj).__name__} looks like a distribution of {found.name} but cannot be read as one ({error}). "
            "Build the family from its parameters, such as Normal(mean, variance)."
        ) from error


def _advice(obj: Any) -> str:
    if isinstance(obj, tuple | list) and len(obj) == 2:
        variance = "it takes a variance, not a standard deviation."
        return f"If these are a mean and a standard deviation, write Normal(mean, sd**2): {variance}"
    if hasattr(obj, "freeze") and type(obj).__module__.startswith("scipy."):
        return f"Give it its parameters: scipy.stats.{obj.name}(…)."
    return "Build the family from its parameters (a variance, not a standard deviation)."


def _describe(obj: Any) -> str:
    kind = type(obj)
    module = kind.__module__.partition(".")[0]
    if obj is None:
        return "None (is a return missing?)"
    if isinstance(obj, type):
        return f"the class {obj.__name__} without its parameters"
    if isinstance(obj, tuple | list):
        return f"a {kind.__name__} of {len(obj)}"
    if isinstance(getattr(obj, "shape", None), tuple):
        return f"{kind.__name__} of shape {tuple(obj.shape)}"
    return f"{kind.__name__} of {module}" if module not in ("builtins", "__main__") else kind.__name__


@dataclass(frozen=True)
class Conversion:
    """How the distributions of one library become families: which objects it accepts, how one is converted."""

    name: str
    accepts: Callable[[Any], bool]
    convert: Builder
    #: The classes it knows, as their own library calls them.
    known: Iterable[str]


def is_a(obj: Any, *names: str) -> bool:
    """Whether one of the ancestors of the object's class is one of `names`, such as "torch.Distribution".

    A name is the package and the name of the class: libraries move classes between their modules, and users subclass
    them elsewhere. Nothing is imported to find out.
    """
    return any(f"{package_of(kind)}.{kind.__name__}" in names for kind in type(obj).__mro__)


def package_of(kind: type) -> str:
    """The first part of the module of a class."""
    return kind.__module__.partition(".")[0]


def _by_name(library: str, table: Mapping[str, Builder]) -> Builder:
    """Converts an object by the nearest ancestor of its class that the table names; a `library` "" is any.

    A class between the two with its own density is another distribution, unless Pyro wrote it, which wraps torch.
    """

    def convert(obj: Any) -> Distribution:
        for kind in type(obj).__mro__:
            if kind.__name__ in table and library in ("", package_of(kind)):
                return table[kind.__name__](obj)
            if {"log_prob", "_log_prob"} & vars(kind).keys() and package_of(kind) not in (library, "pyro"):
                break
        raise _unknown(type(obj).__name__, library or package_of(type(obj)), table)

    return convert


def _unknown(name: str, library: str, known: Iterable[str]) -> InputError:
    return InputError(
        f"{name} of {library} {UNKNOWN}. From {library} rsens converts {', '.join(sorted(known))}. Give one of "
        "them, or build the closest family: Normal(mean, variance), Mixture([…], weights), "
        "Histogram(borders, probabilities)."
    )


#: From the shape parameters, in SciPy's order, to the family with loc = 0 and scale = 1.
STANDARD: dict[str, Callable[..., Distribution]] = {
    "norm": lambda: Normal(0.0, 1.0),
    "t": lambda df: StudentT(0.0, 1.0, df),
    "cauchy": lambda: StudentT(0.0, 1.0, 1.0),
    "lognorm": lambda s: LogNormal(0.0, squared(s)),
    "gamma": lambda a: Gamma(a, a),
    "chi2": lambda df: Gamma(df, 0.5 * df),
    "expon": lambda: Exponential(1.0),
    "beta": lambda a, b: Beta(a, b),
    "weibull_min": lambda c: Weibull(c, 1.0),
    "bernoulli": lambda p: Bernoulli(p),
    "binom": lambda n, p: Binomial(n, p),
    "poisson": lambda mu: Poisson(mu),
    "nbinom": lambda n, p: NegativeBinomial(n * (1.0 - p) / p, n),
}
FROZEN = (*STANDARD, "multivariate_normal")
FROZEN_CLASSES = ("scipy.rv_frozen", "scipy.multi_rv_frozen")
NEWER_CLASSES = ("scipy._ProbabilityDistribution", "scipy.UnivariateDistribution")
NEWER = ("Normal", "StandardNormal", "Binomial", "Mixture", *(f"make_distribution({name})" for name in STANDARD))


def _from_frozen(obj: Any) -> Distribution:
    """From `norm(loc, scale)` and so on."""
    if is_a(obj, "scipy.multivariate_normal_frozen"):
        return multivariate_normal(np.asarray(obj.mean), np.asarray(obj.cov))
    dist: Any = getattr(obj, "dist", None)
    name = getattr(dist, "name", None) or type(obj).__name__.removesuffix("_frozen")
    if name not in STANDARD or not type(dist).__module__.startswith("scipy."):
        raise _unknown(name, "scipy.stats", FROZEN)
    shapes, loc, scale = dist._parse_args(*obj.args, **obj.kwds)
    scale = _as_floats(scale)
    if not is_everywhere(scale, 1.0):  # NaN is refused by every family; the square of a negative scale would not be
        scale = np.where(scale > 0.0, scale, np.nan)[()]
    return affine(STANDARD[name](*map(_as_floats, shapes)), _as_floats(loc), scale)


def _from_newer(obj: Any) -> Distribution:
    """From `Normal(mu=…, sigma=…)`, `make_distribution(…)`, their sums and products."""
    values = {name: _as_floats(value) for name, value in getattr(obj, "_parameters", {}).items()}
    match type(obj).__name__:
        case "StandardNormal":
            return Normal(0.0, 1.0)
        case "Normal":
            return Normal(values["mu"], squared(values["sigma"]))
        case "Binomial":
            return Binomial(values["n"], values["p"])
        case "Mixture":
            return Mixture([_from_newer(part) for part in obj._components], np.asarray(obj._weights))
        case "ShiftedScaledDistribution":
            return affine(_from_newer(obj._dist), values["loc"], values["scale"])
        case "MonotonicTransformedDistribution" if getattr(obj, "_g", None) is np.exp:
            return exponential(_from_newer(obj._dist))
        case "CustomDistribution":  # of `make_distribution`: its formulas are methods of an older distribution
            owners: list[Any] = [getattr(formula, "__self__", None) for formula in vars(type(obj)).values()]
            names = (owner.name for owner in owners if type(owner).__module__.startswith("scipy.stats"))
            if (name := next(names, "")) in STANDARD:
                return STANDARD[name](**values)
    raise _unknown(str(obj).partition("(")[0], "scipy.stats", NEWER)


def _as_floats(values: Any) -> Any:
    """Numbers of any type as floats, so that whole numbers divide and square as such."""
    return np.asarray(values, dtype=np.float64)[()]


def _torch_like(given: Callable[[Any], dict[str, Any]]) -> dict[str, Builder]:
    """The table of torch, NumPyro and TFP; `given(d)` holds the `probability` or the `logit` it was built from."""
    return {
        "Normal": lambda d: Normal(d.loc, squared(d.scale)),
        "StudentT": lambda d: StudentT(d.loc, squared(d.scale), d.df),
        "Cauchy": lambda d: StudentT(d.loc, squared(d.scale), 1.0),
        "LogNormal": lambda d: LogNormal(d.loc, squared(d.scale)),
        "Gamma": lambda d: Gamma(d.concentration / d.rate, d.concentration),
        "Exponential": lambda d: Exponential(1.0 / d.rate),
        "Beta": lambda d: Beta(d.concentration1, d.concentration0),
        "Weibull": lambda d: Weibull(d.concentration, d.scale),
        "Poisson": lambda d: Poisson(d.rate),
        "Bernoulli": lambda d: Bernoulli(**given(d)),
        "Binomial": lambda d: Binomial(d.total_count, **given(d)),
        "NegativeBinomial": lambda d: failures_before(d.total_count, **given(d)),
        "Geometric": lambda d: failures_before_first(**given(d)),
        "Categorical": lambda d: Categorical(class_probabilities(**given(d))),
    }


def _composed(given: Callable[[Any], dict[str, Any]], read: Builder, mixing: str) -> dict[str, Builder]:
    """Further entries for torch and NumPyro, which differ in the attribute with the weights of a mixture."""
    return {
        **_torch_like(given),
        "MultivariateNormal": lambda d: multivariate_normal(d.loc, d.covariance_matrix),
        "LowRankMultivariateNormal": lambda d: multivariate_normal(d.loc, d.covariance_matrix),
        "Independent": lambda d: independent(read(d.base_dist), d.reinterpreted_batch_ndims),
        "MixtureSameFamily": lambda d: mixture(
            class_probabilities(**given(getattr(d, mixing))), read(d.component_distribution)
        ),
        "TransformedDistribution": lambda d: transformed(read(d.base_dist), d.transforms),
    }


def _given_to_torch(d: Any) -> dict[str, Any]:
    """Both are attributes; torch computes the missing one on first use and keeps it."""
    held = vars(d)
    by_logits = d._param is held.get("logits") if "_param" in held else "logits" in held and "probs" not in held
    return {"logit": d.logits} if by_logits else {"probability": d.probs}


TORCH: dict[str, Builder] = {
    **_composed(_given_to_torch, lambda d: _from_torch(d), "mixture_distribution"),
    "OneHotCategorical": lambda d: _from_torch(d._categorical),
}
_from_torch: Builder = _by_name("torch", TORCH)
#: A Gaussian over all rows at once: each row has its own marginal.
GPYTORCH: dict[str, Builder] = {"MultivariateNormal": lambda d: Normal(d.mean, d.variance)}


def _given_to_numpyro(d: Any) -> dict[str, Any]:
    """Each has a class. The other attribute would be kept on the object, and must not be inside a trace."""
    by_logits = any(kind.__name__.endswith("Logits") for kind in type(d).__mro__)
    return {"logit": d.logits} if by_logits else {"probability": d.probs}


_BY_LOGITS = ("Bernoulli", "Binomial", "Geometric", "Categorical")
NUMPYRO: dict[str, Builder] = {
    name + kind: builder
    for name, builder in _composed(_given_to_numpyro, lambda d: _from_numpyro(d), "mixing_distribution").items()
    for kind in (("Probs", "Logits") if name in _BY_LOGITS else ("",))
    if name != "NegativeBinomial"
} | {
    "GammaPoisson": lambda d: NegativeBinomial(d.concentration / d.rate, d.concentration),
    "ExpandedDistribution": lambda d: expanded(_from_numpyro(d.base_dist), d.batch_shape),
    "MaskedDistribution": lambda d: _from_numpyro(d.base_dist),
    "MixtureGeneral": lambda d: Mixture(
        [_from_numpyro(component) for component in d.component_distributions],
        class_probabilities(**_given_to_numpyro(d.mixing_distribution)),
    ),
}
_from_numpyro: Builder = _by_name("numpyro", NUMPYRO)


def _is_tfp(obj: Any) -> bool:
    """Whether it looks like a distribution of TensorFlow Probability, on TensorFlow or JAX: parameters in a mapping."""
    return hasattr(type(obj), "log_prob") and isinstance(getattr(obj, "parameters", None), Mapping)


def _given_to_tfp(d: Any) -> dict[str, Any]:
    return {"probability": d.probs} if d.logits is None else {"logit": d.logits}


def _rate(d: Any) -> Any:
    """The rate, which may have been given by its logarithm."""
    return namespace(d.log_rate).exp(d.log_rate) if d.rate is None else d.rate


TFP: dict[str, Builder] = {
    **_torch_like(_given_to_tfp),
    "Gamma": lambda d: Gamma(d.concentration / _rate(d), d.concentration),
    "Poisson": lambda d: Poisson(_rate(d)),
    "OneHotCategorical": lambda d: Categorical(class_probabilities(**_given_to_tfp(d))),
    "MultivariateNormalLinearOperator": lambda d: multivariate_normal(d.mean(), d.covariance()),
    "Independent": lambda d: independent(_from_tfp(d.distribution), int(d.reinterpreted_batch_ndims)),
    "MixtureSameFamily": lambda d: mixture(
        class_probabilities(**_given_to_tfp(d.mixture_distribution)), _from_tfp(d.components_distribution)
    ),
    "Mixture": lambda d: Mixture(
        [_from_tfp(component) for component in d.components], class_probabilities(**_given_to_tfp(d.cat))
    ),
    "TransformedDistribution": lambda d: transformed(_from_tfp(d.distribution), [d.bijector]),
}
_from_tfp: Builder = _by_name("", TFP)


NGBOOST = (
    "Normal", "NormalFixedVar", "NormalFixedMean", "LogNormal", "Exponential", "Gamma", "Weibull", "Beta", "Poisson",
    "TFixedDf", "TFixedDfFixedVar", "Cauchy", "Bernoulli", "k_categorical", "MultivariateNormal",
)  # fmt: skip


def _from_ngboost(obj: Any) -> Distribution:
    """Almost always a frozen SciPy distribution inside. An unknown attribute of these objects is None."""
    if is_a(obj, "ngboost.T"):
        raise InputError(
            "T of ngboost has degrees of freedom that depend on x; StudentT of rsens has fixed ones. "
            "Fit with Dist=TFixedDf instead."
        )
    if is_a(obj, "ngboost.ClassificationDistn"):
        logits = vars(obj).get("logits")
        if logits is not None and len(logits) == 2:
            return Bernoulli(logit=logits[1] - logits[0])
        return Categorical(obj.class_probs())
    if is_a(obj, "ngboost.MVN"):
        return multivariate_normal(obj.loc, np.linalg.inv(obj.cov_inv))
    frozen = vars(obj).get("dist")
    with suppress(InputError):
        if is_a(frozen, *FROZEN_CLASSES):
            return _from_frozen(frozen)
    # NGBoost wraps a distribution in classes that add a score.
    names = [kind.__name__ for kind in type(obj).__mro__ if kind.__module__.startswith("ngboost.distns")]
    own = next((name for name in names if name != "DistWithUncensoredScore"), type(obj).__name__)
    raise _unknown(own, "ngboost", NGBOOST)


def _of(build: Callable[..., Distribution], *names: str) -> Builder:
    """From these parameters of skpro, as arrays of a table's shape, (rows, outputs): a list is a row of outputs."""

    def builder(d: Any) -> Distribution:
        given = d.get_params(deep=False)
        return build(*(np.broadcast_to(np.asarray(given[name], dtype=np.float64), d.shape) for name in names))

    return builder


def _skpro_mixture(d: Any) -> Distribution:
    """Weights need not add up to 1 there; none are equal ones."""
    parts = [part[-1] if isinstance(part, tuple) else part for part in d.distributions]
    weights = np.ones(len(parts)) if d.weights is None else np.asarray(d.weights, dtype=np.float64)
    return Mixture([_from_skpro(part) for part in parts], weights / weights.sum())


SKPRO: dict[str, Builder] = {
    "Normal": _of(lambda mu, sigma: Normal(mu, squared(sigma)), "mu", "sigma"),
    "TDistribution": _of(lambda mu, sigma, df: StudentT(mu, squared(sigma), df), "mu", "sigma", "df"),
    "Cauchy": _of(lambda mu, scale: StudentT(mu, squared(scale), 1.0), "mu", "scale"),
    "LogNormal": _of(lambda mu, sigma: LogNormal(mu, squared(sigma)), "mu", "sigma"),
    "Gamma": _of(lambda shape, rate: Gamma(shape / rate, shape), "alpha", "beta"),
    "Exponential": _of(lambda rate: Exponential(1.0 / rate), "rate"),
    "Beta": _of(Beta, "alpha", "beta"),
    "Weibull": _of(Weibull, "k", "scale"),
    "Binomial": _of(Binomial, "n", "p"),
    "Poisson": _of(Poisson, "mu"),
    "NegativeBinomial": _of(NegativeBinomial, "mu", "alpha"),
    "Mixture": _skpro_mixture,
}
_from_skpro: Builder = _by_name("skpro", SKPRO)


def _conversion(name: str, classes: Iterable[str], convert: Builder, known: Iterable[str]) -> Conversion:
    """The conversion of objects of these classes."""
    return Conversion(name, lambda obj: is_a(obj, *classes), convert, known)


#: Every source of distributions: a new one is one line here. The first that accepts an object converts it.
CONVERSIONS: list[Conversion] = [
    _conversion("frozen scipy.stats distributions", FROZEN_CLASSES, _from_frozen, FROZEN),
    _conversion("newer scipy.stats distributions", NEWER_CLASSES, _from_newer, NEWER),
    _conversion("gpytorch.distributions", ["gpytorch.Distribution"], _by_name("gpytorch", GPYTORCH), GPYTORCH),
    _conversion("torch.distributions", ["torch.Distribution"], _from_torch, TORCH),
    _conversion("numpyro.distributions", ["numpyro.Distribution"], _from_numpyro, NUMPYRO),
    _conversion("NGBoost", ["ngboost.Distn"], _from_ngboost, NGBOOST),
    _conversion("skpro", ["skpro.BaseDistribution"], _from_skpro, SKPRO),
    Conversion("TensorFlow Probability", _is_tfp, _from_tfp, TFP),
]


# Families from pieces, by arithmetic alone: the parameters may be tracers and tensors with gradients.


def one_value_per_row(family: Distribution) -> Distribution:
    """The family with rows (n,), or () for all rows: an axis of length one behind the rows is dropped."""
    rows = _row_shape(family)
    if len(rows) <= 1:
        return family
    if len(rows) == 2 and rows[1] == 1:
        return _mapped(family, lambda leaf, axes: _broadcast(leaf, rows, axes)[:, 0])
    raise InputError(
        f"{type(family).__name__}: expected one distribution per row, shape (n,) or (n, 1); got shape {rows}. "
        "Choose one output, or build a MultivariateNormal(mean, covariance) where y is a vector."
    )


def expanded(family: Distribution, rows: Shape) -> Distribution:
    """The family with every array broadcast to these rows; unchanged if it already has more axes (after a vmap)."""
    if len(rows) < len(_row_shape(family)):
        return family
    return _mapped(family, lambda leaf, axes: _broadcast(leaf, rows, axes))


def mixture(weights: Any, components: Distribution) -> Mixture:
    """A mixture whose components lie along the last axis of one family's rows."""
    rows = np.broadcast_shapes(_row_shape(components), np.shape(weights)[-1:])

    def component(s: int) -> Distribution:
        return _mapped(components, lambda leaf, axes: _broadcast(leaf, rows, axes)[(..., s, *[slice(None)] * axes)])

    return Mixture([component(s) for s in range(rows[-1])], weights)


def independent(family: Distribution, axes: int) -> Distribution:
    """The last `axes` axes of the rows belong to one y: a vector of independent Normals is a MultivariateNormal.

    One axis without further rows stays the rows: that is how a whole column of y is written in other libraries.
    """
    rows = _row_shape(family)
    if axes == 0 or (axes == 1 and (len(rows) <= 1 or rows[-1] == 1)):
        return family
    if axes > 1 or not isinstance(family, Normal):
        raise InputError(
            f"{type(family).__name__}: y is a vector or an array per row (shape {rows}), and only vectors of Normals "
            "can be converted. Explain one component of y at a time."
        )
    mean, variance = (_broadcast(leaf, rows, 0) for leaf in (family.mean, family.variance))
    xp, eye = namespace(variance), np.eye(rows[-1])
    like = {"dtype": variance.dtype, "device": variance.device} if xp.__name__ == "torch" else {}
    return multivariate_normal(mean, variance[..., None] * xp.asarray(eye, **like))


def multivariate_normal(mean: Any, covariance: Any) -> Distribution:
    """MultivariateNormal(mean, covariance); in one dimension the Normal that it is."""
    if np.shape(mean)[-1] == 1:
        return Normal(mean[..., 0], covariance[..., 0, 0])
    return MultivariateNormal(mean, covariance)


def _mapped(family: Distribution, change: Callable[[Any, int], Any]) -> Distribution:
    """The family with every array changed; `change` gets it and how many of its axes belong to one row."""
    return family.rebuilt(map(change, family.leaves(), family.event_axes()))


def _row_shape(family: Distribution) -> Shape:
    """The axes of the family's arrays that belong to rows, broadcast against each other."""
    leaves = zip(family.leaves(), family.event_axes(), strict=True)
    shapes = [tuple(np.shape(leaf))[: np.ndim(leaf) - axes] for leaf, axes in leaves]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(
            f"{type(family).__name__}: the parameters of all rows must fit each other; got shapes "
            f"{', '.join(map(str, shapes))}."
        ) from None


def _broadcast(leaf: Any, rows: Shape, axes: int) -> Any:
    """The array with these rows in front of its event axes."""
    shape = tuple(np.shape(leaf))
    event = shape[len(shape) - axes :]
    try:
        return namespace(leaf).broadcast_to(leaf, rows + event)
    except (RuntimeError, TypeError, ValueError):  # each array library raises another one for shapes
        raise InputError(f"parameters of shape {shape} do not fit a distribution of shape {rows + event}.") from None


def squared(deviation: Any) -> Any:
    """The square of a standard deviation or scale. A negative one stays negative, so that the family refuses it."""
    return deviation * abs(deviation)


def failures_before(size: Any, *, probability: Any = None, logit: Any = None) -> NegativeBinomial:
    """The count of events of this probability before `size` non-events: mean = size·p/(1 − p) = size·e^logit."""
    odds = namespace(logit).exp(logit) if probability is None else probability / (1.0 - probability)
    return NegativeBinomial(size * odds, size + 0.0 * odds)


def failures_before_first(*, probability: Any = None, logit: Any = None) -> NegativeBinomial:
    """The count of failures before the first success, which has this probability."""
    if probability is None:
        return failures_before(1.0, logit=-logit)
    return failures_before(1.0, probability=1.0 - probability)


def class_probabilities(*, probability: Any = None, logit: Any = None) -> Any:
    """Probabilities of classes along the last axis, which may be given as unnormalised log probabilities."""
    if logit is None:
        return probability
    xp = namespace(logit)
    if xp.__name__ == "torch":
        return xp.softmax(logit, -1)
    scaled = xp.exp(logit - xp.max(logit, -1, keepdims=True))
    return scaled / xp.sum(scaled, -1, keepdims=True)


def transformed(family: Distribution, steps: Iterable[Any]) -> Distribution:
    """The family of y after transforms or bijectors, in this order, by the names of their classes."""
    for step in steps:
        match type(step).__name__.strip("_"):
            case "AffineTransform":
                family = affine(family, step.loc, step.scale)
            case "Shift":
                family = affine(family, step.shift, 1.0)
            case "Scale":
                family = affine(family, 0.0, step.scale)
            case "ExpTransform" | "Exp":
                family = exponential(family)
            case "ComposeTransform":
                family = transformed(family, step.parts)
            case "Chain":  # lists the last one first
                family = transformed(family, reversed(step.bijectors))
            case "IdentityTransform" | "Identity":
                pass
            case name:
                raise InputError(
                    f"a {type(family).__name__} transformed by {name} {UNKNOWN}. Known are shifts and scales, and exp "
                    "of a Normal. Explain the distribution before the transform."
                )
    return family


def affine(family: Distribution, shift: Any, factor: Any) -> Distribution:
    """The distribution of shift + factor·Y."""
    match family:
        case Normal():
            return Normal(shift + factor * family.mean, factor**2 * family.variance)
        case StudentT():
            return StudentT(shift + factor * family.location, factor**2 * family.scale2, family.df)
    if not is_everywhere(shift, 0.0):
        raise InputError(
            f"{type(family).__name__} starts at 0; got one that is shifted by {_shown(shift)}. "
            "Subtract the shift from y, and convert the distribution without it."
        )
    match family:
        case LogNormal():
            with np.errstate(divide="ignore", invalid="ignore"):  # a scale ≤ 0 is refused by the family, with its row
                return LogNormal(family.mu + namespace(factor).log(factor), family.sigma2)
        case Gamma():
            return Gamma(factor * family.mean, family.shape)
        case Exponential():
            return Exponential(factor * family.mean)
        case Weibull():
            return Weibull(family.shape, factor * family.scale)
    if not is_everywhere(factor, 1.0):
        raise InputError(f"a {type(family).__name__} of y multiplied by {_shown(factor)} {UNKNOWN}.")
    return family


def exponential(family: Distribution) -> Distribution:
    """The distribution of exp(Y)."""
    if not isinstance(family, Normal):
        raise InputError(f"exp of {type(family).__name__} {UNKNOWN}; exp of a Normal is a LogNormal.")
    return LogNormal(family.mean, family.variance)


def is_everywhere(values: Any, number: float) -> bool:
    """Whether all values are known to be this number; False for arrays that cannot be read while they are traced."""
    if isinstance(values, Real):
        return float(values) == number
    try:
        return bool((values == number).all())
    except (RuntimeError, TypeError, ValueError):  # inside jax.jit or torch.func
        return False


def _shown(values: Any) -> str:
    return f"{float(values):g}" if isinstance(values, Real) else "a value or array other than the plain number"
