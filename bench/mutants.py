"""Try to fool the checker: change emitted programs in small ways and see what it accepts.

Each kernel is lifted, its program is changed in one place (constants, operators, axes, slices, names, einsum
subscripts, triangles, element types, dropped copies, swapped statements, arms of selections), and the changed program
is checked.  Programs that are accepted run against the interpreter at several sizes: one that differs is a hole in the
checker.

    python bench/mutants.py [--count 2000] [--seed 0] [KERNEL.c ...]
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.kernels.catalogue import read
from tensorlift.comprehension.names import reset_names
from tensorlift.comprehension.normal import clear_caches
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import FunctionView
from tensorlift.ir.text import functions as functions_of
from tensorlift.proofs.check import check
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_KERNELS = Path(__file__).parent / "kernels"
_SIZE_SETS = 4

_OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,), ast.Mult: (ast.Add, ast.Div), ast.Div: (ast.Mult, ast.FloorDiv),
    ast.MatMult: (ast.Mult,), ast.FloorDiv: (ast.Mod, ast.Div), ast.Mod: (ast.FloorDiv,), ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,),
    ast.Eq: (ast.NotEq, ast.GtE), ast.NotEq: (ast.Eq,), ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt,), ast.USub: (ast.UAdd,),
}  # fmt: skip
_NAMES = {
    "tril": "triu", "triu": "tril", "sum": "prod", "prod": "sum", "max": "min", "min": "max", "exp": "sqrt",
    "sqrt": "exp", "zeros": "ones", "ones": "zeros", "empty": "zeros", "maximum": "minimum", "minimum": "maximum",
    "cumsum": "cumprod", "tri": "eye", "fmod": "remainder", "int32": "int64", "int64": "int32", "float64": "float32",
    "float32": "float64", "uint8": "int8", "abs": "negative", "full": "zeros", "floor": "ceil", "fmax": "maximum",
    "int8": "int16", "int16": "uint16", "uint16": "int32", "uint32": "int32", "uint64": "int64", "bool_": "int8",
    "any": "all", "all": "any", "argmax": "argmin", "argmin": "argmax",
}  # fmt: skip


@dataclass
class Tally:
    """What became of the mutants; ``wrong`` are programs that were accepted and differ from the source."""

    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Lifted:
    """A kernel with everything that checking a program against it takes; ``sizes`` are those to run programs at."""

    name: str
    func_op: Any
    summary: Any
    emitted: Any
    sizes: list[Any]


# -- changing programs


def mutants(text: str) -> Iterator[str]:
    """Yield programs that differ from a text in one place, each once."""
    original = ast.parse(text)
    seen = {ast.unparse(original)}
    names = _array_names(original)
    for number, node in enumerate(ast.walk(original)):
        for change in _changes(node, names):
            changed = copy.deepcopy(original)
            change(list(ast.walk(changed))[number])
            spelled = _spelled(changed)
            if spelled is not None and spelled not in seen:
                seen.add(spelled)
                yield spelled


def _spelled(tree: ast.Module) -> str | None:
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except (ValueError, AttributeError, TypeError):
        return None


def _array_names(tree: ast.Module) -> list[str]:
    """Return the names that hold values in the functions of a program, in the order in which they appear."""
    stores = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys([a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)] + stores))


def _changes(node: ast.AST, names: Sequence[str]) -> Iterator[Callable[[Any], None]]:
    """Yield the changes of one node."""
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        yield from _operator_changes(node)
    elif isinstance(node, ast.Compare):
        yield from (_set("ops", [other()]) for other in _OPERATORS.get(type(node.ops[0]), ()))
    elif isinstance(node, ast.Constant):
        yield from _constant_changes(node)
    elif isinstance(node, ast.Attribute):
        yield from _attribute_changes(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from (_set("id", other) for other in _others(node.id, names))
    elif isinstance(node, ast.Slice):
        yield from _slice_changes(node)
    elif isinstance(node, ast.Call):
        yield from _call_changes(node)
    elif isinstance(node, ast.FunctionDef | ast.For):
        yield from _body_changes(node)


def _operator_changes(node: ast.BinOp | ast.UnaryOp) -> Iterator[Callable[[Any], None]]:
    yield from (_set("op", other()) for other in _OPERATORS.get(type(node.op), ()))
    if isinstance(node, ast.BinOp):
        yield _swap_operands
        yield _keep_left


def _set(attribute: str, value: Any) -> Callable[[Any], None]:
    def change(node: Any) -> None:
        setattr(node, attribute, copy.deepcopy(value))

    return change


def _swap_operands(node: Any) -> None:
    node.left, node.right = node.right, node.left


def _keep_left(node: Any) -> None:
    node.op, node.right = ast.Add(), ast.Constant(0)


def _constant_changes(node: ast.Constant) -> Iterator[Callable[[Any], None]]:
    value = node.value
    if isinstance(value, bool):
        yield _set("value", not value)
    elif isinstance(value, int | float):
        yield from (_set("value", other) for other in (value + 1, value - 1, -value, 0) if other != value)
    elif isinstance(value, str) and "->" in value:
        left, _, out = value.partition("->")
        first, *rest = left.split(",")
        yield from (_set("value", v) for v in (f"{left}->{out[::-1]}", ",".join([first[::-1], *rest]) + f"->{out}"))
        yield _set("value", ",".join([*rest, first]) + f"->{out}")
        yield _set("value", f"{left}->{out[1:]}")


def _attribute_changes(node: ast.Attribute) -> Iterator[Callable[[Any], None]]:
    if node.attr in _NAMES:
        yield _set("attr", _NAMES[node.attr])
    if node.attr == "T":
        yield lambda n: _become(n, n.value)


def _become(node: Any, other: Any) -> None:
    """Turn a node into another one, in place."""
    node.__class__ = other.__class__
    node.__dict__ = copy.deepcopy(other.__dict__)


def _others(name: str, names: Sequence[str]) -> list[str]:
    if name not in names:
        return []
    place = names.index(name)
    return [n for n in (names[place - 1], names[(place + 1) % len(names)], names[0]) if n != name]


def _slice_changes(node: ast.Slice) -> Iterator[Callable[[Any], None]]:
    one = ast.Constant(1)
    if node.lower is None:
        yield _set("lower", one)
    else:
        yield _set("lower", None)
        yield lambda n: setattr(n, "lower", ast.BinOp(n.lower, ast.Add(), ast.Constant(1)))
    if node.upper is None:
        yield _set("upper", ast.Constant(-1))
    else:
        yield _set("upper", None)
        yield lambda n: setattr(n, "upper", ast.BinOp(n.upper, ast.Sub(), ast.Constant(1)))
        yield lambda n: setattr(n, "upper", ast.BinOp(n.upper, ast.Add(), ast.Constant(1)))
    yield _set("step", None) if node.step is not None else _set("step", ast.Constant(-1))


def _call_changes(node: ast.Call) -> Iterator[Callable[[Any], None]]:
    for place in range(len(node.args) - 1):
        yield _swapper("args", place)
    for place in range(len(node.keywords)):
        yield _deleter("keywords", place)
    if len(node.args) > 1:
        yield _deleter("args", len(node.args) - 1)
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("copy", "astype"):
        yield lambda n: _become(n, n.func.value)
    elif node.args and isinstance(node.func, ast.Attribute | ast.Name):
        yield lambda n: _become(n, n.args[0])


def _body_changes(node: ast.FunctionDef | ast.For) -> Iterator[Callable[[Any], None]]:
    for place in range(len(node.body)):
        if len(node.body) > 1:
            yield _deleter("body", place)
        if place + 1 < len(node.body):
            yield _swapper("body", place)


def _swapper(attribute: str, place: int) -> Callable[[Any], None]:
    def change(node: Any) -> None:
        items = getattr(node, attribute)
        items[place], items[place + 1] = items[place + 1], items[place]

    return change


def _deleter(attribute: str, place: int) -> Callable[[Any], None]:
    def change(node: Any) -> None:
        del getattr(node, attribute)[place]

    return change


# -- checking them


def lift(path: Path, to: str = "numpy") -> Iterator[Lifted]:
    """Lift the functions of a file; those that are refused are left out."""
    target = get_target(to)
    for function in read(path):
        if function.module is None:
            continue
        reset_names()
        clear_caches()
        (func_op,) = functions_of(function.module)
        try:
            summary = summarise(func_op)
            emitted = target.emit(derive(simplify(summary)))
            check(emitted.text, emitted.entry, summary, target, emitted.cuts)
        except LiftError as refusal:
            print(f"{path.stem}: not proved: {refusal}", file=sys.stderr)
            continue
        sizes = choose_sizes(FunctionView(func_op).parameters, summary.context, seeded(1), _SIZE_SETS)
        lifted = Lifted(function.name, func_op, summary, emitted, list(sizes))
        # Where rounding alone makes the right program differ (a rank-deficient matrix), a test says nothing.
        stable = [
            case for case in lifted.sizes if runs_right(replace(lifted, sizes=[case]), emitted.text, target.library)
        ]
        yield replace(lifted, sizes=stable)


def try_mutants(lifted: Lifted, texts: Iterable[str], tally: Tally) -> None:
    """Check programs and run those that are accepted."""
    target = get_target("numpy")
    for text in texts:
        start = time.perf_counter()
        try:
            check(text, lifted.emitted.entry, lifted.summary, target, lifted.emitted.cuts)
            outcome = "accepted"
        except LiftError as failure:
            outcome = f"rejected {failure.diagnostics[0].code}"
        except Exception as error:  # noqa: BLE001 - counted, never accepted
            outcome = f"crashed {type(error).__name__}"
            tally.wrong.append(f"{lifted.name}: {outcome}: {error}\n{text}")
        tally.seconds += time.perf_counter() - start
        if outcome == "accepted":
            outcome = "accepted and right" if runs_right(lifted, text) else "accepted and wrong"
            if outcome == "accepted and wrong":
                tally.wrong.append(f"{lifted.name}: accepted and wrong\n{text}")
        tally.outcomes[outcome] += 1


def runs_right(lifted: Lifted, text: str, library: str = "") -> bool:
    """Run a program against the interpreter of the source at the smallest sizes and at a few others."""
    outputs = [name for name, _ in lifted.summary.outputs]
    with np.errstate(all="ignore"):
        report = compare_with_interpreter(
            lifted.func_op, text, lifted.emitted.entry, outputs, lifted.sizes, library=library
        )
    return report.passed


def main() -> int:
    """Run the mutants of all kernels and report; the exit code is the number of holes, at most one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("kernels", nargs="*", type=Path)
    options = parser.parse_args()
    files = options.kernels or sorted([*_KERNELS.glob("*/*.c"), *_KERNELS.glob("*/*.cpp")])
    chosen = random.Random(options.seed)
    pool = [(lifted, text) for path in files for lifted in lift(path) for text in mutants(lifted.emitted.text)]
    picked = chosen.sample(pool, min(options.count, len(pool)))
    tally = Tally()
    for lifted, text in picked:
        try_mutants(lifted, [text], tally)
    print(f"{len(picked)} of {len(pool)} mutants, checked in {tally.seconds:.1f} s")
    for outcome, count in sorted(tally.outcomes.items()):
        print(f"{count:6d}  {outcome}")
    for text in tally.wrong:
        print(f"\n{text}")
    return 1 if tally.outcomes["accepted and wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
