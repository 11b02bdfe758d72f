"""A record of the results of about eighty public calls, to compare changed code with: `make golden`.

`calls.py` and `adapter_calls.py` have the calls, `record.py` writes and compares, and pytest collects nothing here. The
record is `numbers.npz` (`adapters.npz` for libraries that need a separate environment) and `names.json`.
"""

import os

# Before NumPy, JAX and shap are imported: one thread, little compilation, and text of one width.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
for _name in (*_THREADS, "JAX_DISABLE_MOST_OPTIMIZATIONS", "NUMBA_DISABLE_JIT"):
    os.environ.setdefault(_name, "1")
os.environ["COLUMNS"] = "96"
