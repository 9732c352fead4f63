"""Kernels in MLIR: launches are loops over blocks and threads, and what threads hand to each other is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlift.diagnostics import Severity
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

BODY = """
    %o = arith.muli %bx, %sx : index
    %i = arith.addi %o, %tx : index
    %c = arith.cmpi ult, %i, %n : index
    scf.if %c {
      %a = memref.load %A[%i] : memref<?xf64>
      %s = arith.addf %a, %a : f64
      memref.store %s, %B[%i] : memref<?xf64>
    }
"""
HOST = """func.func @f(%A: memref<?xf64>, %B: memref<?xf64>, %n: index) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %g = arith.ceildivui %n, %c256 : index
"""
LAUNCH = f"""{HOST}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %g, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {{
    {BODY}
    gpu.terminator
  }}
  return
}}"""
IDS = "%bx = gpu.block_id  x\n %sx = gpu.block_dim  x\n %tx = gpu.thread_id  x\n"
OUTLINED = f"""module attributes {{gpu.container_module}} {{
{HOST}
  gpu.launch_func @m::@k blocks in (%g, %c1, %c1) threads in (%c256, %c1, %c1)
      args(%n : index, %A : memref<?xf64>, %B : memref<?xf64>)
  return
}}
gpu.module @m {{
  gpu.func @k(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) kernel {{
    {IDS} {BODY}
    gpu.return
  }}
}}
}}"""
GENERIC = """
"builtin.module"() ({
"func.func"() <{function_type = (memref<8xf64>) -> (), sym_name = "f"}> ({
^bb0(%A: memref<8xf64>):
  %c1 = "arith.constant"() <{value = 1 : index}> : () -> index
  %c8 = "arith.constant"() <{value = 8 : index}> : () -> index
  "gpu.launch_func"(%c1, %c1, %c1, %c8, %c1, %c1, %A) <{kernel = @m::@k,
    operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0>}>
    : (index, index, index, index, index, index, memref<8xf64>) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"gpu.module"() <{sym_name = "m"}> ({
"gpu.func"() <{function_type = (memref<8xf64>) -> (), known_block_size = array<i32: 8, 1, 1>}> ({
^bb0(%A: memref<8xf64>):
  %t = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
  %a = "memref.load"(%A, %t) : (memref<8xf64>, index) -> f64
  %b = "arith.addf"(%a, %a) : (f64, f64) -> f64
  "memref.store"(%b, %A, %t) : (f64, memref<8xf64>, index) -> ()
  "gpu.return"() : () -> ()
}) {gpu.kernel, sym_name = "k", workgroup_attributions = 0 : i64} : () -> ()
}) : () -> ()
}) {gpu.container_module} : () -> ()
"""


def lifted(text: str) -> Any:
    (function,) = lift_source(source_from_text(text, "k.mlir"), LiftOptions()).functions
    return function


def refused(text: str) -> Any:
    record = lift_source(source_from_text(text, "k.mlir"), LiftOptions())
    found = [*record.diagnostics, *(d for function in record.functions for d in function.diagnostics)]
    (error,) = [d for d in found if d.severity is Severity.ERROR]
    return error


def called(function: Any, *arguments: Any) -> Any:
    program: dict[str, Any] = {}
    exec(function.program, program)
    return program[function.name](*arguments)


@pytest.mark.parametrize("text", [LAUNCH, OUTLINED], ids=["launch", "launch_func"])
def test_a_guarded_launch_is_an_operation_on_a_part(text: str) -> None:
    function = lifted(text)
    assert "for " not in function.program
    given = np.arange(700.0)
    assert (called(function, given, np.zeros(700), 600) == np.where(given < 600, 2 * given, 0)).all()


def test_kernels_in_generic_syntax_are_read() -> None:
    assert (called(lifted(GENERIC), np.arange(8.0)) == 2 * np.arange(8.0)).all()


def test_a_kernel_alone_takes_the_sizes_of_its_launch() -> None:
    kernel = f"""gpu.module @m {{
      gpu.func @k(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) kernel
          attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
        {IDS} {BODY}
        gpu.return
      }}
    }}"""
    given = np.arange(96.0)
    assert (called(lifted(kernel), 70, given, np.zeros(96), 2) == np.where(given < 64, 2 * given, 0)).all()


def test_a_kernel_takes_its_global_id() -> None:
    kernel = """gpu.module @m {
      gpu.func @k(%A: memref<64xf32>) kernel
          attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
        %i = gpu.global_id x
        %a = memref.load %A[%i] : memref<64xf32>
        %b = arith.mulf %a, %a : f32
        memref.store %b, %A[%i] : memref<64xf32>
        gpu.return
      }
    }"""
    given = np.arange(64, dtype=np.float32)
    assert (called(lifted(kernel), given) == given * given).all()


def in_kernel(body: str, more: str = "") -> str:
    return f"""gpu.module @m {{
gpu.func @k(%A: memref<64xf64>, %x: f64) {more} kernel attributes {{known_block_size = array<i32: 63, 1, 1>}} {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%t = gpu.thread_id x
{body}
gpu.return
}}
}}"""


SHARED = "workgroup(%s : memref<32xf64, #gpu.address_space<workgroup>>)"
LOCAL = "%s = memref.alloca() : memref<8xf64, #gpu.address_space<workgroup>>"


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        (in_kernel("gpu.barrier"), "TL195", 6, "`gpu.barrier`: threads wait for each other"),
        (
            in_kernel("%s = gpu.all_reduce add %x uniform {} : (f64) -> (f64)"),
            "TL195",
            6,
            "`gpu.all_reduce`: threads hand values to each other",
        ),
        (
            in_kernel("%a = memref.atomic_rmw addf %x, %A[%t] : (f64, memref<64xf64>) -> f64"),
            "TL194",
            6,
            "`memref.atomic_rmw` is not lifted",
        ),
        (in_kernel("", SHARED), "TL195", 2, "this form of `gpu.func` is not lifted"),
        (in_kernel(LOCAL), "TL196", 6, "threads share this memory"),
        (
            in_kernel("memref.store %x, %A[%c0] : memref<64xf64>"),
            "TL223",
            2,
            "iterations of this parallel loop race: one writes a cell of A that another one uses",
        ),
    ],
    ids=["barrier", "reduction", "atomic", "shared", "local", "race"],
)
def test_threads_that_are_not_on_their_own_are_refused(text: str, code: str, line: int, message: str) -> None:
    error = refused(text)
    assert (error.code, error.location.line, error.message) == (code, line, message)


def test_a_launch_with_other_arguments_is_refused() -> None:
    error = refused(OUTLINED.replace("%n : index, %A", "%n : index, %B : memref<?xf64>, %A"))
    assert error.message == "`m::k` takes other arguments"


def test_a_kernel_of_the_name_of_a_function_is_one_more() -> None:
    host = "func.func @k(%A: memref<64xf64>) {\nreturn\n}\n"
    record = lift_source(
        source_from_text(host + in_kernel("memref.store %x, %A[%t] : memref<64xf64>"), "k.mlir"), LiftOptions()
    )
    assert [function.name for function in record.functions] == ["k", "k2"]


LOOPS = {
    "affine.parallel": "affine.parallel (%i) = (0) to (63) {",
    "scf.parallel": "scf.parallel (%i) = (%c0) to (%c63) step (%c1) {",
}


def in_loop(head: str, body: str) -> str:
    return f"""func.func @f(%A: memref<64xf64>, %B: memref<64xf64>) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c63 = arith.constant 63 : index
{head}
  %j = arith.addi %i, %c1 : index
  {body}
}}
return
}}"""


@pytest.mark.parametrize("head", LOOPS.values(), ids=LOOPS)
def test_parallel_loops_that_race_are_refused(head: str) -> None:
    body = "%a = memref.load %A[%i] : memref<64xf64>\n memref.store %a, %A[%j] : memref<64xf64>"
    error = refused(in_loop(head, body))
    assert (error.code, error.location.line) == ("TL223", 5)


@pytest.mark.parametrize("head", LOOPS.values(), ids=LOOPS)
def test_what_an_iteration_allocates_is_its_own(head: str) -> None:
    body = """%l = memref.alloca() : memref<2xf64>
  %a = memref.load %A[%j] : memref<64xf64>
  memref.store %a, %l[%c1] : memref<2xf64>
  %b = memref.load %l[%c1] : memref<2xf64>
  memref.store %b, %B[%i] : memref<64xf64>"""
    assert (called(lifted(in_loop(head, body)), np.arange(64.0), np.zeros(64))[:63] == np.arange(1.0, 64)).all()
