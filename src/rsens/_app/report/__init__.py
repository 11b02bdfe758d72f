"""The report: a study as one HTML file that needs nothing else, neither network nor Python; and its sentences."""

from rsens._app.report._figures import drawings as drawings
from rsens._app.report._page import render as render
from rsens._app.report._page import write_report as write_report
from rsens._app.report._sentences import answer as answer
from rsens._app.report._sentences import heading as heading
from rsens._app.report._sentences import tables as tables
