"""A saved model answers for new rows."""

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import InputError, study
from rsens._app.cli import main
from rsens._app.report._sentences import details
from tests.app.study.tables import classes, with_text

QUICK = {"cv": 0, "null": False}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A study, and the folder where its model is."""
    folder = tmp_path_factory.mktemp("saved")
    result = study(with_text(), "y", categorical=["code"], **QUICK)
    result.write(folder, report=False)
    return result, folder / "model.rsens"


def test_the_same_rows_give_the_same_answer(saved):
    result, path = saved
    again = study(with_text(), "y", model=path)
    text = " ".join(again.text().split())
    assert "fitted to 60 rows" in text
    assert "no check of the model, no null level" in text
    np.testing.assert_allclose(again.explanation.main, result.explanation.main, rtol=1e-9)
    assert again.assessment is None
    assert again.explanation.null is None
    assert again.likelihood.kind == "gaussian"
    predicted = result.model.predict(result.reader.transform(with_text()))
    np.testing.assert_allclose(predicted, result.model.predict(result.X), rtol=1e-12)


def test_no_target_and_one_row_from_a_file(saved, tmp_path):
    with_text(1).drop(columns="y").to_csv(tmp_path / "new.csv", index=False)
    command = ["explain", str(tmp_path / "new.csv"), "--model-file", str(saved[1]), "--no-report", "--quiet"]
    assert main([*command, "--out", str(tmp_path / "told")]) == 0
    assert len(pd.read_parquet(tmp_path / "told" / "local.parquet")) == 1
    again = study(tmp_path / "new.csv", model=saved[1])
    assert len(again.X) == 1
    assert again.y is None
    files = again.write(tmp_path / "out", report=False)
    assert "model.rsens" not in {path.name for path in files}


def test_the_model_that_was_read_is_never_removed(saved, tmp_path):
    result, _ = saved
    result.write(tmp_path / "out", report=False)
    model = (tmp_path / "out" / "model.rsens").read_bytes()
    again = study(with_text(10), model=tmp_path / "out" / "model.rsens")
    with pytest.raises(InputError, match=r"results of another question \(model_file was not given\)"):
        again.write(tmp_path / "out", report=False)
    again.write(tmp_path / "out", report=False, overwrite=True)
    assert (tmp_path / "out" / "model.rsens").read_bytes() == model


def test_rows_outside_the_data_are_told(saved):
    far = with_text(20).assign(a=100.0)
    again = study(far, model=saved[1])
    assert "outside the data" in again.text()
    assert "20 of 20 rows lie outside the cloud of the data, where the model extrapolates." in details(again)


def test_classes(tmp_path):
    study(classes(3), "y", **QUICK).write(tmp_path, report=False)
    again = study(classes(3, 20).drop(columns="y"), model=tmp_path / "model.rsens")
    assert again.likelihood.classes == ("class 0", "class 1", "class 2")
    assert again.explanation.main.idxmax() == "a"


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (with_text().drop(columns="b"), {}, "no column 'b'"),
        (with_text().assign(town="Paris"), {}, "Paris"),
        (with_text(), {"drop": ["a"]}, "drop is fixed"),
        (with_text(), {"likelihood": "poisson"}, "likelihood is fixed"),
        (with_text(), {"target": "a"}, "predicts 'y', not 'a'"),
        (with_text(), {"cv": 3}, "cv is fixed"),
    ],
)
def test_errors(saved, data, options, message):
    with pytest.raises(InputError, match=message):
        study(data, model=saved[1], **options)


def test_other_files_are_refused(tmp_path, saved):
    with pytest.raises(InputError, match=r"none\.rsens"):
        study(with_text(), model=tmp_path / "none.rsens")
    (tmp_path / "text.rsens").write_text("no model")
    with pytest.raises(InputError, match=r"text\.rsens"):
        study(with_text(), model=tmp_path / "text.rsens")
    rsens.save_model(saved[0].model, tmp_path / "bare.rsens")
    with pytest.raises(InputError, match="how its columns were read"):
        study(with_text(), model=tmp_path / "bare.rsens")
