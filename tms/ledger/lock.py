"""The lock of a ledger: a file of its own beside it, never unlinked, freed by the system when its holder dies.

Unlinking it would let two processes lock two files of the same name.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tms.errors import LedgerBusy, NotWritable

SUFFIX = ".lock"
_FIRST_WAIT = 0.002
_LONGEST_WAIT = 0.05

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

    def _unlock(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


@contextmanager
def locked(path: str, timeout: float) -> Iterator[None]:
    """Hold the lock of the ledger at `path`; waits `timeout` seconds at most, then `LedgerBusy`."""
    name = path + SUFFIX
    try:
        fd = os.open(name, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as error:
        raise NotWritable(f"{name}: {error.strerror}", code="not-writable") from None
    try:
        _wait(fd, path, timeout)
        try:
            yield
        finally:
            _unlock(fd)
    finally:
        os.close(fd)


def _wait(fd: int, path: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    pause = _FIRST_WAIT
    while True:
        try:
            return _try_lock(fd)
        except (BlockingIOError, PermissionError):
            left = deadline - time.monotonic()
        except OSError as error:
            raise NotWritable(f"{path}{SUFFIX}: cannot be locked: {error.strerror}", code="not-writable") from None
        if left <= 0:
            hint = "another process is writing; try again, or give a longer --lock-timeout"
            raise LedgerBusy(f"{path}: busy for {timeout:g} s", code="busy", hint=hint)
        time.sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_WAIT)
