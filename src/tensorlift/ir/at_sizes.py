"""A tensor program where sizes have values: every shape and subscript is a number."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.affine import Affine
from tensorlift.ir.tensor_program import Expression, For, TensorProgram

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.ir.tensor_program import Statement


def sizes_needed(program: TensorProgram) -> set[str]:
    """Return the sizes on which shapes and statements of the program depend."""
    found: set[str] = set()
    _collect((tuple(p.shape for p in program.parameters), program.body), found, set())
    loops = {s.variable for s in _loops(program.body)}
    return found - loops


def program_at(program: TensorProgram, sizes: Mapping[str, int]) -> TensorProgram:
    """Return the program with numbers for sizes; the parameters that are sizes are gone."""
    values = {name: Affine(value) for name, value in sizes.items()}
    parameters = tuple(
        replace(p, shape=tuple(extent.substitute(values) for extent in p.shape))
        for p in program.parameters
        if not p.is_size
    )
    body = _Substitution(values).of(program.body)
    return replace(program, parameters=parameters, sizes=(), derived=(), body=body)


class _Substitution:
    """Puts values in everywhere; a node that occurs twice stays one object."""

    def __init__(self, values: Mapping[str, Affine]) -> None:
        self._values = values
        self._memo: dict[int, Any] = {}

    def of(self, value: Any) -> Any:
        """Return a value of a program with numbers in it."""
        if isinstance(value, Affine):
            return value.substitute(self._values)
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if not is_dataclass(value) or isinstance(value, type):
            return value
        if isinstance(value, Expression):
            if id(value) not in self._memo:
                self._memo[id(value)] = self._replaced(value)
            return self._memo[id(value)]
        return self._replaced(value)

    def _replaced(self, value: Any) -> Any:
        return replace(value, **{f.name: self.of(getattr(value, f.name)) for f in fields(value)})


def _collect(value: Any, found: set[str], seen: set[int]) -> None:
    if isinstance(value, Affine):
        found.update(value.variables)
    elif isinstance(value, tuple):
        for part in value:
            _collect(part, found, seen)
    elif is_dataclass(value) and not isinstance(value, type) and id(value) not in seen:
        seen.add(id(value))
        for f in fields(value):
            _collect(getattr(value, f.name), found, seen)


def _loops(body: tuple[Statement, ...]) -> Iterator[For]:
    for statement in body:
        if isinstance(statement, For):
            yield statement
            yield from _loops(statement.body)
