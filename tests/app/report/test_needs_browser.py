"""Without a browser its tests are skipped; where one is asked for, they fail."""

import pytest

from tests.app.report.browser import needs_browser


def test_everything_is_there():
    needs_browser([], {"RSENS_BROWSER": "1"})


@pytest.mark.parametrize("environment", [{}, {"RSENS_BROWSER": ""}, {"RSENS_BROWSER": "0"}])
def test_skipped(environment):
    with pytest.raises(pytest.skip.Exception, match="not installed: chromium; run make browser"):
        needs_browser(["chromium"], environment)


def test_failed_where_asked_for():
    with pytest.raises(pytest.fail.Exception, match="not installed: chromium, axe-core"):
        needs_browser(["chromium", "axe-core"], {"RSENS_BROWSER": "1"})
