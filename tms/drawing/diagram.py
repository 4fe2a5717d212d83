"""`Diagram`: a drawing that shows itself, in a notebook too, and is written in any format."""

from __future__ import annotations

from typing import Any

import msgspec

from tms.drawing.dot import dot
from tms.drawing.parts import Drawing
from tms.drawing.render import render
from tms.errors import UsageError


class Diagram(msgspec.Struct, frozen=True):
    """A drawing with its ways out.

    >>> from tms import Claim, Graph
    >>> found = Graph.empty().apply(Claim(id="c1", state="accepted")).diagram(title="one claim")
    >>> found.drawing.title, found.dot.splitlines()[0]
    ('one claim', 'digraph "one claim" {')
    """

    drawing: Drawing

    @property
    def dot(self) -> str:
        """The DOT text."""
        return dot(self.drawing)

    def svg(self) -> str:
        """The picture as SVG. Raises `UsageError` where there is no Graphviz."""
        return render(self.dot, "svg").decode()

    def png(self) -> bytes:
        """The picture as PNG. Raises `UsageError` where there is no Graphviz."""
        return render(self.dot, "png")

    def pdf(self) -> bytes:
        """The picture as PDF. Raises `UsageError` where there is no Graphviz."""
        return render(self.dot, "pdf")

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook shows: the picture where there is a Graphviz, the DOT text in any case."""
        bundle = {"text/plain": self.dot}
        try:
            bundle["image/svg+xml"] = self.svg()
        except UsageError as error:
            bundle["text/plain"] = f"{error.message}; {error.hint}\n{self.dot}"
        return bundle
