"""What other dialects add to a module, attributes and globals, changes nothing about what its functions mean."""

from __future__ import annotations

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

BODY = """
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i]LOAD : memref<8xf64>
    %w = arith.addf %v, %v FAST: f64
    affine.store %w, %y[%i] : memref<8xf64>
  }LOOP
  return
}
"""
ALIASES = """#root = #llvm.tbaa_root<id = "Simple C/C++ TBAA">
#tag = #llvm.tbaa_tag<base_type = <id = "char", members = {<#root, 0>}>, access_type = <id = "char">, offset = 0>
"""
HEAD = "func.func @f(%x: memref<8xf64>, %y: memref<8xf64>) {"
MODULES = {
    "attributes of accesses": (ALIASES + HEAD, {"LOAD": " {tbaa = [#tag], my.hint}"}),
    "attributes of operations": (HEAD, {"FAST": "fastmath<contract> {vendor.note = #vendor.note<1, [2]>} "}),
    "attributes of loops": (HEAD, {"LOOP": " {llvm.loop_annotation = #llvm.loop_annotation<disableNonforced = true>}"}),
    "attributes of parameters": (HEAD.replace("%y: memref<8xf64>", "%y: memref<8xf64> {llvm.noalias, tt.by = 16}"), {}),
    "attributes of functions": (
        HEAD.replace(") {", ') attributes {llvm.linkage = #llvm.linkage<external>, target_cpu = "x86-64"} {'),
        {},
    ),
    "attributes of modules": (
        "module attributes {dlti.dl_spec = #dlti.dl_spec<i32 = dense<32> : vector<2xi64>>} {" + HEAD,
        {},
    ),
    "globals": ('llvm.mlir.global internal constant @s("a{b\\00") {addr_space = 0 : i32}\n' + HEAD, {}),
    "arrays of the module": ('memref.global "private" @g : memref<4xf64> = dense<1.0>\n' + HEAD, {}),
    "declarations": ("func.func private @other(f64) -> f64\n" + HEAD, {}),
    "functions of another dialect": ("llvm.func @free(!llvm.ptr)\n" + HEAD, {}),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_function_means_the_same_beside(name: str) -> None:
    head, inserted = MODULES[name]
    text = head + BODY
    for key in ("LOAD", "FAST", "LOOP"):
        text = text.replace(key, inserted.get(key, ""))
    text += "}\n" if head.startswith("module") else ""
    functions = {f.name: f for f in lift_source(source_from_text(text, "f.mlir"), LiftOptions()).functions}
    assert functions["f"].lifted, functions["f"].diagnostics
    assert "return x + x" in functions["f"].program or "return 2.0 * x" in functions["f"].program


def test_an_operation_of_another_dialect_refuses_its_function() -> None:
    text = HEAD + '\n  "vendor.run"(%x) : (memref<8xf64>) -> ()\n  return\n}\n' + HEAD.replace("@f", "@g") + BODY
    for key in ("LOAD", "FAST", "LOOP"):
        text = text.replace(key, "")
    refused, lifted = lift_source(source_from_text(text, "f.mlir"), LiftOptions()).functions
    assert [d.code for d in refused.diagnostics] == ["TL191"]
    assert lifted.lifted
