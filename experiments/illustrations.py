"""Figures 1 and 2, and the supplement's figure of probit regression: what uncertainty does to sensitivity.

    python -m experiments.illustrations

Figure 1 shows a Gaussian process on one input. Figure 2 shows Bayesian linear regression on ten observations of two
inputs with coefficients 1 and 0. The last figure does the same with probit regression on 1000 binary observations. Each
figure comes with its lines as CSV. The paper does not give its data: we made up the data of Figure 1 and the random
numbers of the other two.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.special import ndtr

import rsens
from experiments._command import RESULTS, whole_number
from experiments._style import BLACK, BLUE, VERMILLION, grid, new_figure, save, styled, tint
from experiments._tables import write_csv
from rsens._typing import Array
from rsens.adapters import as_model
from rsens.measures import parts

COLOURS = (VERMILLION, BLUE)  # of x1 and x2, as in the paper
COEFFICIENTS = np.array([1.0, 0.0])


def gaussian_process(seed: int) -> tuple[pd.DataFrame, Array, Array]:
    """The lines of Figure 1, and the data: many points on the left, a gap, and a few on the right."""
    rng = np.random.default_rng([seed, 1])
    x = np.sort(np.concatenate([rng.uniform(0.0, 5.0, 28), rng.uniform(7.0, 9.0, 5)]))
    y = np.sin(1.3 * x) + 0.25 * x + 0.2 * rng.standard_normal(len(x))
    model = rsens.GPRegressor(random_state=0).fit(x[:, None], y)
    line = np.linspace(-1.0, 10.0, 441)[:, None]
    record = as_model(model).derivatives(line, 1)
    table = pd.DataFrame(
        {
            "x": line[:, 0],
            "mean": record.distribution.mean,
            "sd": np.sqrt(record.distribution.variance),
            "derivative": np.abs(record.first[:, 0, 0]),
            "rsens": rsens.rsens(model, line)[:, 0],
        }
    )
    return table, x, y


def linear_regression(seed: int) -> pd.DataFrame:
    """The lines of Figure 2: along each input, with the other at 0.

    `first` and `second` are the square roots of the two summands of equation 5: rsens² = first² + second².
    """
    rng = np.random.default_rng([seed, 2])
    X = rng.standard_normal((10, 2))
    y = X @ COEFFICIENTS + 0.5 * rng.standard_normal(10)
    model = rsens.BayesianLinearRegression(fit_intercept=False).fit(X, y)
    tables = []
    for d, line in enumerate(_along_axes()):
        record = as_model(model).derivatives(line, 1)
        interval = record.distribution.quantile(np.array([[0.025], [0.975]]))
        shares = parts(record.distribution, record.first)
        whole = record.distribution.fisher_norm(record.first)[:, d]
        # A part is R_b²/R, so multiplying it by R gives the square of the contribution.
        first, second = (np.sqrt(share[:, d] * whole) for share in shares.values())
        columns = {"variable": f"x{d + 1}", "x": line[:, d], "mean": record.distribution.mean}
        bands = {"lower": interval[0], "upper": interval[1]}
        tables.append(pd.DataFrame({**columns, **bands, "rsens": whole, "first": first, "second": second}))
    return pd.concat(tables, ignore_index=True)


def probit_regression(seed: int) -> pd.DataFrame:
    """The lines of the supplement's figure; `derivative` is |∂π/∂x_d|, without the Fisher information."""
    rng = np.random.default_rng([seed, 3])
    X = rng.standard_normal((1000, 2))
    y = rng.random(1000) < ndtr(X @ COEFFICIENTS)
    model = rsens.BayesianProbitRegression(fit_intercept=False, standardize=False).fit(X, y)
    tables = []
    for d, line in enumerate(_along_axes()):
        record = as_model(model).derivatives(line, 1)
        table = {
            "variable": f"x{d + 1}",
            "x": line[:, d],
            "probability": record.distribution.mean,
            "rsens": record.distribution.fisher_norm(record.first)[:, d],
            "derivative": np.abs(record.first[:, 0, d]),
        }
        tables.append(pd.DataFrame(table))
    return pd.concat(tables, ignore_index=True)


def _along_axes() -> tuple[Array, Array]:
    """Rows along x1 with x2 = 0, and along x2 with x1 = 0."""
    x = np.linspace(-3.0, 3.0, 241)
    return np.column_stack([x, np.zeros_like(x)]), np.column_stack([np.zeros_like(x), x])


@styled
def draw_gaussian_process(table: pd.DataFrame, x: Array, y: Array, folder: Path) -> None:
    """Figure 1: bands of 1, 2 and 3 standard deviations above, the sensitivities below."""
    figure = new_figure(5.0, 4.6)
    upper, lower = grid(figure, 2, 1, sharex=True, height_ratios=(4, 3))[:, 0]
    for k, strength in ((3, 0.18), (2, 0.36), (1, 0.58)):
        band = table["mean"] - k * table["sd"], table["mean"] + k * table["sd"]
        upper.fill_between(table["x"], *band, color=tint(BLUE, strength), linewidth=0.0, label=f"± {k} sd")
    upper.plot(table["x"], table["mean"], color=BLUE, label="E[y | x]")
    upper.plot(x, y, "o", color=BLACK, markersize=3.0, label="data")
    handles, labels = upper.get_legend_handles_labels()
    upper.legend(
        handles[::-1],
        labels[::-1],
        ncols=5,
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.0,
        columnspacing=1.2,
        handlelength=1.4,
    )
    upper.set_ylabel("y")
    # Divided by a typical sd, the derivative has the unit of R-sens: R-sens if the sd were the same everywhere.
    naive = table["derivative"] / table["sd"].median()
    lower.plot(table["x"], naive, color=BLACK, linestyle=(0, (5, 2)), label="|∂E[y | x]/∂x| / median sd")
    lower.plot(table["x"], table["rsens"], color=VERMILLION, linewidth=1.8, label="R-sens")
    lower.set_ylim(0.0, 1.25 * max(naive.max(), table["rsens"].max()))
    lower.legend(ncols=2, frameon=False, loc="upper left", borderaxespad=0.1)
    lower.set(xlabel="x", ylabel="sensitivity", xlim=(table["x"].min(), table["x"].max()))
    figure.align_ylabels()
    save(figure, folder, "illustration_gp")


@styled
def draw_linear_regression(table: pd.DataFrame, folder: Path) -> None:
    """Figure 2: predictive distributions above, R-sens with its two contributions below."""
    figure = new_figure(5.0, 4.6)
    upper, lower = grid(figure, 2, 1, sharex=True)[:, 0]
    for (name, part), colour in zip(table.groupby("variable"), COLOURS, strict=True):
        upper.fill_between(part["x"], part["lower"], part["upper"], color=colour, alpha=0.18, linewidth=0.0)
        upper.plot(part["x"], part["mean"], color=colour, label=f"along {name}, the other 0")
        # Broad and light, because one of its contributions often covers it.
        lower.plot(part["x"], part["rsens"], color=tint(colour, 0.4), linewidth=4.0)
        lower.plot(part["x"], part["first"], color=colour, linestyle="--", linewidth=1.3)
        lower.plot(part["x"], part["second"], color=colour, linestyle=":", linewidth=1.6)
    upper.set_ylabel("y: mean and 95 % interval")
    _finish(upper, lower, table, {"R-sens": "-", "first summand": "--", "second summand": ":"}, broad=4.0)
    save(figure, folder, "illustration_linear")


@styled
def draw_probit_regression(table: pd.DataFrame, folder: Path) -> None:
    """The supplement's figure: probabilities above, R-sens and the plain derivative below."""
    figure = new_figure(5.0, 4.6)
    upper, lower = grid(figure, 2, 1, sharex=True)[:, 0]
    for (name, part), colour in zip(table.groupby("variable"), COLOURS, strict=True):
        upper.plot(part["x"], part["probability"], color=colour, label=f"along {name}, the other 0")
        lower.plot(part["x"], part["rsens"], color=colour, linewidth=1.8)
        lower.plot(part["x"], part["derivative"], color=colour, linestyle="--", linewidth=1.2)
    upper.set(ylabel="p(y = 1)", ylim=(0.0, 1.0))
    _finish(upper, lower, table, {"R-sens": "-", "derivative of the probability": "--"}, broad=1.8)
    save(figure, folder, "illustration_probit")


def _finish(upper: Axes, lower: Axes, table: pd.DataFrame, styles: dict[str, str], broad: float) -> None:
    """Legends and limits for two of the figures: colours stand for inputs, line styles for quantities."""
    upper.legend(ncols=2, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.0)
    handles = [Line2D([], [], color="0.3", linestyle=line, label=text) for text, line in styles.items()]
    handles[0].set(linewidth=broad, color="0.7" if broad > 2.0 else "0.3")
    lower.legend(handles=handles, ncols=len(handles), frameon=False, loc="upper left", borderaxespad=0.1)
    top = 1.25 * table["rsens"].max()
    lower.set(xlabel="x1 or x2", ylabel="sensitivity", ylim=(0.0, top), xlim=(table["x"].min(), table["x"].max()))


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seed", type=whole_number(0), default=0)
    options.add_argument("--out", type=Path, default=RESULTS, help="folder for the results; default: %(default)s")
    given = options.parse_args(arguments)
    process, x, y = gaussian_process(given.seed)
    linear, probit = linear_regression(given.seed), probit_regression(given.seed)
    for name, table in (("gp", process), ("linear", linear), ("probit", probit)):
        write_csv(table, given.out / f"illustration_{name}.csv")
    draw_gaussian_process(process, x, y, given.out)
    draw_linear_regression(linear, given.out)
    draw_probit_regression(probit, given.out)


if __name__ == "__main__":
    main()
