"""What a request is doing: steps that may take long say what they begin, and the command line listens.

Nothing is written here, and nothing depends on whether somebody listens.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Listener = Callable[[str], None]


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str:
        """Return the name."""


Thing = TypeVar("Thing", bound=Named)

_listeners: list[Listener] = []  # of the process: a deep recursion goes on in a thread of its own


def begin(what: str) -> None:
    """Say what is done from now on, in a few words, for example ``lifting gemm (3 of 12)``."""
    for listener in _listeners:
        listener(what)


def each(things: Sequence[Thing], doing: str) -> Iterator[Thing]:
    """Give things one after the other, and say with which of them something is done."""
    for k, thing in enumerate(things, 1):
        begin(f"{doing} {thing.name}" + f" ({k} of {len(things)})" * (len(things) > 1))
        yield thing


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let a listener hear what the block begins."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
