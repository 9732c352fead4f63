"""A tensor program where sizes have values: every shape and subscript is a number."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from tensorlift.ir.tensor_program import Expression, TensorProgram
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Mapping


def program_at(program: TensorProgram, sizes: Mapping[str, int]) -> TensorProgram:
    """Return the program with numbers for some sizes; the parameters that are such sizes are gone."""
    values = {name: Affine(value) for name, value in sizes.items()}
    parameters = tuple(
        replace(p, shape=tuple(extent.substitute(values) for extent in p.shape))
        for p in program.parameters
        if p.name not in sizes
    )
    body = _Substitution(values).of(program.body)
    sources = tuple(
        replace(source, rest=source.rest.substitute(values)) for source in program.sizes if source.name not in sizes
    )
    derived = tuple(
        replace(d, numerator=d.numerator.substitute(values)) for d in program.derived if d.name not in sizes
    )
    return replace(program, parameters=parameters, sizes=sources, derived=derived, body=body)


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
