"""What was found about single cells, and the settings that the paper leaves open. Words only; numbers are results."""

from __future__ import annotations

from experiments._simulated import BIAS, NOISE, SPREAD
from rsens.black_box._budget import BUDGETS

_PAPER = BUDGETS["paper"]

#: By cell of Table 1 or a sibling: what was found about it.
WHY: dict[tuple[str, str, str, str], str] = {
    ("t3", "ground-truth", "x exp(-x)", "var"): (
        "Fewer nodes move this cell towards the print, and spoil others (table below). With the settings of the "
        "tables, all cells of VAR together differ from the print by no more than chance allows. What is left is about "
        "two joint standard errors: best explained as random error of the published number, which is uncertain too."
    ),
    ("correlated", "imperfect", "x exp(-x)", "pfi"): (
        "More noise in y moves this cell to the print, and spoils others (table below). With the settings of the "
        "tables, all cells of PFI together differ from the print by no more than chance allows. What is left is about "
        "two joint standard errors: best explained as random error of the published number, which is uncertain too."
    ),
}

#: Open choice, ours, why.
SETTINGS: tuple[tuple[str, str, str], ...] = (
    (
        "Error of a ranking",
        "Σ abs(rank − true rank) over the ten variables; ± is 1.96 standard errors over repetitions",
        "The text says average, but an average of ten cannot be larger than 5, and the print goes beyond 20.",
    ),
    (
        "When A_bias is drawn",
        f"From N(0, {BIAS}²) anew at every call of the model, also at the one that makes y; both readings are shown",
        "See the finding above.",
    ),
    (
        "Predictive variance",
        f"V(x) = 1 + {SPREAD} (x − m)ᵀ S⁻¹ (x − m), m and S of the sample",
        "The text says that it increases quadratically with the distance from the mean of the data.",
    ),
    ("Noise of y", f"{NOISE} sample standard deviations of f", "Only PFI looks at y; found by agreement."),
    (
        "APC",
        "One random row j for all variables; Σ w_i abs(f(u_j, v_i) − f(u_i, v_i)) / Σ w_i abs(u_j − u_i), w_i the "
        "inverse square of the squared Mahalanobis distance between v_i and v_j",
        "The supplement gives its cost, about two predictions per row and variable.",
    ),
    ("SHAP", "One random coalition and one random background row per row and variable; mean absolute value", "As APC."),
    ("PD", f"Sample standard deviation of the partial dependence at {_PAPER.grid} deciles", "As APC."),
    ("PFI", "One permutation; mean negative log predictive density, V at the permuted row", "Found by agreement."),
    (
        "VAR",
        f"Gaussian conditional distribution with the sample covariance; {_PAPER.nodes} Gauss–Hermite nodes; "
        "E[f²] − E[f]², mean over rows; every expectation, of a row and a variable, is one call of the model",
        "Found by agreement; other numbers of nodes and other readings of a call are tried above.",
    ),
    ("Mixture", "½ N(−1, 0.5²) + ½ N(1, 0.5²)", "Found by agreement."),
    (
        "Section 3.2",
        "The shapes and strengths of eight main effects; noise; log-normal priors of the hyperparameters "
        "(`experiments/_interacting.py`)",
        "The paper says that there are eight, of different shapes and strengths. Without priors, the noise vanishes at "
        "50 observations.",
    ),
    (
        "Section 3.3",
        "Which six predictors of Bike; what keeps the noise of Concrete from vanishing (`experiments/_benchmarks.py`)",
        "Not said. Two answers to each are shown.",
    ),
)
