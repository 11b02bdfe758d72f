"""What a NumPyro model says about itself when it is traced: its sites, and which of them belong to the rows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from rsens._errors import Argument, InputError

Shape = tuple[int, ...]
#: A model as a function of the rows alone.
Program = Callable[[Any], Any]


@dataclass(frozen=True)
class Sites:
    """The sample sites of a model, as one trace shows them."""

    #: Sites without obs=, by the shape of one draw.
    latent: dict[str, Shape] = field(default_factory=dict)
    #: Which of them are whole numbers: class labels, counts.
    discrete: set[str] = field(default_factory=set)
    observed: list[str] = field(default_factory=list)
    #: numpyro.param without a value: it would silently take its initial one.
    params: list[str] = field(default_factory=list)
    #: scan and cond: their own sites cannot be told apart from here.
    control_flow: list[str] = field(default_factory=list)
    #: Plates that take a random part of the rows.
    subsampled: list[str] = field(default_factory=list)

    def without(self, site: str) -> dict[str, Shape]:
        """The shapes of the latent sites, except for this one."""
        return {name: shape for name, shape in self.latent.items() if name != site}


def latent_sites(program: Program, site: str, n_columns: int, drawn: Collection[str]) -> Sites:
    """The sites of a model whose likelihood is `site`, checked: the rest must not depend on the number of rows.

    `drawn` are the names of which there are draws.
    """
    few, more = (_trace(program, rows, n_columns) for rows in (2, 3))
    if few.params:
        raise InputError(
            f"the model has numpyro.param sites without a value ({_listed(few.params)}), which would keep their "
            "initial values. Fill them in: from_numpyro(numpyro.handlers.substitute(model, params), samples)."
        )
    if few.control_flow:
        raise InputError(
            f"the model uses {few.control_flow[0]} of numpyro.contrib.control_flow, where rows depend on each other or "
            "sites hide. Write the prediction of a row as a function: "
            'from_draws(fn, samples, backend="jax").'
        )
    _check_site(few, site, drawn)
    if few.subsampled:
        raise InputError(
            f"the plate {_listed(few.subsampled)} takes a random part of the rows (subsample_size). Explain the model "
            "with a plate of all rows: numpyro.plate(name, X.shape[0])."
        )
    of_rows = [name for name, shape in few.without(site).items() if more.latent.get(name) != shape]
    if of_rows:
        raise InputError(
            f"the model draws {_listed(of_rows)} for every row, as it draws {site!r}. Those draws belong to the rows "
            "it was fitted to, and other rows have none. Integrate them out of the model, for instance by a StudentT "
            "or NegativeBinomial2 in place of a draw per row."
        )
    return few


def _check_site(sites: Sites, site: str, drawn: Collection[str]) -> None:
    if site in sites.observed or site in sites.latent:
        return
    names = sites.observed or [name for name in sites.latent if name not in drawn]
    raise InputError(
        Argument("site"),
        f" must be the site of y, the one with obs=; got {site!r}, and the model has "
        f"{_listed(names) or 'no such site'}. Write from_numpyro(model, samples, site={names[0] if names else 'y'!r}).",
    )


def _trace(program: Program, rows: int, n_columns: int) -> Sites:
    """The sites that the model visits for this many rows. Nothing is computed: only shapes are followed."""
    import jax
    import jax.numpy as jnp
    from numpyro.handlers import seed
    from numpyro.primitives import Messenger

    found = Sites()

    class Outline(Messenger):  # type: ignore[misc]
        """Outermost, so it sees what the model's own handlers have left open. It fills in zeros."""

        def process_message(self, msg: Any) -> None:
            kind, name = msg["type"], msg.get("name")  # control flow has none
            if kind == "param" and msg["value"] is None:
                found.params.append(name)
            elif kind == "control_flow":
                found.control_flow.append(getattr(msg["fn"], "__name__", "").partition("_")[0])
            elif kind == "plate" and msg["value"] is None:
                found.subsampled.append(name)
            elif kind == "sample" and msg["is_observed"]:
                found.observed.append(name)
            elif kind == "sample" and msg["value"] is None:
                shape = tuple(msg["fn"].shape(msg["kwargs"].get("sample_shape", ())))
                discrete = bool(getattr(msg["fn"].support, "is_discrete", False))
                found.latent[name] = shape
                if discrete:
                    found.discrete.add(name)
                msg["value"] = jnp.zeros(shape, dtype=int if discrete else float)

    def run(X: Any) -> None:
        seed(Outline(program), 0)(X)

    with jax.enable_x64(True):
        try:
            jax.eval_shape(run, jax.ShapeDtypeStruct((rows, n_columns), jnp.float64))
        except InputError:
            raise
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError) as error:
            raise InputError(
                "the model cannot be traced by JAX: it turns X into a NumPy array or branches on its values "
                f"({_first_line(error)}). Use jax.numpy and jnp.where."
            ) from error
        except (TypeError, ValueError, IndexError, AttributeError, AssertionError) as error:
            raise InputError(
                f"the model does not run for {rows} rows and {n_columns} columns: {_first_line(error)}. It is called "
                "as model(X), or model(X, y=None) if it has more arguments without a default. Sizes of plates and "
                "arrays must come from X.shape[0], not from the training data, and draws per row cannot be explained."
            ) from error
    return found


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))
