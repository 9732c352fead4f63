"""Kernels: a launch is a nest of loops over its blocks and the threads of each, which are the ids.

As the iterations of parallel loops, threads run in order, which is one of the orders that they may run in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import AddiOp, MuliOp
from xdsl.dialects.builtin import i64

from tensorlift.frontends.mlir.kernels import launched
from tensorlift.frontends.mlir.names import only_block
from tensorlift.readers.mlir.context import WRAPS
from tensorlift.readers.mlir.memory import everywhere
from tensorlift.readers.mlir.scalars import resized

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.readers.mlir.context import Context, Rule

_BLOCKS, _THREADS, _GRID, _BLOCK = 0, 3, 6, 9  # where ids and sizes start among the arguments of a body


def _launch(ctx: Context, op: Operation) -> None:
    """Read the body as that of a loop for each id; the sizes are what else it takes."""
    body = op.regions[0]
    if len(body.blocks) != 1:
        raise ctx.refusal("control", op, "a kernel of several blocks is not lifted")

    def visit(ids: Sequence[SSAValue]) -> None:
        ctx.known.update(zip(body.block.args, [*ids, *sizes], strict=True))
        ctx.read(body.block)

    sizes = _sizes(ctx, op)
    _threads(ctx, sizes, visit)


def _launch_func(ctx: Context, op: Operation) -> None:
    """Read the body of the kernel in place of the launch."""
    name = launched(op)
    if name not in ctx.functions:
        raise ctx.refusal("call", op, name)
    launch: Any = op
    body = only_block(ctx.functions[name])
    if [value.type for value in launch.kernelOperands] != list(body.arg_types):
        raise ctx.refusal("control", op, f"`{name}` takes other arguments")
    ctx.known.update(zip(body.args, (ctx.known[value] for value in launch.kernelOperands), strict=True))
    _threads(ctx, _sizes(ctx, op), lambda _: ctx.read(body))


def _sizes(ctx: Context, op: Operation) -> list[SSAValue]:
    """Give the sizes of a grid and of its blocks."""
    launch: Any = op
    if launch.asyncToken is not None or launch.asyncDependencies or launch.dynamicSharedMemorySize is not None:
        raise ctx.refusal("control", op, "a launch that does not wait, or whose threads share memory, is not lifted")
    if launch.clusterSizeX is not None:
        raise ctx.refusal("control", op, "clusters of blocks are not lifted")
    sides = (f"{what}Size{axis}" for what in ("grid", "block") for axis in "XYZ")
    return [resized(ctx, ctx.number(getattr(launch, side)), i64) for side in sides]


def _threads(ctx: Context, sizes: Sequence[SSAValue], visit: Callable[[Sequence[SSAValue]], object]) -> None:
    """Run what each thread does, and let it ask for its ids."""
    around = ctx.thread

    def body(ids: Sequence[SSAValue]) -> None:
        ctx.thread = [*ids, *sizes]
        visit(ids)

    everywhere(ctx, sizes, body)
    ctx.thread = around


def _told(position: int) -> Rule:
    def rule(ctx: Context, op: Operation) -> None:
        ctx.known[op.results[0]] = _of_thread(ctx, op, position)

    return rule


def _of_thread(ctx: Context, op: Operation, position: int) -> SSAValue:
    asked: Any = op
    if not ctx.thread:
        raise ctx.refusal("control", op, f"`{op.name}` is in no kernel")
    return ctx.thread[position + "xyz".index(asked.dimension.data.value)]


def _global_id(ctx: Context, op: Operation) -> None:
    before = ctx.binary(MuliOp, _of_thread(ctx, op, _BLOCKS), _of_thread(ctx, op, _BLOCK), WRAPS)
    ctx.known[op.results[0]] = ctx.binary(AddiOp, before, _of_thread(ctx, op, _THREADS), WRAPS)


KERNELS: dict[str, Rule] = {
    "gpu.launch": _launch,
    "gpu.launch_func": _launch_func,
    "gpu.block_dim": _told(_BLOCK),
    "gpu.block_id": _told(_BLOCKS),
    "gpu.global_id": _global_id,
    "gpu.grid_dim": _told(_GRID),
    "gpu.thread_id": _told(_THREADS),
}
