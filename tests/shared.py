"""What the tests of a run share across its processes: how much is tried, and files that take long to make."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_folders: list[Path] = []  # that of this run, once it is known


def is_exhaustive() -> bool:
    """Tell whether all is taken of what is sampled otherwise; modules may ask while they are collected."""
    return "TENSORLIFT_EXHAUSTIVE" in os.environ


def set_up(folder: Path) -> None:
    """Take the folder that all processes of this run have, and no other run."""
    _folders[:] = [folder]


def shared(name: str, make: Callable[[], str | bytes]) -> Path:
    """Return the file of a name, which the first process that asks makes while others wait."""
    (folder,) = _folders
    file = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            made = make()
            file.write_bytes(made.encode() if isinstance(made, str) else made)
    return file
