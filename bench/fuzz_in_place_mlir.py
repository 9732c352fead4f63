"""Rewrite random modules in MLIR in place, and run them before and after: ``fuzz_in_place_mlir.py FIRST COUNT``.

The modules print all that their loops compute, over arrays that overlap or not, with operations of other dialects
between, around and in the loops.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzzing import fuzz_rewriting
from tensorlift.commands.in_place_mlir import rewrite_mlir
from tensorlift.pipeline import LiftOptions
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
_DEEPEST = 2
_ARRAYS = "abc"
_EXTENT = 12
_OURS = {"TL580", "TL900", "TL901"}  # codes that blame the rewriting, not the module
_SECONDS = 60
_BUFFERS = "bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map"
_PASSES = (
    f"--one-shot-bufferize={_BUFFERS} allow-return-allocs-from-loops=true",
    "--buffer-deallocation-pipeline",
    "--convert-bufferization-to-memref",
    "--convert-linalg-to-loops",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-vector-to-llvm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
)


def run(module: Path) -> str:
    """Run ``main`` of a module by upstream's passes and its runner; give what it prints and returns."""
    tools = find_tools()
    assert tools is not None
    lowered = module.with_suffix(".lowered")
    lowered.write_text(_command(tools.opt, str(module), *_PASSES), encoding="utf-8")
    (helpers,) = sorted(tools.libraries.glob("libmlir_c_runner_utils.so"))
    options = ("-e", "main", "--entry-point-result=i64", f"--shared-libs={helpers}")
    return _command(tools.opt.replace("mlir-opt", "mlir-runner"), str(lowered), *options)


def _command(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


class _Writer:
    """Writes operations at random, each value under a name of its own."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.indices = ["one"]
        self.scalars = ["s"]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}" if self.count % 3 else f"{self.count}"

    def place(self) -> str:
        """Write a subscript that is inside of every array."""
        index = self.pick(self.indices)
        return self.pick([f"%{index}", f"%{index}", f"%{index} + 1", f"%n - %{index} - 1", "3"])

    def value(self, lines: list[str], depth: int = 0) -> str:
        if depth < _DEEPEST and self.chance(0.4):
            left, right = self.value(lines, depth + 1), self.value(lines, depth + 1)
            return self.made(lines, f"arith.{self.pick(['addi', 'subi', 'muli', 'maxsi'])} %{left}, %{right} : i64")
        if self.chance(0.3):
            return self.pick(self.scalars)
        return self.made(lines, f"affine.load %{self.pick(_ARRAYS)}[{self.place()}] : memref<?xi64>")

    def made(self, lines: list[str], operation: str) -> str:
        name = self.name()
        lines.append(f"%{name} = {operation}")
        return name

    def store(self, lines: list[str]) -> None:
        value = self.value(lines)
        lines.append(f"affine.store %{value}, %{self.pick(_ARRAYS)}[{self.place()}] : memref<?xi64>")

    def show(self, lines: list[str]) -> None:
        lines.append(f"vector.print %{self.value(lines, _DEEPEST)} : i64")

    def loop(self, lines: list[str], depth: int = 0) -> None:
        """Write a loop; some count by another dialect's number, or carry a sum."""
        index, scalars, inside = self.name(), list(self.scalars), list[str]()
        index = f"i{index}"
        low, high = self.pick([("0", "%n"), ("1", "%n"), ("0", "5"), ("0", "%m")])
        carries = self.chance(0.25)
        self.indices.append(index)
        if carries:
            self.scalars.append(f"acc{index}")
        for _ in range(self.random.randint(1, 3)):
            self.store(inside)
        if depth < _DEEPEST and self.chance(0.4):
            self.loop(inside, depth + 1)
        if self.chance(0.08):
            self.show(inside)
        result = ""
        if carries:
            result = self.name()
            total = self.made(inside, f"arith.addi %acc{index}, %{self.value(inside)} : i64")
            inside.append(f"affine.yield %{total} : i64")
        self.indices.pop()
        self.scalars = scalars
        head = f"affine.for %{index} = {low} to {high}"
        if result:
            head = f"%{result} = {head} iter_args(%acc{index} = %{self.pick(self.scalars)}) -> (i64)"
        lines += [f"{head} {{", *(f"  {line}" for line in inside), "}"]
        if result:
            self.scalars.append(result)

    def statement(self, lines: list[str]) -> None:
        kind = self.random.random()
        if kind < 0.6:  # noqa: PLR2004 - shares of statements
            self.loop(lines)
        elif kind < 0.7:  # noqa: PLR2004 - shares of statements
            self.store(lines)
        elif kind < 0.8:  # noqa: PLR2004 - shares of statements
            self.scalars.append(self.value(lines))
        elif kind < 0.9:  # noqa: PLR2004 - shares of statements
            self.show(lines)
        else:
            self.within(lines)

    def within(self, lines: list[str]) -> None:
        """Write loops in a loop or a condition that does not lift itself."""
        inside: list[str] = []
        scalars, index = list(self.scalars), f"k{self.name()}"
        if self.chance(0.5):
            self.indices.append(index)
            head = f"affine.for %{index} = {self.pick('01')} to 3 {{"
            self.loop(inside, 1)
            self.loop(inside, 1)
            self.show(inside)
            self.indices.pop()
        else:
            condition = self.made(lines, f"arith.cmpi slt, %{self.value(lines)}, %{self.value(lines)} : i64")
            head = f"scf.if %{condition} {{"
            self.loop(inside, 1)
            self.show(inside)
        self.scalars = scalars
        lines += [head, *(f"  {line}" for line in inside), "}"]


def program(seed: int) -> str:
    """Write a module; the same seed writes the same."""
    writer = _Writer(seed)
    lines: list[str] = []
    for _ in range(writer.random.randint(4, 9)):
        writer.statement(lines)
    third = writer.pick(["%a", "%b", "%d", "%d", "%d"])
    body = "\n".join(f"  {line}" for line in lines)
    shown = "\n".join(
        f"    %{array}w = affine.load %{array}[%i] : memref<?xi64>\n    vector.print %{array}w : i64" for array in "abd"
    )
    filled = "\n".join(f"    affine.store %v{array}, %{array}[%i] : memref<?xi64>" for array in "abd")
    memory = "memref<?xi64>, memref<?xi64>, memref<?xi64>"
    return f"""// seed {seed}
func.func @work(%n: index, %a: memref<?xi64>, %b: memref<?xi64>, %c: memref<?xi64>) -> i64 {{
  %one = arith.constant 1 : index
  %s = arith.constant 3 : i64
  %m = index.sub %n, %one
{body}
  return %{writer.pick(writer.scalars)} : i64
}}
func.func @main() -> i64 {{
  %n = arith.constant 8 : index
  %l = arith.constant {_EXTENT} : index
  %a = memref.alloc(%l) : memref<?xi64>
  %b = memref.alloc(%l) : memref<?xi64>
  %d = memref.alloc(%l) : memref<?xi64>
  affine.for %i = 0 to {_EXTENT} {{
    %va = arith.index_cast %i : index to i64
    %vb = arith.muli %va, %va : i64
    %vd = arith.subi %vb, %va : i64
{filled}
  }}
  %r = func.call @work(%n, %a, %b, {third}) : (index, {memory}) -> i64
  affine.for %i = 0 to {_EXTENT} {{
{shown}
  }}
  return %r : i64
}}
"""


def difference(seed: int, folder: Path) -> tuple[str, int]:
    """Say what is wrong with a module rewritten, nothing where all is right; and count what was replaced."""
    text = program(seed)
    before, after = folder / "before.mlir", folder / "after.mlir"
    record, written = rewrite_mlir(source_from_text(text, "before.mlir"), LiftOptions(target="linalg"))
    before.write_text(text, encoding="utf-8")
    after.write_bytes(written)
    blamed = [str(d) for function in record.functions for d in function.diagnostics if d.code in _OURS]
    replaced = sum(function.lifted for function in record.functions)
    if blamed:
        return blamed[0], replaced
    expected, found = run(before), run(after)
    return ("" if expected == found else "prints something else"), replaced


if __name__ == "__main__":
    sys.exit(fuzz_rewriting(difference))
