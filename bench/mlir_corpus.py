"""Lift and raise loops as MLIR's own passes print them: ``python bench/mlir_corpus.py [--kernel NAME] [--form NAME]``.

The corpus is 225 functions of affine, scf, cf, memref, linalg and gpu: 25 kernels in C, each read, printed without any
note of what it was, and taken through nine pipelines of ``mlir-opt`` (``FORMS``).  Each is lifted to NumPy; the
program agrees with the interpreter of what upstream made, and is run here beside the program of the kernel in C.
``opt`` raises it to Linalg; that is compiled, and run beside the kernel too.  Of pure loops, which lift without loops
from C, the share is printed that does so from MLIR, and the share of which raising leaves no loop; for the others, why.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.mlir_in_place import load_in_place
from bench.selection import KERNELS
from tensorlift.diagnostics import LiftError, Severity
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.text import print_module
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import needed_tools
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.record import FunctionRecord

PARALLEL = "affine-parallelize"
LAUNCH = f"func.func({PARALLEL},lower-affine,gpu-map-parallel-loops,convert-parallel-loops-to-gpu),lower-affine"
FORMS = {
    "affine": "func.func(canonicalize)",
    "scf": "func.func(lower-affine,scf-for-loop-canonicalization,canonicalize,cse)",
    "jumps": "func.func(lower-affine,canonicalize,cse),convert-scf-to-cf",
    "tiled": "func.func(affine-loop-tile{tile-size=4})",
    "unrolled": "func.func(affine-loop-unroll{unroll-factor=2},canonicalize)",
    "replaced": "func.func(affine-loop-fusion,affine-scalrep,affine-loop-invariant-code-motion,canonicalize,cse)",
    "parallel": f"func.func({PARALLEL}{{parallel-reductions=1}},canonicalize)",
    "launch": LAUNCH,
    "outlined": f"{LAUNCH},gpu-kernel-outlining,canonicalize",
}
NAMES = (
    *("blas/dot", "blas/gemv", "blas/ger", "darknet/gemm_nt", "darknet/mse_array", "darknet/ol_l2_cpu1"),
    *("darknet/translate_array", "dsp/matmul", "dsp/vrecip", "dsp/w_vec", "dspstone/matrix1", "mathfu/lerp"),
    *("utdsp/dct", "utdsp/fir_small", "polybench/2mm", "polybench/atax", "polybench/covariance", "polybench/doitgen"),
    *("polybench/gemver", "polybench/gesummv", "polybench/jacobi_2d", "polybench/mvt", "polybench/syrk"),
    *("polybench/trmm", "polybench/trisolv"),
)
_LOOP = re.compile(r"\b(?:affine\.for|affine\.parallel|scf\.for|scf\.parallel|scf\.while)\b|\bgpu\.launch")
_KERNELS = re.compile(r"^( *)gpu\.module\b.*?^\1}$", re.MULTILINE | re.DOTALL)
_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Outcome:
    """What became of a function: why it does not lift, or raise, without loops; nothing where it does."""

    kernel: str
    form: str
    is_pure: bool
    lifted: str
    raised: str
    wrong: str = ""


@dataclass(frozen=True)
class Kernel:
    """A kernel in C: its module without notes, its program, and arguments to run it with."""

    text: str
    record: FunctionRecord
    arguments: dict[str, Any]


@cache
def kernel(name: str) -> Kernel:
    """Read a kernel of the collection."""
    path = KERNELS / f"{name}.c"
    (function,) = read_c(path.read_text(encoding="utf-8"), str(path), include_dirs=[str(path.parent)])
    assert function.module is not None, function.diagnostics
    arguments = dict(_arguments(FunctionView(functions(function.module)[0])))
    _forget(function.module)
    (record,) = lift_source(read_source(str(path)), LiftOptions()).functions
    return Kernel(print_module(function.module), record, arguments)


def _forget(module: ModuleOp) -> None:
    """Remove what a front end says of parameters, shapes and preconditions."""
    for op in module.walk():
        for key in [key for key in op.attributes if key.startswith("tl.")]:
            del op.attributes[key]
        op.properties.pop("arg_attrs", None)


def _arguments(view: FunctionView) -> Iterator[tuple[str, Any]]:
    """Draw sizes, numbers and arrays, by their names in C."""
    random = np.random.default_rng(1)
    sizes = {p.name: 8 for p in view.parameters if p.role == "size"}
    for parameter in view.parameters:
        kind = np.dtype({"f64": "float64", "f32": "float32", "i32": "int32", "i64": "int64"}[parameter.dtype])
        if parameter.role == "size":
            yield parameter.name, sizes[parameter.name]
        elif parameter.extents is None or parameter.role == "scalar":
            yield parameter.name, kind.type(random.integers(1, 4))
        else:
            shape = [e.constant + sum(k * sizes[str(size)] for size, k in e.terms) for e in parameter.extents]
            yield parameter.name, random.integers(1, 9, shape).astype(kind)


def transformed(text: str, form: str) -> str:
    """Take a module through a pipeline of upstream."""
    command = [needed_tools().opt, f"--pass-pipeline=builtin.module({FORMS[form]})"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def outcome(name: str, form: str) -> Outcome:
    """Lift and raise a function, and run it."""
    source = kernel(name)
    text = transformed(source.text, form)
    is_pure = source.record.verdict == "loop-free"
    lifted, wrong = _lifted(source, text)
    raised, also_wrong = _raised(source, text)
    return Outcome(name, form, is_pure, lifted, raised, wrong or also_wrong)


def _lifted(source: Kernel, text: str) -> tuple[str, str]:
    """Say why a function does not lift without loops, and what is wrong with its program."""
    record = lift_source(source_from_text(text, "k.mlir"), LiftOptions())
    errors = [d for d in record.diagnostics if d.severity is Severity.ERROR]
    if errors:
        return errors[0].message, ""
    function = record.functions[0]
    if function.verdict == "refused":
        return next(d.message for d in function.diagnostics if d.severity is Severity.ERROR), ""
    reason = "" if function.verdict == "loop-free" else f"{function.verdict}: {_stays(function)}"
    if not all(trial.passed for trial in function.tests):
        return reason, "disagrees with the interpreter"
    by_position = {f"arg{position}": value for position, value in enumerate(source.arguments.values())}
    expected, found = _run(source.record, source.arguments), _run(function, by_position)
    same = len(expected) == len(found) and all(
        np.allclose(one, other, _TOLERANCE) for one, other in zip(expected, found, strict=True)
    )
    return reason, "" if same else "disagrees with the kernel in C"


def _stays(function: FunctionRecord) -> str:
    return function.residual_loops[0].reason if function.residual_loops else ""


def _run(function: FunctionRecord, arguments: dict[str, Any]) -> list[Any]:
    scope: dict[str, Any] = {}
    exec(function.program, scope)
    names = (name.removesuffix("_") for name in signature(scope[function.name]).parameters)  # which hide no builtins
    given = scope[function.name](*(deepcopy(arguments[name]) for name in names))
    return list(given) if isinstance(given, tuple) else [given]


def _raised(source: Kernel, text: str) -> tuple[str, str]:
    """Say why raising leaves loops in a module, and what is wrong with what it makes."""
    try:
        result = run_passes(text, "k.mlir", parse_passes("raise-affine-to-linalg"), guards=False)
    except LiftError as error:
        return error.diagnostics[0].message, ""
    left = result.text if "gpu.launch_func" in result.text else _KERNELS.sub("", result.text)
    reasons = [d.message.partition(" stays as it is: ")[2] for d in result.diagnostics if d.code == "TL593"]
    has_loop = _LOOP.search(left) is not None or ("cf.br" in left and bool(reasons))
    reason = next(iter(reasons), "only inner loops are raised") if has_loop else ""
    if "gpu." in left.replace("gpu.container_module", ""):
        return reason, ""  # the kernels that are left cannot run here
    expected, found = (_run_in_place(one, source.arguments) for one in (source.text, left))
    same = all(np.allclose(one, other, _TOLERANCE) for one, other in zip(expected, found, strict=True))
    return reason, "" if same else "disagrees with the kernel in C where it is raised"


def _run_in_place(text: str, arguments: dict[str, Any]) -> list[Any]:
    (name,) = re.findall(r"func\.func @(\w+)", text)
    (call,) = load_in_place(text, name)
    given = deepcopy(list(arguments.values()))
    returned = call(*given)
    return [*(value for value in given if isinstance(value, np.ndarray)), 0 if returned is None else returned]


def report(outcomes: list[Outcome]) -> str:
    """Say which share lifts and raises, and why the others do not."""
    pure = [one for one in outcomes if one.is_pure]
    lines = [f"{len(outcomes)} functions, {len(pure)} of them pure loops"]
    for what, reasons in (("lifted", [o.lifted for o in pure]), ("raised", [o.raised for o in pure])):
        share = reasons.count("") / max(len(reasons), 1)
        lines.append(f"{what} without loops: {reasons.count('')} of {len(reasons)}, {share:.0%}")
        lines += [f"  {count:4} {reason}" for reason, count in Counter(filter(None, reasons)).most_common()]
    lines += [f"{form:9} {_count(pure, form)}" for form in FORMS]
    lines += [f"WRONG {one.kernel} {one.form}: {one.wrong}" for one in outcomes if one.wrong]
    return "\n".join(lines)


def _count(pure: list[Outcome], form: str) -> str:
    of_form = [one for one in pure if one.form == form]
    lifted, raised = sum(not one.lifted for one in of_form), sum(not one.raised for one in of_form)
    return f"lifted {lifted}, raised {raised} of {len(of_form)}"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", choices=NAMES)
    parser.add_argument("--form", choices=FORMS)
    parser.add_argument("--verbose", action="store_true", help="print a line for each function")
    options = parser.parse_args()
    outcomes = []
    for name in (options.kernel,) if options.kernel else NAMES:
        for form in (options.form,) if options.form else FORMS:
            outcomes.append(outcome(name, form))
            if options.verbose:
                lifted, raised = outcomes[-1].lifted or "lifted", outcomes[-1].raised or "raised"
                print(f"{name:24} {form:9} | {lifted} | {raised} {outcomes[-1].wrong}", flush=True)
    print(report(outcomes))
    return 1 if any(one.wrong for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
