"""How structured control is written as Python text by the compiler of literal IR: loops and branches with regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.ir import Block, Operation, SSAValue

    from tensorlift.ir.literal_code import Writer


def handed_on(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield what stands for which value where regions begin and end: arguments, results, and what they are given."""
    blocks = [region.block for region in op.regions if region.blocks] if op.name in RULES else []
    ends = [list(block.last_op.operands) if block.last_op is not None else [] for block in blocks]
    match op.name:
        case "scf.if":
            for end in ends if op.results else ():
                yield from zip(op.results, end, strict=True)
        case "scf.while":
            yield from zip(blocks[0].args, op.operands, strict=True)
            yield from zip(blocks[0].args, ends[1], strict=True)
            yield from zip(blocks[1].args, ends[0][1:], strict=True)
            yield from zip(op.results, ends[0][1:], strict=True)


def _moved(f: Writer, to: Sequence[SSAValue], values: Sequence[SSAValue], op: Operation, indent: int) -> None:
    """Assign several values at once; an empty arm is written too."""
    left, right = (", ".join(map(f.name, side)) for side in (to, values))
    f.line(indent, f"{left} = {right}" if to else "pass", op)


def _body(f: Writer, block: Block, indent: int) -> Sequence[SSAValue]:
    """Write a region; return what it ends with."""
    *ops, last = block.ops
    for op in ops:
        f.operation(op, indent)
    return last.operands


def _if(f: Writer, op: Operation, indent: int) -> None:
    f.line(indent, f"if {f.name(op.operands[0])}:", op)
    for region, text in zip(op.regions, ("", "else:"), strict=True):
        if region.blocks:
            if text:
                f.line(indent, text, op)
            _moved(f, op.results, _body(f, region.block, indent + 1), op, indent + 1)


def _while(f: Writer, op: Operation, indent: int) -> None:
    before, after = (region.block for region in op.regions)
    _moved(f, before.args, op.operands, op, indent)
    f.line(indent, "while True:", op)
    f.line(indent + 1, "tick()", op)
    condition, *forwarded = _body(f, before, indent + 1)
    f.line(indent + 1, f"if not {f.name(condition)}:", op)
    _moved(f, op.results, forwarded, op, indent + 2)
    f.line(indent + 2, "break", op)
    _moved(f, after.args, forwarded, op, indent + 1)
    _moved(f, before.args, _body(f, after, indent + 1), op, indent + 1)


RULES: dict[str, Callable[[Writer, Operation, int], None]] = {"scf.if": _if, "scf.while": _while}
