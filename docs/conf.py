"""The site: `make docs` writes it to build/site. Nothing in it is loaded from elsewhere."""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import sys
from pathlib import Path

import rsens

HERE = Path(__file__).parent
SOURCE = Path(rsens.__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))
# Pages are kept until the end: looking for garbage among them again and again takes a seventh of the time.
gc.set_threshold(100_000, 50, 50)

project = "rsens"
author = "The rsens developers"
copyright = author
version = release = rsens.__version__

extensions = [
    "myst_nb",
    "mathml",
    "docstrings",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
nitpicky = True
exclude_patterns = ["_extensions", "README.md"]

# Pages
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
highlight_language = "none"  # blocks without a language: terminals and tables
html_math_renderer = "mathml"

# Every Python block of a page is a cell that runs. A page is run again when its code or the code of rsens changes.
nb_custom_formats = {".md": ["cells.read", {}, False]}
code = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(SOURCE.rglob("*.py"))))
nb_execution_mode = "cache"
nb_execution_excludepatterns = [
    "models/bambi.md",  # need another environment, in which `make test-adapters` runs these pages
    "models/pymc.md",
    *(str(page) for page in HERE.rglob("*.md") if "\n```python\n" not in page.read_text(encoding="utf-8")),
]
nb_execution_cache_path = str(HERE.parent / "build" / "pages" / code.hexdigest()[:16])
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True
nb_output_stderr = "remove-warn"  # a page that warns must catch the warning, and show it if it matters
logging.getLogger("traitlets").setLevel(logging.WARNING)  # it would announce every page
os.environ["TQDM_DISABLE"] = "1"  # on a slow machine bars would appear in pages
os.environ["PYTHONWARNINGS"] = "ignore:IProgress not found"  # of tqdm, in notebooks without widgets

# API
autodoc_typehints = "none"  # the signature has them
autodoc_member_order = "bysource"
napoleon_custom_sections = [("Attributes", "params_style"), ("Rarely needed", "params_style")]

# Gallery: scripts in docs/gallery become pages in docs/auto_gallery.
GALLERY = HERE / "gallery"
if GALLERY.is_dir():
    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": "gallery",
        "gallery_dirs": "auto_gallery",
        "filename_pattern": r"\.py$",
        "download_all_examples": False,
        "show_memory": False,
        "min_reported_time": 1e9,
        "show_signature": False,
        "write_computation_times": False,  # its page loads scripts from elsewhere
        "within_subsection_order": "FileNameSortKey",
    }
    exclude_patterns += ["gallery", *(f"auto_gallery/*.{kind}" for kind in ("ipynb", "json", "md5", "py", "zip"))]

# Looks
html_theme = "furo"
html_title = "rsens"
html_static_path = ["_static"]
html_css_files = ["rsens.css"]
html_show_sourcelink = False
html_copy_source = False
html_use_index = True
