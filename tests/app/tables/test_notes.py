from rsens._app.tables._columns import Note, shortened_notes


def test_many_notes_that_are_alike_become_a_few():
    alike = [Note("constant", (f"v{k}",), f"v{k} has one value.") for k in range(2000)]
    others = [Note("missing", ("a", "b"), "Rows are left out."), Note("levels", ("c",), "Too many.", severe=True)]
    notes = shortened_notes([others[0], *alike, others[1]])
    assert notes[:5] == [others[0], *alike[:3], others[1]]
    assert str(notes[5]).startswith("Likewise 'v3', 'v4'")
    assert str(notes[5]).endswith("'v12' and 1987 more.")
    assert notes[5].columns == tuple(f"v{k}" for k in range(3, 2000))
    assert len(notes) == 6
    assert shortened_notes(alike[:5]) == alike[:5]
