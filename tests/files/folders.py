"""Results to write into folders, and the content of folders."""

import os

from rsens._files import SUMMARY, new_files, write_summary


def write(folder, files, command="explain", keep=(), **content):
    with new_files(folder, keep) as temporary:
        for name, text in files.items():
            (temporary / name).parent.mkdir(exist_ok=True)
            (temporary / name).write_text(text)
        write_summary(temporary, command, content)


def contents(folder):
    """Everything in a folder, hidden or not: texts of files, targets of links, None for folders."""
    found = {}
    for path in folder.rglob("*"):
        link, is_folder = path.is_symlink(), path.is_dir()
        found[str(path.relative_to(folder))] = os.readlink(path) if link else None if is_folder else path.read_text()
    return found


def contents_but_summary(folder):
    return {name: text for name, text in contents(folder).items() if name != SUMMARY}
