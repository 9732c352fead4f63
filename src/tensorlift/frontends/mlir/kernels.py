"""Kernels of a module as functions: each takes, beside its own arguments, the sizes that its launch gives it.

The function launches the kernel once.  A size is an argument where the kernel asks for it, or for an id along it, and
does not state it; a dimension of which it asks nothing has one block and one thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IndexType, IntegerAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from tensorlift.ir.gpu_syntax import launch_func
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Collection

    from xdsl.ir import Operation, SSAValue

_ASKS = {
    "gpu.block_id": ("grid",),
    "gpu.grid_dim": ("grid",),
    "gpu.thread_id": ("block",),
    "gpu.block_dim": ("block",),
    "gpu.global_id": ("grid", "block"),
}


def kernel_name(kernel: Operation) -> str:
    """Give the name by which a launch calls a kernel: that of its module, and its own."""
    module: Any = kernel.parent_op()
    return f"{module.sym_name.data}::{_symbol(kernel)}"


def _symbol(kernel: Any) -> str:
    return str(kernel.sym_name.data)


def launched(op: Operation) -> str:
    """Give the name of the kernel that an operation launches."""
    kernel: Any = op.properties["kernel"]
    return "::".join((kernel.root_reference.data, *(part.data for part in kernel.nested_references)))


def launched_in(module: Operation) -> set[str]:
    """Name the kernels that a module launches."""
    return {launched(op) for op in module.walk() if op.name == "gpu.launch_func"}


def as_function(kernel: Any, *, taken: Collection[str], is_launched: bool) -> FuncOp:
    """Make the function that launches a kernel, with a name that is not taken; a private one where another does too."""
    given = kernel.body.blocks[0].args
    block = Block(arg_types=[argument.type for argument in given])
    for argument, own in zip(block.args, given, strict=True):
        argument.name_hint, argument.location = own.name_hint, own.location
    marks = list(kernel.arg_attrs) if kernel.arg_attrs is not None else [DictionaryAttr({})] * len(given)
    sizes = [_size(kernel, block, what, axis) for what in ("grid", "block") for axis in range(3)]
    module = kernel.parent_op().sym_name.data
    launch = launch_func(SymbolRefAttr(module, [_symbol(kernel)]), sizes, block.args[: len(given)])
    block.add_ops([launch, ReturnOp()])
    for op in block.ops:
        op.location = kernel.location
    types = [argument.type for argument in block.args]
    marks += [DictionaryAttr({})] * (len(types) - len(given))
    made = FuncOp(unused(_symbol(kernel), set(taken)), (types, []), Region(block), "private" if is_launched else None)
    made.arg_attrs = ArrayAttr(marks)
    made.location = kernel.location
    return made


def _size(kernel: Any, block: Block, what: str, axis: int) -> SSAValue:
    """Give a size: what the kernel states, an argument, or one."""
    known = kernel.properties.get(f"known_{what}_size")
    if known is None and _asks(kernel, what, axis):
        argument = block.insert_arg(IndexType(), len(block.args))
        argument.name_hint, argument.location = f"{what}_{'xyz'[axis]}", kernel.location
        return argument
    number = 1 if known is None else known.get_values()[axis]
    constant = ConstantOp(IntegerAttr(number, IndexType()))
    block.add_op(constant)
    return constant.result


def _asks(kernel: Operation, what: str, axis: int) -> bool:
    """Tell whether a kernel uses an id along a dimension, or its size."""
    asking: list[Any] = [op for op in kernel.walk() if what in _ASKS.get(op.name, ())]
    return any(op.dimension.data.value == "xyz"[axis] and op.results[0].uses for op in asking)
