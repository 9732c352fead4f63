"""Adapters: Python functions with the signature of the C original, over flat memory, around a lifted program.

An adapter converts numbers as C would, checks every precondition, builds arrays over the memory that it is given, runs
the lifted program and stores what it computes.  Where a precondition does not hold it calls the original, if the caller
gave it, on exactly the same arguments.  A structure comes as one of ctypes; its members are looked up in it.
"""

from __future__ import annotations

import inspect
import keyword
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from tensorlift.contract import flat
from tensorlift.contract.language import (
    AnyOf,
    Atom,
    Compare,
    Condition,
    Distinct,
    DistinctRows,
    Inside,
    InWords,
    NotNull,
    ReadInside,
    Separate,
    Sum,
)
from tensorlift.contract.notation import parse_sum
from tensorlift.diagnostics import Location, refuse
from tensorlift.ir.function import returned_pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.contract.interface import Precondition
    from tensorlift.ir.function import FunctionView, Parameter

_INDENT = "    "
_TAKEN = {name for name in vars(flat) if not name.startswith("__")} | {"original", "returned", "int"}
_TYPES = {"i": "int", "u": "uint", "f": "float"}


@cache
def helpers() -> str:
    """Give the text of the functions that every adapter calls."""
    text = inspect.getsource(flat)
    return text[text.index("from __future__") :]


def adapter_of(
    view: FunctionView, entry: str, taken: Sequence[str], written: Sequence[str], preconditions: Sequence[Precondition]
) -> str:
    """Write the adapter of a C function around the emitted function ``entry``.

    ``taken`` are the parameters of the emitted function by their names in the source, ``written`` the arrays that it
    returns, in order.  Raises LiftError TL540 where the signature is not one that an adapter can have.
    """
    return _Adapter(view, entry, taken, written, preconditions).text()


@dataclass(frozen=True)
class _Adapter:
    view: FunctionView
    entry: str
    taken: Sequence[str]
    written: Sequence[str]
    preconditions: Sequence[Precondition]

    def text(self) -> str:
        if returned_pointer_of(self.view):
            self._refuse(f"it returns '{returned_pointer_of(self.view)}'", self.view.location)
        for parameter in self.view.parameters:
            self._check(parameter)
        for precondition in self.preconditions:
            if isinstance(precondition.condition, InWords | Inside | ReadInside | None):
                self._refuse(f"nothing can check that {precondition.text}", precondition.location)
        listed = ", ".join([*(self._names[name] for name, _ in self._declared), "*", "original=None"])
        about = f"Call {self.view.name} as C does, over flat memory; the original where a precondition fails."
        lines = [
            f"def {self.entry}_adapter({listed}):",
            f'{_INDENT}"""{about}"""',
            f"{_INDENT}try:",
            *(f"{_INDENT * 2}{line}" for line in (*self._structures(), *self._numbers(), *self._views())),
            f"{_INDENT}except PreconditionError:",
            f"{_INDENT * 2}if original is None:",
            f"{_INDENT * 3}raise",
            *(f"{_INDENT * 2}{line}" for line in self._original()),
            *(f"{_INDENT}{line}" for line in self._call()),
        ]
        return "\n".join(lines) + "\n"

    # -- what there is

    @cached_property
    def _declared(self) -> tuple[tuple[str, str], ...]:
        """The parameters that C declares, with the type of each structure."""
        return self.view.c_parameters or tuple((p.name, "") for p in self.view.parameters)

    @cached_property
    def _names(self) -> dict[str, str]:
        """The names in the adapter of the parameters of C and of the loop IR."""
        taken = _TAKEN | {self.entry}
        names: dict[str, str] = {}
        for wanted in dict.fromkeys([*(name for name, _ in self._declared), *(p.name for p in self.view.parameters)]):
            name = wanted
            while {name, f"{name}_view", f"{name}_new"} & taken or keyword.iskeyword(name):
                name += "_"
            names[wanted] = name
            taken = taken | {name, f"{name}_view", f"{name}_new"}
        return names

    @cached_property
    def _sizes(self) -> dict[Atom, Sum]:
        """What stands for the names that conditions and extents speak of."""
        return {source: Sum.name(name) for source, name in self._names.items()}

    @cached_property
    def _columns(self) -> set[str]:
        """The parameters of C that are arrays of structures."""
        return {p.member[0] for p in self.view.parameters if p.is_column}

    @cached_property
    def _used(self) -> set[str]:
        """The arrays that the program or the source touches."""
        return {*self.view.read, *self.view.written, *self.taken}

    def _check(self, parameter: Parameter) -> None:
        structures = {name for name, ctype in self._declared if ctype}
        place = parameter.location or self.view.location
        if not parameter.access and parameter.name not in {name for name, _ in self._declared}:
            self._refuse(f"no parameter of C tells '{parameter.name}'", place)
        if parameter.access and parameter.member[0] not in structures:
            self._refuse(f"'{parameter.access}' is not reached through the parameters", place)
        if len(parameter.holders) > 1:
            self._refuse(f"'{parameter.access}' is reached through a structure in another", place)
        if parameter.role == "array" and parameter.extents is None and parameter.name in self._used:
            self._refuse(f"the extents of '{parameter.name}' are not known", place)
        if _is_table(parameter) and len(parameter.extents or ()) != 2:  # noqa: PLR2004 - rows and columns
            self._refuse(f"'{parameter.name}' is a table of more than row pointers", place)

    def _refuse(self, message: str, place: Location | None) -> None:
        raise refuse("TL540", f"no adapter is written: {message}", place, "call the lifted function itself")

    # -- arguments

    def _structures(self) -> Iterator[str]:
        for name, ctype in self._declared:
            if ctype and name not in self._columns:
                yield f'{self._names[name]} = c_structure("{name}", {self._names[name]})'

    def _numbers(self) -> Iterator[str]:
        for parameter in self.view.parameters:
            if parameter.role != "array":
                spelled = f'c_number("{_source_name(parameter)}", {self._memory(parameter)}, {_dtype(parameter.dtype)})'
                number = f"int({spelled})" if parameter.role == "size" else spelled
                yield f"{self._names[parameter.name]} = {number}"

    def _views(self) -> Iterator[str]:
        on_sizes = [p for p in self.preconditions if isinstance(p.condition, Compare | AnyOf)]
        of_pointers = (p for p in self.preconditions if isinstance(p.condition, NotNull | Distinct))
        for precondition in (*on_sizes, *of_pointers):
            yield from self._demand(precondition)
        separate = [p.condition for p in self.preconditions if isinstance(p.condition, Separate)]
        compared = {name for condition in separate for name in (condition.array, *condition.others)}
        for parameter in self.view.parameters:
            if parameter.name in (self._used if parameter.role == "array" else compared):
                yield f"{self._array(parameter.name)} = {self._view(parameter)}"
        for precondition in self.preconditions:
            if isinstance(precondition.condition, Separate | DistinctRows):
                yield from self._demand(precondition)

    def _view(self, parameter: Parameter) -> str:
        extents = [parse_sum(str(extent)).substitute(self._sizes) for extent in parameter.extents or ()]
        stated = (parse_sum(stride).substitute(self._sizes) for stride in parameter.strides or ())
        strides = list(stated) if parameter.strides is not None else _dense(extents)
        last = f"{_dtype(parameter.dtype)}, {_tuple(extents)}"
        first = f'"{_source_name(parameter)}", '
        if parameter.is_column or parameter.lies_inside:
            root, _, path = parameter.member
            view = "column_view" if parameter.is_column else "member_view"
            layout = (
                ""
                if parameter.is_column and len(extents) == 1 and strides == _dense(extents)
                else f", {_tuple(strides)}"
            )
            return f'{view}({first}{self._names[root]}, "{path}", {last}{layout})'
        written = ", written=True" if parameter.name in self.written else ""
        if _is_table(parameter):
            return f"row_views({first}{self._memory(parameter)}, {last}{written})"
        return f"flat_view({first}{self._memory(parameter)}, {last}, {_tuple(strides)}{written})"

    def _memory(self, parameter: Parameter) -> str:
        """Spell the argument, or the member of one, that a parameter stands for."""
        root, _, path = parameter.member
        return f"{self._names[root]}.{path}" if parameter.access else self._names[parameter.name]

    def _array(self, name: str) -> str:
        return f"{self._names[name]}_view"

    # -- preconditions

    def _demand(self, precondition: Precondition) -> Iterator[str]:
        at = precondition.location
        place = f" ({at.short})" if at is not None else ""
        for failed in self._failed(precondition.condition):
            yield f"if {failed}:"
            yield f'{_INDENT}raise PreconditionError("{self.view.name} needs that {precondition.text}{place}")'

    def _failed(self, condition: Condition | None) -> Iterator[str]:
        """Spell when a condition does not hold."""
        match condition:
            case Compare():
                yield f"not {condition.substitute(self._sizes)}"
            case AnyOf():
                yield f"not ({condition.substitute(self._sizes)})"
            case NotNull(array):
                yield f"{self._pointer(array)}.value is None"
            case Distinct(array, other):
                yield " == ".join(f"{self._pointer(name)}.value" for name in (array, other))
            case DistinctRows(array):
                yield f"rows_overlap({self._array(array)})"
            case Separate(array, others, or_same):
                same = ", or_same=True" if or_same else ""
                yield " or ".join(f"share_memory({self._array(array)}, {self._array(o)}{same})" for o in others)

    def _pointer(self, name: str) -> str:
        """Spell what an array is given as, as a pointer of ctypes."""
        (parameter,) = (p for p in self.view.parameters if p.name == name)
        if _is_table(parameter):
            self._refuse(f"'{name}' is a table of row pointers that is compared with another", parameter.location)
        return f'c_pointer("{_source_name(parameter)}", {self._memory(parameter)})'

    # -- calls

    def _original(self) -> Iterator[str]:
        result = _dtype(self.view.result_dtype) if self.view.result_dtype else "None"
        yield f"return call_original(original, {result}, ["
        for name, ctype in self._declared:
            yield f"{_INDENT}{self._passed(name, ctype)},"
        yield "])"

    def _passed(self, name: str, ctype: str) -> str:
        """Spell what the original is given for a parameter of C."""
        value = self._names[name]
        if ctype:
            return f'c_pointer("{name}", {value})' if "*" in ctype else value
        (parameter,) = (p for p in self.view.parameters if p.name == name and not p.access)
        if parameter.role != "array":
            return f"c_value({value}, {_dtype(parameter.dtype)})"
        return f'{"c_table" if _is_table(parameter) else "c_pointer"}("{name}", {value})'

    def _call(self) -> Iterator[str]:
        by_name = {parameter.name: parameter for parameter in self.view.parameters}
        arguments = ", ".join(self._argument(by_name[name]) for name in self.taken)
        call = f"{self.entry}({arguments})"
        results = [f"{self._names[name]}_new" for name in self.written]
        listed = [*results, "returned"] if self.view.result_dtype else results
        yield f"{', '.join(listed)} = {call}" if listed else call
        for name, result in zip(self.written, results, strict=True):
            yield f"store({self._array(name)}, {result})"
        yield f"return {'returned' if self.view.result_dtype else 'None'}"

    def _argument(self, parameter: Parameter) -> str:
        if parameter.role != "array":
            return self._names[parameter.name]
        array = self._array(parameter.name)
        if not _is_table(parameter):
            return array
        shape = [parse_sum(str(extent)).substitute(self._sizes) for extent in parameter.extents or ()]
        return f"np.array({array}).reshape({_tuple(shape)})"


def _source_name(parameter: Parameter) -> str:
    """Give the spelling in C of what a parameter stands for."""
    return parameter.access.removesuffix("[]") or parameter.name


def _dense(extents: Sequence[Sum]) -> list[Sum]:
    """Give the strides of a row-major array without gaps."""
    strides = [Sum.number(1)]
    for extent in reversed(extents[1:]):
        strides.insert(0, strides[0] * extent)
    return strides[: len(extents)]


def _tuple(values: Sequence[Sum]) -> str:
    return f"({', '.join(map(str, values))}{',' * (len(values) == 1)})"


def _dtype(dtype: str) -> str:
    return "np.bool_" if dtype == "bool" else f"np.{_TYPES[dtype[0]]}{dtype[1:]}"


def _is_table(parameter: Parameter) -> bool:
    return parameter.role == "array" and parameter.c_type.replace(" ", "").endswith("**")
