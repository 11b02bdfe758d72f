"""The report: a study as one HTML file that needs nothing else, neither network nor Python."""

from rsens._app.report._page import render as render
from rsens._app.report._page import write_report as write_report
