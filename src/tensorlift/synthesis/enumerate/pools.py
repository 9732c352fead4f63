"""Pools: candidates of each type found so far, all their cells in one array, and what they are made of.

A candidate is told from others by its values in a few cells, its *fingerprint*: two with one fingerprint compute the
same and the second is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from tensorlift.synthesis.symbolic import field as gf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import Expression, Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.enumerate.monomials import Polynomial
    from tensorlift.synthesis.enumerate.steps import Step
    from tensorlift.synthesis.symbolic.field import Elements

SAMPLES = 3
Positions = npt.NDArray[np.int64]
_FILTER_BITS = (12, 16, 20)  # of the slots of a memory, which grows
_ROOM = 16  # slots for each fingerprint, before it does
_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


class Kind(NamedTuple):
    """The type of a candidate: its element type and its extents, and what inputs it multiplies, None if any."""

    dtype: DType
    extents: Shape
    monomials: Polynomial | None = None

    @property
    def type(self) -> tuple[DType, Shape]:
        """The element type and the extents."""
        return self.dtype, self.extents


class Sought(NamedTuple):
    """A goal in the order of its ``axes``: the ``cells`` that count, their flat positions, and its fingerprint.

    That is of the cells at ``where``, the standard ones unless it ``is_part``, the cells of a part of the array.
    ``part`` is the number of these fingerprints of a kind.
    """

    axes: tuple[str, ...]
    cells: Elements
    counts: Positions
    where: Positions
    prints: int
    is_part: bool
    parts_before: int

    @property
    def part(self) -> int:
        """The number of its fingerprint among those of a block."""
        return self.parts_before + 1 if self.is_part else 0


@dataclass(eq=False)
class Block:
    """Candidates that were made together: by one step, from rows of entries; or leaves, by their expressions."""

    step: Step | None
    operands: tuple[Entries, ...]
    rows: tuple[Positions, ...]
    leaves: tuple[Expression, ...] = ()


@dataclass(eq=False)
class Entries:
    """The candidates of one kind and one number of operations, in ``chunks`` with a row for each."""

    kind: Kind
    shape: tuple[int, ...]
    chunks: list[Elements]
    blocks: list[Block]
    _gathered: dict[tuple[bytes, tuple[int, ...], bool], Elements] = field(default_factory=dict)
    _inverse: Elements | None = None

    def __len__(self) -> int:
        """Return the number of candidates."""
        return sum(map(len, self.chunks))

    @property
    def cells(self) -> Elements:
        """The cells of all candidates, a row for each; asked for when all are there."""
        if len(self.chunks) > 1:
            self.chunks = [np.concatenate(self.chunks)]
        return self.chunks[0]

    def at(self, positions: Positions, *, inverse: bool = False) -> Elements:
        """Return the values, or their reciprocals, in flat positions: an axis for each of theirs, candidates last."""
        key = positions.tobytes(), positions.shape, inverse
        found = self._gathered.get(key)
        if found is None:
            cells = self.inverses() if inverse else self.cells
            found = self._gathered[key] = np.ascontiguousarray(np.moveaxis(cells[:, positions], 0, -1))
        return found

    def inverses(self) -> Elements:
        """Return the reciprocals of all cells."""
        if self._inverse is None:
            self._inverse = gf.inverse(self.cells)
        return self._inverse

    def origin(self, row: int) -> tuple[Block, int]:
        """Return the block that a candidate was made in, and its row there."""
        for block in self.blocks:
            count = len(block.leaves) if block.step is None else len(block.rows[0])
            if row < count:
                return block, row
            row -= count
        raise IndexError(row)


class Pool:
    """All candidates of one kind, by their number of operations."""

    def __init__(self, kind: Kind, shape: tuple[int, ...], number: int, parts: Sequence[Positions] = ()) -> None:
        """Begin with no candidates; ``parts`` are more cells in which they are compared with goals."""
        self.kind = kind
        self.number = number  # in the order in which kinds turned up
        self.shape = shape
        self.size = int(np.prod(shape))
        self.samples = np.concatenate([sample_positions(shape), *parts])
        self.levels: dict[int, Entries] = {}
        self._bits = _FILTER_BITS[0]
        self._seen = np.zeros(1 << self._bits, np.uint64)
        self._count = 0

    def new_rows(self, prints: Elements) -> Positions:
        """Return the rows of the first candidates with fingerprints that were not seen, and remember them.

        The memory is lossy: a fingerprint may be forgotten where another takes its place, never invented.
        """
        self._make_room(self._count + len(prints))
        slots = self._slots(prints)
        fresh = np.flatnonzero((self._seen[slots] != prints) & (prints != 0))
        _, first = np.unique(prints[fresh], return_index=True)
        rows = fresh[np.sort(first)]
        self._seen[slots[rows]] = prints[rows]
        self._count += len(rows)
        return rows

    def _slots(self, prints: Elements) -> Positions:
        return (prints >> np.uint64(64 - self._bits)).astype(np.int64)

    def _make_room(self, count: int) -> None:
        """Let the memory grow until it has room for so many fingerprints."""
        bits = next((b for b in _FILTER_BITS if count * _ROOM <= 1 << b), _FILTER_BITS[-1])
        if bits > self._bits:
            known, self._bits = self._seen[self._seen != 0], bits
            self._seen = np.zeros(1 << bits, np.uint64)
            self._seen[self._slots(known)] = known

    def store(self, level: int, cells: Elements, block: Block) -> None:
        """Add candidates."""
        known = self.levels.get(level)
        if known is None:
            self.levels[level] = Entries(self.kind, self.shape, [cells], [block])
        else:
            known.chunks.append(cells)
            known.blocks.append(block)


def sample_positions(shape: tuple[int, ...]) -> Positions:
    """Return flat positions of a few cells: below, above and on the diagonal where there is one."""
    wanted = [tuple((k * (axis + 1) + 1) % extent for axis, extent in enumerate(shape)) for k in range(SAMPLES)]
    flat = [int(np.ravel_multi_index(index, shape)) if shape else 0 for index in wanted]
    return np.array(flat, np.int64)


def fingerprints(samples: Elements) -> Elements:
    """Return a word for each candidate from its values in the sampled cells, along the first axis."""
    with np.errstate(over="ignore"):
        words = samples * _MULTIPLIERS.reshape(-1, *(1,) * (samples.ndim - 1))
        mixed = words[0] ^ (words[1] >> np.uint64(7)) ^ (words[2] >> np.uint64(13))
        return np.asarray((mixed ^ (mixed >> np.uint64(29))) * _MULTIPLIERS[1])
