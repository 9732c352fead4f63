"""Whether MLIR that is read literally runs as compiled.

    python bench/literal_mlir.py [FILE ...] [--random FIRST COUNT]

Each function that the front end reads is run by the interpreter of literal IR on small inputs, and, where these have a
meaning, compared bit by bit with the function as upstream's compiler runs it, and with the interpreter of the loop IR.
Random programs mix element types, as those of ``bench/fuzz_types.py`` do.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import sys
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.random_types import mlir_programs
from bench.random_types.constructs import uses_of
from tensorlift.contract.required import required
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.interpreter import Interpreter, InterpreterError
from tensorlift.ir.literal_interpreter import LiteralInterpreter
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.runtime.data import STYLES, random_arguments, seeded
from tensorlift.runtime.literal import LiteralRun
from tensorlift.runtime.mlir.program import CompileError, Jit, memref_kind, passed
from tensorlift.runtime.mlir.tools import LoweringError, checked, needed_tools
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.source import source_from_text
from tensorlift.summarize import summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir.function import Parameter

    Arguments = Mapping[str, Any]

_PASSES = (
    *("convert-vector-to-scf", "convert-linalg-to-loops", "expand-strided-metadata", "lower-affine"),
    *("convert-scf-to-cf", "convert-vector-to-llvm", "arith-expand"),
    *("convert-math-to-llvm", "convert-math-to-libm", "finalize-memref-to-llvm", "convert-to-llvm"),
    "reconcile-unrealized-casts",
)
_PIPELINE = f"--pass-pipeline=builtin.module({','.join(_PASSES)})"
_HEADER = re.compile(r"^( *func\.func (?!private).*?)(?:attributes \{.*\} )?\{$", re.MULTILINE)
_MOST_BRANCHES = 200_000
_SIZES = 4


def main() -> int:
    """Print a line for each function that runs differently, and the figures; the exit status tells of differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--random", nargs=2, type=int, default=(0, 0), metavar=("FIRST", "COUNT"))
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    texts = [(str(file), file.read_text(encoding="utf-8")) for file in options.files]
    first, count = options.random
    texts += [
        (f"seed{k}.mlir", mlir_programs.generate(k, uses_of("mlir", k, 1.0)).text) for k in range(first, first + count)
    ]
    for name, text in texts:
        for answer in answers(name, text):
            outcomes[answer.partition(":")[0]] += 1
            if ":" in answer:
                print(f"{name} {answer}", flush=True)
    print(dict(outcomes))
    return int(outcomes["DIFFERENT"])


def answers(name: str, text: str) -> list[str]:
    """Say of each function of a module what comparing it gave."""
    try:
        return list(_compared(name, text))
    except LiftError as error:
        return [f"not read: {error.diagnostics[0].message}"]
    except (LoweringError, CompileError) as error:
        return [f"not compiled: {error}"]


def _compared(name: str, text: str) -> Iterator[str]:
    read = read_functions(source_from_text(text, name), LiftOptions(generalise=False))
    tools = needed_tools()
    marked = _HEADER.sub(
        r"\1attributes {llvm.emit_c_interface} {", checked(text, tools, "--allow-unregistered-dialect")
    )
    lowered = checked(marked, tools, _PIPELINE)
    helpers = sorted(map(str, tools.libraries.glob("libmlir_c_runner_utils.so*")))[:1]
    text = checked(lowered, replace(tools, opt=tools.translate), "--mlir-to-llvmir")
    jit = Jit(tools.llvm, text, (*helpers, "libm.so.6"))
    for function in read:
        yield _answer(function, jit)


def _answer(function: ReadFunction, jit: Jit) -> str:
    if function.module is None or function.literally is None:
        return "refused by the front end"
    view = FunctionView(functions(function.module)[0])
    try:
        run = LiteralRun.of(view, LiteralInterpreter(function.literally()))
    except LiftError as error:
        return f"no literal IR: {function.name}, {error.diagnostics[0].message}"
    if run is None:
        return f"no run: {function.name} takes other arguments"
    given = [p for p in view.parameters if p.name not in view.made_sizes]  # the source has these alone
    address, ran = jit.address(f"_mlir_ciface_{function.name}"), 0
    for arguments in _drawn(view):
        try:
            mine = run(arguments, _MOST_BRANCHES)
        except InterpreterError:
            continue
        ran += 1
        others = {"loop IR": _loops(view, arguments)}
        if not run.returned:
            others["compiled"] = _compiled(view, given, address, arguments)
        for what, theirs in others.items():
            if theirs is not None and not _are_same(view, mine, theirs):
                return f"DIFFERENT: {function.name} from {what}\n{arguments}\n{mine}\n{theirs}"
    return "equal" if ran else "never ran"


def _drawn(view: FunctionView) -> Iterator[Arguments]:
    rng = seeded(zlib.crc32(view.name.encode()))
    try:
        domain = summarise(view).context & required(view)
        for sizes in choose_sizes(view.parameters, domain, rng, _SIZES, largest=7):
            for style in STYLES:
                yield random_arguments(view.parameters, sizes, rng, style)
    except (LiftError, ValueError) as error:
        print(view.name, error, file=sys.stderr)


def _compiled(view: FunctionView, given: Sequence[Parameter], address: int, arguments: Arguments) -> Any:
    values = {p.name: np.array(arguments[p.name], NUMPY_TYPES[p.dtype]) for p in given}
    kinds = [memref_kind(_type(p)) for p in given]
    kept: list[np.ndarray[Any, Any]] = []
    passing = [passed(kind, values[p.name], kept) for p, kind in zip(given, kinds, strict=True)]
    takes = [kind.form if kind.rank is None else ctypes.POINTER(kind.form) for kind in kinds]
    result = memref_kind(_element(view.result_dtype)) if view.result_dtype else None
    value = ctypes.CFUNCTYPE(result.form if result else None, *takes)(address)(*passing)
    arrays = iter(kept)
    after = {p.name: next(arrays).reshape(values[p.name].shape) for p in given if p.role == "array"}
    return after, result.number(value) if result else None


def _element(dtype: str | None) -> str:
    return "i1" if dtype == "bool" else str(dtype)


def _type(parameter: Parameter) -> str:
    if parameter.role != "array":
        return _element(parameter.dtype)
    rank = len(parameter.extents or ())
    return f"memref<{'?x' * rank}{_element(parameter.dtype)}>"


def _loops(view: FunctionView, arguments: Arguments) -> Any:
    after = {name: np.array(value) if np.ndim(value) else value for name, value in arguments.items()}
    try:
        result = Interpreter(view)(after)
    except InterpreterError:
        return None
    arrays = {p.name: after[p.name] for p in view.parameters if p.role == "array"}
    return arrays, result.value if view.result_dtype else None


def _are_same(view: FunctionView, mine: Any, theirs: Any) -> bool:
    """Compare bit by bit; NaNs are all the same, and what libm computes is off by the last bits."""
    pairs = [(mine[0][name], array) for name, array in theirs[0].items()]
    pairs += [(np.asarray(mine[1]), np.asarray(theirs[1]))] if view.result_dtype else []
    loose = any(op.name.startswith("math.") for op in view.operations)
    return all(
        np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        or (loose and np.allclose(one, other, rtol=1e-6, equal_nan=True))
        for one, other in pairs
    )


if __name__ == "__main__":
    sys.exit(main())
