"""A quick way into a lifted program: a function that is written for the kinds of arguments that one call had.

`LiftedProgram` checks arguments of any kind, which takes longer than a small program runs.  Here its checks are one
condition of Python, spelled for arguments of the same types and compiled; all arrays are of one library.  The condition
may be stricter than those checks, never laxer: what it does not let through goes the long way, which decides, and which
says what is wrong.  So a quick way gives what the long one gives, or nothing of its own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlift.calls.complex_numbers import joined
from tensorlift.calls.kinds import EXACT, JAX, TORCH, Argument, Kind, is_traced, library_of
from tensorlift.calls.objects import Opened
from tensorlift.calls.program import ARRAY, LIST, RETURNED, spellings
from tensorlift.contract.decide import is_injective
from tensorlift.contract.language import AnyOf, Compare, Extent, Inside, Quotient, Sum

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.calls.objects import Field
    from tensorlift.calls.program import LiftedProgram
    from tensorlift.contract.interface import Parameter
    from tensorlift.contract.language import Atom, Condition

    Call = Callable[..., Any]

_TEXT = """def {name}{signature}:{opened}
    if not (
        {tests}
    ):
        return _otherwise({arguments})
    {called}
    return {returned}
"""
_BINDER = """def {name}{signature}:
    return {{{arguments}}}
"""
_DIRECT = {"truth": "bool", "numpy_truth": "_np.bool_"}
_WORDS = 64  # bits of the places that are compared as they lie in memory


class Taken(NamedTuple):
    """What a call took: the program, and the arguments with their kinds.

    ``types`` are arguments that are types, ``numbers`` those that are complex numbers, with the names of their parts,
    and ``objects`` those in place of which their ``fields`` are taken; the function itself ``returns_tuple``.
    """

    program: LiftedProgram
    kinds: Mapping[str, Kind]
    arguments: Mapping[str, Argument]
    types: Mapping[str, Any]
    numbers: Mapping[str, tuple[Any, Sequence[str]]]
    objects: Mapping[str, Any]
    fields: Sequence[Field]
    returns_tuple: bool


NOT_QUICK = object()  # given by the quick ways of a function for arguments that none of them takes


def no_quick_way(*_arguments: Any, **_named: Any) -> Any:
    """Take nothing."""
    return NOT_QUICK


class _NotQuickError(Exception):
    """Raised where there is no quick way."""


def binder(name: str, signature: inspect.Signature) -> Call:
    """Give a function that takes what a signature says and gives it by name, and fails as the function itself does."""
    items = ", ".join(f"{parameter!r}: {parameter}" for parameter in signature.parameters)
    text = _BINDER.format(name=name, signature=_spelled(signature), arguments=items)
    return _compiled(name, text, _defaults(signature))


def quick_way(
    name: str,
    signature: inspect.Signature,
    taken: Taken,
    meanings: Sequence[tuple[Call, tuple[Any, ...], Any]],
    otherwise: Call,
) -> Call | None:
    """Give the quick way for arguments of the types that a call had; None where there is none.

    ``meanings`` are functions with arguments, and what each must give for the program to be that of the source still.
    ``otherwise`` takes what the quick way does not; the first is `no_quick_way`.
    """
    values = {"_otherwise": otherwise, "_np": np, **_defaults(signature)}
    try:
        writer = _Writer(taken, values)
        return _compiled(name, writer.text(name, signature, meanings), writer.values)
    except _NotQuickError:
        return None


def _compiled(name: str, text: str, values: dict[str, Any]) -> Call:
    exec(compile(text, f"<call of {name}>", "exec"), values)  # noqa: S102 - the text is written here
    found: Call = values[name]
    return found


class _Named:
    """A value that is spelled by a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


def _spelled(signature: inspect.Signature) -> str:
    """Spell a signature with names for the defaults, and without annotations."""
    parameters = [
        p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else _Named(f"_default_{p.name}"))
        for p in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def _defaults(signature: inspect.Signature) -> dict[str, Any]:
    return {f"_default_{p.name}": p.default for p in signature.parameters.values() if p.default is not p.empty}


class _Arrays:
    """How the checks of NumPy's arrays are spelled; ``values`` are those that names in the text stand for."""

    result = ""  # the type of numbers that are given back as they are

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values | {"_share": np.may_share_memory, "_is_injective": is_injective}

    def element(self, kind: Kind, value: Any) -> Any:
        """Give the element type as an array itself has it, of which there is one object."""
        return kind.dtype if value.dtype is kind.dtype else None

    def is_kind(self, name: str, rank: int) -> str:
        return f"{name}.dtype is _dtype_{name} and {name}.ndim == {rank}"

    def is_writable(self, name: str) -> str:
        return f"{name}.flags.writeable and ({name}.flags.forc or _is_injective({name}))"

    def are_apart(self, written: str, other: str, *, or_same: bool) -> str:
        same = f"{written} is {other} or " if or_same else ""
        return f"({same}not _share({written}, {other}))"

    def put(self, name: str, result: str) -> str:
        return f"_np.copyto({name}, {result})"

    def places(self, name: str) -> str:
        return name


class _JaxArrays(_Arrays):
    """The same for JAX's, of which none is written."""

    result = "_Array"

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values | {"_Array": sys.modules["jax"].Array, "_has_64_bits": JAX.has_64_bits}

    def is_kind(self, name: str, rank: int) -> str:
        weak = "" if rank else f" and not {name}.weak_type"
        return f"{super().is_kind(name, rank)} and not {name}.is_deleted(){weak}"

    def is_writable(self, name: str) -> str:  # noqa: ARG002 - a new array is given back
        return ""

    def are_apart(self, written: str, other: str, *, or_same: bool) -> str:
        return "" if or_same else f"{written} is not {other}"

    def put(self, name: str, result: str) -> str:  # noqa: ARG002 - a new array is given back
        return ""

    def places(self, name: str) -> str:
        return f"_np.asarray({name})"


class _Tensors(_Arrays):
    """The same for tensors; one of which a gradient may be computed is not written in a quick way."""

    result = "_Tensor"

    def __init__(self, values: dict[str, Any]) -> None:
        torch = sys.modules["torch"]
        self.values = values | {"_Tensor": torch.Tensor, "_is_plain": TORCH.is_plain, "_apart": _are_apart}

    def element(self, kind: Kind, value: Any) -> Any:
        return value.dtype if np.dtype(TORCH.element(value)) == kind.dtype else None

    def is_kind(self, name: str, rank: int) -> str:
        return f"{super().is_kind(name, rank)} and _is_plain({name})"

    def is_writable(self, name: str) -> str:
        return f"{name}.is_contiguous()"

    def are_apart(self, written: str, other: str, *, or_same: bool) -> str:
        same = f"{written} is {other} or " if or_same else ""
        return f"({same}_apart({written}, {other}))"

    def put(self, name: str, result: str) -> str:
        return f"{name}.copy_({result})"

    def places(self, name: str) -> str:
        return f"{name}.detach().cpu().numpy()"


def _are_apart(one: Any, other: Any) -> bool:
    """Tell of two tensors whether they share no memory, as far as their first and last cells tell."""
    start, place = one.data_ptr(), other.data_ptr()
    are_dense = one.is_contiguous() and other.is_contiguous()
    return bool(are_dense and (start + one.nbytes <= place or place + other.nbytes <= start))


class _Writer:
    """Writes the quick way for one program and one kind of arguments."""

    def __init__(self, taken: Taken, values: dict[str, Any]) -> None:
        program, kinds, arguments, self._types, self._numbers, objects, self._fields, self._returns_tuple = taken
        self._program, self._kinds, self._arguments, self._pairs = program, kinds, arguments, program.interface.pairs
        found = {library_of(argument.given) for name, argument in arguments.items() if kinds[name].rank} or {None}
        is_other = any(argument.is_foreign or is_traced(argument.given) for argument in arguments.values())
        self._library = found.pop()
        is_split = self._pairs or self._numbers or program.interface.ways
        if found or is_other or ((is_split or self._fields) and self._library is not None):
            raise _NotQuickError
        self._arrays = {JAX: _JaxArrays, TORCH: _Tensors}.get(self._library, _Arrays)(values)
        self.values = self._arrays.values | {f"_type_{name}": value for name, value in self._types.items()}
        self._objects = Opened(objects, self._fields)
        self.values |= self._objects.values
        self._spelled = {name: name for name in kinds}
        for name, (value, parts) in self._numbers.items():
            self._spelled |= zip(parts, (f"{name}.real", f"{name}.imag"), strict=True)
            self.values[f"_type_{name}"] = type(value)
            if not isinstance(value, complex | np.complexfloating | float):
                raise _NotQuickError
        self._held = {name: self._taken(name) for name in kinds}
        numbers = {name: kind.is_python for name, kind in kinds.items() if not kind.rank and kind.dtype.kind in "iu"}
        self._sizes = {name: name if is_python else f"int({name})" for name, is_python in numbers.items()}
        for name, axis, extent, _ in program.extents:
            self._sizes[f"{name}_shape{axis}"] = self._extent(name, axis)
            if extent.isidentifier():
                self._sizes.setdefault(extent, self._extent(name, axis))

    def text(
        self, name: str, signature: inspect.Signature, meanings: Sequence[tuple[Call, tuple[Any, ...], Any]]
    ) -> str:
        """Write the function."""
        names = {name, *signature.parameters}
        parts = {part for _, parts in self._numbers.values() for part in parts}
        fields = {field.name for field in self._fields}
        known = ({*self._kinds, *self._types, *self._numbers} - parts - fields) | self._objects.owners
        if any(one.startswith("_") for one in names) or signature.parameters.keys() != known:
            raise _NotQuickError
        program = self._program
        tests = [
            *self._objects.are_apart(),
            *(self._is_kind(parameter) for parameter in self._kinds if parameter not in parts),
            *(f"type({parameter}) is _type_{parameter}" for parameter in self._numbers),
            *map(self._is_constant, self._types.items()),
            *(self._is_current(number, *meaning) for number, meaning in enumerate(meanings)),
            *self._extents(),
            *(self._condition(p.condition) for p in program.conditions if p.condition is not None),
            *self._memory(),
            "_has_64_bits()" if self._library is JAX and program.needs_64_bits else "",
        ]
        passed = [f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name for p in signature.parameters.values()]
        results = {output.name: f"_r{number}" for number, output in enumerate(program.record.outputs)}
        called = [f"{', '.join(results.values())} = _program({', '.join(map(self._given, program.record.parameters))})"]
        called += [self._put(written, results[written]) for written in program.written]
        items = self._items(results)
        bound = [field for field in self._fields if field.is_bound]
        items, numbers = items[: len(items) - len(bound)], items[len(items) - len(bound) :]
        called += [f"{self._objects.spelled(f)} = {number}" for f, number in zip(bound, numbers, strict=True)]
        passed_on = ", ".join(passed)
        self.values["_program"] = program.over_numpy if self._library is None else program.function
        return _TEXT.format(
            name=name,
            signature=_spelled(signature),
            opened=self._objects.text(f"_otherwise({passed_on})"),
            tests="\n        and ".join(filter(None, tests)) or "True",
            arguments=passed_on,
            called="\n    ".join(filter(None, called)),
            returned=self._returned(items, is_bound=bool(bound)),
        )

    def _is_kind(self, name: str) -> str:
        """Test that an argument is of the type that it had."""
        kind, value = self._kinds[name], self._arguments[name].given
        self.values[f"_type_{name}"] = type(value)
        test = f"type({name}) is _type_{name}"
        if kind.rank or library_of(value) is not None:
            is_pair = name in self._pairs
            self.values[f"_dtype_{name}"] = value.dtype if is_pair else self._arrays.element(kind, value)
            return f"{test} and {self._arrays.is_kind(name, kind.rank - is_pair)}"
        if type(value) is not int:
            return test
        least, most = (-EXACT, EXACT) if kind.letter == "f" else _limits(kind)
        return f"{test} and {least} <= {name} <= {most}"

    @staticmethod
    def _is_constant(item: tuple[str, Any]) -> str:
        """Test that an argument is the constant that it was: one object, but for integers."""
        name, value = item
        return f"type({name}) is int and {name} == {value}" if type(value) is int else f"{name} is _type_{name}"

    def _taken(self, name: str) -> str:
        """Spell what the program takes for an argument."""
        kind, value, text = self._kinds[name], self._arguments[name].given, self._spelled[name]
        if name in self._pairs:
            self.values[f"_real_{name}"] = kind.dtype
            if type(value) is not np.ndarray or value.dtype is not np.dtype(value.dtype.type):
                raise _NotQuickError
            return f"{name}[..., None].view(_real_{name})"
        if kind.rank or library_of(value) is not None:
            is_known = isinstance(value, np.ndarray) if self._library is None else library_of(value) is self._library
            if not is_known or self._arrays.element(kind, value) is None or not (kind.rank or kind.letter == "f"):
                raise _NotQuickError
            return name
        plain = {"f": (float, int), "i": (int,), "u": (int,), "b": (bool,)}[kind.letter]
        wanted = plain[0] if kind.is_python else kind.dtype.type
        if not (kind.is_python or self._library is None) or (type(value) is not wanted and type(value) not in plain):
            raise _NotQuickError
        if type(value) is wanted:
            return text
        self.values[f"_as_{name}"] = wanted
        return f"_as_{name}({text})"

    def _is_current(self, number: int, look_up: Call, place: tuple[Any, ...], value: Any) -> str:
        """Test that a name of another scope means what it meant."""
        keys = {f"_key{number}_{position}": key for position, key in enumerate(place)}
        self.values |= {f"_look_up{number}": look_up, f"_value{number}": value, **keys}
        return f"_look_up{number}({', '.join(keys)}) is _value{number}"

    def _extents(self) -> list[str]:
        """Test the extents that are told by others."""
        found = {(self._sum(value), self._extent(name, axis)) for name, axis, _, value in self._program.extents}
        return [f"{wanted} == {actual}" for wanted, actual in sorted(found) if wanted != actual]

    def _extent(self, name: str, axis: int) -> str:
        """Spell an extent; complex numbers have two parts."""
        return "2" if name in self._pairs and axis == self._kinds[name].rank - 1 else f"{name}.shape[{axis}]"

    def _put(self, name: str, result: str) -> str:
        if name in self._pairs:
            return f"{name}.real, {name}.imag = {result}[..., 0], {result}[..., 1]"
        return self._arrays.put(name, result)

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Compare(left, relation, right):
                return f"{self._sum(left)} {relation} {self._sum(right)}"
            case AnyOf(choices):
                parts = (" and ".join(map(self._condition, choice)) or "True" for choice in choices)
                return f"({' or '.join(parts) or 'False'})"
            case Inside(array, added, limit):
                self.values["_are_inside"] = _are_inside
                return f"_are_inside({self._arrays.places(array)}, {added}, {self._sum(limit)})"
        raise _NotQuickError

    def _sum(self, value: Sum) -> str:
        """Spell a sum over sizes."""
        products = ("*".join([str(factor), *map(self._atom, atoms)]) for factor, atoms in value.terms)
        text = " + ".join(product.removeprefix("1*") for product in products)
        return text if value.atom is not None else f"({text or 0})"

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, Quotient):
            return f"({self._sum(atom.numerator)} // {self._sum(atom.divisor)} if {self._sum(atom.divisor)} > 0 else 0)"
        known = f"{atom.array}_shape{atom.axis}" if isinstance(atom, Extent) else atom
        if known not in self._sizes:
            raise _NotQuickError
        return self._sizes[known]

    def _memory(self) -> list[str]:
        """Test that what is written can be, and shares no memory."""
        if self._library is TORCH and self._program.written:
            tensors = [name for name, argument in self._arguments.items() if library_of(argument.given) is TORCH]
            tests = [f"not {name}.requires_grad" for name in tensors]
        else:
            tests = []
        tests += map(self._arrays.is_writable, self._program.written)
        for separation in self._program.separations:
            for other in separation.others:
                tests.append(self._arrays.are_apart(separation.name, other, or_same=separation.or_same))
        return tests

    def _given(self, parameter: Parameter) -> str:
        """Spell an argument of the program."""
        for name in spellings(parameter.name):
            if name in self._held:
                return self._held[name]
        if parameter.name in self._program.results:
            if self._library is not None:
                raise _NotQuickError
            dtype, extents = self._program.results[parameter.name]
            return f"_np.zeros([{', '.join(map(self._sum, extents))}], {dtype!r})"
        return self._atom(parameter.name)

    def _items(self, results: Mapping[str, str]) -> list[str]:
        """Spell what the program returns for the function."""
        interface = self._program.interface
        items = [self._item(name, kind, results) for name, kind in interface.returns]
        if interface.keys:
            if interface.ways:
                raise _NotQuickError
            values = zip(interface.keys, items, strict=False)
            of_dict = f"{{{', '.join(f'{key!r}: {item}' for key, item in values)}}}"
            items = [of_dict, *items[len(interface.keys) :]]
        if self._library is JAX:
            named = {name for name, _ in interface.returns}
            items = [*(results[name] for name in self._program.written if name not in named), *items]
        return items

    def _returned(self, items: Sequence[str], *, is_bound: bool) -> str:
        interface = self._program.interface
        is_tuple = self._returns_tuple if is_bound else interface.returns_tuple or len(items) > 1
        if interface.ways:
            if is_bound:
                raise _NotQuickError
            self.values |= {"_joined": joined, "_ways": interface.ways}
            together = f"_joined(({', '.join(items)},), _ways)"
            return f"tuple({together})" if interface.returns_tuple or len(interface.ways) > 1 else f"{together}[0]"
        if is_tuple and (items or not is_bound):
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        return items[0] if items else "None"

    def _item(self, name: str, kind: str, results: Mapping[str, str]) -> str:
        """Spell an item that is returned."""
        if kind in (ARRAY, LIST):
            if name in self._arguments and not (name in results and self._library is JAX):
                return name
            return results[name] if kind == ARRAY or self._library is not None else f"{results[name]}.tolist()"
        output = next(o for o in self._program.record.outputs if o.name == (name or RETURNED))
        result, dtype = results[output.name], np.dtype(output.dtype)
        made = _DIRECT.get(kind) or {"float64": "float", "int64": "int"}.get(dtype.name, "")
        if kind == "numpy" and hasattr(np, dtype.name):
            made = f"_np.{dtype.name}"
        if not made:
            raise _NotQuickError
        type_ = self._arrays.result
        return f"{result} if isinstance({result}, {type_}) else {made}({result})" if type_ else f"{made}({result})"


def _limits(kind: Kind) -> tuple[int, int]:
    limits = np.iinfo(kind.dtype)
    return limits.min, limits.max


def _are_inside(places: Any, added: int, limit: int) -> bool:
    """Whether all places, plus a number, are inside of an axis; may be false of none at all."""
    if not added and places.dtype.itemsize * 8 == _WORDS:  # a negative one is large without its sign
        return bool(np.maximum.reduce(places.view(np.uint64), axis=None, initial=0) < limit)
    return bool(places.size and int(places.min()) + added >= 0 and int(places.max()) + added < limit)
