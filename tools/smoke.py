"""A first try of an installed rsens: `python -I smoke.py [EXTRA]`, in an empty folder where nothing but the wheel is.

Prints the versions of the dependencies as JSON; anything else than an exit code of 0 is a failure.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import requires, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

import rsens


def main(extra: str) -> None:
    """Try the basic calls, then the calls of the extra."""
    installed = Path(rsens.__file__).resolve()
    assert installed.is_relative_to(Path(sysconfig.get_path("purelib")).resolve()), f"{installed} is not the wheel"
    assert rsens.__version__ == version("rsens")
    assert (installed.parent / "py.typed").is_file()
    explain(table())
    (USES[extra] if extra else everyday)(table())
    sys.stdout.write(json.dumps(versions(extra)))


def table() -> pd.DataFrame:
    """y depends on a and b, and not on c."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    return rows.assign(y=2.0 * rows["a"] + rows["a"] * rows["b"] + 0.1 * rng.normal(size=40))


def explain(rows: pd.DataFrame) -> None:
    """A model of ours and a model of scikit-learn; also with every extra, which may bring older NumPys."""
    from sklearn.linear_model import BayesianRidge

    X, y = rows[["a", "b", "c"]], rows["y"]
    model = rsens.GPRegressor(random_state=0).fit(X, y)
    explanation = rsens.explain(model, X, null=False)
    assert explanation.main.idxmax() == "a"
    assert explanation.pairs.idxmax() == ("a", "b")
    assert rsens.explain(BayesianRidge().fit(X, y), X).main.idxmax() == "a"


def everyday(rows: pd.DataFrame) -> None:
    """Files, a figure, and the command with its report."""
    X, y = rows[["a", "b", "c"]], rows["y"]
    model = rsens.BayesianLinearRegression().fit(X, y)
    explanation = rsens.explain(model, X)
    explanation.save("explanation.json")
    assert rsens.Explanation.load("explanation.json").main.equals(explanation.main)
    rsens.save_model(model, "model.rsens")
    assert np.array_equal(rsens.load_model("model.rsens").predict(X), model.predict(X))
    explanation.plot_bars().figure.savefig("bars.png")
    rows.to_csv("table.csv", index=False)
    assert "depends most on a" in command("explain", "table.csv", "--target", "y", "--model", "linear")
    page = Path("rsens-table/report.html").read_text(encoding="utf-8")
    assert "<svg" in page


def jax(rows: pd.DataFrame) -> None:
    """Derivatives of a function written in JAX."""
    import jax.numpy as jnp

    from_a_bridge(rsens.from_jax(lambda X: rsens.Normal(jnp.sin(X[:, 0]) * X[:, 1], 1.0 + X[:, 2] ** 2)), rows)


def torch(rows: pd.DataFrame) -> None:
    """Derivatives of a function written in PyTorch."""
    import torch

    from_a_bridge(rsens.from_torch(lambda X: rsens.Normal(torch.sin(X[:, 0]) * X[:, 1], 1.0 + X[:, 2] ** 2)), rows)


def from_a_bridge(model: rsens.Model, rows: pd.DataFrame) -> None:
    """Normal(sin(a) b, 1 + c²) in closed form: R-sens of a is |cos(a) b|/sd."""
    a, b, c = rows[["a", "b", "c"]].to_numpy().T
    found = rsens.rsens(model, rows[["a", "b", "c"]].to_numpy())[:, 0]
    assert np.allclose(found, np.abs(np.cos(a) * b) / np.sqrt(1.0 + c**2), rtol=1e-9)


def compare(rows: pd.DataFrame) -> None:
    """SHAP values and SHAP interactions."""
    X, y = rows[["a", "b", "c"]], rows["y"]
    model = rsens.GPRegressor(random_state=0).fit(X, y)
    for order, best in ((1, "a"), (2, "a:b")):
        found = rsens.compare(model, X.head(5), y.head(5), methods=["shap"], order=order)
        assert list(found["status"].unique()) == ["ok"], found
        assert found.loc[found["rank"] == 1, "term"].item() == best


def parquet(rows: pd.DataFrame) -> None:
    """Tables in Parquet files."""
    rows.to_parquet("rows.parquet")
    assert "depends most on a" in command(
        "explain", "rows.parquet", "--target", "y", "--model", "linear", "--no-report"
    )


def distributed(rows: pd.DataFrame) -> None:
    """Refits on a Dask cluster."""
    rows.to_csv("cluster.csv", index=False)
    asked = ("explain", "cluster.csv", "--target", "y", "--model", "linear", "--no-report", "--dask", "local")
    assert "depends most on a" in command(*asked)


#: The purpose of each extra that users install.
USES = {use.__name__: use for use in (jax, torch, compare, parquet, distributed)}


def command(*arguments: str) -> str:
    """What `rsens arguments` prints; the script that pip made, not the module."""
    suffix = ".exe" if os.name == "nt" else ""
    script = Path(sysconfig.get_path("scripts")) / f"rsens{suffix}"
    done = subprocess.run([script, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join(done.stdout.split())


def versions(extra: str) -> dict[str, str]:
    """The versions of what rsens, or the extra, names as dependencies."""
    marker = f"extra == '{extra}'" if extra else ""
    stated = [r.replace('"', "'").partition(";") for r in requires("rsens") or []]
    names = [re.match(r"[A-Za-z0-9._-]+", r).group() for r, _, m in stated if m.strip() == marker]  # type: ignore[union-attr]
    if not extra:
        assert not [name for name in USES if find_spec(name)], "an extra is in the base installation"
    return {name: version(name) for name in names}


if __name__ == "__main__":
    main(*(sys.argv[1:] or [""]))
