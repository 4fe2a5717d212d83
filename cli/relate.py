"""`tms relate`: a relation added later, by its own line."""

from __future__ import annotations

from typing import cast, get_args

import click

from cli.common import command, ids_of
from cli.writing import missing_option, write, writing_options
from tms.errors import UsageError
from tms.model import Reason, Record, Relate, Relation

RELATIONS = get_args(Relation)


def relation_name(value: str) -> str:
    """A relation, with dashes or underscores.

    >>> relation_name("depends-on")
    'depends_on'
    """
    name = value.replace("-", "_")
    if name not in RELATIONS:
        raise click.BadParameter(f"no relation {value!r}; there are {', '.join(RELATIONS)}")
    return name


@command(
    "relate",
    "tms relate supports d1 c1,c2           # one more support set: c1 and c2\n"
    "tms relate supports c3 --keep-own      # ... the empty one: it stands on its own authority, too\n"
    "tms relate depends_on d1 d2\n"
    "tms relate answers d1 q1\n"
    "tms relate supersedes d9 d1 --reason restate\n"
    "tms relate contradicts c4 c5",
)
@click.argument("relation", type=relation_name, metavar="RELATION")
@click.argument("source", metavar="ID")
@click.argument("targets", nargs=-1, metavar="[ID[,ID]...]")
@click.option(
    "--reason",
    type=click.Choice(get_args(Reason)),
    help="Of a supersession: only better words, changed content (the default), or it was wrong.",
)
@click.option("--keep-own", is_flag=True, help="Add the empty support set: it stands on its own authority as well.")
@missing_option
@writing_options
def relate(relation: str, source: str, targets: tuple[str, ...], reason: str | None, keep_own: bool) -> None:
    """Add a relation: ID supports / depends_on / answers / supersedes / would_supersede / contradicts.

    `supports K b,c` reads: K is held up by b and c together; each further argument is one more set. The source may be
    an alternative (d1/mysql): one more ground of its rejection. A node without support sets stands on its own
    authority; the first set replaces that, unless --keep-own says otherwise. --keep-own without a set gives a node its
    own authority back, also after its sets were made void.
    """
    if keep_own and relation != "supports":
        raise UsageError("--keep-own goes with supports", code="usage")
    if not targets and not keep_own:
        raise UsageError(f"{relation} {source} what? expected an id behind it", code="usage", hint="tms relate --help")
    how = cast("Relation", relation)
    why = cast("Reason | None", reason)
    if relation == "supports":
        sets = [ids_of([target]) for target in targets]
        if () in sets:
            raise UsageError("a support set needs at least one id", code="usage", hint="its own authority: --keep-own")
        every = [(), *sets] if keep_own else sets
        records: list[Record] = [Relate(relation=how, source=source, targets=s, reason=why) for s in every]
    else:
        records = [Relate(relation=how, source=source, targets=ids_of(targets), reason=why)]
    write(records)


COMMANDS = {"relate": relate}
