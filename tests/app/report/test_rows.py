"""The rows that can be looked at."""

import numpy as np
import pytest

from rsens._app.report._facts import MOST_ROWS, Facts
from rsens._app.report._rows import rows
from tests.app.report import studies


def test_values_are_those_of_the_explanation():
    study = studies.numbers()
    found = rows(Facts.of(study))
    local = study.explanation.local_main
    assert len(found["rows"]) == 60
    for k in (0, 17, 59):
        row = found["rows"][k]
        names = [found["names"][d]["full"] for d, *_ in row["terms"]]
        expected = local.iloc[k].sort_values(ascending=False, kind="stable")
        assert names == list(expected.index)
        assert np.allclose([float(text) for _, _, text, *_ in row["terms"]], expected, atol=0.006)
    city = next(term for term in found["rows"][0]["terms"] if found["names"][term[0]]["full"] == "city")
    assert city[1] == study.X["city"].iloc[0]


def test_prediction_with_its_interval():
    study = studies.numbers()
    mean = study.model.predict(study.X)
    row = rows(Facts.of(study))["rows"][5]
    assert row["prediction"].startswith(f"Predicted mean {mean[5]:.3g}".replace("-", "−")[:19])
    assert "observed" in row["prediction"]
    shape = row["shape"]
    assert (
        0.0 <= shape["outer"][0] <= shape["inner"][0] <= shape["value"] <= shape["inner"][1] <= shape["outer"][1] <= 1
    )


def test_classes():
    study = studies.classes()
    found = rows(Facts.of(study))["rows"]
    probabilities = study.model.predict_proba(study.X)
    for k in (0, 30):
        bars = found[k]["shape"]["bars"]
        top = probabilities[k].argmax()
        assert bars[0][0] == study.model.classes_[top]
        assert bars[0][2] == pytest.approx(probabilities[k, top], rel=1e-2)  # three digits
        assert found[k]["prediction"].endswith(f"observed {study.y.iloc[k]}.")


def test_many_rows_are_thinned_over_the_ranks_of_the_prediction():
    facts = Facts.of(studies.function(1500))
    shown = facts.shown_rows
    assert len(shown) == MOST_ROWS
    assert {int(facts.point.argmin()), int(facts.point.argmax())} <= set(shown.tolist())
    gaps = np.diff(np.sort(np.argsort(np.argsort(facts.point))[shown]))
    assert gaps.max() <= 4  # 1500 / 500 = 3, and rounding


def test_picks_are_where_they_say():
    facts = Facts.of(studies.numbers())
    picks = dict(rows(facts)["picks"])
    assert picks["lowest"] == facts.point.argmin()
    assert picks["highest"] == facts.point.argmax()
    assert "least certain" in dict(rows(Facts.of(studies.classes()))["picks"])
