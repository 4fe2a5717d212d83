"""`%%tms`: a cell of a notebook that is a query. `%load_ext query` brings it.

    %%tms --assuming "dispute c1" --into found
    blocked(decisions) | where scope = $area

`$area` is the Python variable `area`. The graph is the variable `graph`, or the one that is named; a `Session` will do.
"""

from __future__ import annotations

from typing import Any

from query.result import Result
from query.viewpoint import Viewpoint, changes_in
from tms.errors import UsageError
from tms.graph import Graph
from tms.session import Session


def register(shell: Any) -> None:
    """Make `%%tms` known to an IPython shell."""
    parser = _parser()

    def tms(line: str, cell: str) -> Result | None:
        """A cell that is a query."""
        return asked(vars(parser.parse_argstring(line)), cell, shell.user_ns)

    tms.__doc__ = parser.format_help()
    shell.register_magic_function(tms, magic_kind="cell")


def _parser() -> Any:
    from IPython.core.magic_arguments import MagicArgumentParser

    make: Any = MagicArgumentParser  # it carries no types
    parser = make(prog="%%tms", description="The cell is a query; $name in it is a Python variable.")
    parser.add_argument("graph", nargs="?", default="graph", help="the variable that holds the graph, or a session")
    parser.add_argument("--as-of", default="", help="as the ledger was at a mark, a line's hash, a date or a time")
    parser.add_argument("--assuming", default="", help='as if judged so: "dispute c1, revoke d2"')
    parser.add_argument("--into", default="", help="a variable for the answer, which is not shown then")
    return parser


def asked(options: dict[str, str], text: str, names: dict[str, Any]) -> Result | None:
    """The answer to a cell; None where it went into a variable."""
    point, assuming = _unquoted(options["as_of"]), _unquoted(options["assuming"])
    view = Viewpoint(_graph(names, options["graph"]), point, changes_in(assuming) if assuming else ())
    found = view.run(text, {name: value for name, value in names.items() if isinstance(value, str | int | float)})
    if not options["into"]:
        return found
    names[options["into"]] = found
    return None


def _unquoted(text: str) -> str:
    """An option's value: IPython leaves the quotes on."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _graph(names: dict[str, Any], name: str) -> Graph:
    found = names.get(name)
    found = found.graph if isinstance(found, Session) else found
    if not isinstance(found, Graph):
        said = f"{name} is no graph" if name in names else f"there is no variable {name}"
        raise UsageError(said, code="no-graph", hint='graph = Session.open(".tms/ledger.jsonl").graph; or %%tms NAME')
    return found
