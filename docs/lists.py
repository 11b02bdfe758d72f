"""Write docs/lists.md: everything that rsens keeps in a list, from the lists themselves (`make lists`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rsens._app.cli import COMMANDS
from rsens._compare import known
from rsens._conversions import CONVERSIONS
from rsens._explain import FORM
from rsens.adapters import ADAPTERS
from rsens.distributions import ALL_FAMILIES
from rsens.kernels import ALL_KERNELS
from rsens.likelihoods import ALL_LIKELIHOODS
from rsens.plots import PLOTS

PAGE = Path(__file__).with_name("lists.md")
HEAD = """# All lists

Made from the lists in the code by `make lists`. [architecture.md](architecture.md) explains how to add to them.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(block for section in SECTIONS for block in section())])


def families() -> Iterator[str]:
    """The predictive distributions and their λ."""
    rows = [(f"`{each.__name__}`", code(argument_names(each)), support(each), summary(each)) for each in ALL_FAMILIES]
    text = "Predictions that a model may return."
    yield from section("Families", text, ("Family", "Arguments", "y", "Description"), rows)


def kernels() -> Iterator[str]:
    """The covariance functions."""
    rows = [(f"`{each.__name__}`", code(each().hyperparameter_names), summary(each)) for each in ALL_KERNELS]
    yield from section("Kernels", "Sums and products of these work too.", ("Kernel", "Learned", "Description"), rows)


def likelihoods() -> Iterator[str]:
    """Distributions of y given f."""
    rows = [(f"`{each.name}`", each.label, each.target, summary(each)) for each in ALL_LIKELIHOODS]
    text = "For `GPRegressor(likelihood=…)`, `GPClassifier(link=…)` and `--likelihood`."
    yield from section("Likelihoods", text, ("Name", "In a sentence", "y", "Description"), rows)


def methods() -> Iterator[str]:
    """Methods of `compare`, variables first."""
    rows = [
        (f"`{method.name}`", order, method.meaning, "yes" if method.place else "by name", method.needs_extra or "")
        for order in (1, 2)
        for method in known(order).values()
    ]
    head = ("Method", "Order", "Measures", "In “all”", "Extra")
    yield from section("Compared methods", "Order 1 scores variables, order 2 pairs.", head, rows)


def plots() -> Iterator[str]:
    """The drawing functions."""
    rows = [(f"`rsens.plots.{plot.name}`", plot.of, f"`{plot.file}`") for plot in PLOTS]
    yield from section("Plots", "Axes in, Axes out.", ("Plot", "Of", "File in a results folder"), rows)


def commands() -> Iterator[str]:
    """The command line."""
    rows = [(f"`rsens {command.name}`", command.short_help) for command in COMMANDS]
    yield from section("Commands", "`rsens COMMAND --help` lists the options.", ("Command", "Description"), rows)


def adapters() -> Iterator[str]:
    """Models that need no wrapping."""
    rows = [(adapter.name,) for adapter in ADAPTERS]
    text = (
        "Models of these libraries need no wrapping. Functions go through `from_jax`, `from_torch` or `from_function`."
    )
    yield from section("Models", text, ("Objects",), rows)


def conversions() -> Iterator[str]:
    """Objects that functions may return in place of a family."""
    rows = [(source.name, code(sorted(source.known, key=str.lower))) for source in CONVERSIONS]
    text = (
        "`as_family` turns these into families, and functions given to `from_function`, `from_jax` and `from_torch` "
        "may return them ([how](models/distributions.md))."
    )
    yield from section("Distributions of other libraries", text, ("Source", "Known"), rows)


def fields() -> Iterator[str]:
    """Fields of an explanation, in memory and in its file."""
    rows = [
        (part, f"`{field.name}`", " × ".join(map(str, field.shape)), first_sentence(field.meaning))
        for part, kind in FORM.parts.items()
        for field in kind.fields().values()
    ]
    text = "The content of a file written by `Explanation.save`."
    yield from section("Fields of an explanation", text, ("Part", "Field", "Shape", "Meaning"), rows)


SECTIONS = (families, kernels, likelihoods, methods, plots, commands, adapters, conversions, fields)


def section(title: str, text: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A heading, a sentence, and a table."""
    yield f"## {title}\n\n{text}\n"
    yield line(head)
    yield line(["---"] * len(head))
    yield from map(line, rows)
    yield ""


def line(cells: Sequence[object]) -> str:
    """One line of a table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def code(names: Iterable[str]) -> str:
    """Names as code, each once."""
    return ", ".join(f"`{name}`" for name in names)


def support(family: type) -> str:
    """The type of y; a mixture has the type of its components."""
    kind = getattr(family, "support", "")
    return kind if isinstance(kind, str) else "as its components"


def argument_names(family: type) -> tuple[str, ...]:
    """The arguments of a family; a mixture has components and weights."""
    return tuple(getattr(family, "domains", {})) or ("components", "weights")


def summary(kind: type) -> str:
    """The first sentence of its documentation."""
    return first_sentence(kind.__doc__ or "")


def first_sentence(text: str) -> str:
    """Up to the first full stop or blank line."""
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".") + "."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
