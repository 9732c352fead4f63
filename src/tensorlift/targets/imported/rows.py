"""Rows of imported operations: an instance is chosen by the types and the attributes that the text states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.targets.mlir_text.rows import TextRow
from tensorlift.targets.target import sample

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor


@dataclass(frozen=True)
class ImportedRow(TextRow):
    """An operation of an imported dialect; it is written in MLIR's generic form."""

    instances: tuple[Instance, ...] = ()

    __hash__ = object.__hash__


def rows_of(instances: Iterable[Instance]) -> dict[str, ImportedRow]:
    """Return the rows of operations by their names."""
    grouped: dict[str, list[Instance]] = {}
    for instance in instances:
        grouped.setdefault(instance.operation, []).append(instance)
    return {name: _row(name, tuple(listed)) for name, listed in grouped.items()}


def _row(name: str, instances: tuple[Instance, ...]) -> ImportedRow:
    return ImportedRow(name, name, _by_instance, (sample(name),), instances=instances)


def _by_instance(o: Obligations) -> SymbolicTensor:
    """Refuse: which instance is meant is seen from the text."""
    return o.refuse("an imported operation means what its instance computes")
