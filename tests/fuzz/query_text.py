"""A coverage-guided run over the query language; whatever it finds becomes a plain test.

    pip install atheris
    PYTHONPATH=. python tests/fuzz/query_text.py -max_total_time=600 CORPUS_DIR

Texts start from the examples of the functions; a result and a `QueryError` are the two answers that are allowed.
"""

import sys

import atheris

with atheris.instrument_imports(include=["query", "lark"]):
    import query
    from query.functions import FUNCTIONS
    from tests.fuzz.small import GRAPH

WORDS = [function.example for function in FUNCTIONS.values()]


def one_text(data: bytes) -> None:
    """A text from bytes: the first chooses an example, the rest is put into it."""
    provider = atheris.FuzzedDataProvider(data)
    base = WORDS[provider.ConsumeIntInRange(0, len(WORDS) - 1)] if provider.ConsumeBool() else ""
    at = provider.ConsumeIntInRange(0, len(base))
    text = base[:at] + provider.ConsumeUnicode(200) + base[at:]
    try:
        query.run(GRAPH, text, {"x": "d1"}, bounds=query.Bounds(rows=100, seconds=5))
    except query.QueryError as error:
        str(error), error.as_json()


atheris.Setup(sys.argv, one_text)
atheris.Fuzz()
