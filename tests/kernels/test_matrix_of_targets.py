"""The page of kernels and backends shows each figure, numbers reasons, and takes means by group."""

from __future__ import annotations

from bench.targets import Cell, Row, matrix


def row(kernel: str, speedup: float, *, intensity: float = 0.5, remark: str = "") -> Row:
    program = Cell("loop-free", "proved", 0.002, speedup, 0.5, 0.9, "agrees")
    other = Cell("loop-free", "proved", remark=remark) if remark else program
    return Row(kernel, {"n": 4}, "gcc", 0.004, intensity, {"numpy": program, "jax": other}, "A Processor, 1 thread(s)")


def test_the_page_shows_figures_and_reasons() -> None:
    rows = [
        row("blas/dot", 2.0, remark="running 'dot' on jax takes longer than 9 s"),
        row("polybench/gemm", 8.0, intensity=30.0),
        row("blas/ger", 0.5, remark="running 'ger' on jax takes longer than 9 s"),
    ]
    page = matrix(rows, "arrays of 1 MiB")
    assert "Measured with arrays of 1 MiB, on A Processor, 1 thread(s)." in page
    assert "| blas/dot | loop-free | proved | 4.00 ms, gcc | 2.00 ms, 2.00x | [1] |" in page
    assert "| polybench/gemm | loop-free | proved | 4.00 ms, gcc | 2.00 ms, 8.00x | 2.00 ms, 8.00x |" in page
    assert page.endswith("[1] a call takes longer than 9 s.\n")
    assert "| PolyBench | 1 | 8.00x | 8.00x | 8.00x |" in page
    assert "| the other suites | 2 | 1.00x | - | 1.00x |" in page
    assert (
        "2 of 3 kernels reach 0.95 times the speed of the original on some backend.\nThe others: blas/ger (0.50)."
        in page
    )
    assert "| contractions | 1 | 0 | 50% | polybench/gemm 50% |" in page
    assert "| streams | 2 | 2 | 90% |" in page


def test_irregular_programs_have_a_section_of_their_own() -> None:
    kernels = matrix([row("blas/dot", 2.0)], "arrays of 1 MiB")
    both = matrix([row("irregular_programs/gather", 0.5)], "arrays of 2 MiB", kernels)
    assert both.startswith(kernels)
    assert both.count("## Irregular programs") == 1
    assert "Measured with arrays of 2 MiB, on A Processor, 1 thread(s)." in both
    assert "| gather | loop-free | proved | 4.00 ms, gcc | 2.00 ms, 0.50x | 2.00 ms, 0.50x |" in both
    assert matrix([row("blas/dot", 2.0)], "arrays of 1 MiB", both) == both
    assert "2.00 ms, 4.00x" in matrix([row("irregular_programs/gather", 4.0)], "arrays of 2 MiB", both)
