"""The paper's two data sets, from the UCI Machine Learning Repository.

A file is read from the folder that the environment variable RSENS_DATA names, else from a cache folder; if it is in
neither, it is downloaded to the cache: rsens/ in XDG_CACHE_HOME or ~/.cache. In every case its SHA-256 must match
UCI's own file, with Windows or Unix line ends. Both data sets are licensed CC BY 4.0.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.request import urlopen

from rsens._arguments import whole_number
from rsens._errors import Argument, InputError
from rsens._files import write_whole

if TYPE_CHECKING:
    import pandas as pd

UCI = "https://archive.ics.uci.edu"


class Source(NamedTuple):
    """A file at UCI, in a zip archive, with Windows line ends; `name` is its name in the cache."""

    dataset: str
    member: str
    sha256: str
    name: str


CONCRETE = Source(
    "182/concrete+slump+test",
    "slump_test.data",
    "78cea9fbb28ad8fc17f389e216e724dc04642c6c363143e67f6bcb97e74525ee",
    "slump_test.csv",
)
BIKE = Source(
    "275/bike+sharing+dataset",
    "hour.csv",
    "e03de4ee4ef4dc376ac6e04bf829673c6269e8eba5c60fa121640fa2f829504f",
    "bike_hour.csv",
)
CONCRETE_COLUMNS = ["Cement", "Slag", "Fly ash", "Water", "SP", "Coarse Aggr.", "Fine Aggr."]
CONCRETE_TARGET = "Compressive Strength (28-day)(Mpa)"
BIKE_COLUMNS = ("yr", "hr", "workingday", "temp", "hum", "windspeed")


def load_concrete() -> tuple[pd.DataFrame, pd.Series[float]]:
    """Concrete Slump Test (Yeh 2007): the strength of 103 concretes, by their ingredients.

    Columns of X, in kg per m³ of concrete: Cement, Slag, Fly ash, Water, SP (superplasticizer), Coarse Aggr. and
    Fine Aggr. (aggregates). y: the compressive strength after 28 days, in MPa.

    Example:
        >>> from rsens.datasets import load_concrete
        >>> X, y = load_concrete()  # downloads it once
        >>> X.shape, y.name
        ((103, 7), 'Compressive Strength (28-day)(Mpa)')
    """
    table = _table(CONCRETE)
    return table[CONCRETE_COLUMNS].astype(float), table[CONCRETE_TARGET].astype(float)


def load_bike(month: int | None = 2, *, columns: Sequence[str] = BIKE_COLUMNS) -> tuple[pd.DataFrame, pd.Series[float]]:
    """Bike Sharing (Fanaee-T and Gama 2014): how many bicycles were rented in Washington, D.C., hour by hour.

    Columns of X: yr (0 for 2011, 1 for 2012), hr (0 … 23), workingday (1 unless weekend or holiday), temp (°C, scaled
    to 0 … 1), hum (relative humidity, 0 … 1) and windspeed (scaled to 0 … 1); `columns` may also name season, mnth,
    holiday, weekday (0 for Sunday), weathersit (1 for clear … 4 for heavy rain or snow) and atemp. y: the count. The
    paper does not name its six columns; it has 1339 rows of February, the file 1341.

    Args:
        month: 1 … 12 for one month of both years, 2 as in the paper; None for all 17379 hours.
        columns: The columns of X.

    Example:
        >>> from rsens.datasets import load_bike
        >>> X, y = load_bike(month=2)  # downloads it once
        >>> X.shape, list(X)
        ((1341, 6), ['yr', 'hr', 'workingday', 'temp', 'hum', 'windspeed'])
    """
    if month is not None and whole_number(month, "month", 1) > 12:
        raise InputError(Argument("month"), f" must be 1 … 12, or None for all; got {month}.")
    table = _table(BIKE)
    # casual and registered add up to the count; instant and dteday number the rows.
    known = [str(name) for name in table if name not in ("instant", "dteday", "casual", "registered", "cnt")]
    if isinstance(columns, str) or not len(columns) or not all(name in known for name in columns):
        raise InputError(
            Argument("columns"), f" must be a list of predictors; got {columns!r}. Choose from {', '.join(known)}."
        )
    if month is not None:
        table = table[table["mnth"] == month].reset_index(drop=True)
    return table[list(columns)].astype(float), table["cnt"].astype(float)


def _table(source: Source) -> pd.DataFrame:
    """The data from RSENS_DATA, or from the cache, or from UCI."""
    import pandas as pd

    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rsens"
    places = [
        Path(place) / name
        for place in (os.environ.get("RSENS_DATA"), cache)
        if place
        for name in (source.name, source.member)
    ]
    path = next((path for path in places if path.is_file()), None)
    content = _download(source) if path is None else path.read_bytes()
    found = hashlib.sha256(content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")).hexdigest()
    if found != source.sha256:
        raise InputError(
            f"{path or 'the download'} is not {source.member} of {UCI}/dataset/{source.dataset}: its SHA-256 with "
            f"Windows line ends is {found}, but should be {source.sha256}. Remove it, and get the file there."
        )
    if path is None:
        with suppress(OSError, InputError):  # without a folder that can be written to it is downloaded every time
            cache.mkdir(parents=True, exist_ok=True)
            write_whole(cache / source.name, content)
    return pd.read_csv(io.BytesIO(content))


def _download(source: Source) -> bytes:
    """Download the archive and read the member; reads at most 5 MB each."""
    try:
        with urlopen(f"{UCI}/static/public/{source.dataset}.zip", timeout=30.0) as answer:
            archive = io.BytesIO(answer.read(5_000_000))
        with zipfile.ZipFile(archive) as files, files.open(source.member) as file:
            return file.read(5_000_000)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise InputError(
            f"{source.member} could not be downloaded ({error}). Get it (SHA-256 {source.sha256}) from "
            f"{UCI}/dataset/{source.dataset}, and set the environment variable RSENS_DATA to its folder."
        ) from error


def __dir__() -> list[str]:
    """The data sets."""
    return sorted(name for name in globals() if name.startswith("load_"))
