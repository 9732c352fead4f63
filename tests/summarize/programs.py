"""C texts as summaries, and what tests ask of them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.summarize.plain import agrees

from tensorlift.comprehension.definition import Item, KeptLoop, Summary
from tensorlift.ir.interpreter import Interpreter
from tensorlift.ir.text import functions, parse_module
from tensorlift.languages.c import read_c
from tensorlift.session import SESSION
from tensorlift.summarize import summarise

if TYPE_CHECKING:
    from xdsl.ir import Operation


def function_of(text: str, name: str | None = None) -> Operation:
    """Read the first function of a C text, or the one of that name."""
    read = next(r for r in read_c("#include <math.h>\n" + text, "f.c") if name in (None, r.name))
    assert read.module is not None, read.diagnostics
    return functions(read.module)[0]


def from_mlir(text: str) -> Operation:
    """Read the only function of an MLIR text."""
    return functions(parse_module(text, "f.mlir"))[0]


def summary_of(func_op: Operation) -> Summary:
    """Summarise with names as in a fresh process."""
    SESSION.restart()
    return summarise(func_op)


def lifted(func_op: Operation, *, runs: int = 6, largest: int = 5) -> Summary:
    """Summarise a function and compare with the interpreter at several sizes; at least one must be in the context."""
    summary = summary_of(func_op)
    rng = random.Random(1)
    run = Interpreter(func_op)
    done = [agrees(run, summary, {s: rng.randint(1, largest) for s in summary.sizes}, k) for k in range(runs)]
    assert any(done), "no sizes fit the context"
    return summary


def kept(items: tuple[Item, ...]) -> list[tuple[str, list[object]]]:
    """Return the variables of kept loops, each with those inside."""
    return [(item.variable, list(kept(item.body))) for item in items if isinstance(item, KeptLoop)]


def closed(text: str) -> Summary:
    """Lift a C function, which must leave no loop."""
    summary = lifted(function_of(text))
    assert not kept(summary.items), [i.reason for i in summary.items if isinstance(i, KeptLoop)]
    return summary
