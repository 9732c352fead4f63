"""Values of the symbolic execution: tensors that know in which memory they live, and the names that hold them.

A store changes memory, and with it every array that is a view of it.  The checker keeps one functional value for each
name, so that a store through one name makes the other names of the same memory unusable: reading one of them later
fails.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Union

from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.poly.domain import Domain
    from tensorlift.targets.target import Device, ElementType


_serial = itertools.count()


class Buffer:
    """Memory of an array, known by identity; that of an input is never written nor returned.

    ``is_cell`` where it was made for a single number, so that no window shows a part of it.  Later buffers have greater
    serials.
    """

    __slots__ = ("is_cell", "is_input", "serial")

    def __init__(self, *, is_input: bool = False, is_cell: bool = False) -> None:
        """Give a new piece of memory."""
        self.is_input, self.is_cell = is_input, is_cell
        self.serial = next(_serial)


@dataclass(frozen=True, eq=False)
class Held:
    """A tensor in memory.

    Python numbers have no buffer; NumPy's scalars do, like the arrays of rank 0, which can be written.  ``is_number``
    where it is known to be such a scalar.  A window cannot be written through.  ``blank`` are the cells without values,
    over the variables of `cell_names`, None where there are none.
    """

    tensor: SymbolicTensor
    buffer: Buffer | None = None
    is_window: bool = False
    blank: Domain | None = None
    is_number: bool = False

    def with_tensor(self, tensor: SymbolicTensor, blank: Domain | None) -> Held:
        """Return the same memory with other contents."""
        return replace(self, tensor=tensor, blank=blank)


def cell_names(rank: int) -> tuple[str, ...]:
    """Return the variables that stand for the index of any cell."""
    return tuple(f"cell__{axis}" for axis in range(rank))


def cells_of(tensor: SymbolicTensor) -> tuple[Affine, ...]:
    """Return the index of any cell."""
    return tuple(map(Affine.var, cell_names(tensor.rank)))


def last_serial() -> int:
    """Return a serial below that of every later buffer."""
    return Buffer().serial


@dataclass
class Frame:
    """The names of one function under execution; ``lost`` are those whose memory was changed through another name."""

    local_names: frozenset[str]
    born: int = -1  # the serial of the last buffer before the function was called
    values: dict[str, Item] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)

    def copy(self) -> Frame:
        """Return a frame that may go another way from here."""
        return replace(self, values=dict(self.values), lost=set(self.lost))

    def bind(self, name: str, value: Item) -> None:
        """Let a name hold a value."""
        self.values[name] = value
        self.lost.discard(name)

    def unbind(self, name: str) -> None:
        """Forget a name."""
        self.values.pop(name, None)

    def lose(self, buffer: Buffer, kept: str | None) -> None:
        """Make every name of a piece of memory unusable but one."""
        for name, value in list(self.values.items()):
            if name != kept and _shares(value, buffer):
                del self.values[name]
                self.lost.add(name)


def _shares(value: Item, buffer: Buffer) -> bool:
    if isinstance(value, tuple):
        return any(_shares(v, buffer) for v in value)
    return isinstance(value, Held) and value.buffer is buffer


Item = Union[Held, tuple["Item", ...], "ElementType", "Device", str, bool, None]
