"""A real browser for the tests that need one: headless Chromium, driven by playwright; where one is absent they skip.

Nothing may reach the network: every request but for a file is refused, and remembered.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
MODULES = ROOT / ".npm" / "node_modules"


@contextmanager
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium here")
    with api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


class Visit:
    """One page, with all that it complained about; `steered` is what an injected script would set."""

    def __init__(self, started: Any, **options: Any) -> None:
        self.context = started.new_context(viewport={"width": 1400, "height": 900}, **options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.context.route("**/*", self._route)

    def _dialog(self, dialog: Any) -> None:
        self.said.append("a dialog")
        dialog.dismiss()

    def _route(self, route: Any) -> None:
        if route.request.url.startswith(("file:", "data:", "about:", "blob:")):
            route.continue_()
        else:
            self.said.append(f"a request: {route.request.url}")
            route.abort()

    def open(self, path: Path) -> Visit:
        self.page.goto(path.as_uri())
        return self

    @property
    def steered(self) -> bool:
        return bool(self.page.evaluate("Boolean(window.steered)"))


def npm(package: str, version: str, file: str) -> str:
    """A script from npm; its package is installed once beside the project, where that is possible."""
    path = MODULES / package / file
    if not path.exists():
        if shutil.which("npm") is None:
            pytest.skip(f"no npm here to get {package} from")
        options = ["--prefix", str(MODULES.parent), "--ignore-scripts", "--no-audit"]
        command = ["npm", "install", *options, f"{package}@{version}"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=240, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip(f"{package} cannot be had")
        if done.returncode or not path.exists():
            pytest.skip(f"{package} cannot be had")
    return path.read_text("utf-8")


def mermaid_script() -> str:
    """Mermaid itself."""
    return npm("mermaid", "11", "dist/mermaid.min.js")
