"""DOT to SVG, PNG or PDF: by `dot` where it is on the PATH, else by pygraphviz, whose wheel brings Graphviz along.

Graphviz runs in a process of its own: it is C, it may take long, and it talks on the error stream. Its answer is the
same whatever the hash seed and the locale. It is not the same on every machine: boxes are as wide as the fonts there
make the words, so that no layout is compared with a stored one; the DOT text is.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys

from tms.errors import UsageError

FORMATS = ("svg", "png", "pdf")
PATIENCE = 120.0  # seconds

_BY_PYGRAPHVIZ = (
    "import sys, warnings, pygraphviz\n"
    "warnings.simplefilter('ignore')\n"
    "graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode())\n"
    "sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))\n"
)


def render(dot: str, form: str, *, patience: float = PATIENCE) -> bytes:
    """The picture of a DOT text. Raises `UsageError` where there is no Graphviz, or it fails or takes too long."""
    if form not in FORMATS:
        raise UsageError(f"cannot render {form!r}; expected {', '.join(FORMATS)}", code="format")
    try:
        done = subprocess.run(
            _program(form),
            input=dot.encode(),
            capture_output=True,
            timeout=patience,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        text = f"Graphviz did not finish within {patience:g} s"
        raise UsageError(text, code="render", hint="draw less: --focus ID --up 2 --down 2, or --fold scope") from None
    if done.returncode or not done.stdout:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(f"Graphviz failed: {said[-1] if said else 'it gave nothing'}", code="render")
    return _plain_svg(done.stdout) if form == "svg" else done.stdout


def _program(form: str) -> list[str]:
    found = shutil.which("dot")
    if found:
        return [found, f"-T{form}"]
    if importlib.util.find_spec("pygraphviz"):
        return [sys.executable, "-c", _BY_PYGRAPHVIZ, form]
    raise UsageError(
        "no Graphviz here to draw with",
        code="no-graphviz",
        hint="install Graphviz (its `dot`), or: pip install 'tms-ledger[draw]'; dot and mermaid text need neither",
    )


def _plain_svg(raw: bytes) -> bytes:
    """The SVG element alone: no prologue, no comment (one of them names Graphviz's version), with a role and a name.

    >>> _plain_svg(b'<?xml version="1.0"?><!-- by 14 --><svg width="1"><!-- c1 --><g><title>a "b"</title></g></svg>')
    b'<svg role="img" aria-label="a &quot;b&quot;" width="1"><g><title>a "b"</title></g></svg>\\n'
    """
    text = re.sub(rb"<!--.*?-->\n?", b"", raw, flags=re.DOTALL)
    title = re.search(rb"<title>(.*?)</title>", text, re.DOTALL)
    name = title[1].replace(b'"', b"&quot;") if title else b""
    start = b'<svg role="img" aria-label="%s"' % name
    return text[text.index(b"<svg") :].replace(b"<svg", start, 1).strip() + b"\n"
