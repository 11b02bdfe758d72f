"""`compare`: the same model and rows through many methods, side by side."""

from rsens._compare._compare import compare as compare
from rsens._compare._methods import ALL as ALL
from rsens._compare._methods import ARD as ARD
from rsens._compare._methods import resolved as resolved
from rsens._compare._values import method_values as method_values
from rsens._compare._values import terms as terms
from rsens._compare._words import legend as legend
