"""The JSON Schema of a line, published as `docs/ledger.schema.json` and made from the types that read it.

python -c 'from tms.ledger.schema import text; print(text(), end="")' > docs/ledger.schema.json
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from tms.ledger.wire import Sealed

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema as data. It says the form of a line; that the hash fits and the bytes are canonical, no schema can.

    >>> sorted(schema()["$defs"]["Sealed"]["required"])
    ['body', 'hash', 'prev', 'time', 'v']
    """
    return {"$schema": _DIALECT, "title": "A line of a tms ledger", **msgspec.json.schema(Sealed)}


def text() -> str:
    """The schema as it is published."""
    return json.dumps(schema(), indent=2, ensure_ascii=True, sort_keys=True) + "\n"
