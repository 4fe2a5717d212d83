"""The cache of an opened ledger never changes an answer: whole, with lines behind it, damaged, of other bytes."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import msgspec
import pytest

import tms.cache
from tests.strategies import SIZES, ledger
from tms.cache import open_ledger
from tms.explain import why
from tms.graph import Graph
from tms.ledger.format import seal
from tms.ledger.reader import read
from tms.model import Assess, Claim, Correct, Line, Record, Void
from tms.session import Session

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420")) // 10


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every ledger is worth a cache, in a folder of the test's own."""
    monkeypatch.setattr(tms.cache, "WORTH", 0)
    monkeypatch.setenv("TMS_CACHE", str(tmp_path / "caches"))


def sealed(lines: list[Line]) -> list[bytes]:
    """Made-up lines as they would stand in a file, each behind the one before."""
    hashes: dict[str, str] = {}
    found, last = [], list[str]()
    for count, line in enumerate(lines):
        made, raw = seal(
            renamed(line.record, hashes), prev=last, time=f"2026-01-01T00:{count // 60 % 60:02}:{count % 60:02}.000Z"
        )
        hashes[line.hash], last = made.hash, [made.hash]
        found.append(raw)
    return found


def renamed(record: Record, hashes: dict[str, str]) -> Record:
    """What refers to other lines refers to them as sealed."""
    if isinstance(record, Assess | Correct):
        return msgspec.structs.replace(record, replaces=tuple(hashes.get(h, "0" * 64) for h in record.replaces))
    return (
        msgspec.structs.replace(record, target=hashes.get(record.target, "0" * 64))
        if isinstance(record, Void)
        else record
    )


def answers(graph: Graph) -> list[object]:
    """All that a graph says, as far as a test can hold it."""
    found: list[object] = [list(graph.statuses()), graph.missing(), [(line.hash, line.number) for line in graph.lines]]
    return [*found, [(graph.node(name), why(graph, name)) for name in graph.ids()]]


def was_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether opening goes by the cache: nothing is read the long way."""
    with monkeypatch.context() as patch:
        patch.setattr(tms.cache, "read", None)
        try:
            open_ledger(path)
        except TypeError:
            return False
    return True


def made(seed: int) -> list[bytes]:
    return sealed(ledger(Random(seed), SIZES))


def test_a_cached_ledger_answers_as_one_that_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time, again, and with lines behind it; what-ifs and further lines too."""
    for seed in range(ROUNDS):
        path = tmp_path / f"{seed}.jsonl"
        lines = made(seed)
        half = Random(seed).randrange(1, len(lines) + 1)
        path.write_bytes(b"".join(lines[:half]))
        expected = answers(Graph.replay(read(str(path)).lines))
        assert answers(open_ledger(path).graph) == expected
        assert was_used(path, monkeypatch), seed
        assert answers(open_ledger(path).graph) == expected, seed
        path.write_bytes(b"".join(lines))
        opened, plain = open_ledger(path), read(str(path))
        assert answers(opened.graph) == answers(Graph.replay(plain.lines)), seed
        assert (opened.reading.heads, opened.reading.place) == (plain.heads, plain.place)
        assert [f.kind for f in opened.reading.findings] == [f.kind for f in plain.findings]


def test_a_damaged_cache_is_rebuilt_never_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any bit flipped, any end cut off: the answers stay, and the next opening goes by a new one."""
    path, rng = tmp_path / "ledger.jsonl", Random(3)
    path.write_bytes(b"".join(made(3)))
    expected = answers(open_ledger(path).graph)
    (cache,) = (tmp_path / "caches").iterdir()
    whole = cache.read_bytes()
    for _ in range(60):
        at = rng.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        cache.write_bytes(rng.choice((bytes(damaged), whole[:at])))
        assert not was_used(path, monkeypatch)
        assert answers(open_ledger(path).graph) == expected
        assert was_used(path, monkeypatch)
        assert cache.read_bytes() == whole


def test_a_cache_of_other_bytes_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history that was rewritten, a ledger that was cut, another version of this program, none at all."""
    path = tmp_path / "ledger.jsonl"
    first, second = made(5), made(6)
    for other in (second, first[:-1], [*second, *first]):
        path.write_bytes(b"".join(first))
        open_ledger(path)
        path.write_bytes(b"".join(other))
        assert not was_used(path, monkeypatch)
        assert answers(open_ledger(path).graph) == answers(Graph.replay(read(str(path)).lines))
    with monkeypatch.context() as patch:
        patch.setattr(tms.cache, "_engine", lambda: "another")
        assert not was_used(path, monkeypatch)
    monkeypatch.setenv("TMS_CACHE", "off")
    assert not was_used(path, monkeypatch)


def test_a_torn_end_and_a_half_batch_are_read_the_long_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not simply stand behind the cached bytes is left to the reader, with its findings."""
    path, lines = tmp_path / "ledger.jsonl", made(7)
    path.write_bytes(b"".join(lines[:-2]))
    open_ledger(path)
    for rest in (lines[-2][:-9], lines[-2] + lines[0]):
        path.write_bytes(b"".join(lines[:-2]) + rest)
        assert not was_used(path, monkeypatch)
        opened, plain = open_ledger(path), read(str(path))
        assert opened.reading.findings == plain.findings
        assert answers(opened.graph) == answers(Graph.replay(plain.lines))


def test_a_session_goes_on_behind_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes and refreshes as one that read everything; only what is asked for is decoded."""
    path = tmp_path / "ledger.jsonl"
    Session.open(path, create=True).append([Claim(id=f"c{n}", state="accepted") for n in range(50)])
    open_ledger(path)
    assert was_used(path, monkeypatch)
    one, other = Session.open(path), Session.open(path)
    assert one.graph.status("c7").status == "in"
    assert len(one.graph.lines[0].hash) == 64
    one.append([Assess(node="c7", state="disputed")])
    other.refresh()
    assert [s.graph.status("c7").status for s in (one, other, Session.open(path))] == ["disputed"] * 3
