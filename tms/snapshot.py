"""What the world looks like now, as facts of an environment snapshot: captured by named providers.

Each provider's facts have its name before a dot, so that a later evaluation knows what to capture again. Nothing leaves
the machine. A fact that is not there (no git, no lock file any more) is `absent`, which is a value like any other.

provider   facts
git        `git.commit`, `git.dirty` (yes or no, files that git ignores left aside)
lock       `lock.PATH`: SHA-256 of each lock file in the project's folder
python     `python.version`, `python.implementation`: of the interpreter that runs tms
packages   `packages.NAME`: version of each distribution that this interpreter sees
system     `system.name`, `system.release`, `system.machine`
"""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path

from tms.errors import UsageError

ABSENT = "absent"
LOCKS = (
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "package-lock.json",
    "pdm.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pylock.toml",
    "requirements.lock",
    "requirements.txt",
    "uv.lock",
    "yarn.lock",
)


def _git(root: Path) -> dict[str, str]:
    commit = _run(["git", "rev-parse", "--verify", "HEAD"], root)
    if commit is None:
        return {"git.commit": ABSENT, "git.dirty": ABSENT}
    changed = _run(["git", "status", "--porcelain", "--untracked-files=normal"], root)
    return {"git.commit": commit.strip(), "git.dirty": ABSENT if changed is None else "yes" if changed else "no"}


def _run(words: list[str], root: Path) -> str | None:
    try:
        done = subprocess.run(words, cwd=root, capture_output=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def _lock(root: Path) -> dict[str, str]:
    found = {name: root / name for name in LOCKS if (root / name).is_file()}
    return {f"lock.{name}": hashlib.sha256(path.read_bytes()).hexdigest() for name, path in sorted(found.items())}


def _python(_: Path) -> dict[str, str]:
    return {"python.version": platform.python_version(), "python.implementation": platform.python_implementation()}


def _packages(_: Path) -> dict[str, str]:
    found = {(d.metadata["Name"] or ""): d.version for d in metadata.distributions()}
    return {f"packages.{_normal(name)}": version for name, version in sorted(found.items()) if name}


def _normal(name: str) -> str:
    """The normal form of a distribution's name (PEP 503).

    >>> _normal("Typing_Extensions")
    'typing-extensions'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _system(_: Path) -> dict[str, str]:
    return {
        "system.name": platform.system() or ABSENT,
        "system.release": platform.release() or ABSENT,
        "system.machine": platform.machine() or ABSENT,
    }


PROVIDERS: dict[str, Callable[[Path], dict[str, str]]] = {
    "git": _git,
    "lock": _lock,
    "packages": _packages,
    "python": _python,
    "system": _system,
}


def capture(providers: Iterable[str], root: Path) -> dict[str, str]:
    """The facts of some providers, for the project in the folder `root`, sorted. Raises `UsageError` for another name.

    >>> sorted(capture(["python"], Path()))
    ['python.implementation', 'python.version']
    """
    found: dict[str, str] = {}
    for name in sorted(set(providers)):
        if name not in PROVIDERS:
            raise UsageError(f"no provider {name!r}; there are {', '.join(PROVIDERS)}", code="provider")
        found |= _captured(name, root)
    return dict(sorted(found.items()))


def _captured(name: str, root: Path) -> dict[str, str]:
    try:
        return PROVIDERS[name](root)
    except OSError as error:
        raise UsageError(f"the provider {name} failed: {error}", code="provider") from None


def captured_again(recorded: Mapping[str, str], root: Path) -> dict[str, str]:
    """Those recorded facts that some provider gave, as they are now; one that is gone is `absent`.

    >>> captured_again({"team": "blue", "lock.x.lock": "9f2c"}, Path("nowhere"))
    {'lock.x.lock': 'absent'}
    """
    mine = {key for key in recorded if key.partition(".")[0] in PROVIDERS and "." in key}
    now = capture({key.partition(".")[0] for key in mine}, root) if mine else {}
    return {key: now.get(key, ABSENT) for key in sorted(mine)}
