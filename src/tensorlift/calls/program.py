"""A lifted program called as the Python function that it was lifted from.

Sizes are read off the arguments, every extent and precondition is checked, and the program, which changes no argument,
runs.  Then what it computed is put where Python puts it: into the arrays and lists that were passed, and into what the
function returns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.calls.conditions import read_conditions, read_extent
from tensorlift.calls.errors import wrong_value
from tensorlift.calls.memory import overlaps_itself, share_memory
from tensorlift.diagnostics import refuse
from tensorlift.runtime.preconditions import holds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.calls.kinds import Argument, Array
    from tensorlift.conditions.language import Sum
    from tensorlift.record import FunctionRecord, Precondition

_REMEDY = "call `.original`, or lift with `fallback=True`, which then calls it"
_ARRAY, _LIST = "array", "list"
_RETURNED = "return"  # the name of the returned scalar among the outputs
_EXTENT = re.compile(r"\b(?P<name>\w+)_shape(?P<axis>\d+)\b")
_CONVERTED: Mapping[str, Callable[[Any], Any]] = {
    "truth": bool,
    "numpy_truth": np.bool_,
    "python": lambda value: value.item(),
    "numpy": lambda value: value,
}


@dataclass(frozen=True, slots=True)
class PythonInterface:
    """How the source is called, as the front end read it.

    ``shapes`` are the extents of each array parameter as expressions of sizes, ``scalars`` the other parameters.
    ``returns`` names what Python returns, each an ``array``, a ``list``, or a number that is ``python``'s
    or ``numpy``'s, or a ``truth`` or ``numpy_truth``; the empty name is the scalar that the function itself returns.
    """

    shapes: Mapping[str, tuple[str, ...]]
    scalars: tuple[str, ...]
    returns: tuple[tuple[str, str], ...]
    returns_tuple: bool


class LiftedProgram:
    """A program with the checks of its calls."""

    def __init__(self, record: FunctionRecord, interface: PythonInterface, function: Callable[..., Any]) -> None:
        """Compile the checks; raises LiftError TL524 where a precondition cannot be checked at a call."""
        self.record = record
        self._interface = interface
        self._function = function
        sizes = {extent for shape in interface.shapes.values() for extent in shape if extent.isidentifier()}
        own = {f"{name}_shape{axis}" for name, shape in interface.shapes.items() for axis in range(len(shape))}
        known = sizes | own | set(interface.scalars)
        self._extents = [
            (name, axis, extent, _extent(extent, record, known))
            for name, shape in interface.shapes.items()
            for axis, extent in enumerate(shape)
        ]
        arguments = {*interface.shapes, *interface.scalars}
        self._conditions, self._separations = read_conditions(record.preconditions, known, arguments)
        self._results = {
            parameter.name: (parameter.dtype, [_extent(extent, record, known) for extent in parameter.shape])
            for parameter in record.parameters
            if parameter.role == "array" and arguments.isdisjoint(_spellings(parameter.name))
        }
        self._written = [output.name for output in record.outputs if output.name in interface.shapes]

    def run(self, arguments: Mapping[str, Argument]) -> Any:
        """Run the program on arguments by name, which have passed the check."""
        sizes = self._sizes(arguments)
        given = [self._argument(parameter.name, arguments, sizes) for parameter in self.record.parameters]
        found = self._function(*given)
        outputs = self.record.outputs
        results = dict(zip((o.name for o in outputs), found if len(outputs) > 1 else (found,), strict=False))
        for name in self._written:
            _put(arguments[name], results[name])
        return self._returned(arguments, results)

    def _sizes(self, arguments: Mapping[str, Argument]) -> dict[str, int]:
        """Give every extent and size by name."""
        sizes = {name: argument.held for name, argument in arguments.items() if isinstance(argument.held, int)}
        for name, axis, extent, _ in self._extents:
            actual = sizes[f"{name}_shape{axis}"] = arguments[name].held.shape[axis]
            if extent.isidentifier():
                sizes.setdefault(extent, actual)
        return sizes

    def check(self, arguments: Mapping[str, Argument]) -> None:
        """Raise ArgumentValueError where arguments, by name, break a precondition."""
        sizes = self._sizes(arguments)
        self._check_sizes(sizes, arguments)
        for separation in self._separations:
            written, unless_same = arguments[separation.name], separation.or_same
            if any(share_memory(written, arguments[o], unless_same=unless_same) for o in separation.others):
                raise self._broken(separation.precondition)
        for name in self._written:
            self._check_written(name, arguments[name])

    def _check_sizes(self, sizes: Mapping[str, int], arguments: Mapping[str, Argument]) -> None:
        for name, axis, extent, value in self._extents:
            actual = sizes[f"{name}_shape{axis}"]
            wanted = value.at(sizes, {})
            if wanted != actual:
                rule = f"it must be {self._spelled(extent)}, which is {wanted}"
                raise wrong_value(f"extent {axis} of `{name}` is {actual}: {rule}", _REMEDY, self.record.location)
        values = {**{name: argument.held for name, argument in arguments.items()}, **sizes}
        for precondition in self._conditions:
            if precondition.condition is not None and not holds(precondition.condition, values):
                raise self._broken(precondition)

    def _check_written(self, name: str, argument: Argument) -> None:
        if overlaps_itself(argument):
            raise wrong_value(f"elements of `{name}` share memory, and it is written", _REMEDY)
        if argument.given is argument.held and not argument.held.flags.writeable:
            raise wrong_value(f"`{name}` is read-only, and the function writes it", "pass a copy")

    def _broken(self, precondition: Precondition) -> Exception:
        text = self._spelled(precondition.text)
        message = f"the call breaks a precondition of `{self.record.name}`: {text}"
        return wrong_value(message, _REMEDY, precondition.location)

    def _spelled(self, text: str) -> str:
        """Spell extents that the source does not name as Python does: ``A_shape1`` is ``A.shape[1]``."""
        return _EXTENT.sub(
            lambda m: f"{m['name']}.shape[{m['axis']}]" if m["name"] in self._interface.shapes else m[0], text
        )

    def _argument(self, name: str, arguments: Mapping[str, Argument], sizes: Mapping[str, int]) -> Any:
        """Give an argument of the program: one of the call, an array for a result to be stored into, or a size."""
        for spelled in _spellings(name):
            if spelled in arguments:
                return arguments[spelled].held
        if name in self._results:
            dtype, extents = self._results[name]
            return np.zeros([extent.at(sizes, {}) for extent in extents], dtype)
        return sizes[name]

    def _returned(self, arguments: Mapping[str, Argument], results: Mapping[str, Any]) -> Any:
        items = [self._item(name, kind, arguments, results) for name, kind in self._interface.returns]
        if self._interface.returns_tuple:
            return tuple(items)
        return items[0] if items else None

    def _item(self, name: str, kind: str, arguments: Mapping[str, Argument], results: Mapping[str, Any]) -> Any:
        if kind in (_ARRAY, _LIST):
            if name in arguments:
                return arguments[name].given
            return results[name].tolist() if kind == _LIST else results[name]
        output = next(o for o in self.record.outputs if o.name == (name or _RETURNED))
        value = np.asarray(results[output.name], output.dtype)[()]
        return _CONVERTED[kind](value)


def _spellings(name: str) -> tuple[str, str]:
    """Give the names in the source that a parameter may have: a ``_`` is added where Python reserves one."""
    return name, name.removesuffix("_")


def _extent(extent: str, record: FunctionRecord, known: set[str]) -> Sum:
    value = read_extent(extent, known)
    if value is None:
        message = f"no call can check the extent `{extent}`"
        raise refuse("TL524", message, record.location, "lift the file with the function `lift` or the command")
    return value


def _put(argument: Argument, value: Array) -> None:
    """Store into the array or the lists that were passed."""
    if isinstance(argument.given, list):
        _put_list(argument.given, np.asarray(value).tolist(), argument.held.tolist())
    else:
        np.copyto(argument.given, value)


def _put_list(target: list[Any], values: Sequence[Any], before: Sequence[Any]) -> None:
    """Store into nested lists, where something has changed."""
    for position, (value, old) in enumerate(zip(values, before, strict=True)):
        if isinstance(value, list):
            _put_list(target[position], value, old)
        elif value != old:
            target[position] = value
