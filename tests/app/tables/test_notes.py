from rsens._app.tables._columns import Note, shortened_notes


def test_many_notes_that_are_alike_become_a_few():
    """A table of thousands of columns must not have thousands of notes."""
    alike = [Note("constant", (f"v{k}",), f"v{k} has one value.") for k in range(2000)]
    others = [Note("missing", ("a", "b"), "Rows are left out."), Note("levels", ("c",), "Too many.", severe=True)]
    notes = shortened_notes([others[0], *alike, others[1]])
    assert [str(note) for note in notes[:5]] == [
        "Rows are left out.",
        *(f"v{k} has one value." for k in range(3)),
        "Too many.",
    ]
    assert str(notes[5]).startswith("Likewise 'v3', 'v4'")
    assert str(notes[5]).endswith("'v12' and 1987 more.")
    assert notes[5].columns == tuple(f"v{k}" for k in range(3, 2000))
    assert len(notes) == 6


def test_a_few_notes_stay_as_they_are():
    notes = [Note("constant", (f"v{k}",), f"v{k} has one value.") for k in range(5)]
    assert shortened_notes(notes) == notes
