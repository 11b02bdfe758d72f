"""Which measurements move the predicted progression of diabetes, and which of them interact?

A Gaussian process of scikit-learn is fitted to the ten standardised inputs of the diabetes data (442 patients) and
explained with rsens. Prints the rankings and writes figures and the result to demo-output/.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

import rsens

matplotlib.use("Agg")  # draw into files, without a screen
from matplotlib import pyplot as plt

OUTPUT = Path("demo-output")


def fit(X, y):
    """A Gaussian process as an rsens model: a function from rows to the predictive distribution of y."""
    X = np.asarray(X)
    gp = GaussianProcessRegressor(RBF(np.full(X.shape[1], 3.0)) + WhiteKernel(), normalize_y=True)
    with warnings.catch_warnings():
        # A length-scale at its upper bound says that an input is irrelevant; that is an answer, not a failure.
        warnings.simplefilter("ignore", ConvergenceWarning)
        gp.fit(X, y)

    def predict(rows):
        mean, sd = gp.predict(rows, return_std=True)
        return rsens.Normal(mean, sd**2)

    return rsens.from_function(predict)


def main():
    """Fit, explain, print, draw, save."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    X = (X - X.mean()) / X.std()
    print(f"Fitting a Gaussian process to {len(X)} patients and {X.shape[1]} measurements …")
    model = fit(X, y)

    print("Explaining it, and refitting it with shuffled columns to see what an irrelevant one would get …\n")
    explanation = rsens.explain(model, X, y, refit=fit, n_probes=10, random_state=0)

    print("R-sens: how fast the predictive distribution changes per standard deviation of each measurement.")
    print("part_mean moves the prediction, part_variance its uncertainty; direction is the slope of the mean.\n")
    print(explanation.to_frame().drop(columns="rank").round(3).to_string(index=False))
    print("\nR-sens₂: the strongest interactions.\n")
    print(
        explanation.to_frame(order=2)
        .head(5)[["term", "value", "lower", "upper", "null"]]
        .round(3)
        .to_string(index=False)
    )

    OUTPUT.mkdir(exist_ok=True)
    strongest = explanation.main.idxmax()
    draw = {
        "bars": explanation.plot_bars,
        "pairs": explanation.plot_pairs,
        f"profile_{strongest}": lambda: explanation.plot_profile(strongest),
    }
    for name, plot in draw.items():
        plot()
        plt.gcf().savefig(OUTPUT / f"{name}.png", dpi=150, bbox_inches="tight")
        plt.close()
    explanation.save(OUTPUT / "explanation.json")
    print(f"\nFigures and the result, as JSON, are in {OUTPUT.resolve()}")


if __name__ == "__main__":
    main()
