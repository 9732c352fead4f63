"""Tactics over modules: what the builder says is what a nest becomes, proved; what is wrong is refused at its place."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from bench.mlir_in_place import find_blas, load_in_place
from bench.papers import PAGE
from bench.raising import NAMES, arguments_of, nest
from bench.raising_tables import SITES
from bench.raising_tables import raised as kernel_raised

from tensorlift.cli import main
from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.tactics import RaiseWithTactics
from tensorlift.runtime.mlir.tools import checked, find_tools

_TOOLS = find_tools()
_COMPILED = pytest.mark.skipif(
    _TOOLS is None or find_blas() is None, reason="upstream MLIR's tools or OpenBLAS are not installed"
)
_IRDL = """irdl.dialect @vec {
  irdl.operation @axpy {
    %factor = irdl.is f64
    %x = irdl.base "!builtin.memref"
    %y = irdl.base "!builtin.memref"
    irdl.operands(factor: %factor, x: %x, y: %y)
  }
}
"""
_TTGT = (Path(__file__).parents[2] / "examples" / "ttgt.tdl").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the definition of a dialect."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vec.irdl.mlir").write_text(_IRDL)
    return tmp_path


def product(spec: str) -> str:
    """Write a sum of products as a nest: ``ij-ik-kj`` is a product of matrices, ``i+k`` a window."""
    sides = [tuple(re.findall(r"\w(?:\+\w)?", side)) for side in spec.split("-")]
    letters = sorted({letter for side in sides for axis in side for letter in axis.split("+")})
    return nest(sides, {letter: 3 + position for position, letter in enumerate(letters)}, "f")


def raised(tactics: str, module: str, *, irdl: bool = False) -> tuple[str, str]:
    """Raise a module by tactics; give the text of it and what is said."""
    text = tactics if "def " in tactics else f"def own {{ pattern = builder {tactics} }}"
    Path("own.tdl").write_text(text, encoding="utf-8")
    one = RaiseWithTactics(file="own.tdl", irdl=("vec.irdl.mlir",) if irdl else (), explain=True)
    result = run_passes(module, "in.mlir", [one], guards=False)
    if _TOOLS is not None and not irdl:
        checked(result.text, _TOOLS)
    return result.text, "\n".join(d.message for d in result.diagnostics)


def operations(text: str) -> list[str]:
    """List the operations of a module's function ``f`` that work on whole arrays, and its loops."""
    body = text[text.index("func.func @f(") :].partition("func.return")[0]
    found = re.findall(
        r"(?:^|[\"\s.])((?:linalg|vec)\.\w+|memref\.\w+_shape|affine\.for|call @\w+)", body, re.MULTILINE
    )
    return [name for name in found if name != "linalg.yield"]


_AXPY_LOOP = """
  affine.for %i = 0 to %n {
    %p = affine.load %x[%i] : memref<?xf64>
    %q = affine.load %y[%i] : memref<?xf64>
    %r = arith.mulf %a, %p : f64
    %s = arith.addf %q, %r : f64
    affine.store %s, %y[%i] : memref<?xf64>
  }
  return
}
"""
_AXPY = f"func.func @f(%a: f64, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {{{_AXPY_LOOP}"
_THREE = """def never { pattern = builder s() += x(k) * y(k) }
def first { pattern = builder C(i, j) += A(i, k) * B(k, j) as linalg.generic }
def second { pattern = builder C(i, j) += A(i, k) * B(k, j) }"""
_FIRES = {
    "matvec": ("y(i) += A(i, k) * x(k) as linalg.matvec", "i-ik-k", ["linalg.matvec"]),
    "as the pattern says": ("C(i, j) += A(i, k) * B(k, j)", "ij-ik-kj", ["linalg.matmul"]),
    "windows": ("O(y, x) += I(y + p, x + q) * W(p, q) as linalg.conv_2d", "yx-y+px+q-pq", ["linalg.conv_2d"]),
    "transposed": ("C(i, j) += A(k, i) * B(k, j)", "ij-ki-kj", ["linalg.transpose", "linalg.matmul"]),
    "generic": ("C(i, j) += A(k, i) * B(k, j) as linalg.generic", "ij-ki-kj", ["linalg.generic"]),
    "batches": ("C(b, i, j) += A(b, i, k) * B(b, k, j)", "bij-bik-bkj", ["linalg.batch_matmul"]),
    "loops": ("C(i, j) += A(i, k) * B(k, j) as affine.for", "ij-ik-kj", ["affine.for"] * 3),
    "BLAS": ("C(i, j) += A(k, i) * B(k, j) as @cblas_dgemm", "ij-ki-kj", ["call @blas_dgemm_tn"]),
    "a function": ("y(i) += A(i, k) * x(k) as @my_gemv(x, A, y)", "i-ik-k", ["call @my_gemv"]),
    "a function that takes an array twice": (
        "y(i) += A(i, k) * x(k) as @my_gemv(x, A, y, y)",
        "i-ik-k",
        ["call @my_gemv"],
    ),
    "a copy of what a function computes": (
        """def own { pattern y(i) += A(i, k) * x(k)
          builder s(i) = y(i) s(i) += A(i, k) * x(k) as @my_gemv(x, A, s) y(i) = s(i) }""",
        "i-ik-k",
        ["call @my_gemv"],  # on the array itself
    ),
    "as written": (
        _TTGT,
        "abc-acd-db",
        [*["linalg.transpose"], *["memref.collapse_shape"] * 2, "linalg.matmul", "linalg.transpose"],
    ),
    "worked out": (
        "C(a, b, c) += A(a, d, c) * B(d, b)",
        "abc-adc-db",
        [
            *("linalg.transpose", "linalg.fill", "memref.collapse_shape", "memref.collapse_shape", "linalg.matmul"),
            *("linalg.transpose", "linalg.generic"),
        ],
    ),
    "only reshaped": (
        "def joint { pattern C(m, n, p) += A(m, k) * B(k, n, p) builder C(m, f) += A(m, k) * B(k, f) where f = n * p }",
        "mnp-mk-knp",
        ["memref.collapse_shape", "memref.collapse_shape", "linalg.matmul"],
    ),
    "arrays that the builder names": (
        "def steps { pattern y(i) += A(i, k) * x(k) builder z(i) += A(i, k) * x(k) y(i) = y(i) + z(i) }",
        "i-ik-k",
        ["linalg.fill", "linalg.matvec", "linalg.generic"],
    ),
    "in order": (
        _THREE,
        "ij-ik-kj",
        ["linalg.generic"],
    ),
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", _FIRES)
def test_a_nest_becomes_what_the_builder_says(name: str) -> None:
    tactics, spec, wanted = _FIRES[name]
    text, said = raised(tactics, product(spec))
    assert operations(text) == wanted
    assert "the nest becomes" in said


def test_a_users_operation_stands_where_its_definition_takes_the_operands() -> None:
    text, said = raised("y(i) += a * x(i) as vec.axpy(a, x, y)", _AXPY, irdl=True)
    assert operations(text) == ["vec.axpy"]
    assert '"vec.axpy"(%a, %x_1, %y_1) : (f64, memref<?xf64, strided<[1]>>' in text
    assert "`vec.axpy` is taken to compute `y(i) += a * x(i)`, as the tactic says" in said
    text, said = raised("y(i) += a * x(i) as vec.axpy(x, a, y)", _AXPY, irdl=True)
    assert operations(text) == ["affine.for"]
    assert "its definition has no factor of the type memref" in said


_AXPY_MEANS = f"""func.func @vec.axpy$f64(%a: f64, %x: memref<?xf64>, %y: memref<?xf64>) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf64>{_AXPY_LOOP}"""


@pytest.mark.parametrize(("lowering", "fires"), [(_AXPY_MEANS, True), (_AXPY_MEANS.replace("addf", "subf"), False)])
def test_a_users_operation_means_its_lowering_where_there_is_one(folder: Path, lowering: str, *, fires: bool) -> None:
    (folder / "own.tdl").write_text("def own { pattern = builder y(i) += a * x(i) as vec.axpy(a, x, y) }")
    (folder / "means.mlir").write_text(lowering)
    one = RaiseWithTactics(file="own.tdl", irdl=("vec.irdl.mlir",), lowering="means.mlir", explain=True)
    result = run_passes(_AXPY, "in.mlir", [one], guards=False)
    assert operations(result.text) == (["vec.axpy"] if fires else ["affine.for"])
    said = [d.message for d in result.diagnostics if d.code == "TL599"]
    assert fires is not any("what it builds is refused: y is not proved to be" in one for one in said)


def test_functions_of_the_module_with_the_names_of_operations_stay(folder: Path) -> None:
    (folder / "own.tdl").write_text("def own { pattern = builder y(i) += a * x(i) as vec.axpy(a, x, y) }")
    (folder / "means.mlir").write_text(_AXPY_MEANS)
    own = "func.func private @vec.axpy(memref<?xf64>)\n"
    second = _AXPY[_AXPY.index("  affine.for") : _AXPY.index("  return")].replace("%i]", "%i + 1]")
    module = own + _AXPY.replace("  return", f"{second}  func.call @vec.axpy(%x) : (memref<?xf64>) -> ()\n  return")
    one = RaiseWithTactics(file="own.tdl", irdl=("vec.irdl.mlir",), lowering="means.mlir")
    text = run_passes(module, "in.mlir", [one], guards=False).text
    assert text.count('"vec.axpy"(%a') == 2
    assert "strided<[1], offset: 1>" in text
    assert "func.call @vec.axpy(%x)" in text


_GEMV = (
    product("i-ik-k")
    .replace("@f", "@my_gemv")
    .replace("memref<3xf64>", "memref<?xf64>")
    .replace("memref<4xf64>", "memref<?xf64>")
    .replace("memref<3x4xf64>", "memref<?x4xf64>")
)


def test_a_function_of_the_module_means_its_loops_and_is_not_raised_to_itself() -> None:
    tactic = "y(i) += A(i, k) * x(k) as @my_gemv(y, A, x)"
    text, said = raised(tactic, _GEMV + product("i-ik-k"))
    assert operations(text) == ["call @my_gemv"]
    assert "is taken to compute" not in said
    assert "affine.for" in text[: text.index("@f(")]
    text, said = raised(tactic, _GEMV.replace("addf", "subf") + product("i-ik-k"))
    assert operations(text) == ["affine.for", "affine.for"]
    assert "what it builds is refused: C is not proved" in said
    _, said = raised("y(i) += A(i, k) * x(k) as @my_gemv(A, y, x)", _GEMV + product("i-ik-k"))
    assert "the function @my_gemv takes other operands" in said


def test_loops_stand_in_any_order_beside_other_code() -> None:
    module = product("ij-ik-kj").replace("%i =", "%x =").replace("%k =", "%i =").replace("%x =", "%k =")
    module = module.replace("affine.for %k = 0 to 3", "affine.for %k = 0 to 5", 1)
    module = module.replace("affine.for %i = 0 to 5", "affine.for %i = 0 to 3", 1)
    module = module.replace("return", "func.call @g(%C) : (memref<3x4xf64>) -> ()\nreturn")
    text, _ = raised("C(i, j) += A(i, k) * B(k, j)", f"func.func private @g(memref<3x4xf64>)\n{module}")
    assert operations(text) == ["linalg.matmul", "call @g"]


def test_a_product_inside_of_a_batch_is_raised_where_it_is() -> None:
    text, _ = raised("C(i, j) += A(i, k) * B(k, j)", product("bij-bik-bkj"))
    assert operations(text) == ["affine.for", "linalg.matmul"]


def test_what_no_tactic_covers_stays_among_what_one_covers() -> None:
    module = product("i-ik-k").replace(
        "return",
        "affine.for %i = 0 to 3 {\n%v = affine.load %C[%i] : memref<3xf64>\n%e = math.exp %v : f64\n"
        "affine.store %e, %C[%i] : memref<3xf64>\n}\nreturn",
    )
    text, said = raised("y(i) += A(i, k) * x(k)", module)
    assert operations(text) == ["linalg.matvec", "affine.for"]
    assert "the nest stays as it is: no tactic covers it" in said


_LEVELS = """def loops { pattern = builder C(i, j) += A(i, k) * B(k, j) }
def calls { pattern = builder C(i, j) += A(i, k) * B(k, j) from linalg.matmul }"""


def test_a_tactic_for_operations_of_linalg_raises_what_loops_became() -> None:
    text, said = raised(_LEVELS.replace(" from", " as @cblas_dgemm from"), product("ij-ik-kj"))
    assert operations(text) == ["call @blas_dgemm_nn"]
    assert "the nest becomes linalg.matmul" in said
    assert "the operation becomes cblas_dgemm" in said
    text, said = raised(_LEVELS.replace("from linalg.matmul", "from linalg.generic"), product("ij-ik-kj"))
    assert operations(text) == ["linalg.matmul"]
    text, _ = raised(_LEVELS.partition("\n")[2], product("ij-ik-kj"))
    assert operations(text) == ["affine.for"] * 3


_FAILS = {
    "access": ("ij-ik-jk", "its access matcher `B(k, j)` does not match `B(i', k)`"),
    "structural": ("i-i-i", "its structural matcher `sum over k` does not match `C(i') + A(i') * B(i')`"),
    "store": ("ij-jk-ki", "its access matcher `C(i, j)` does not match the cells in their order"),
}


@pytest.mark.parametrize("kind", _FAILS)
def test_a_tactic_that_does_not_fire_says_at_which_matcher(kind: str) -> None:
    spec, why = _FAILS[kind]
    text, said = raised("C(i, j) += A(i, k) * B(k, j)", product(spec))
    assert f"the tactic `own` does not fire on `C`: {why}" in said.replace("what it builds is refused: ", "")
    assert set(operations(text)) == {"affine.for"}


@_COMPILED
@pytest.mark.parametrize("name", ["as written", "only reshaped", "BLAS"])
def test_what_is_raised_computes_the_same_when_it_runs(name: str) -> None:
    tactics, spec, _ = _FIRES[name]
    module = product(spec)
    values = arguments_of(module, "f", {})
    found = []
    for text in (module, raised(tactics, module)[0]):
        (call,) = load_in_place(text, "f")
        given = [value.copy() for value in values]
        call(*given)
        found.append(given)
    for one, other in zip(*found, strict=True):
        assert np.allclose(one, other)


_WRONG = [
    ("C(i, j) += A(i, k) * B(k, j) as linalg.matmull", "TL326", "1:61", "write `linalg.matmul`"),
    ("C(i, j) += A(i, k) * B(k, j) as arith.fma", "TL326", "1:61", "use one of: linalg.generic"),
    ("C(i, j) += A(i, k) * B(k, j) as @cblas_dgerm", "TL326", "1:61", "write `@cblas_dger`"),
    (
        "C(i, j) += A(i, k) * B(k, j) as vec.axpi",
        "TL326",
        "1:61",
        "define its dialect with --irdl-file FILE",
    ),
    ("C(i, j) += A(i, k) * B(k, j) as my.op(A, D)", "TL322", "1:61", "name arrays and scalars of the statement"),
    ("C(i, j) += A(i, k) * B(k, j) as @op(A, C)", "TL323", "1:61", "name all arrays and scalars of the statement, or"),
    ("C(i, j) += A(i, k) * B(k, j) as @op(A, B)", "TL323", "1:61", "name all arrays and scalars of the statement, or"),
    ("C(i, j) += A(i, k) * B(k, j) as linalg.matmul(A)", "TL323", "1:61", "write `as linalg.matmul`"),
    ("C(i, j) += A(i, k) * B(k, j) from linalg.matmull", "TL326", "1:63", "write `linalg.matmul`"),
    ("C(i, j) += A(i, k) * B(k, j) as", "TL321", "1:61", "write `def NAME"),
]


@pytest.mark.parametrize("wrong", _WRONG)
def test_operations_that_are_none_are_refused_at_their_place(
    wrong: tuple[str, str, str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, code, place, remedy = wrong
    (folder / "in.mlir").write_text(product("ij-ik-kj"))
    (folder / "own.tdl").write_text(f"def own {{ pattern = builder {text} }}")
    assert main(["opt", "in.mlir", "--tactics", "own.tdl"]) == 2
    told = capsys.readouterr().err
    assert f"own.tdl:{place}: error: " in told
    assert f"[{code}]" in told
    assert f"help: {remedy}" in told


def test_a_tactic_that_contradicts_itself_is_not_applied(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "in.mlir").write_text(product("ij-ik-kj"))
    (folder / "own.tdl").write_text(
        "def own { pattern C(i, j) += A(i, k) * B(k, j) builder C(i, j) -= A(i, k) * B(k, j) }"
    )
    assert main(["opt", "in.mlir", "--tactics", "own.tdl"]) == 2
    shown = capsys.readouterr()
    assert "contradicts itself" in shown.err
    assert not shown.out


def test_flags_make_the_pass_and_its_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "in.mlir").write_text(_AXPY)
    (folder / 'a "b.tdl').write_text("def own { pattern = builder y(i) += a * x(i) as vec.axpy(a, x, y) }")
    flags = ["--tactics", 'a "b.tdl', "--irdl-file", "vec.irdl.mlir", "--json", "r.json", "--cse"]
    assert main(["opt", "in.mlir", *flags]) == 0
    assert '"vec.axpy"(%' in capsys.readouterr().out
    assert main(["verify", "r.json"]) == 0
    assert main(["opt", "in.mlir", "--explain"]) == 2
    assert "--explain goes with --tactics FILE" in capsys.readouterr().err
    assert main(["opt", "in.mlir", "--pass-pipeline=raise-with-tactics"]) == 2
    assert "'raise-with-tactics' is no use of a pass" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gemver", "abc-acd-db"])
def test_tactics_find_the_products_of_the_papers_kernels(name: str) -> None:
    assert kernel_raised(name, "tactics to BLAS", 0.05).products == SITES[name]


def test_the_papers_tables_have_all_kernels() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("## Multi-Level Tactics\n")[2]
    assert SITES.keys() == set(NAMES)
    assert all(text.count(f"\n| {name} |") == 4 for name in NAMES)
    assert f"{sum(SITES.values())} of {sum(SITES.values())} products are found by tactics" in text
