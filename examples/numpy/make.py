"""What breaks `python3-numpy` on Debian: records made from Debian's package lists.

    apt-cache dumpavail | python examples/numpy/make.py - > examples/numpy/records.jsonl
    python examples/numpy/make.py clauses.json.gz > examples/numpy/records.jsonl

The input is what `apt-cache dumpavail` prints, or its digest as JSON (gzipped or not): `{package: [clause, ...]}`,
where each clause lists the packages of which any one will do. Versions are left aside.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from tms.model import Claim

ROOT = "python3-numpy"

Clauses = dict[str, list[list[str]]]


def read(path: str) -> Clauses:
    """The clauses in a file of either form; `-` is stdin."""
    raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode("utf-8", "replace")
    if text.lstrip().startswith("{"):
        clauses: Clauses = json.loads(text)
        return clauses
    return digest(text)


def stanzas(dump: str) -> Iterator[dict[str, str]]:
    """The fields of each package that say what it needs and what it can stand in for.

    >>> list(stanzas("Package: a\\nVersion: 1\\nDepends: b (>= 2),\\n c\\n\\nPackage: b\\n"))
    [{'Package': 'a', 'Depends': 'b (>= 2), c'}, {'Package': 'b'}]
    """
    wanted = re.compile(r"^(Package|Depends|Pre-Depends|Provides):((?:.*)(?:\n[ \t].*)*)", re.MULTILINE)
    for stanza in dump.split("\n\n"):
        fields = {name: " ".join(value.split()) for name, value in wanted.findall(stanza)}
        if "Package" in fields:
            yield fields


def names(field: str, separator: str) -> list[str]:
    """The package names in a list, without versions and architectures.

    >>> names("libc6 (>= 2.35), python3:any", ",")
    ['libc6', 'python3']
    """
    return [re.split(r"[\s(\[<:]", part.strip(), maxsplit=1)[0] for part in field.split(separator) if part.strip()]


def digest(dump: str) -> Clauses:
    """The clauses of every package; who provides a virtual package stands in its place."""
    packages = {fields["Package"]: fields for fields in stanzas(dump)}
    stand_ins = {name: {name} for name in packages}
    for package, fields in packages.items():
        for virtual in names(fields.get("Provides", ""), ","):
            stand_ins.setdefault(virtual, set()).add(package)
    return {package: clauses(fields, stand_ins) for package, fields in packages.items()}


def clauses(fields: dict[str, str], stand_ins: dict[str, set[str]]) -> list[list[str]]:
    """What one package needs: each clause sorted, the list sorted, what nobody provides left out."""
    needed = ",".join((fields.get("Pre-Depends", ""), fields.get("Depends", "")))
    found: set[tuple[str, ...]] = set()
    for clause in needed.split(","):
        found.add(tuple(sorted({real for name in names(clause, "|") for real in stand_ins.get(name, ())})))
    return [list(clause) for clause in sorted(found) if clause]


def cone(clauses: Clauses, root: str = ROOT) -> list[str]:
    """The packages that `root` can come to need, itself included, sorted."""
    seen: set[str] = set()
    waiting = [root]
    while waiting:
        package = waiting.pop()
        if package not in seen:
            seen.add(package)
            waiting += (other for clause in clauses[package] for other in clause)
    return sorted(seen)


def records(clauses: Clauses, packages: Iterable[str]) -> Iterator[Claim]:
    """Two claims a package: it is removed (nobody said so yet), it is broken (derived).

    >>> removed, broken = records({"a": [["b", "c"]]}, ["a"])
    >>> broken.supports  # broken when it is removed, or when b and c are broken both
    (('removed:a',), ('broken:b', 'broken:c'))
    """
    for package in packages:
        yield Claim(id=f"removed:{package}", text=f"{package} is removed")
        sets = ((f"removed:{package}",), *(tuple(f"broken:{other}" for other in clause) for clause in clauses[package]))
        yield Claim(id=f"broken:{package}", text=f"{package} is broken", state="derived", supports=sets)


def main() -> None:
    """Write the records of the cone to stdout."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    known = read(sys.argv[1])
    sys.stdout.buffer.writelines(msgspec.json.encode(record) + b"\n" for record in records(known, cone(known)))


if __name__ == "__main__":
    main()
