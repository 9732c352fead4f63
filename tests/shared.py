"""What the tests of a run share across its processes: how much is tried, and files that take long to make."""

from __future__ import annotations

import fcntl
import itertools
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Choices = TypeVar("Choices", bound=tuple[object, ...])

_ROOT = Path(__file__).parent.parent
_folders: list[Path] = []  # that of this run, once it is known


def is_exhaustive() -> bool:
    """Tell whether all is taken of what is sampled otherwise; modules may ask while they are collected."""
    return "TENSORLIFT_EXHAUSTIVE" in os.environ


def sampled(usual: int, exhaustive: int) -> int:
    """Return the number that says how much is tried, of two."""
    return exhaustive if is_exhaustive() else usual


def has_turn(name: object, turn: int, turns: int) -> bool:
    """Tell whether what has a name is tried in one of some turns: each name has one, in every run and folder."""
    assert str(_ROOT) not in str(name)
    return is_exhaustive() or zlib.crc32(str(name).encode()) % turns == turn


def in_pairs(products: Iterable[Choices]) -> list[Choices]:
    """Return so many of all products of choices that each two values of two choices stand together in one."""
    pairs = {chosen: set(itertools.combinations(enumerate(chosen), min(len(chosen), 2))) for chosen in products}
    if is_exhaustive():
        return list(pairs)
    waiting, found = set[object]().union(*pairs.values()), list[Choices]()
    while waiting:
        found.append(max(pairs, key=lambda chosen: len(pairs[chosen] & waiting)))  # the first of those with most
        waiting -= pairs.pop(found[-1])
    return found


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
