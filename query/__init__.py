"""The query language over the engine; it reads only what `tms` makes public.

>>> import query
>>> from tms import Claim, Graph
>>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c2")])
>>> query.run(graph, "claims | where status = in | select id").to_dicts()
[{'id': 'c1'}]
"""

from typing import Any

from query.errors import QueryError
from query.evaluate import Prepared, prepare, run
from query.result import Result
from query.run import Bounds

__all__ = ["Bounds", "Prepared", "QueryError", "Result", "prepare", "run"]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext query`: the cell magic `%%tms`."""
    from query.magic import register

    register(shell)
