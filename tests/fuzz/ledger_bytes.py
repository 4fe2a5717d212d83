"""A coverage-guided run over the reader of ledgers: ours, Docket's, and records that are typed.

    pip install atheris
    PYTHONPATH=. python tests/fuzz/ledger_bytes.py -max_total_time=600 CORPUS_DIR

Any bytes give a reading, with its findings, or a `TmsError`; what was read gives a graph, and verifies in some word.
"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tms"]):
    from tms.errors import TmsError
    from tms.graph import Graph
    from tms.ledger.history import verify
    from tms.ledger.intake import parse_records
    from tms.ledger.reader import read

PLACE = Path(tempfile.mkdtemp(), "ledger.jsonl")
OURS = Path(__file__).parents[2] / ".tms" / "ledger.jsonl"
SEEDS = OURS.read_bytes().splitlines(keepends=True)[:20]


def one_file(data: bytes) -> None:
    """A few true lines, with the bytes somewhere among them."""
    provider = atheris.FuzzedDataProvider(data)
    whole = b"".join(SEEDS[: provider.ConsumeIntInRange(0, len(SEEDS))])
    at = provider.ConsumeIntInRange(0, len(whole))
    cut = provider.ConsumeIntInRange(0, 40)
    rest = provider.ConsumeBytes(500)
    PLACE.write_bytes(whole[:at] + rest + whole[at + cut :])
    with contextlib.suppress(TmsError):
        reading = read(os.fspath(PLACE), collect=True)
        Graph.replay(reading.lines).statuses()
        verify(os.fspath(PLACE))
    with contextlib.suppress(TmsError):
        parse_records(rest, "typed")


atheris.Setup(sys.argv, one_file)
atheris.Fuzz()
