"""The signature of an action: what makes two wordings of one action the same.

White space is folded, and each path is written the shortest way. Nothing else is changed: not the case, not the order
of words, not quotes; so two actions that differ in more than that are never taken for one.
"""

from __future__ import annotations

import posixpath
import re

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"""[^\s"'=]+""")


def signature_of(action: str, root: str = "") -> str:
    r"""The signature: white space folded to one blank, `./x`, `a//x`, `a/./x` and `b/../a/x` written as the plain path.

    A word with a slash in it is a path, unless it holds an address (`://`). Paths below the folder `root`, where one is
    given, are written from there.

    >>> signature_of("  pytest   ./tests//test_a.py\n -k  x")
    'pytest tests/test_a.py -k x'
    >>> signature_of("curl https://example.org//a"), signature_of("cat /srv/app/x --to=/srv/app", root="/srv/app")
    ('curl https://example.org//a', 'cat x --to=.')
    """
    folded = _SPACE.sub(" ", action).strip()
    if "/" not in folded:
        return folded
    return _WORD.sub(lambda found: _shortest(found[0], root), folded)


def _shortest(word: str, root: str) -> str:
    if "/" not in word or "://" in word:
        return word
    path = posixpath.normpath(word)
    if root and (path == root or path.startswith(root.rstrip("/") + "/")):
        return posixpath.relpath(path, root)
    return path
