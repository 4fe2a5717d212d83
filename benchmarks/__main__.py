"""All benchmarks, one after the other; the results are written into `docs/benchmarks.md`.

Run as `python -m benchmarks [--max 1000000] [--peers-python PATH]`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from benchmarks import again, drawing, peers, scale, sessions, startup
from benchmarks.page import put_section


def main() -> None:
    """Run everything; each section is printed and written as soon as it is there."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("--max", type=int, default=scale.SIZES[-1], help="the largest ledger, in records")
    parser.add_argument("--peers-python", default=sys.executable, help="the interpreter that has the peers")
    given = parser.parse_args()
    sections: dict[str, Callable[[], str]] = {
        "scale": lambda: scale.run(given.max),
        "peers": lambda: peers.run(given.peers_python, min(given.max, peers.SIZES[-1])),
        "startup": startup.run,
        "sessions": lambda: sessions.run(100_000, None),
        "again": lambda: again.run(given.max),
        "drawing": drawing.run,
    }
    for name, section in sections.items():
        text = section()
        print(text, end="\n\n", flush=True)
        put_section(name, text)


if __name__ == "__main__":
    main()
