"""What the MLIR front end refuses: one row for each reason; codes of the C front end stand for the same reasons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerType, Signedness

from tensorlift.ir.location import location_of
from tensorlift.refusals import Refusal
from tensorlift.refusals import refusal as shared_refusal

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

_WIDTHS = {1, 8, 16, 32, 64}


REFUSALS: dict[str, Refusal] = {
    "no-function": Refusal("TL104", "{detail}", "give a module that defines a function with a body"),
    "unknown-function": Refusal("TL105", "{detail}", "choose one of the functions that the module defines"),
    "too-large": Refusal("TL106", "{detail}", "split the function, or lift its loop nests one by one"),
    "recursion": Refusal("TL118", "`{detail}` calls itself", "write the recursion as a loop"),
    "depth": Refusal("TL119", "the code is nested too deeply", "move inner parts into functions of their own"),
    "step": Refusal("TL121", "the step of this loop is {detail}", "step by a positive constant"),
    "type": Refusal("TL145", "{detail} is not lifted", "use i1 to i64, f32, f64 and memrefs of these"),
    "call": Refusal("TL150", "`{detail}` has no body here", "define the function in the same module"),
    "operation": Refusal(
        "TL194", "`{detail}` is not lifted", "keep to loops, conditions, loads, stores, allocations and arithmetic"
    ),
    "control": Refusal("TL195", "{detail}", "use counted loops and conditions"),
    "memory": Refusal("TL196", "{detail}", "access each memref by its own name and all of its dimensions"),
    "extents": Refusal(
        "TL196",
        "the extents {detail} may differ",
        "give both by one value in front of all operations on them; `mlir-opt --cse` makes equal `memref.dim`s one",
    ),
    "layout": Refusal("TL197", "elements of {detail} may overlap", "use a layout that keeps elements apart"),
    "result": Refusal("TL198", "{detail}", "return whole arrays and at most one number"),
}


refusal = partial(shared_refusal, rows=REFUSALS)


def check_scalar(of_type: Attribute, op: Operation | None) -> None:
    """Refuse types that numbers of literal IR do not have."""
    known = isinstance(of_type, Float32Type | Float64Type | IndexType)
    if isinstance(of_type, IntegerType):
        known = of_type.width.data in _WIDTHS and of_type.signedness.data is Signedness.SIGNLESS
    if not known:
        raise refusal("type", location_of(op) if op is not None else None, f"the type {of_type}")
