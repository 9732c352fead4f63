"""A lifted program called as the Python function that it was lifted from.

Sizes are read off the arguments, every extent and precondition is checked, and the program, which changes no argument,
runs.  Then what it computed is put where Python puts it: into the arrays and lists that were passed, and into what the
function returns.  Where arrays of JAX or tensors are passed, the program runs on them as it is, so that it can be
traced and differentiated.  Arrays of JAX do not change: new ones are returned in place of those that are written.

Which preconditions of a lifted function a call can check: on sizes and extents, and on memory that is shared.

Whether the arrays and lists of a call share memory where one of them is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.calls.complex_numbers import is_complex, joined, of_pairs
from tensorlift.calls.errors import wrong_type, wrong_value
from tensorlift.calls.foreign import check_results, check_written, given_back, seen
from tensorlift.calls.kinds import JAX, TORCH, Argument, Array, first_of, is_traced, library_of, on_library
from tensorlift.contract.decide import are_separate, broken_extent, holds, is_injective, length_found
from tensorlift.contract.language import (
    AnyOf,
    Compare,
    Condition,
    Extent,
    Inside,
    InWords,
    IsArray,
    IsScalar,
    ReadInside,
    Separate,
    Sum,
    atoms_of,
)
from tensorlift.contract.notation import parse_sum
from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from tensorlift.contract.interface import Precondition
    from tensorlift.record import FunctionRecord


def share_memory(one: Argument, other: Argument, *, unless_same: bool) -> bool:
    """Tell whether two arguments share memory; where that is hard to tell, they do.

    With ``unless_same`` two names of the very same elements do not count.
    """
    if JAX in (library_of(one.held), library_of(other.held)):
        return one.given is other.given and not unless_same  # others are of memory that does not change
    if isinstance(one.given, list) or isinstance(other.given, list):
        same = unless_same and one.given is other.given
        return not same and not set(_rows(one.given)).isdisjoint(_rows(other.given))
    return not are_separate(_place(one), _place(other), or_same=unless_same)


def overlaps_itself(argument: Argument) -> bool:
    """Tell whether two elements of an argument may lie at one place."""
    if library_of(argument.held) is JAX:
        return False
    if isinstance(argument.given, list):
        rows = list(_rows(argument.given))
        return len(rows) != len(set(rows))
    place = _place(argument)
    return not place.flags.forc and not is_injective(place)


def _place(argument: Argument) -> Array:
    """Give an array that lies where an argument lies."""
    place: Array = TORCH.memory(argument.given) if library_of(argument.given) is TORCH else argument.held
    return place


def _rows(value: Any) -> Iterator[int]:
    """Yield the identities of a list and of the lists in it."""
    if isinstance(value, list):
        yield id(value)
        if value and isinstance(value[0], list):
            for row in value:
                yield from _rows(row)


@dataclass(frozen=True, slots=True)
class Separation:
    """A precondition that an array shares no memory with others, or only with itself under another name."""

    precondition: Precondition
    name: str
    others: tuple[str, ...]
    or_same: bool


def read_conditions(
    preconditions: Sequence[Precondition], known: Collection[str], arguments: Collection[str]
) -> tuple[list[Precondition], list[Separation]]:
    """Give the preconditions on sizes, and those on memory that arguments of the source are about.

    ``known`` are the names of sizes.  Types are checked as kinds; whether integers fit into their
    64 bits only the original could tell.
    Raises LiftError TL524 for one that no call can check.
    """
    on_sizes, separations = [], []
    for precondition in preconditions:
        match precondition.condition:
            case Separate(name, others, or_same):
                passed = tuple(other for other in others if other in arguments)
                if passed and name in arguments:
                    separations.append(Separation(precondition, name, passed, or_same))
            case (Compare() | AnyOf() | Inside()) as condition if _is_known(condition, known, arguments):
                on_sizes.append(precondition)
            case IsArray() | IsScalar():
                pass
            case InWords() if precondition.kind == "integers":
                pass
            case ReadInside(array):
                message = f"no call can check that `{array}` is read inside of it"
                remedy = f"read each place `k` by itself, where `0 <= k < len({array})`"
                raise refuse("TL524", message, precondition.location, remedy)
            case _:
                message = f"no call can check the precondition `{precondition.text}`"
                remedy = "lift the file with the function `lift` or the command, and check it before the call"
                raise refuse("TL524", message, precondition.location, remedy)
    return on_sizes, separations


def read_extent(text: str, known: Collection[str]) -> Sum | None:
    """Read an extent over sizes; None where it is of another form, or over what a call does not know."""
    try:
        extent = parse_sum(text)
    except ValueError:
        return None
    return extent if all(atom in known for atom in extent.atoms()) else None


def _is_known(condition: Condition, known: Collection[str], arguments: Collection[str]) -> bool:
    if isinstance(condition, Inside) and condition.array not in arguments:
        return False
    return all(atom.array in arguments if isinstance(atom, Extent) else atom in known for atom in atoms_of(condition))


_REMEDY = "call `.original`, or lift with `fallback=True`, which then calls it"
_X64 = 'jax.config.update("jax_enable_x64", True)'
_STATIC = "make it static, as with `static_argnames` of `jax.jit`"
ARRAY, LIST = "array", "list"  # how an item is returned, beside as a number
RETURNED = "return"  # the name of the returned scalar among the outputs
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
    Of complex numbers, ``pairs`` are the arrays; ``ways`` say how each item is returned: as pairs, in parts, or real.
    ``returns`` names what Python returns, each an ``array``, a ``list``, or a number that is ``python``'s
    or ``numpy``'s, or a ``truth`` or ``numpy_truth``; the empty name is the scalar that the function itself returns.
    With ``keys`` the first of them are the values of a dict.
    """

    shapes: Mapping[str, tuple[str, ...]]
    scalars: tuple[str, ...]
    returns: tuple[tuple[str, str], ...]
    returns_tuple: bool
    pairs: frozenset[str] = frozenset()
    ways: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class LiftedProgram:
    """A program with the checks of its calls."""

    def __init__(
        self,
        record: FunctionRecord,
        interface: PythonInterface,
        function: Callable[..., Any],
        over_numpy: Callable[..., Any],
    ) -> None:
        """Compile the checks of a program, which comes as one over NumPy arrays too.

        Raises LiftError TL524 where a precondition cannot be checked at a call.
        """
        self.record = record
        self.interface = interface
        self.over_numpy, self.function = over_numpy, function
        sizes = {extent for shape in interface.shapes.values() for extent in shape if extent.isidentifier()}
        own = {f"{name}_shape{axis}" for name, shape in interface.shapes.items() for axis in range(len(shape))}
        known = sizes | own | set(interface.scalars)
        self.extents = [
            (name, axis, extent, _extent(extent, record, known))
            for name, shape in interface.shapes.items()
            for axis, extent in enumerate(shape)
        ]
        arguments = {*interface.shapes, *interface.scalars}
        self.conditions, self.separations = read_conditions(record.preconditions, known, arguments)
        self.results = {
            parameter.name: (parameter.dtype, [_extent(extent, record, known) for extent in parameter.shape])
            for parameter in record.parameters
            if parameter.role == "array" and arguments.isdisjoint(spellings(parameter.name))
        }
        self.written = [output.name for output in record.outputs if output.name in interface.shapes]
        self._places = {c.array for p in self.conditions if isinstance(c := p.condition, Inside)}
        plain = {name or RETURNED for name, kind in interface.returns if kind not in (ARRAY, "numpy")}
        self._made = [output.dtype for output in record.outputs if output.name not in plain]
        self.needs_64_bits = "jax_enable_x64" in record.program
        self._decided: set[object] = {p.name for p in record.parameters if p.role == "size"}
        self._decided.update(*(extent.atoms() for *_, extent in self.extents))
        self._decided.update(*(atoms_of(p.condition) for p in self.conditions if p.condition is not None))

    def run(self, arguments: Mapping[str, Argument]) -> Any:
        """Run the program on arguments by name, which have passed the check."""
        sizes = self._sizes(arguments)
        given = [self._argument(parameter.name, arguments, sizes) for parameter in self.record.parameters]
        found = first_of(argument.held for argument in arguments.values())
        if found is None:
            returned = self.over_numpy(*given)
        else:
            returned = self.function(*on_library(*found, given, writes=bool(self.written)))
        outputs = self.record.outputs
        results = dict(zip((o.name for o in outputs), returned if len(outputs) > 1 else (returned,), strict=False))
        for name in self.written:
            if library_of(arguments[name].given) is not JAX:
                _put(arguments[name], results[name])
        return self._returned(arguments, results, _home(arguments) if found is None else None)

    def _sizes(self, arguments: Mapping[str, Argument]) -> dict[str, int]:
        """Give every extent and size by name."""
        sizes = {name: argument.held for name, argument in arguments.items() if isinstance(argument.held, int)}
        for name, axis, extent, _ in self.extents:
            actual = sizes[f"{name}_shape{axis}"] = arguments[name].held.shape[axis]
            if extent.isidentifier():
                sizes.setdefault(extent, actual)
        return sizes

    def check(self, arguments: Mapping[str, Argument]) -> None:
        """Raise ArgumentValueError where arguments, by name, break a precondition."""
        sizes = self._sizes(arguments)
        self._check_traced(arguments)
        check_results(self._made, _home(arguments))
        self._check_sizes(sizes, arguments)
        for separation in self.separations:
            written, unless_same = arguments[separation.name], separation.or_same
            if any(share_memory(written, arguments[o], unless_same=unless_same) for o in separation.others):
                raise self._broken(separation.precondition)
        for name in self.written:
            self._check_written(name, arguments[name])

    def _check_traced(self, arguments: Mapping[str, Argument]) -> None:
        """Refuse what cannot be decided, or not be done, where values are not known, and 64 bits that JAX lacks."""
        is_jax = any(library_of(argument.held) is JAX for argument in arguments.values())
        if is_jax and self.needs_64_bits and not JAX.has_64_bits():
            message = f"the program of `{self.record.name}` computes in 64 bits, which JAX has switched off"
            raise wrong_type(message, f"call `{_X64}` first", self.record.location)
        traced = [name for name, argument in arguments.items() if is_traced(argument.held)]
        for name in traced:
            if name in self._places:
                message = f"`{name}` is traced, and only its values tell whether it holds positions of the array"
                raise wrong_type(message, "call the function outside of `jit` and the like", self.record.location)
            if name in self._decided and not arguments[name].held.ndim:
                message = f"`{name}` is traced, and the shapes or the checks of the program depend on its value"
                raise wrong_type(message, _STATIC, self.record.location)
        for name in self.written if traced else ():
            if library_of(arguments[name].given) is not JAX:
                message = f"the function writes `{name}`, into which nothing that is traced can be stored"
                raise wrong_type(message, "make the array in the function, and return it", self.record.location)

    def _check_sizes(self, sizes: Mapping[str, int], arguments: Mapping[str, Argument]) -> None:
        for name, axis, extent, value in self.extents:
            actual = sizes[f"{name}_shape{axis}"]
            wanted = value.at(sizes, {})
            if wanted != actual:
                told = "" if extent.isdecimal() else f", which is {self._spelled(extent)}"
                found = length_found(name, axis, arguments[name].held.shape, f"{wanted}{told}")
                raise wrong_value(found, _REMEDY, self.record.location)
        values = {**{name: self._seen(name, argument.held) for name, argument in arguments.items()}, **sizes}
        for precondition in self.conditions:
            if precondition.condition is not None and not holds(precondition.condition, values):
                raise self._broken(precondition, broken_extent(precondition.condition, values))

    def _seen(self, name: str, held: Any) -> Any:
        """Give an argument as conditions look at it: of most arrays only the shape counts."""
        library = library_of(held)
        if library is None or not held.ndim:
            return held
        return library.values(held) if name in self._places else np.broadcast_to(np.int8(0), tuple(held.shape))

    def _check_written(self, name: str, argument: Argument) -> None:
        if library_of(argument.given) is TORCH and TORCH.is_fixed(argument.given):
            message = f"`{name}` is a leaf tensor that requires a gradient, and the function writes it"
            raise wrong_value(message, f"pass `{name}.clone()`")
        if overlaps_itself(argument):
            raise wrong_value(f"elements of `{name}` share memory, and it is written", _REMEDY)
        is_array = isinstance(argument.given, np.ndarray)
        if is_array and not argument.given.flags.writeable:
            raise wrong_value(f"`{name}` is read-only, and the function writes it", "pass a copy")
        if argument.is_foreign:
            check_written(argument.given, name)

    def _broken(self, precondition: Precondition, found: str = "") -> Exception:
        text = self._spelled(precondition.text)
        message = f"the call breaks a precondition of `{self.record.name}`: {text}"
        message = f"{found}: `{self.record.name}` needs {text}" if found else message
        return wrong_value(message, _REMEDY, precondition.location)

    def _spelled(self, text: str) -> str:
        """Spell extents that the source does not name as Python does: ``A_shape1`` is ``A.shape[1]``."""
        return _EXTENT.sub(
            lambda m: f"{m['name']}.shape[{m['axis']}]" if m["name"] in self.interface.shapes else m[0], text
        )

    def _argument(self, name: str, arguments: Mapping[str, Argument], sizes: Mapping[str, int]) -> Any:
        """Give an argument of the program: one of the call, an array for a result to be stored into, or a size."""
        for spelled in spellings(name):
            if spelled in arguments:
                return arguments[spelled].held
        if name in self.results:
            dtype, extents = self.results[name]
            return np.zeros([extent.at(sizes, {}) for extent in extents], dtype)
        return sizes[name]

    def _returned(self, arguments: Mapping[str, Argument], results: Mapping[str, Any], home: Any) -> Any:
        """Give what the function returns; what was computed as arrays of the library of ``home``."""
        items = [self._item(name, kind, arguments, results) for name, kind in self.interface.returns]
        own = [argument.given for argument in arguments.values()]
        items = [
            item if any(item is one for one in own) else given_back(item, home)
            for item in joined(items, self.interface.ways)
        ]
        keys = self.interface.keys
        items = [dict(zip(keys, items, strict=False)), *items[len(keys) :]] if keys else items
        named = {name for name, _ in self.interface.returns}
        new = [n for n in self.written if n not in named and library_of(arguments[n].given) is JAX]
        if new:
            pairs = self.interface.pairs
            made = [of_pairs(results[name]) if name in pairs else results[name] for name in new]
            items = [*(given_back(array, arguments[name].given) for name, array in zip(new, made, strict=True)), *items]
        if self.interface.returns_tuple or len(items) > 1:
            return tuple(items)
        return items[0] if items else None

    def _item(self, name: str, kind: str, arguments: Mapping[str, Argument], results: Mapping[str, Any]) -> Any:
        if kind in (ARRAY, LIST):
            if name in arguments and not (name in results and library_of(arguments[name].given) is JAX):
                return arguments[name].given
            return results[name].tolist() if kind == LIST and library_of(results[name]) is None else results[name]
        output = next(o for o in self.record.outputs if o.name == (name or RETURNED))
        if library_of(results[output.name]) is not None:
            return results[output.name]
        value = np.asarray(results[output.name], output.dtype)[()]
        return _CONVERTED[kind](value)


def _home(arguments: Mapping[str, Argument]) -> Any:
    """Give the first array of a library that the program is not written for."""
    return next((argument.given for argument in arguments.values() if argument.is_foreign), None)


def spellings(name: str) -> tuple[str, str]:
    """Give the names in the source that a parameter may have: a ``_`` is added where Python reserves one."""
    return name, name.removesuffix("_")


def _extent(extent: str, record: FunctionRecord, known: set[str]) -> Sum:
    value = read_extent(extent, known)
    if value is None:
        message = f"no call can check the extent `{extent}`"
        raise refuse("TL524", message, record.location, "lift the file with the function `lift` or the command")
    return value


def _put(argument: Argument, value: Any) -> None:
    """Store into the array, the tensor or the lists that were passed."""
    given = seen(argument.given) if argument.is_foreign else argument.given
    value = of_pairs(value) if is_complex(given) else value
    library = library_of(value)
    if library is TORCH and library_of(given) is TORCH:
        given.copy_(value)
        return
    found = np.asarray(value) if library is None else library.values(value)
    if isinstance(given, list):
        _put_list(given, found.tolist(), argument.held.tolist())
    elif library_of(given) is TORCH:
        given.copy_(TORCH.give(found, given))
    else:
        np.copyto(given, found)


def _put_list(target: list[Any], values: Sequence[Any], before: Sequence[Any]) -> None:
    """Store into nested lists, where something has changed."""
    for position, (value, old) in enumerate(zip(values, before, strict=True)):
        if isinstance(value, list):
            _put_list(target[position], value, old)
        elif value != old:
            target[position] = value
