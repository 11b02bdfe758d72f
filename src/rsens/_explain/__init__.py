"""`explain`, the call that most people make, and `Explanation`, its result."""

from rsens._explain._explain import explain as explain
from rsens._explain._explanation import FORM as FORM
from rsens._explain._explanation import Explanation as Explanation
from rsens._explain._explanation import NotComputedError as NotComputedError
from rsens._explain._text import on_one_line as on_one_line
from rsens._explain._values import Values as Values
