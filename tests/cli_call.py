"""Calling the command in-process: what it printed, what it gave back."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from cli.main import tms

BILLING = """\
{"kind":"claim","id":"c1","text":"Postgres handles our write volume","state":"accepted"}
{"kind":"claim","id":"c2","text":"the team already runs Postgres","state":"accepted"}
{"kind":"claim","id":"c3","text":"managed Postgres is in budget","state":"accepted"}
{"kind":"decision","id":"d2","text":"migrations run on deploy","choice":"on deploy"}
{"kind":"question","id":"q1","text":"Which database for billing?"}
{"kind":"decision","id":"d1","text":"billing uses Postgres","choice":"Postgres","supports":[["c1","c2"],["c3"]],\
"depends_on":["d2"],"answers":["q1"],"alternatives":[{"key":"mysql","text":"MySQL","because":[["c2"]]}]}
"""


class Done(NamedTuple):
    """A call that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Tms:
    """`tms` on one ledger, with an environment of its own."""

    def __init__(self, ledger: Path) -> None:
        self.ledger = ledger
        self.env: dict[str, str | None] = {
            "TMS_LEDGER": str(ledger),
            "TMS_AUTHOR": "ann",
            "TMS_SESSION": "s1",
            "TMS_BRANCH": "main",
        }

    def __call__(self, *words: str, given: str | bytes | None = None, ends: int = 0) -> Done:
        """Calls and holds the exit code against `ends`; an exception that escapes fails the test."""
        found = CliRunner().invoke(tms, list(words), input=given, env=self.env, catch_exceptions=False)
        done = Done(found.exit_code, found.stdout, found.stderr)
        assert done.code == ends, done
        return done

    def status(self, *words: str) -> dict[str, str]:
        return {node["id"]: node["status"] for node in self("status", "--json", *words).json["nodes"]}

    def flags(self, name: str, *words: str) -> list[str]:
        (node,) = self("status", name, "--json", *words).json["nodes"]
        found: list[str] = node["flags"]
        return found


def fresh(folder: Path, records: str = "") -> Tms:
    """`tms` on a new ledger, with these records in it."""
    call = Tms(folder / ".tms" / "ledger.jsonl")
    call("init")
    if records:
        call("record", "-", given=records)
    return call
