"""The tasks of benchmarks/scaling.py, one per process: processor time on one thread, and the peak of memory.

    python -m benchmarks._scaling_tasks '{"task": "fit", "kind": "gaussian", "rows": 10000}'

prints one line of JSON. The data have ten columns, five of which matter, two of these together.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import blas
from scipy.special import ndtr

D, M, HELD_OUT = 10, 300, 5000
#: Rows of one block: of `dsyrk`, so that it needs no memory to speak of, and of R-sens₂, whose results are large.
BLOCK = 20_000
RARE_SEEDS = (0, 1, 2)
#: Held-out scores this far apart are near each other, and the same.
NEAR, SAME = 0.005, 0.001


def data(kind: str, rows: int, seed: int = 0) -> tuple[Any, Any]:
    """Inputs and targets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, D))
    f = np.sin(1.5 * X[:, 0]) + 0.7 * X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 - 0.5 + 0.3 * X[:, 4]
    if kind == "poisson":
        return X, rng.poisson(np.exp(0.7 * f)).astype(float)
    if kind == "probit":
        return X, (f + rng.standard_normal(rows) > 0.0).astype(int)
    return X, f + 0.3 * rng.standard_normal(rows)


def model(kind: str, inducing: int = M) -> Any:
    """Our GP with its default priors, one start."""
    from rsens.models import GPClassifier, GPRegressor

    settings: dict[str, Any] = {"inducing": inducing, "n_restarts": 0, "random_state": 0}
    return GPClassifier(**settings) if kind == "probit" else GPRegressor(likelihood=kind, **settings)


def seconds(call: Callable[[], Any]) -> float:
    """Processor time."""
    start = time.process_time()
    call()
    return time.process_time() - start


def peak_megabytes() -> float:
    """Peak of the memory of this process: Python, libraries, data, results."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def dsyrk_seconds(rows: int, inducing: int) -> float:
    """One pass of N·M²: VVᵀ of an (M, N) matrix, block by block."""
    V = np.asfortranarray(np.random.default_rng(0).standard_normal((inducing, min(rows, BLOCK))))
    S = np.zeros((inducing, inducing), order="F")
    blas.dsyrk(1.0, V, lower=1)

    def one_pass() -> None:
        for _ in range(rows // V.shape[1]):
            blas.dsyrk(1.0, V, beta=1.0, c=S, lower=1, overwrite_c=1)

    return min(seconds(one_pass) for _ in range(3))


def fit(kind: str, rows: int, inducing: int = M) -> dict[str, float]:
    """A fit, the pass of N·M² that it is measured in, and what comes after it, at the training rows."""
    from rsens.measures import rsens, rsens2

    X, y = data(kind, rows)
    unit = dsyrk_seconds(rows, inducing)
    estimator = model(kind, inducing)
    found = {"dsyrk": unit, "fit": seconds(lambda: estimator.fit(X, y)), "memory of the fit": peak_megabytes()}
    found["predict"] = seconds(lambda: estimator.predict_distribution(X))
    found["R-sens"] = seconds(lambda: rsens(estimator, X))
    found["memory with R-sens"] = peak_megabytes()
    blocks = [slice(start, start + BLOCK) for start in range(0, rows, BLOCK)]
    found["R-sens₂"] = seconds(lambda: [rsens2(estimator, X[block]).mean(axis=0) for block in blocks])
    found["score"] = float(estimator.log_predictive_density(*data(kind, HELD_OUT, seed=1)).mean())
    return found


def jobs(rows: int) -> dict[str, float]:
    """The clock's time of `explain` with pairs, in one process and in two, in alternation."""
    from rsens import explain

    X, y = data("gaussian", rows)
    estimator = model("gaussian").fit(X, y)
    asked = {"pairs": True, "random_state": 0}
    found: dict[str, float] = {}
    mains = []
    for _ in range(2):
        for name, number in (("one", 1), ("two", 2)):
            start = time.perf_counter()
            mains.append(explain(estimator, X, n_jobs=number, **asked).main)
            found[name] = min(found.get(name, np.inf), time.perf_counter() - start)
    if any((main != mains[0]).any() for main in mains):
        raise RuntimeError("the number of processes changes R-sens")
    return found


def svgp(kind: str, rows: int, score: float, most_seconds: float) -> dict[str, float]:
    """GPyTorch's SVGP with as many inducing points, until its held-out score reaches `score` or time is up.

    Minibatches of 1,000, Adam with a rate of 0.01, single precision; inducing points start at random rows and move.
    """
    import gpytorch
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    X, y = data(kind, rows)
    held_out, truth = data(kind, HELD_OUT, seed=1)
    mean, scale = (y.mean(), y.std()) if kind == "gaussian" else (0.0, 1.0)

    class SVGP(gpytorch.models.ApproximateGP):  # type: ignore[misc]
        def __init__(self, points: Any) -> None:
            distribution = gpytorch.variational.CholeskyVariationalDistribution(len(points))
            super().__init__(gpytorch.variational.VariationalStrategy(self, points, distribution))
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=D))

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    inputs, targets = torch.tensor(X, dtype=torch.float32), torch.tensor((y - mean) / scale, dtype=torch.float32)
    peer = SVGP(inputs[torch.randperm(rows)[:M]].clone())
    peer.covar_module.base_kernel.lengthscale = D**0.5  # where ours starts
    likelihood = (
        gpytorch.likelihoods.GaussianLikelihood() if kind == "gaussian" else gpytorch.likelihoods.BernoulliLikelihood()
    )
    optimizer = torch.optim.Adam([*peer.parameters(), *likelihood.parameters()], lr=0.01)
    bound = gpytorch.mlls.VariationalELBO(likelihood, peer, rows)
    at, seen = torch.tensor(held_out, dtype=torch.float32), torch.tensor((truth - mean) / scale, dtype=torch.float32)

    def epoch() -> None:
        peer.train(), likelihood.train()
        for batch in torch.randperm(rows).split(1000):
            optimizer.zero_grad()
            (-bound(peer(inputs[batch]), targets[batch])).backward()
            optimizer.step()

    def reached() -> float:
        peer.eval(), likelihood.eval()
        with torch.no_grad():
            predictive = likelihood(peer(at))
            if kind == "gaussian":
                predictive = torch.distributions.Normal(predictive.mean, predictive.variance.sqrt())
            return float(predictive.log_prob(seen).mean()) - float(np.log(scale))

    spent, now, near = 0.0, -np.inf, np.nan
    while now < score - SAME and spent < most_seconds:
        spent += seconds(epoch)
        now = reached()
        if np.isnan(near) and now >= score - NEAR:
            near = spent
    return {"fit": spent, "score": now, "near": near, "reached": float(now >= score - SAME)}


def accuracy(kind: str, rows: int) -> dict[str, Any]:
    """R-sens of every column after a search on some rows and after a search on all, and held-out scores."""
    from rsens.measures import rsens

    X, y = data(kind, rows)
    found: dict[str, Any] = {}
    for name, most in (("some", model(kind).search_rows), ("all", rows)):
        estimator = model(kind)
        estimator.search_rows = most
        found[f"{name}: fit"] = seconds(lambda estimator=estimator: estimator.fit(X, y))
        found[f"{name}: R-sens"] = rsens(estimator, X[:1000]).mean(axis=0).tolist()
        found[f"{name}: score"] = float(estimator.log_predictive_density(*data(kind, HELD_OUT, seed=1)).mean())
    return found


def trees(kind: str, rows: int) -> dict[str, float]:
    """Gradient boosting with TreeSHAP: fit, main effects and interactions at 1,000 rows, held-out score.

    Boosting predicts a number, so a Normal with the variance of its residuals on other rows is scored.
    """
    import shap
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, y = data(kind, rows)
    held_out, truth = data(kind, HELD_OUT, seed=1)
    other, other_truth = data(kind, HELD_OUT, seed=2)
    boosted = HistGradientBoostingRegressor(max_iter=500, early_stopping=True, random_state=0)
    found = {"fit": seconds(lambda: boosted.fit(X, y))}
    variance = float(np.mean((other_truth - boosted.predict(other)) ** 2))
    error = truth - boosted.predict(held_out)
    found["score"] = float(np.mean(-0.5 * np.log(2.0 * np.pi * variance) - 0.5 * error**2 / variance))
    explainer = shap.TreeExplainer(boosted)
    found["main effects of 1,000 rows"] = seconds(lambda: explainer.shap_values(held_out[:1000]))
    found["interactions of 100 rows"] = seconds(lambda: explainer.shap_interaction_values(held_out[:100]))
    return found


def quick(kind: str, rows: int) -> dict[str, float]:
    """Our GP, for a comparison: fit, score, sensitivities of few rows."""
    from rsens.measures import rsens, rsens2

    X, y = data(kind, rows)
    held_out, truth = data(kind, HELD_OUT, seed=1)
    estimator = model(kind)
    found = {"fit": seconds(lambda: estimator.fit(X, y))}
    found["score"] = float(estimator.log_predictive_density(held_out, truth).mean())
    found["main effects of 1,000 rows"] = seconds(lambda: rsens(estimator, held_out[:1000]))
    found["interactions of 100 rows"] = seconds(lambda: rsens2(estimator, held_out[:100]))
    return found


def rare(rows: int) -> dict[str, float]:
    """A rare class, after a search on an even draw of rows and on a draw that keeps the class."""
    from rsens.measures import rsens
    from rsens.models import _rows

    X, y, _ = rare_data(rows, 0)
    held_out, truth, probability = rare_data(50_000, 1)
    exact = np.where(truth == 1, np.log(probability), np.log1p(-probability)).mean()
    found = {"share": float(y.mean()), "score of the truth": float(exact)}
    for draw, least in (("even", 0), ("rare kept", _rows.LEAST_RARE)):
        _rows.LEAST_RARE = least
        for seed in RARE_SEEDS:
            estimator = model("probit", 150).set_params(random_state=seed).fit(X, y)
            found[f"{draw} {seed}: score"] = float(estimator.log_predictive_density(held_out, truth).mean())
            values = rsens(estimator, held_out[:2000]).mean(axis=0)
            found |= {f"{draw} {seed}: R-sens of x{d}": float(value) for d, value in enumerate(values)}
    return found


def rare_data(rows: int, seed: int) -> tuple[Any, Any, Any]:
    """Inputs, classes, and the probability of the second class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    probability = ndtr(-3.3 + 0.6 * np.sin(1.5 * X[:, 0]) + 0.4 * X[:, 1] * X[:, 2] + 0.3 * X[:, 3])
    return X, (rng.uniform(size=rows) < probability).astype(int), probability


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "fit": fit, "jobs": jobs, "svgp": svgp, "accuracy": accuracy, "rare": rare, "trees": trees, "quick": quick,
}  # fmt: skip


def main() -> int:
    """Run the task that the argument describes."""
    warnings.simplefilter("ignore")
    arguments = json.loads(sys.argv[1])
    sys.stdout.write(json.dumps(TASKS[arguments.pop("task")](**arguments)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
