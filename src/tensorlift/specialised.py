"""A live function for one form of its arguments: lifted for each combination of kinds that calls pass, once.

Types that are passed, as for ``dtype``, and complex numbers where no annotation tells them, make forms of their own:
the function without those parameters, where their names mean the types, and with annotations that tell of the numbers.
"""

from __future__ import annotations

import inspect
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlift.calls import kept
from tensorlift.calls.complex_numbers import in_parts, is_complex, pairs_of, ways_of
from tensorlift.calls.execute import executable
from tensorlift.calls.foreign import as_numpy, is_foreign
from tensorlift.calls.kept import Kept
from tensorlift.calls.kinds import (
    HALVES,
    JAX,
    Argument,
    Kind,
    check_alive,
    check_weak,
    fit,
    kind_of,
    library_of,
    parse_kind,
    plain_number,
    refined,
    type_named,
)
from tensorlift.calls.objects import check_apart, fields_of, is_kept, is_object
from tensorlift.calls.program import LiftedProgram, PythonInterface
from tensorlift.calls.quick import binder
from tensorlift.contract.language import Inside
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.python.constant_arguments import asked_for_text
from tensorlift.frontends.python.syntax import names_in
from tensorlift.runtime.libraries import over_numpy
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tensorlift.frontends.python import LiveFunction
    from tensorlift.frontends.python.fields import Field
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.interface import Lifting
    from tensorlift.ir.function import FunctionView
    from tensorlift.record import FunctionRecord

# Reasons to refuse a function whatever its arguments are: others may hold for what it was assumed to take alone.
_IN_ANY_CASE = {f"TL{number}" for number in (110, 120, 122, *range(165, 172), 173, 174, 175, 179, 182, 183, 184, 508)}
_LARGE = 1 << 31  # integers below are constants where that helps
_LIFTING = threading.RLock()  # one function is lifted at a time, whatever threads call


class Variation(NamedTuple):
    """What makes a form: types and annotations of parameters that values tell, and fields of those that are objects."""

    types: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()
    fields: tuple[Field, ...] = ()


class Form:
    """A live function in one form, with its programs; ``choices`` are those of `LiftedFunction`."""

    def __init__(self, live: LiveFunction, target: str, choices: Mapping[str, Any], floats: str) -> None:
        """Take a function; what annotations tell of it is read when it is asked for."""
        self.live, self._target, self._keeps, self._float = live, target, choices["cache"], floats
        self.signature = inspect.signature(live.function)
        self.bind = binder(live.name, self.signature)
        self.record: FunctionRecord | None = None
        self._untold = live.untold
        self._programs: dict[tuple[tuple[str, str], ...], LiftedProgram | LiftError] = {}

    @cached_property
    def _kinds(self) -> dict[str, Kind | None]:
        """What annotations tell; raises LiftError for what refuses the function in any case."""
        return {name: parse_kind(text) if text else None for name, text in self.live.told().items()}

    @cached_property
    def _dtypes(self) -> dict[str, str]:
        return self.live.told_dtypes()

    @cached_property
    def _told(self) -> set[str]:
        """The parameters whose kind an annotation tells."""
        try:
            return {name for name, kind in self._kinds.items() if kind is not None}
        except LiftError:  # what is complex is not told
            return {*self.signature.parameters} - {*self._untold}

    @cached_property
    def texts(self) -> set[str]:
        """The parameters that are asked to be texts."""
        return asked_for_text(self.live.node, self.live.module.functions)

    @cached_property
    def _used(self) -> set[str]:
        return {name for statement in self.live.node.body for name in names_in(statement)}

    def lift_assumed(self) -> None:
        """Lift for what annotations and use tell; raises LiftError for what refuses the function in any case."""
        assumed = self.live.assumed()
        told = {name: assumed[name].replace("float64", self._float) for name, kind in self._kinds.items() if not kind}
        try:
            self._program(told)
        except LiftError as error:
            is_final = any(d.code in _IN_ANY_CASE for d in error.diagnostics)
            if not told or (is_final and self.live.called.isdisjoint(told)):  # a type may be passed for what is called
                raise
            self._programs.clear()  # a call may pass other kinds

    def fields(self, values: Mapping[str, Any]) -> tuple[Field, ...]:
        """List what the function reads of the objects among the arguments of a call."""
        objects = {name for name, value in values.items() if is_object(value)}
        if not objects:
            return ()
        place = self.live.location
        fields = self.live.fields(objects, lambda owner, path: fields_of(values[owner], path, owner, place))
        found = tuple(field._replace(is_bound=field.is_bound and not is_kept(values, field)) for field in fields)
        check_apart(values, found, place)
        return found

    def variation(
        self, values: Mapping[str, Any], constants: tuple[type, ...] = (), bound: Collection[str] = ()
    ) -> Variation:
        """Find the types and the complex numbers that no annotation tells among the arguments of a call.

        Texts are constants, and so are numbers of some types, but for the fields in ``bound``.
        """
        named = {name: type_named(value) for name, value in values.items() if name not in self._told}
        named |= {
            name: repr(str.__str__(value))
            for name, value in values.items()
            if _is_text(value) and (name in self.texts or name not in self._used)
        }
        named |= {
            name: str(value)
            for name, value in values.items()
            if type(value) in constants and (type(value) is bool or (abs(value) < _LARGE and name not in bound))
        }
        types = ((name, named.get(name, "")) for name in values)
        annotations = ((name, _complex_kind(values[name])) for name in self._untold if name in values)
        found = Variation(tuple(one for one in types if one[1]), tuple(one for one in annotations if one[1]))
        return found if found != Variation() else _PLAIN

    def prepare(self, values: Mapping[str, Any]) -> tuple[LiftedProgram, dict[str, Kind], dict[str, Argument]]:
        """Find the program for the arguments of a call, with their kinds, and convert them."""
        values = {name: plain_number(value) for name, value in values.items()}
        for name, value in values.items():
            check_alive(value, name)
        foreign = {name: value for name, value in values.items() if is_foreign(value, self._target)}
        values |= {name: as_numpy(value, name, self._target) for name, value in foreign.items()}
        check_weak(values)
        narrow = self._narrowed(values)
        described = self.live.split.described
        parts = in_parts(values | narrow, described)
        kinds = {name: self._kind(parts[name], name) for name in self._kinds}
        given = {name: fit(parts[name], kind, name) for name, kind in kinds.items()}
        for name in pairs_of(described):
            given[name] = Argument(values[name], given[name].held)
        for name in narrow.keys() & given.keys():
            given[name] = Argument(values[name], given[name].held)
        for name in foreign.keys() & given.keys():
            given[name] = Argument(foreign[name], given[name].held, is_foreign=True)
        told = {name: kind.text for name, kind in kinds.items() if kind is not self._kinds[name]}
        return self._program(told), kinds, given

    def _narrowed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Give Python's floats that no annotation tells as JAX takes them, where its 64-bit types are switched off.

        Beside arrays of 16 bits they stay: as ``float32`` they would count for more.
        """
        if self._target != JAX.target or all(type(value) is not float for value in values.values()):
            return {}
        of_jax = [value for value in values.values() if library_of(value) is JAX]
        if not of_jax or JAX.has_64_bits() or any(JAX.element(value) in HALVES for value in of_jax):
            return {}
        unknown = {name for name, kind in self._kinds.items() if kind is None}
        return {n: np.float32(value) for n, value in values.items() if type(value) is float and n in unknown}

    def _kind(self, value: Any, name: str) -> Kind:
        """Give the kind that an argument is taken for: the annotated one, if it computes as that does."""
        kind = self._kinds[name]
        return parse_kind(kind_of(value, name, self._dtypes.get(name, ""))) if kind is None else refined(value, kind)

    def _program(self, told: Mapping[str, str]) -> LiftedProgram:
        """Give the program for kinds of the parameters whose annotations do not tell them, or another one."""
        key = tuple(told.items())
        known = self._programs.get(key)
        if known is None:
            with _LIFTING:
                known = self._programs.get(key) or self._outcome({name: text for name, text in key if text})
                self._programs[key] = known
        if isinstance(known, LiftError):
            raise known
        return known

    def _outcome(self, told: Mapping[str, str]) -> LiftedProgram | LiftError:
        try:
            return self._lift(told)
        except LiftError as error:
            return error

    def _lift(self, told: Mapping[str, str]) -> LiftedProgram:
        source = [self._target, list(told.items()), self.live.described()]
        found = kept.find(source, Kept) if self._keeps else None
        if found is None:
            found = self._lifted_now(self.live, told)
            if self._keeps:
                kept.keep(source, found)
        function = self.record = found.record
        if found.interface is None:
            raise LiftError(*function.diagnostics)
        program = executable(function, self._target)
        return LiftedProgram(function, found.interface, program, over_numpy(program, self._target))

    def _lifted_now(self, live: LiveFunction, told: Mapping[str, str]) -> Kept:
        """Lift the function."""
        from tensorlift.languages.python import read_live
        from tensorlift.pipeline import LiftOptions, lift_read

        text = source_from_text(live.text, live.module.filename)
        lifting: dict[str, Lifting] = {}

        def read() -> list[ReadFunction]:
            return [read_live(live, told)]

        (function,) = lift_read(text, LiftOptions((live.name,), self._target), read, lifting).functions
        return Kept(function, _interface(lifting[live.name].view, live) if function.lifted else None)


_PLAIN = Variation()


def is_plain(record: FunctionRecord) -> bool:
    """Tell whether a program writes no argument, and no value of one decides whether it takes that."""
    passed = {parameter.name for parameter in record.parameters}
    writes = any(output.name in passed for output in record.outputs)
    return record.lifted and not writes and not any(isinstance(p.condition, Inside) for p in record.preconditions)


def _is_text(value: object) -> bool:
    """Tell whether a value is a text, or compares as the one that it has, as members of a ``StrEnum`` do."""
    return isinstance(value, str) and type(value).__eq__ in {str.__eq__, np.str_.__eq__}


def _complex_kind(value: Any) -> str:
    """Spell the annotation that tells of complex numbers; empty for all else."""
    if isinstance(value, complex | np.complexfloating):
        return "complex64" if isinstance(value, np.complex64) else "complex"
    if not is_complex(value) or not value.ndim:
        return ""
    name = str(value.dtype).rpartition(".")[2]
    return f"{name}[{', '.join(':' * value.ndim)}]" if name in {"complex64", "complex128"} else ""


def _interface(view: FunctionView, live: LiveFunction) -> PythonInterface:
    """Say how the source is called, from its loop IR."""
    names = live.told()
    own = {parameter.name: parameter for parameter in view.parameters if parameter.name in names}
    return PythonInterface(
        {name: tuple(map(str, p.extents or ())) for name, p in own.items() if p.role == "array"},
        tuple(name for name, p in own.items() if p.role != "array"),
        view.returns,
        live.returns_tuple,
        pairs_of(live.split.described),
        ways_of(live.split.described),
        live.keys,
    )
