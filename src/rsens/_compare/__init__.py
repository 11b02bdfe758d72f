"""`compare`: the same model and rows through many methods, side by side."""

from rsens._compare._verb import compare as compare
