"""Functions of literal IR: made, their arguments by name, and what they call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FileLineColLoc,
    FunctionType,
    IntAttr,
    LocationAttr,
    StringAttr,
)
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Region

from tensorlift.diagnostics import Diagnostic, LiftError
from tensorlift.ir.location import place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue


NEGATIVE = "ValueError: a negative extent"  # asserts that an extent is not
RISES = "ValueError, or a range that goes down"  # asserts that the step of a range is more than zero
OF_PART = "IndexError: outside of a part"  # asserts that an index is inside of what is cut out of an array
CAPITALS = "a flag is no small letter, which `lsame` takes for its capital"  # asserts so of a character
UNREAD = "not read: "  # begins the message of an assert that leaves out what is not read
TELLS = "the program tells of an error"  # begins the message of an assert that stands for a call which does
WRITES = f"{TELLS} in output"  # so does that of one that writes to `stderr`


class Flag(NamedTuple):
    """What a flag is in one case of a function: a number, or any integer but some, of which the number is one.

    Without ``bounds``, such as ``("<=", 96)``, which the source asserts, that is so for all integers.
    """

    number: int
    others: frozenset[int] = frozenset()
    bounds: tuple[tuple[str, int], ...] = ()


def literal_function(
    name: str, names: Sequence[str], results: Sequence[Attribute], blocks: Sequence[Block], location: LocationAttr
) -> FuncOp:
    """Make a function whose arguments, those of its first block, have names."""
    function = FuncOp.create(
        properties={"sym_name": StringAttr(name), "function_type": FunctionType.from_lists([], results)},
        regions=[Region(blocks)],
        location=location,
    )
    name_arguments(function, names)
    return function


def name_arguments(function: FuncOp, names: Sequence[str]) -> None:
    """Say what a function takes, once it has all arguments."""
    if names:
        function.arg_attrs = ArrayAttr([DictionaryAttr({"tl.name": StringAttr(name)}) for name in names])
    types = [argument.type for argument in function.body.blocks[0].args]
    function.function_type = FunctionType.from_lists(types, list(function.function_type.outputs))


def argument_names(function: FuncOp) -> list[str]:
    """Give the names of the arguments."""
    marks: Any = function.arg_attrs or ()
    return [mark.data["tl.name"].data for mark in marks]


def result_names(function: FuncOp) -> list[str]:
    """Give the names of memory that is made and returned, where results have names."""
    marks: Any = function.res_attrs or ()
    return [mark.data["tl.name"].data for mark in marks]


def callee_of(call: CallOp) -> str:
    """Name what a call calls."""
    name: str = call.callee.root_reference.data
    return name


def left_out(never: SSAValue, location: LocationAttr, reason: Diagnostic) -> AssertOp:
    """Make an assert, of what is false, in place of what is not read for a reason."""
    parts = [StringAttr(reason.code), StringAttr(reason.message), StringAttr(reason.remedy)]
    at = reason.location
    found = location if at is None else FileLineColLoc(StringAttr(at.file), IntAttr(at.line), IntAttr(at.column))
    return AssertOp.create(
        operands=(never,),
        properties={"msg": StringAttr(f"{UNREAD}{reason.message}")},
        attributes={"tl.refused": ArrayAttr([*parts, found])},
        location=location,
    )


def why_left_out(op: Operation) -> LiftError | None:
    """Give the refusal of what an assert leaves out; None for any other assert."""
    parts: Any = op.attributes.get("tl.refused")
    if parts is None:
        return None
    code, message, remedy, at = parts
    return LiftError(Diagnostic(code.data, message.data, place_of(at), remedy.data))
