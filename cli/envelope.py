"""Who writes, in which session, on which branch: from the environment, else from git's own files.

git is never started: its files say all that is needed, and a command should cost no second process.
"""

from __future__ import annotations

import os
from pathlib import Path


def envelope(ledger: str) -> dict[str, str]:
    """`author`, `session` and `branch` of the lines to be written.

    TMS_AUTHOR, TMS_SESSION, TMS_BRANCH come first, set to nothing they count as well; then the author is git's
    `user.name`, the branch the one checked out where the ledger lies. The session has no other source.
    """
    git = git_folder(Path(ledger).absolute().parent)
    author, branch = os.environ.get("TMS_AUTHOR"), os.environ.get("TMS_BRANCH")
    return {
        "author": git_name(git) if author is None else author,
        "session": os.environ.get("TMS_SESSION", ""),
        "branch": git_branch(git) if branch is None else branch,
    }


def git_folder(start: Path) -> Path | None:
    """The git folder that a folder belongs to; in a worktree, `.git` is a file that names it."""
    for folder in (start, *start.parents):
        git = folder / ".git"
        if git.is_dir():
            return git
        if git.is_file():
            target = _text(git).removeprefix("gitdir:").strip()
            return (folder / target) if target else None
    return None


def git_branch(git: Path | None) -> str:
    """The branch that is checked out; empty for none, and for a detached head."""
    head = _text(git / "HEAD").strip() if git else ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def git_name(git: Path | None) -> str:
    """`user.name` of the repository, else of the user. Files that a configuration includes are not followed."""
    given = os.environ.get("GIT_AUTHOR_NAME")
    if given:
        return given
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.expanduser raises where there is no home
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    places = [home / ".gitconfig", config / "git" / "config"]
    if git:
        common = _text(git / "commondir").strip()
        places.insert(0, (git / common if common else git) / "config")
    return next((name for place in places if (name := _user_name(_text(place)))), "")


def _user_name(config: str) -> str:
    r"""The name in the text of a configuration file.

    >>> _user_name('[core]\n\tbare = false\n[user]\n\tname = "Ann Bee" # me\n')
    'Ann Bee'
    """
    section, found = "", ""
    for line in config.splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text.strip("[]").strip().lower()
        elif section == "user" and text.partition("=")[0].strip().lower() == "name":
            found = _value(text.partition("=")[2].strip())
    return found


def _value(text: str) -> str:
    if text.startswith('"'):
        return text[1:].partition('"')[0]
    return text.partition("#")[0].partition(";")[0].strip()


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
