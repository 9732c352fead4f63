"""Binding the arguments of a call to the parameters of a row, converted to the kinds that the row names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from tensorlift.comprehension.tensor import SymbolicTensor, affine_of, number
from tensorlift.proofs.values import Held
from tensorlift.targets.target import Device, ElementType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.comprehension.affine import Affine
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.proofs.values import Item
    from tensorlift.targets.target import OpRow, Parameter

_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


class Binder:
    """Binds and converts arguments; what does not fit is refused with the row's name."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def bind(
        self, row: OpRow, positional: Sequence[Item], keywords: Mapping[str, Item]
    ) -> tuple[list[object], dict[str, object]]:
        """Return converted arguments, those given by position and those given by name."""
        values: list[object] = []
        named: dict[str, object] = {}
        rest, left = list(positional), dict(keywords)
        for parameter in row.parameters:
            if parameter.is_variadic:
                values += [self._convert(row, parameter, value) for value in rest]
                rest = []
            elif rest and not parameter.is_keyword:
                values.append(self._convert(row, parameter, rest.pop(0)))
            elif parameter.name in left:
                named[parameter.name] = self._convert(row, parameter, left.pop(parameter.name))
            elif not parameter.is_optional:
                self._refuse(row, f"{parameter.name} is missing")
        if rest or left:
            self._refuse(row, f"takes no {'argument ' + min(left) if left else 'further arguments'}")
        return values, named

    def _refuse(self, row: OpRow, why: str) -> NoReturn:
        self._ledger.refuse(f"{row.spelling}: {why}")

    def _convert(self, row: OpRow, parameter: Parameter, value: Item) -> object:
        kind = parameter.kind
        if kind.endswith(" | None"):
            if value is None:
                return None
            kind = kind.removesuffix(" | None")
        try:
            return _CONVERTERS[kind](value)
        except (TypeError, ValueError, KeyError):
            self._refuse(row, f"{parameter.name} is no {kind}")


def tensor_of(value: Item) -> SymbolicTensor:
    """Return a value as an operand; a blank one is none."""
    if isinstance(value, bool):
        return number(value)
    if not isinstance(value, Held) or value.blank is not None:
        raise TypeError
    return value.tensor


def size_of(value: Item) -> Affine:
    """Return a value as a size."""
    if not isinstance(value, Held) or value.tensor.rank or value.tensor.dtype not in _INTEGERS:
        raise TypeError
    size = affine_of(value.tensor.value())
    if size is None:
        raise ValueError
    return size


def integer_of(value: Item) -> int:
    """Return a value as a constant integer."""
    size = size_of(value)
    if not size.is_constant:
        raise ValueError
    return size.constant


def _sizes(value: Item) -> tuple[Affine, ...]:
    return tuple(map(size_of, value)) if isinstance(value, tuple) else (size_of(value),)


def _axes(value: Item) -> int | tuple[int, ...] | None:
    if value is None:
        return None
    return tuple(map(integer_of, value)) if isinstance(value, tuple) else integer_of(value)


def _axis_pairs(value: Item) -> object:
    if isinstance(value, tuple) and len(value) == 2:  # noqa: PLR2004 - one entry for each operand
        return tuple(map(_axes, value))
    return integer_of(value)


def _tensors(value: Item) -> tuple[SymbolicTensor, ...]:
    if not isinstance(value, tuple) or not value:
        raise TypeError
    return tuple(map(tensor_of, value))


def _exactly(wanted: type) -> Callable[[Item], object]:
    def convert(value: Item) -> object:
        if not isinstance(value, wanted):
            raise TypeError
        return value

    return convert


_CONVERTERS: dict[str, Callable[[Item], object]] = {
    "Tensor": tensor_of,
    "Tensors": _tensors,
    "Size": size_of,
    "Sizes": _sizes,
    "Axes": _axes,
    "AxisPairs": _axis_pairs,
    "int": integer_of,
    "Flag": _exactly(bool),
    "Text": _exactly(str),
    "ElementType": _exactly(ElementType),
    "Device": _exactly(Device),
    "Subscripts": _exactly(tuple),
}
