"""Small tables, and shorthands for the notes on them."""

import numpy as np
import pandas as pd

N = 120


def table(**columns):
    """Two columns of noise, x and the target y, and others."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=N), "y": rng.normal(size=N)} | columns)


def repeated(cells):
    """The cells again and again, for a whole table."""
    return (list(cells) * N)[:N]


def said(prepared, kind):
    """The text of all notes of a kind."""
    return " ".join(str(note) for note in prepared.notes if note.kind == kind)


def severe(prepared):
    return [note for note in prepared.notes if note.severe]


def kind(prepared, name):
    """What a column was taken for."""
    reading = prepared.reader.readings_[name]
    return "categorical" if reading.categorical else "date" if reading.kind == "date" else "number"


def dropped(prepared):
    return prepared.reader.dropped_
