"""Operations that read at places that depend on data, or divide integers: done only where the source does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

_OPERATIONS = {
    "take": ("%x: memref<?xi32>, %y: memref<?xi32>", "%at = arith.index_cast %b : i32 to index", "memref.load %x[%at]"),
    "quotient": ("%x: memref<?xi32>, %y: memref<?xi32>", "", "arith.divsi %a, %b"),
    "positive": (
        "%x: memref<?xi32>, %y: memref<?xi32>",
        "%zero = arith.constant 0 : i32\n    %holds = arith.cmpi sgt, %b, %zero : i32",
        "arith.select %holds, %a, %zero",
    ),
}


def _definition() -> str:
    operations = "".join(
        f'  irdl.operation @{name} {{\n    %t = irdl.base "!builtin.tensor"\n'
        "    irdl.operands(x: %t, y: %t)\n    irdl.results(result: %t)\n  }\n"
        for name in _OPERATIONS
    )
    return f"irdl.dialect @some {{\n{operations}}}\n"


def _lowering(name: str) -> str:
    parameters, before, value = _OPERATIONS[name]
    typed = f"{value} : {'memref<?xi32>' if 'load' in value else 'i32'}"
    first = "" if "load" in value else "    %a = affine.load %x[%i] : memref<?xi32>\n"
    return f"""func.func @some.{name}({parameters}, %result: memref<?xi32>) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {{
{first}    %b = affine.load %y[%i] : memref<?xi32>
    {before}
    %value = {typed}
    affine.store %value, %result[%i] : memref<?xi32>
  }}
  return
}}
"""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("some")
    files = {"irdl": folder / "some.irdl.mlir", "lowering": folder / "some.lowerings.mlir"}
    files["irdl"].write_text(_definition())
    files["lowering"].write_text("".join(map(_lowering, _OPERATIONS)))
    given = [part for name, file in files.items() for part in (f"--{name}", str(file))]
    assert main(["target", "add", "some", *given, "-o", str(folder / "some.target.json")]) == 0
    return str(folder / "some.target.json")


@pytest.mark.parametrize(
    ("cell", "operation", "code"),
    [
        ("x[y[i]]", "take", ""),
        ("y[i] > 0 ? x[y[i]] : 0", "take", "TL402"),
        ("x[i] / y[i]", "quotient", ""),
        ("y[i] > 0 ? x[i] / y[i] : 0", "quotient", "TL403"),
    ],
)
def test_what_may_fail_is_done_only_where_the_source_does_it(cell: str, operation: str, code: str, target: str) -> None:
    text = f"void f(int n, int x[n], int y[n], int z[n]) {{ for (int i = 0; i < n; i++) z[i] = {cell}; }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target, engine="enumerate")).functions
    if code:
        (refusal,) = function.diagnostics
        assert refusal.code == code, refusal
        assert f"some.{operation}" in refusal.message
    else:
        assert (function.verdict, function.level) == (Verdict.LOOP_FREE, Level.PROVED), function.diagnostics
        assert f'"some.{operation}"' in function.program
