"""How far long work is, and how much longer it takes, in words."""

import pytest

from rsens import InputError
from rsens._progress import Progress, StatusLine, progress_of


class Page(StatusLine):
    """Remembers the shown lines; its clock is moved by the test."""

    def __init__(self):
        self.lines, self.announced, self.cleared, self.now = [], [], 0, 0.0

    def show(self, words, share):
        self.lines.append((words, share))

    def clear(self):
        self.cleared += 1

    def announce(self, words):
        self.announced.append(words)


@pytest.fixture
def page():
    return Page()


@pytest.fixture
def follow(page):
    return Progress(page, lambda: page.now)


def do(advance, page, seconds):
    page.now += seconds
    advance()
    return page.lines[-1][0]


def test_the_piece_at_work_is_counted_with_the_time_left(follow, page):
    with follow.stage("refit", 4) as advance:
        assert [do(advance, page, 20.0) for _ in range(4)] == [
            "refit 2 of 4, about 1 minute",
            "refit 3 of 4, about 40 seconds",
            "refit 4 of 4, about 20 seconds",
            "refit 4 of 4",
        ]
    assert [share for _, share in page.lines] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert (page.cleared, follow.words()) == (1, "")


def test_one_count_and_one_time_for_all_stages_without_what_is_between_them(follow, page):
    follow.expect("refit", "probes", 6)
    with follow.stage("refit", 2, name="folds") as advance:
        assert do(advance, page, 60.0) == "refit 2 of 8, about 7 minutes"
        assert do(advance, page, 60.0) == "refit 3 of 8, about 6 minutes"
    page.now += 1000.0
    with follow.stage("refit", 6, name="probes") as advance:
        assert do(advance, page, 120.0) == "refit 4 of 8, about 7 minutes"  # five of 80 s
    assert follow.total("refit") == 8


def test_long_work_is_announced_once_and_pieces_from_before_have_no_time(follow, page):
    with follow.stage("refit", 26, done=19) as advance:
        assert page.lines[-1][0] == "refit 20 of 26"
        assert do(advance, page, 60.0) == "refit 21 of 26, about 6 minutes"
        do(advance, page, 60.0)
    assert page.announced == ["6 of 26 refits left, about 6 minutes"]


def test_time_goes_on_between_two_pieces(follow, page):
    with follow.stage("refit", 4) as advance:
        do(advance, page, 100.0)
        for seconds, words in ((0.0, ", about 5 minutes"), (110.0, ", about 3 minutes"), (1000.0, "")):
            page.now += seconds
            assert follow.words() == f"refit 2 of 4{words}"  # no promise once it takes longer


def test_the_bar(capsys):
    with progress_of(True).stage("refit", 2) as advance:
        advance()
    assert "refit 2 of 2, a few seconds |" in capsys.readouterr().err.replace("\r", "\n")
    for progress in (None, False):  # not a terminal
        with progress_of(progress).stage("refit", 2) as advance:
            advance()
    assert capsys.readouterr().err == ""


def test_the_argument(follow):
    assert progress_of(follow) is follow
    with pytest.raises(InputError, match="progress must be one of True, False, None"):
        progress_of("yes")
