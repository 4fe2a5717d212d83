"""Bytes on disk: written whole and synced, or taken back."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from tms.errors import NotWritable

_WRITE = os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def append_bytes(path: str, data: bytes, size: int) -> None:
    """Add `data` behind the `size` bytes of the file, synced; on any failure cut back to `size` and raise.

    To be called under the ledger's lock. Makes the file if it is not there.
    """
    new = not Path(path).exists()
    fd = _open(path, _WRITE | os.O_APPEND)
    try:
        try:
            write_all(fd, data)
            sync(fd)
            if new:
                sync_folder(path)
        except BaseException:
            _cut_back(fd, size)
            raise
    except OSError as error:
        raise _refused(path, error) from None
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; the system may take them in several pieces."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def sync(fd: int) -> None:
    """Wait until the bytes are on the medium itself."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fsync(fd)


def sync_folder(path: str) -> None:
    """Wait until the name of a new file is on the medium; not every system lets a folder be opened."""
    if os.name == "nt":
        return
    fd = os.open(Path(path).absolute().parent, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def set_aside(path: str, torn: bytes, size: int) -> str:
    """Move the torn tail behind `size` to a file beside the ledger, named by its content; returns its name.

    The copy is synced before the ledger is cut, so that a crash at any point loses nothing: the next writer does the
    same again, into the same file.
    """
    name = f"{path}.torn-{hashlib.sha256(torn).hexdigest()[:12]}"
    _write_new(name, torn)
    fd = _open(path, _WRITE)
    try:
        os.ftruncate(fd, size)
        sync(fd)
    except OSError as error:
        raise _refused(path, error) from None
    finally:
        os.close(fd)
    return name


def write_whole(path: str, data: bytes) -> None:
    """A file that is there whole or not at all: written beside its place, synced, moved. Raises `NotWritable`.

    A link at its place is replaced, never followed.
    """
    beside = f"{path}.{os.getpid()}.new"
    _write_new(beside, data)
    try:
        os.replace(beside, path)  # noqa: PTH105 - a name is what was given
        sync_folder(path)
    except OSError as error:
        Path(beside).unlink(missing_ok=True)
        raise _refused(path, error) from None


def _write_new(name: str, data: bytes) -> None:
    fd = _open(name, _WRITE | os.O_TRUNC | _NO_LINK)
    try:
        write_all(fd, data)
        sync(fd)
        sync_folder(name)
    except OSError as error:
        raise _refused(name, error) from None
    finally:
        os.close(fd)


def _open(path: str, flags: int) -> int:
    try:
        return os.open(path, flags, 0o666)
    except OSError as error:
        raise _refused(path, error) from None


def _cut_back(fd: int, size: int) -> None:
    """Take a failed write back. If even that fails, the next writer sets the torn tail aside."""
    try:
        os.ftruncate(fd, size)
        sync(fd)
    except OSError:
        pass


def _refused(path: str, error: OSError) -> NotWritable:
    return NotWritable(f"{path}: {error.strerror or error}; nothing was recorded", code="not-writable")
