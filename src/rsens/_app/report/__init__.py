"""The report: a study as one HTML file that needs nothing else, neither network nor Python; and its sentences."""

from rsens._app.report._facts import Facts as Facts
from rsens._app.report._page import render as render
from rsens._app.report._page import write_report as write_report
from rsens._app.report._sentences import answer as answer
from rsens._app.report._sentences import as_text as as_text
from rsens._app.report._sentences import model_and_likelihood as model_and_likelihood
from rsens._app.report._sentences import unit_of as unit_of
