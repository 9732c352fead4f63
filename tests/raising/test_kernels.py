"""Kernels, tiled and unrolled loops are raised as the plain loops that they stand for; what threads run stays whole."""

from __future__ import annotations

import re

import pytest

from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import checked, find_tools

_TOOLS = find_tools()
_SCALE = """
    %x = memref.load %A[%i] : memref<?xf32>
    %y = arith.mulf %x, %s : f32
    memref.store %y, %A[%i] : memref<?xf32>"""
_BLOCKS = "blocks(%i, %bj, %bk) in (%gx = %n, %gy = %c1, %gz = %c1)"
_THREADS = "threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)"
_LAUNCH = f"""func.func @f(%A: memref<?xf32>, %s: f32, %n: index) {{
  %c1 = arith.constant 1 : index
  gpu.launch {_BLOCKS} {_THREADS} {{{_SCALE}
    gpu.terminator
  }}
  return
}}
"""
_OUTLINED = f"""module attributes {{gpu.container_module}} {{
  func.func @f(%A: memref<?xf32>, %s: f32, %n: index) {{
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@scale blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%A : memref<?xf32>, %s : f32)
    return
  }}
  gpu.module @kernels {{
    gpu.func @scale(%A: memref<?xf32>, %s: f32) kernel {{
    %i = gpu.block_id x{_SCALE}
      gpu.return
    }}
  }}
}}
"""


def raised(text: str, passes: str = "raise-affine-to-linalg", *, guards: bool = False) -> tuple[str, str]:
    """Give what passes make of a module, which upstream accepts, and what they say."""
    result: Result = run_passes(text, "in.mlir", parse_passes(passes), guards=guards)
    if _TOOLS is not None:
        checked(result.text, _TOOLS)
    return result.text, "\n".join(str(one) for one in result.diagnostics)


@pytest.mark.parametrize("text", [_LAUNCH, _OUTLINED], ids=["launch", "outlined"])
def test_a_launch_becomes_what_its_threads_do_together(text: str) -> None:
    made, said = raised(text)
    assert "linalg.generic" in made
    assert "gpu.launch" not in made
    assert "the kernel becomes linalg.generic, where n >= 1" in said
    kernels = re.compile(r"^ *gpu\.module.*", re.MULTILINE | re.DOTALL)
    assert kernels.findall(made) == kernels.findall(text)  # which may be launched from elsewhere


def test_the_original_still_launches_where_the_conditions_do_not_hold() -> None:
    made, _ = raised(_OUTLINED, guards=True)
    original = made[made.index("@f_original(%A") :]
    assert "gpu.launch_func" in original
    assert "gpu.launch_func" not in made.removesuffix(original)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("%A[%i] : memref<?xf32>\n    gpu", "%A[%c1] : memref<?xf32>\n    gpu", "TL223"),
        ("%y = arith.mulf", "gpu.barrier\n    %y = arith.mulf", "`gpu.barrier` cannot be read"),
        ("return", "%d = gpu.alloc () : memref<4xf32>\n  return", "TL583"),
        ("memref<?xf32>", "memref<?xf32, 1>", "the kernel stays as it is"),
    ],
    ids=["race", "barrier", "device memory", "memory space"],
)
def test_a_kernel_stays_where_its_threads_or_its_memory_are_not_the_hosts(old: str, new: str, why: str) -> None:
    made, said = raised(_LAUNCH.replace(old, new))
    assert "linalg" not in made
    assert why in said


def test_what_threads_run_stays_whole() -> None:
    loop = "scf.for %k = %c1 to %n step %c1 {\nmemref.store %s, %A[%k] : memref<?xf32>\n}"
    text = _LAUNCH.replace("gpu.terminator", f"{loop}\n    gpu.terminator")
    made, said = raised(text, "raise-affine-to-linalg,distribute-loops,delinearize,raise-linalg-to-blas,cse")
    assert "linalg" not in made
    assert "the kernel stays as it is: " in said
    assert "scf.for" in made


def test_a_kernel_by_itself_stays() -> None:
    text = _OUTLINED[: _OUTLINED.index("  func.func")] + _OUTLINED[_OUTLINED.index("  gpu.module") :]
    assert raised(text) == (text, "")


_TILED = """#end = affine_map<(d0)[s0] -> (d0 + 4, s0)>
func.func @f(%A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index, %m: index) {
  affine.for %ii = 0 to %n step 4 {
    affine.for %jj = 0 to %m step 4 {
      affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min #end(%ii)[%n] {
        affine.for %j = affine_map<(d0) -> (d0)>(%jj) to min #end(%jj)[%m] {
          %a = affine.load %A[%i, %j] : memref<?x?xf64>
          %b = affine.load %x[%j] : memref<?xf64>
          %c = affine.load %y[%i] : memref<?xf64>
          %p = arith.mulf %a, %b : f64
          %q = arith.addf %c, %p : f64
          affine.store %q, %y[%i] : memref<?xf64>
        }
      }
    }
  }
  return
}
"""


def test_tiles_that_end_early_are_one_product() -> None:
    made, said = raised(_TILED)
    assert "linalg.matvec" in made
    assert "affine.for" not in made
    assert "floordiv" not in made
    assert "the nest becomes linalg.matvec, where" in said


def _step(offset: int) -> str:
    at = f"%i + {offset}"
    return (
        f"%a{offset} = affine.load %A[{at}] : memref<?xf64>\n%b{offset} = affine.load %B[{at}] : memref<?xf64>\n"
        f"%p{offset} = arith.mulf %a{offset}, %b{offset} : f64\naffine.store %p{offset}, %C[{at}] : memref<?xf64>\n"
    )


def _unrolled(step: int) -> str:
    return (
        f"#whole = affine_map<()[s0] -> (s0 floordiv {step} * {step})>\n"
        "func.func @f(%A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>, %n: index) {\n"
        f"affine.for %i = 0 to #whole()[%n] step {step} {{\n{''.join(map(_step, range(step)))}}}\n"
        f"affine.for %i = #whole()[%n] to %n {{\n{_step(0)}}}\nreturn\n}}\n"
    )


@pytest.mark.parametrize("step", [2, 4])
def test_an_unrolled_loop_is_one_operation_with_what_is_left_of_it(step: int) -> None:
    made, said = raised(_unrolled(step))
    assert made.count("linalg.generic") == 1
    assert "affine.for" not in made
    assert said.count("the nest becomes") == 1


def test_what_is_left_is_raised_by_itself_where_it_does_something_else() -> None:
    text = _unrolled(4)
    made, said = raised(text.replace("arith.mulf", "arith.addf", text.count("arith.mulf") - 1))
    assert "the nest becomes linalg.generic" in said
    assert made.count("arith.mulf") == made.count("arith.addf") == 1


def test_an_unrolled_sum_is_one_product() -> None:
    text = _unrolled(2)
    for offset in (1, 0):
        old = f"affine.store %p{offset}, %C[%i + {offset}] : memref<?xf64>"
        new = f"%o{offset} = affine.load %C[] : memref<f64>\n%s{offset} = arith.addf %o{offset}, %p{offset} : f64"
        text = text.replace(old, f"{new}\naffine.store %s{offset}, %C[] : memref<f64>")
    made, said = raised(text.replace("%C: memref<?xf64>", "%C: memref<f64>"))
    assert "linalg.dot" in made
    assert "affine.for" not in made
    assert "the nest becomes linalg.dot, where" in said


_TRIANGLE = """func.func @f(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  HEAD {
    %first = arith.addi %i, %c1 : index
    scf.for %j = BOUNDS step %c1 {
      %a = memref.load %A[%i, %j] : memref<?x?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %p = arith.mulf %a, %b : f64
      memref.store %p, %A[%i, %j] : memref<?x?xf64>
    }
    END
  } {mapping = ["a note"]}
  return
}
"""
_HEADS = {
    "scf.for %i = %c0 to %n step %c1": "",
    "scf.parallel (%i) = (%c0) to (%n) step (%c1)": "scf.reduce",
    "affine.for %i = 0 to %n": "",
    "affine.parallel (%i) = (0) to (%n)": "",
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("head", _HEADS)
@pytest.mark.parametrize("bounds", ["%first to %n", "%c0 to %first"])
def test_rows_of_triangles_need_no_more_than_the_loop_around_says(head: str, bounds: str) -> None:
    made, said = raised(_TRIANGLE.replace("HEAD", head).replace("BOUNDS", bounds).replace("END", _HEADS[head]))
    assert "linalg.generic {indexing_maps" in made
    assert "scf.for %j" not in made
    (where,) = re.findall(r"the nest becomes linalg.generic, where (.*?) \(", said)
    assert ">=" not in where


def test_what_the_loop_around_does_not_say_is_not_taken_for_granted() -> None:
    text = _TRIANGLE.replace("HEAD", "scf.for %i = %c0 to %n step %c1").replace("BOUNDS", "%first to %m")
    made, said = raised(text.replace("END", "").replace("%n: index", "%n: index, %m: index"))
    assert "which is not known where the function starts" not in said
    assert "scf.if" in made.partition("linalg")[0]
