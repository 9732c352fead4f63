"""What the MLIR front end refuses: one row for each reason; codes of the C front end stand for the same reasons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IndexType, IntegerType, Signedness

from tensorlift.ir.c_types import FLOAT_NAMES
from tensorlift.ir.location import location_of
from tensorlift.ir.memory import has_arrays
from tensorlift.refusals import Refusal
from tensorlift.refusals import refusal as shared_refusal

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

_WIDTHS = {1, 8, 16, 32, 64}


REFUSALS: dict[str, Refusal] = {
    "no-function": Refusal("TL104", "{detail}", "give `func.func` a body"),
    "unknown-function": Refusal("TL105", "{detail}", "choose one of the functions that the module defines"),
    "too-large": Refusal("TL106", "{detail}", "split the file"),
    "recursion": Refusal("TL118", "`{detail}` calls itself", "write the recursion as a loop"),
    "depth": Refusal("TL119", "the code is nested too deeply", "move inner parts into functions of their own"),
    "step": Refusal("TL121", "the step of this loop is {detail}", "step by a number above zero"),
    "type": Refusal(
        "TL145", "{detail} is not lifted", "use one of i1 to i64, f16, bf16, f32, f64, or a memref of these"
    ),
    "package": Refusal("TL145", "{detail} has no arrays here", "install the package `ml_dtypes`"),
    "call": Refusal("TL150", "`{detail}` has no body here", "define the function in the same module"),
    "operation": Refusal(
        "TL194", "`{detail}` is not lifted", "write it with loops, `scf.if`, loads, stores and arithmetic"
    ),
    "control": Refusal("TL195", "{detail}", "use counted loops and `scf.if`"),
    "memory": Refusal("TL196", "{detail}", "access each memref by its own name and all of its dimensions"),
    "tensors": Refusal(
        "TL196", "{detail}", "take a part with `tensor.extract_slice`, or make it with `linalg.generic`"
    ),
    "open-axes": Refusal("TL196", "`{detail}` of axes of open extents", "give the tensor extents that are numbers"),
    "extents": Refusal(
        "TL196",
        "the extents {detail} differ",
        "declare the operands with equal extents",
    ),
    "global": Refusal("TL196", "the global `{detail}` is not lifted", "pass `{detail}` as an argument"),
    "reshaped": Refusal("TL196", "`{detail}` changes the shape of an array", "access the array in its own shape"),
    "layout": Refusal("TL197", "elements of {detail} may overlap", "use strides that keep elements apart"),
    "numbers": Refusal("TL198", "several numbers are returned", "store all but one into arguments"),
    "part": Refusal("TL198", "{detail}", "return the whole array"),
}


refusal = partial(shared_refusal, rows=REFUSALS)


def check_scalar(of_type: Attribute, op: Operation | None) -> None:
    """Refuse types that numbers of literal IR do not have."""
    known = of_type in FLOAT_NAMES or isinstance(of_type, IndexType)
    if isinstance(of_type, IntegerType):
        known = of_type.width.data in _WIDTHS and of_type.signedness.data is Signedness.SIGNLESS
    if not has_arrays(FLOAT_NAMES.get(of_type, "")):
        raise refusal("package", location_of(op) if op is not None else None, f"the type {of_type}")
    if not known:
        raise refusal("type", location_of(op) if op is not None else None, f"the type {of_type}")
