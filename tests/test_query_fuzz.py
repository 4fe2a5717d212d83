"""Whatever text is asked, the answer is a result or an error of the query: nothing else is ever raised."""

from __future__ import annotations

import os
from random import Random

from query import QueryError, Result, run
from query.fields import FIELDS, SETS
from query.functions import FUNCTIONS
from tests.query_ledger import GRAPH

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420")) * 10
WORDS = """assuming as of union intersect except where sort select count limit explain graph by and or not in is null
asc desc ( ) , | = != < <= > >= ~ $x `d1` d1 c1 q1 h1 2026-10-01 3 "a" # 99999999999999999999 3f2a91c07b44"""
ODD = ["dispute c1", "revoke d1", "決定", "\x1b[31m", "🧪", "\n", '"(a+)+$"']
PIECES = [*FUNCTIONS, *SETS, *FIELDS, *WORDS.split(), *ODD]


def random_text(rng: Random) -> str:
    """An example that was broken somewhere, or words of the language in any order."""
    if rng.random() < 0.5:
        return " ".join(rng.choices(PIECES, k=rng.randrange(1, 12)))
    text = rng.choice([function.example for function in FUNCTIONS.values()])
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(["", " ", *PIECES]) + text[at + rng.randrange(3) :]
    return text


def asked(text: str) -> Result | QueryError:
    """What comes of a text."""
    try:
        return run(GRAPH, text, {"x": "d1"})
    except QueryError as error:
        return error


def test_any_text_gives_a_result_or_an_error_of_the_query() -> None:
    """Each error says where, and is short enough to read."""
    rng, answered = Random(7), 0
    for _ in range(ROUNDS):
        text = random_text(rng)
        found = asked(text)
        if isinstance(found, Result):
            answered += 1
        else:
            assert found.problems, text
            assert len(str(found)) < 5_000, text
    assert ROUNDS / 50 < answered < ROUNDS
