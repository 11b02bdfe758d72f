"""Which measurements move the predicted progression of diabetes, and which of them interact?

A Gaussian process is fitted to the diabetes data (442 patients, ten measurements; they come with scikit-learn) and
explained. Prints the rankings and writes figures and the result to demo-output/.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
from sklearn.datasets import load_diabetes

import rsens

matplotlib.use("Agg")  # draw into files, without a screen
from matplotlib import pyplot as plt

OUTPUT = Path("demo-output")


def main():
    """Fit, explain, print, draw, save."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    print(f"Fitting a Gaussian process to {len(X)} patients and {X.shape[1]} measurements …")
    model = rsens.GPRegressor(random_state=0).fit(X, y)

    print("Explaining it, and refitting it with shuffled columns to see what an irrelevant one would get …\n")
    explanation = rsens.explain(model, X, y, random_state=0)

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
        f"profile_{strongest}": lambda: explanation.plot_profile(strongest, y=y),
    }
    for name, plot in draw.items():
        plot()
        plt.gcf().savefig(OUTPUT / f"{name}.png", dpi=150, bbox_inches="tight")
        plt.close()
    explanation.save(OUTPUT / "explanation.json")
    print(f"\nFigures and the result, as JSON, are in {OUTPUT.resolve()}")


if __name__ == "__main__":
    main()
