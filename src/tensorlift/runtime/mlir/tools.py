"""Upstream MLIR's tools: where they are, and how they lower a module of Linalg on tensors to LLVM IR.

The order of the loops of products, as a schedule in upstream's transform dialect.

The innermost loop is one along which the operands and the result lie side by side in memory.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NAMED = {"matmul": [0, 2, 1], "batch_matmul": [0, 1, 3, 2], "vecmat": [1, 0], "batch_vecmat": [0, 2, 1]}
_CONTRACT = re.compile(r"\blinalg\.contract\s+indexing_maps = (\[.*?\]) ins")
_MAP = re.compile(r"affine_map<\((.*?)\) -> \((.*?)\)>")
_OF_ANY = "(!transform.any_op) -> !transform.any_op"
_REORDERED = """
    %matched_{number} = transform.structured.match {ops} in %root : {any}
    %generic_{number} = transform.structured.generalize %matched_{number} : {any}
    %ordered_{number} = transform.structured.interchange %generic_{number} iterator_interchange = {order} : {any}"""
_SCHEDULE = """module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{{steps}
    transform.yield
  }}
}}
"""


def schedule_of(text: str) -> str:
    """Return the schedule, a module, that reorders the loops of the products in a module."""
    orders = {f'ops{{["linalg.{name}"]}}': order for name, order in _NAMED.items()}
    for maps in _CONTRACT.findall(text):
        orders[f'ops{{["linalg.contract"]}} attributes {{indexing_maps = {maps}}}'] = _order(maps)
    steps = (
        _REORDERED.format(number=number, ops=ops, order=order, any=_OF_ANY)
        for number, (ops, order) in enumerate(orders.items())
    )
    return _SCHEDULE.format(steps="".join(steps))


def _order(maps: str) -> list[int]:
    """Return the order of loops for ``[affine_map<(d0, d1) -> (d1)>, ..]``, the map of the result last."""
    read = [(domain.split(", "), found.split(", ")) for domain, found in _MAP.findall(maps)]
    loops, operands = read[0][0], [indices for _, indices in read]

    def strided(loop: str) -> tuple[int, bool]:
        jumps = sum(loop in indices[:-1] for indices in operands)
        return jumps, loop not in operands[-1]

    innermost = min(reversed(loops), key=strided)
    return [loops.index(loop) for loop in loops if loop != innermost] + [loops.index(innermost)]


# The order of loops, one-shot bufferisation with results in memory of their own, loops, LLVM: all by stock passes.
LOWERING = (
    "builtin.module("
    "transform-preload-library{{transform-library-paths={schedule}}},transform-interpreter,"
    "one-shot-bufferize{{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map"
    " allow-return-allocs-from-loops=true}},"
    "buffer-deallocation-pipeline,convert-bufferization-to-memref,"
    "convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "func.func(llvm-request-c-wrappers),"
    "convert-math-to-llvm,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)"
)
# The same for a module that is on memrefs already, where loops are of any dialect.
IN_PLACE = (
    "builtin.module("
    "transform-preload-library{{transform-library-paths={schedule}}},transform-interpreter,"
    "convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "convert-math-to-llvm,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)"
)
_ROUNDED = re.compile(r"= f(?:add|sub|mul)\b")  # operations whose order LLVM keeps unless it is told otherwise
_INSTALLATIONS = Path("/usr/lib")
_VERSION = re.compile(r"LLVM version (\d+)\.(\d+)")
_LEAST = 22  # the first version with all forms of operations in which programs are written


class LoweringError(Exception):
    """Raised where a tool does not take a module; the text is what it says."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs of one installation, the folder of its libraries, and the name of LLVM's library."""

    opt: str
    translate: str
    libraries: Path
    llvm: str


@cache
def find_tools() -> Tools | None:
    """Find the newest installation of upstream MLIR that is new enough, None where there is none.

    It is looked for where every process finds it, also one without an environment.
    """
    found = (shutil.which("mlir-opt", path=os.defpath), *_installed())
    return next((tools for opt in found if opt for tools in [_tools(Path(opt).resolve())] if tools is not None), None)


def needed_tools() -> Tools:
    """Return the tools.

    Raises:
        LoweringError: where there are none.

    """
    tools = find_tools()
    if tools is None:
        raise LoweringError("there is no mlir-opt")
    return tools


def _installed() -> list[str]:
    folders = _INSTALLATIONS.glob("llvm-*/bin/mlir-opt")
    return sorted(map(str, folders), key=lambda path: int(re.sub(r"\D", "", path) or 0), reverse=True)


def _tools(opt: Path) -> Tools | None:
    translate = opt.with_name(opt.name.replace("opt", "translate"))
    version = _VERSION.search(_run([str(opt), "--version"], ""))
    if version is None or int(version[1]) < _LEAST or not translate.exists():
        return None
    return Tools(str(opt), str(translate), opt.parents[1] / "lib", f"libLLVM.so.{version[1]}.{version[2]}")


def checked(text: str, tools: Tools, *passes: str) -> str:
    """Return a module as upstream's verifier prints it, behind passes given as flags.

    Raises:
        LoweringError: where it does not accept the module.

    """
    return _run([tools.opt, *passes], text)


def to_llvm(text: str, tools: Tools, lowering: str = LOWERING) -> str:
    """Lower a module to the text of LLVM IR; each function gets a twin ``_mlir_ciface_NAME`` that C can call.

    Sums may be taken in any order and products fused with them, as proofs over the reals allow.

    Raises:
        LoweringError: where a pass does not accept the module.

    """
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
        schedule = Path(folder) / "schedule.mlir"
        schedule.write_text(schedule_of(text), encoding="utf-8")
        lowered = _run([tools.opt, f"--pass-pipeline={lowering.format(schedule=schedule)}"], text)
    return _ROUNDED.sub(r"\g<0> reassoc contract", _run([tools.translate, "--mlir-to-llvmir"], lowered))


def lowered_parts(text: str, pipeline: str, tools: Tools) -> tuple[list[str], str] | None:
    """Lower modules apart from each other, ``// -----`` between them; return those that were taken, and the errors.

    None says that the tool broke down over one of them.
    """
    command = [tools.opt, "--split-input-file", "--mlir-print-op-on-diagnostic=false", f"--pass-pipeline={pipeline}"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=os.environ, check=False)  # noqa: S603 - the command is a list made here, no shell reads it
    return None if done.returncode < 0 else (done.stdout.split("// -----"), done.stderr)


def _run(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=os.environ, check=False)  # noqa: S603 - the command is a list made here, no shell reads it
    if done.returncode:
        raise LoweringError(_first_error(done.stderr) or f"{command[0]} ended with code {done.returncode}")
    return done.stdout


def _first_error(errors: str) -> str:
    lines = errors.strip().splitlines()
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")
