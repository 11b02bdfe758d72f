"""Explanations as JSON files. Whatever is wrong with a file is an `InputError` that says so."""

from __future__ import annotations

import numpy as np

from rsens._files import Form, Reader, array_of, label, number, number_or_nan, or_none, text, truth, tuple_of, whole

_READERS: dict[str, Reader] = {
    "family": text,
    "alpha": number,
    "aggregate": text,
    "level": number,
    "scale": text,
    "columns": tuple_of(text),
    "units": array_of(number, 1),
    "categorical": tuple_of(whole),
    "terms": tuple_of(text),
    "members": tuple_of(tuple_of(whole)),
    "outputs": tuple_of(text),
    "row_labels": or_none(tuple_of(label)),
    "row_label_name": or_none(text),
    "main": array_of(number, 1),
    "pairs": or_none(array_of(number, 1)),
    "direction": array_of(number_or_nan, 2),
    "consistency": array_of(number_or_nan, 2),
    "part_names": tuple_of(text),
    "parts": or_none(array_of(number, 2)),
    "intervals": or_none(array_of(number_or_nan, 2)),
    "pair_intervals": or_none(array_of(number_or_nan, 2)),
    "null": or_none(array_of(number_or_nan, 1)),
    "null_pairs": or_none(array_of(number_or_nan, 1)),
    "reached": or_none(array_of(number_or_nan, 1)),
    "reached_pairs": or_none(array_of(number_or_nan, 1)),
    "probe_terms": or_none(tuple_of(text)),
    "probe_values": or_none(array_of(number, 1)),
    "subgroups": or_none(tuple_of(label)),
    "subgroup_counts": or_none(array_of(whole, 1, np.int64)),
    "subgroup_values": or_none(array_of(number, 2)),
    "extrapolation": array_of(truth, 1, np.bool_),
    "local_main": array_of(number, 2),
    "local_pairs": or_none(array_of(number, 3)),
}

FORM = Form("an explanation", "Explanation.save", _READERS)
