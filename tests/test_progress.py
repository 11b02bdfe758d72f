"""How far long work is, and how much longer it takes, in words."""

import pytest

from rsens import InputError
from rsens._progress import Progress, StatusLine, progress_of


class Clock:
    """A clock that the test moves."""

    now = 0.0

    def __call__(self):
        return self.now


class Page(StatusLine):
    """Remembers the shown lines."""

    def __init__(self):
        self.lines, self.announced, self.cleared = [], [], 0

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
def clock():
    return Clock()


@pytest.fixture
def follow(page, clock):
    return Progress(page, clock)


def words(page):
    return [each for each, _ in page.lines]


def test_the_piece_at_work_is_counted_with_the_time_left(follow, page, clock):
    with follow.stage("refit", 4) as advance:
        for _ in range(4):
            clock.now += 20.0
            advance()
    assert words(page) == [
        "refit 1 of 4",
        "refit 2 of 4, about 1 minute",
        "refit 3 of 4, about 40 seconds",
        "refit 4 of 4, about 20 seconds",
        "refit 4 of 4",
    ]
    assert [share for _, share in page.lines] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert page.cleared == 1
    assert follow.words() == ""


def test_one_count_and_one_time_for_all_stages(follow, page):
    """Stages that are expected cost like what has been seen, until their own pieces are timed."""
    follow.expect("refit", "probes", 6)
    with follow.stage("refit", 2, name="folds") as advance:
        advance(1, 60.0)
        assert words(page)[-1] == "refit 2 of 8, about 7 minutes"
        advance(1, 60.0)
    with follow.stage("refit", 6, name="probes") as advance:
        assert words(page)[-1] == "refit 3 of 8, about 6 minutes"
        advance(1, 120.0)
        assert words(page)[-1] == "refit 4 of 8, about 10 minutes"  # five of 120 s
    assert follow.total("refit") == 8


def test_pieces_from_before_count_and_have_no_time(follow, page):
    with follow.stage("refit", 26, done=19) as advance:
        assert words(page) == ["refit 20 of 26"]
        advance(1, 60.0)
    assert words(page)[-1] == "refit 21 of 26, about 6 minutes"
    assert page.announced == ["6 of 26 refits left, about 6 minutes"]


def test_long_work_is_announced_once_as_soon_as_its_first_piece_is_timed(follow, page):
    with follow.stage("refit", 26) as advance:
        advance(1, 10.0)
        advance(1, 10.0)
    assert page.announced == ["26 refits, about 4 minutes"]


def test_time_goes_on_between_two_pieces(follow, clock):
    with follow.stage("refit", 4) as advance:
        advance(1, 100.0)
        assert follow.words() == "refit 2 of 4, about 5 minutes"
        clock.now += 110.0
        assert follow.words() == "refit 2 of 4, about 3 minutes"
        clock.now += 1000.0
        assert follow.words() == "refit 2 of 4"  # it takes longer than we thought: no promise


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
