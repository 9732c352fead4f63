"""``tensorlift run`` runs programs on inputs that meet the preconditions, compares, and refuses wrong requests."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tensorlift.cli import main
from tensorlift.runtime import backends, libraries, measure_worker
from tensorlift.runtime.backends import Backend

if TYPE_CHECKING:
    from pathlib import Path

PRODUCT = """void product(int n, int m, double a[n][m], double x[m], double y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++) y[i] += a[i][j] * x[j];
  }
}
"""
STRIDED = """void scale(int m, int n, int lda, float *a) {
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i * lda + j] *= 2;
}
"""
FIRST = "void first(int n, double a[n]) { a[0] = 1; for (int i = 1; i < n; i++) a[i] *= 2; }\n"
QUOTIENTS = "void quotients(int n, int a[n], int b[n]) { for (int i = 0; i < n; i++) a[i] = a[i] / b[i]; }\n"
SEARCH = "int step(int); int search(int n, int a[n]) { int i = 0; while (a[i] > 0) i = step(i); return i; }\n"
SOLVED = """void factor(int n, double a[n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (int k = 0; k < i; k++) a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = __builtin_sqrt(a[i][i]);
  }
}
""".replace("__builtin_sqrt", "sqrt")
GATHER = """void gather(int n, int v, double table[v], int places[n], double out[n]) {
  for (int i = 0; i < n; i++) out[i] = table[places[i]];
}
"""
PART = "double part(const double *w) { double s = 0; for (int i = 0; i < 8; i++) s += w[i]; return s; }\n"
CAUSAL = """#include <math.h>
void causal(int n, double a[n][n]) {
  for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) a[i][j] = -INFINITY;
}
"""

needs_gcc = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with some sources."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "product.c").write_text(PRODUCT, encoding="utf-8")
    (tmp_path / "strided.c").write_text(STRIDED, encoding="utf-8")
    (tmp_path / "first.c").write_text(FIRST, encoding="utf-8")
    (tmp_path / "quotients.c").write_text(QUOTIENTS, encoding="utf-8")
    (tmp_path / "away.c").write_text(QUOTIENTS.replace("/ b[i]", "/ (1 - b[i])"), encoding="utf-8")
    (tmp_path / "gather.c").write_text(GATHER, encoding="utf-8")
    (tmp_path / "part.c").write_text(PART, encoding="utf-8")
    (tmp_path / "causal.c").write_text(CAUSAL, encoding="utf-8")
    (tmp_path / "search.c").write_text(SEARCH, encoding="utf-8")
    (tmp_path / "factor.c").write_text("#include <math.h>\n" + SOLVED, encoding="utf-8")
    (tmp_path / "two.c").write_text(PRODUCT + STRIDED, encoding="utf-8")
    (tmp_path / "p.py").write_text(
        "import numpy as np\ndef twice(a: np.ndarray):\n    for i in range(a.shape[0]):\n        a[i] = 2.0 * a[i]\n",
        encoding="utf-8",
    )
    (tmp_path / "copy.mlir").write_text(
        "func.func @twice(%n: index, %a: memref<?xf64>) {\n  affine.for %i = 0 to %n {\n"
        "    %0 = affine.load %a[%i] : memref<?xf64>\n    %1 = arith.addf %0, %0 : f64\n"
        "    affine.store %1, %a[%i] : memref<?xf64>\n  }\n  return\n}\n",
        encoding="utf-8",
    )
    return tmp_path


def test_outputs_are_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "product.c", "--sizes", "n=30,m=20"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head == "product on numpy (cpu), n = 30, m = 20: seed 0, any inputs"
    name, spelled, label, _, _, digest = row.split()
    assert (name, spelled, label, len(digest)) == ("y", "float64[30]", "sum", 16)


def test_the_same_seed_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for seed in ("3", "3", "4"):
        assert main(["run", "product.c", "--sizes", "n=30,m=20", "--seed", seed]) == 0
        shown.append(capsys.readouterr().out.split("sha256")[1])
    assert shown[0] == shown[1] != shown[2]


@pytest.mark.in_turns(2)
@needs_gcc
@pytest.mark.parametrize(
    ("file", "sizes", "style"),
    [
        ("product.c", "n=40,m=30", "any"),
        ("strided.c", "m=30,n=20,lda=23", "any"),
        ("quotients.c", "n=20000", "nonzero"),
        ("factor.c", "n=150", "tame"),
        ("away.c", "n=20000", "tame"),
        ("gather.c", "n=50,v=7", "any"),
        ("causal.c", "n=20", "tame"),
    ],
)
def test_programs_agree_with_the_compiled_original(
    file: str, sizes: str, style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", file, "--sizes", sizes, "--compare"]) == 0
    out = capsys.readouterr().out
    assert f", {style} inputs" in out
    assert "agrees with the original (gcc): largest difference" in out


def test_an_extent_without_a_name_is_the_least_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "part.c"]) == 0
    assert main(["run", "part.c", "--sizes", "w_size=20"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines() if ":" in line] == [
        "part on numpy (cpu), w_size = 8",
        "part on numpy (cpu), w_size = 20",
    ]


def test_a_python_original_is_run_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "p.py", "--sizes", "a_shape0=50", "--compare"]) == 0
    assert "agrees with the original (python)" in capsys.readouterr().out


@pytest.mark.in_turns(2)
@needs_gcc
@pytest.mark.parametrize("backend", ["jax", "xla", "torch", "torch-compile", "mlir", "c"])
def test_other_backends_agree(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    row = backends.get_backend(backend)
    if backends.missing(row):
        pytest.skip(f"what runs {row.module} is not installed")
    arguments = ["--sizes", "n=40,m=30", "--backend", backend, "--time-limit", "1200"]
    assert main(["run", "product.c", *arguments, "--compare"]) == 0
    assert "agrees with the original (gcc)" in capsys.readouterr().out


@needs_gcc
def test_results_that_differ_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorlift.runtime import measure  # noqa: PLC0415 - patched here

    described = measure._described

    def wrong(*arguments: object, **options: object) -> dict[str, object]:
        found = described(*arguments, **options)  # type: ignore[arg-type]  # handed on as they are
        return found | {"text": found["text"].replace("a @ x", "a @ x + 1.0")}

    monkeypatch.setattr(measure, "_described", wrong)
    assert main(["run", "product.c", "--sizes", "n=40,m=30", "--compare"]) == 1
    assert "error: the program differs from the original (gcc): y[0] is " in capsys.readouterr().err


def test_results_are_written(folder: Path) -> None:
    assert main(["run", "product.c", "--sizes", "n=30,m=20", "-o", "out.npz"]) == 0
    with np.load(folder / "out.npz") as stored:
        assert {name: stored[name].shape for name in stored.files} == {"y": (30,)}


def test_processes_end_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "factor.c", "--sizes", "n=2000", "--time-limit", "2"]) == 2
    assert "running 'factor' on numpy takes longer than 2 s [TL637]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["product.c", "--sizes", "n=3,m=2", "--backend", "nunpy"], "there is no backend 'nunpy' [TL630]"),
        (["product.c", "--sizes", "n"], "'n' is no size [TL631]"),
        (["product.c", "--sizes", "n=3,m=2,k=1"], "'product' has no size 'k' [TL631]"),
        (["product.c", "--sizes", "n=3"], "'product' needs the size m [TL632]"),
        (["product.c"], "'product' needs the sizes n, m [TL632]"),
        (["first.c", "--sizes", "n=0"], "the precondition n >= 1 does not hold for n = 0 [TL633]"),
        (
            ["strided.c", "--sizes", "m=3,n=4,lda=3"],
            "the precondition n <= lda does not hold for m = 3, n = 4, lda = 3 [TL633]",
        ),
        (["product.c", "--sizes", "n=3,m=2", "--device", "gpu"], "the backend 'numpy' does not run on a GPU [TL635]"),
        (["product.c", "--sizes", "n=900000,m=900000"], "the arrays take too much memory: about 38880."),
        (["two.c", "--sizes", "n=3,m=2"], "'two.c' defines several functions: product, scale [TL551]"),
        (["two.c", "--function", "other"], "there is no function `other`; the file defines product, scale [TL105]"),
        (["copy.mlir", "--sizes", "n=4", "--compare"], "there is no original to compare with: 'copy.mlir' is not "),
        (["product.c", "--sizes", "n=3,m=2", "-o", "product.c"], "cannot write 'product.c': it is the source [TL505]"),
        (["product.c", "--sizes", "n=3,m=2", "-o", "no/out.npz"], "cannot write 'no/out.npz': its directory does "),
        (["none.c"], "cannot read 'none.c': there is no such file [TL501]"),
    ],
)
def test_wrong_requests(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *arguments]) == 2
    err = capsys.readouterr().err
    assert f"error: {message}" in err
    assert "  help: " in err


def test_refused_functions_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "search.c", "--sizes", "n=4"]) == 1
    assert "search.c:1:" in capsys.readouterr().err


def test_a_missing_library_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda _name: None)
    assert main(["run", "product.c", "--sizes", "n=3,m=2", "--backend", "jax"]) == 2
    err = capsys.readouterr().err
    assert "error: running the lifted program needs jax, which is not installed [TL607]" in err
    assert "  help: install it: pip install 'tensorlift[jax]'" in err


def test_a_missing_compiler_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert main(["run", "product.c", "--sizes", "n=3,m=2", "--compare"]) == 2
    assert "error: there is no C compiler to measure [TL601]" in capsys.readouterr().err


def test_a_missing_device_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    row = Backend("torch", "torch", "torch", devices=("cpu", "gpu"))
    monkeypatch.setattr(backends, "BACKENDS", (row,))
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    assert main(["run", "product.c", "--sizes", "n=3,m=2", "--backend", "torch", "--device", "gpu"]) == 2
    assert "error: there is no GPU to run on: PyTorch finds no GPU [TL635]" in capsys.readouterr().err


def test_a_contender_has_a_name_of_its_own() -> None:
    from tensorlift.runtime.compilers import COMPILERS  # noqa: PLC0415 - no other test needs it

    assert measure_worker.PROGRAM not in {compiler.name for compiler in COMPILERS}
