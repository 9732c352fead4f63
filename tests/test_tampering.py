"""Certificates bind: no program, report or claim that was changed afterwards holds, sealed anew or not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tensorlift.cli import main
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.proofs.certificate import seal_of
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SOURCE = """#include <math.h>
double grow(int n, double s, double a[n], const double b[n]) {
  double r = 0.0;
  for (int i = 0; i < n; i++) a[i] = exp(b[i]) * s;
  for (int i = 0; i < n; i++) r += a[i];
  return r;
}
"""
_REPORTS: dict[str, str] = {}


def _report(target: str) -> dict[str, Any]:
    if target not in _REPORTS:
        record = lift_source(source_from_text(SOURCE, "grow.c"), LiftOptions(target=target))
        _REPORTS[target] = record.to_json()
    report: dict[str, Any] = json.loads(_REPORTS[target])
    return report


def _sealed(certificate: Mapping[str, Any], **changes: object) -> dict[str, Any]:
    changed = {**certificate, **changes}
    return {**changed, "seal": seal_of(changed)}


def _refusals(target: str, *changes: tuple[str, str]) -> list[str]:
    """Put other text into a program, seal its certificate anew, and say why it does not hold."""
    certificate = _report(target)["functions"][0]["certificate"]
    text = certificate["program"]
    for old, new in changes:
        assert old in text, text
        text = text.replace(old, new, 1)
    return [diagnostic.message for diagnostic in verify(_sealed(certificate, program=text))]


@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "c", "linalg", "stablehlo"])
def test_what_was_not_changed_holds(target: str) -> None:
    certificate = _report(target)["functions"][0]["certificate"]
    assert verify(certificate) == ()
    assert verify(_sealed(certificate)) == ()


LAST_INCLUDE = "#include <stdlib.h>\n"
OPENING = "\n{\n"
CLOSING = "\n}\n"
IN_C = [
    (LAST_INCLUDE, LAST_INCLUDE + 'double exp(double) __asm__("log");\n', "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "double exp(double);\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "__attribute__((constructor)) static void f(void) { abort(); }\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + '__asm__(".globl x");\n', "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "int main(void) { return 0; }\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "void *malloc(size_t n) { return 0; }\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "#define exp log\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "#include <stdio.h>\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + '#include "math.h"\n', "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "%:define exp log\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "??=define exp log\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "#def\\\nine exp log\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + '_Pragma("weak exp = log")\n', "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "typedef float double_;\n", "no include"),
    (LAST_INCLUDE, LAST_INCLUDE + "\nstatic double twice(double x) { return 2 * x; }\n", "does not begin"),
    (LAST_INCLUDE, LAST_INCLUDE + LAST_INCLUDE, "no include"),
    ("static double grow_lifted", '__attribute__((section("x"))) static double grow_lifted', "does not begin"),
    ("static double grow_lifted", "static inline double grow_lifted", "does not begin"),
    ("static double grow_lifted", "double grow_lifted", "alone"),
    ("restrict n]", "restrict n++]", "in the parameters"),
    ("restrict n]", "restrict abs(n)]", "call of abs"),
    (OPENING, '\n{\n  extern double exp(double) __asm__("log");\n', "no part of a program"),
    (OPENING, "\n{\n  double exp(double);\n", "exp is declared anew"),
    (OPENING, "\n{\n  static double kept = 0.0;\n", "static"),
    (OPENING, "\n{\n  volatile double seen = 0.0;\n", "volatile"),
    (OPENING, '\n{\n  __asm__("nop");\n', "no part of a program"),
    (OPENING, "\n{\n  abort();\n", "a call of abort"),
    (OPENING, "\n{\n  free(a);\n", "a call of free"),
    (OPENING, "\n{\n  double t __attribute__((cleanup(free))) = s;\n", "__attribute__"),
    (OPENING, "\n{\n  [[gnu::unused]] double t = s;\n", "more than loops"),
    (OPENING, "\n{\n  double t = ({ s; });\n", "more than loops"),
    (OPENING, "\n{\n  // a comment\n", "more than loops"),
    (OPENING, "\n{\n  /* a comment */\n", "more than loops"),
    (OPENING, "\n{\n  double t = s; again: t = s;\n", "again"),
    (OPENING, "\n{\n  double t = s; } int main(void) { double t = 0.0;\n", "a call of main"),
    (OPENING, '\n{\n  "text";\n', "no part of a program"),
    (OPENING, "\n{\n  #pragma weak exp = log\n", "no part of a program"),
    (OPENING, "\n{\n  double \N{CYRILLIC SMALL LETTER A} = s;\n", "no part of a program"),
    (CLOSING, "\n}\n\nint main(void) { return 0; }\n", "the original is not declared"),
    ("double grow_original(", "__attribute__((constructor)) double grow_original(", "not what the program returns"),
    ("double grow_original(", "float grow_original(", "not what the program returns"),
    ("double grow_original(", 'double exp(double) __asm__("log"); double grow_original(', "asm label"),
    ("double grow_original(int n, double s", "double grow_original(int n, float s", "of another type"),
    ("double grow_original(int n, double s", "double grow_original(double n, double s", "of another type"),
    (
        "double grow_original(int n, double s, double *a",
        "double grow_original(int n, double s, float *a",
        "another type",
    ),
    ("const double *b);", "const double *b) __attribute__((noreturn));", "__attribute__"),
    ("return ((uintptr_t)a", "return 1 | ((uintptr_t)a", "expected here"),
    ("#define TENSORLIFT_APART\n", "#define TENSORLIFT_APART\n#define exp log\n", "no directive"),
]


@pytest.mark.parametrize(("old", "new", "why"), IN_C)
def test_a_text_in_c_is_its_function_and_nothing_else(old: str, new: str, why: str) -> None:
    messages = _refusals("c", (old, new))
    assert messages
    assert why in messages[0]


def test_a_call_around_a_program_in_c_has_the_types_of_the_source() -> None:
    for old, new in (("int n, double s, double *a", "int n, float s, double *a"), ("double grow", "float grow")):
        certificate = _report("c")["functions"][0]["certificate"]
        text = certificate["program"]
        head, _, rest = text.rpartition("double grow_original")
        before, after = ("", "") if not head else (head, "double grow_original" + rest)
        changed = before + after.replace(old, new)
        assert changed != text
        assert verify(_sealed(certificate, program=changed))


IMPORT = "import numpy as np\n"
DEF = "def grow("
IN_PYTHON = [
    (IMPORT, IMPORT + "import os\n"),
    (IMPORT, IMPORT + "from os import *\n"),
    (IMPORT, IMPORT + "import numpy as xp\n"),
    (IMPORT, "import numpy as np, os\n"),
    (IMPORT, IMPORT + "np = None\n"),
    (IMPORT, IMPORT + "np.exp = np.log\n"),
    (IMPORT, IMPORT + "np: object = None\n"),
    (IMPORT, IMPORT + "(np := None)\n"),
    (IMPORT, IMPORT + "del np\n"),
    (IMPORT, IMPORT + "__all__ = ['grow']\n"),
    (IMPORT, IMPORT + "print('hello')\n"),
    (IMPORT, IMPORT + "if True:\n    import os\n"),
    (IMPORT, IMPORT + "for _ in range(2):\n    pass\n"),
    (IMPORT, IMPORT + "with open('x') as np:\n    pass\n"),
    (IMPORT, IMPORT + "try:\n    pass\nfinally:\n    pass\n"),
    (IMPORT, IMPORT + "assert np\n"),
    (IMPORT, IMPORT + "class Other:\n    print('hello')\n"),
    (IMPORT, IMPORT + "f'{print(1)}'\n"),
    (IMPORT, IMPORT + "lambda: 1\n"),
    (IMPORT, IMPORT + "def other():\n    return 1\n"),
    (IMPORT, IMPORT + "async def other():\n    return 1\n"),
    (IMPORT, IMPORT + "def __getattr__(name):\n    return 1\n"),
    (IMPORT, IMPORT + "def np():\n    return 1\n"),
    (IMPORT, IMPORT + "def range(n):\n    return n\n"),
    (IMPORT, "# -*- coding: utf-7 -*-\n" + IMPORT),
    (IMPORT, IMPORT + "# vim: set fileencoding=rot13 :\n"),
    (DEF, "@print\ndef grow("),
    (DEF, "def grow(np=print('hello'), *, "),
    ("(s, b):", "(s, b=print('hello')):"),
    ("(s, b):", "(s, b, *rest):"),
    ("(s, b):", "(s, b, **rest):"),
    ("(s, b):", "(s, b, *, np=None):"),
    ("(s, b):", "(s, b) -> print('hello'):"),
    ("(s, b):", "(s, b: print('hello')):"),
    ("(s, b):", "(s, np):"),
    ("(s, b):", "(s, b):\n    global np\n    np = None"),
    ("(s, b):", "(s, b):\n    import os"),
    ("(s, b):", "(s, b):\n    np = b"),
    ("(s, b):", "(s, b):\n    print(b)"),
    ("(s, b):", "(s, b):\n    np.exp = np.log"),
    ("(s, b):", "(s, b):\n    b[:] = 0.0"),
    ("(s, b):", "(s, b):\n    if s > 0:\n        return b"),
    ("(s, b):", "(s, b):\n    (np := b)"),
    ("(s, b):", "(s, b):\n    yield b"),
    ("    return ", "    return (lambda: print('hello'))() or "),
    ("    return ", "    return [b for b in (b,)] and "),
]


def _with_signature(old: str, target: str) -> str:
    program = _report(target)["functions"][0]["certificate"]["program"]
    start = program.index("def grow(") + len("def grow")
    return program[start : program.index(":", start) + 1] if old == "(s, b):" else old


@pytest.mark.parametrize(("old", "new"), IN_PYTHON)
def test_a_text_in_python_is_its_function_and_nothing_else(old: str, new: str) -> None:
    assert _refusals("numpy", (_with_signature(old, "numpy"), new))


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_nothing_stands_behind_a_return_or_an_unused_function(target: str) -> None:
    certificate = _report(target)["functions"][0]["certificate"]
    program = certificate["program"].rstrip("\n")
    for added, why in (
        ("    __import__('os')\n", "after a return"),
        ("def other():\n    exit()\n", "is never called"),
    ):
        changed = _sealed(certificate, program=f"{program}\n{added}")
        assert why in verify(changed)[0].message
    for start in ("exec('')\n", "jax = 1\n", "import os\n", "def other():\n    return 1\n"):
        assert verify(_sealed(certificate, program=start + program))


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_a_module_is_its_function_and_nothing_else(target: str) -> None:
    certificate = _report(target)["functions"][0]["certificate"]
    text = certificate["program"]
    first = text.index("%", text.index("(")), text.index(":", text.index("("))
    name = text[first[0] : first[1]]
    changes = [
        ("func.func @grow(", "func.func private @other(f64)\nfunc.func @grow("),
        ("func.func @grow(", "func.func private @grow("),
        ("func.func @grow(", "func.func @other() {\n  return\n}\nfunc.func @grow("),
        (") {\n", ') attributes {llvm.emit_c_interface, passthrough = ["noreturn"]} {\n'),
        (f"{name}: f64", f"{name}: f64 {{bufferization.writable = true}}"),
        (f"{name}: tensor<f64>", f"{name}: tensor<f64> {{tf.aliasing_output = 0 : i32}}"),
        (") {\n", ") {\n  func.call @grow() : () -> ()\n"),
        (") {\n", ') {\n  "other.op"() : () -> ()\n'),
        ("indexing_maps = [", 'library_call = "other", indexing_maps = ['),
        ("stablehlo.exponential %", "stablehlo.exponential {result_accuracy = 1} %"),
        (") {\n", ") {\n  %x = stablehlo.custom_call @other() {has_side_effect = true} : () -> tensor<f64>\n"),
    ]
    tried = 0
    for old, new in changes:
        if old in text:
            tried += 1
            assert verify(_sealed(certificate, program=text.replace(old, new, 1))), (old, new)
    assert tried >= 8
    whole = f"module attributes {{transform.with_named_sequence}} {{\n{text}}}\n"
    assert verify(_sealed(certificate, program=whole))
    assert verify(_sealed(certificate, program=f'#loc = loc("x")\n{text}func.func @grow() {{ return }}\n'))


def _write(content: object, folder: Path) -> str:
    target = folder / "report.json"
    target.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(target)


IN_REPORTS: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("another program", lambda r: r["functions"][0].update(program="print('hello')\n")),
    ("another name", lambda r: r["functions"][0].update(name="shrink")),
    ("another target", lambda r: r["functions"][0].update(target="jax")),
    ("another level", lambda r: r["functions"][0].update(level="tested")),
    ("another numerics", lambda r: r["functions"][0].update(numerics="ieee")),
    ("other preconditions", lambda r: r["functions"][0].update(preconditions=[])),
    ("other preconditions", lambda r: r["functions"][0]["preconditions"][0].update(text="n >= 7")),
    ("of another source", lambda r: r["source"].update(sha256="0" * 64)),
    ("of another source", lambda r: r.update(source=None)),
    ("no certificate", lambda r: r["functions"].append({**r["functions"][0], "certificate": None})),
]


@pytest.mark.parametrize(("why", "change"), IN_REPORTS)
def test_a_report_says_what_its_certificates_say(
    why: str, change: Callable[[dict[str, Any]], object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = _report("numpy")
    change(report)
    assert main(["verify", _write(report, tmp_path)]) == 1
    shown = capsys.readouterr()
    assert "does not hold" in shown.out
    assert why in shown.err


def test_a_key_that_stands_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = json.dumps(_report("numpy"))
    assert main(["verify", _write(text.replace('"program":', '"program": "1", "program":', 1), tmp_path)]) == 2
    assert "an object has a key twice" in capsys.readouterr().err


@pytest.mark.parametrize("digest", ["", "0" * 63, "0" * 65, "g" * 64, "A" * 64, " " + "0" * 63])
def test_a_digest_is_demanded(digest: str) -> None:
    certificate = _report("numpy")["functions"][0]["certificate"]
    listed: tuple[list[str], ...] = (certificate["preconditions"], [])
    for stated in listed:
        (found,) = verify(_sealed(certificate, source_sha256=digest, preconditions=stated))
        assert found.message == "the certificate does not name its source by a SHA-256"


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("target", ["numpy", "c", "linalg"])
def test_a_certificate_is_compared_with_its_source(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, other = tmp_path / "grow.c", tmp_path / "other.c"
    file.write_text(SOURCE, encoding="utf-8")
    other.write_text(SOURCE.replace("* s", "+ s"), encoding="utf-8")
    report = _report(target)
    path = _write(report, tmp_path)
    assert main(["verify", path, "--source", str(file)]) == 0
    assert capsys.readouterr().out == "grow: holds, its definitions proved\n"
    assert main(["verify", path]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("not checked: that definitions and preconditions are")
    assert main(["verify", path, "--source", str(other)]) == 1
    assert "its digest is another" in capsys.readouterr().err

    def forged(**changes: object) -> str:
        certificate = _sealed(report["functions"][0]["certificate"], **changes)
        return _write(certificate, tmp_path)

    digest = source_from_text(other.read_text(encoding="utf-8")).sha256
    assert main(["verify", forged(source_sha256=digest), "--source", str(other)]) == 1
    assert "has other definitions" in capsys.readouterr().err
    apart = [text for text in report["functions"][0]["certificate"]["preconditions"] if "shares" not in text]
    if target != "c":  # whose program checks them itself
        assert main(["verify", forged(preconditions=apart), "--source", str(file)]) == 1
        assert "asks for something else of its callers" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["static_shapes", "relu"])
def test_both_halves_of_a_function_in_mlir_are_decided_again(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path("bench") / "mlir_programs" / f"{name}.mlir"
    text = file.read_text(encoding="utf-8")
    report = json.loads(lift_source(source_from_text(text, str(file)), LiftOptions()).to_json())
    assert report["functions"][0]["definitions"] == "proved"
    assert main(["verify", _write(report, tmp_path), "--source", str(file)]) == 0
    assert capsys.readouterr().out.endswith(": holds, its definitions proved\n")


def test_a_certificate_of_python_is_compared_with_its_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "def grow(x: list[float], s: float):\n    for i in range(len(x)):\n        x[i] *= s\n"
    file, other = tmp_path / "grow.py", tmp_path / "other.py"
    file.write_text(text, encoding="utf-8")
    other.write_text(text.replace("*=", "+="), encoding="utf-8")
    report = json.loads(lift_source(source_from_text(text, "grow.py"), LiftOptions()).to_json())
    assert report["functions"][0]["definitions"] == "proved"
    assert main(["verify", _write(report, tmp_path), "--source", str(file)]) == 0
    assert capsys.readouterr().out == "grow: holds, its definitions proved\n"
    digest = source_from_text(other.read_text(encoding="utf-8")).sha256
    forged = _sealed(report["functions"][0]["certificate"], source_sha256=digest)
    assert main(["verify", _write(forged, tmp_path), "--source", str(other)]) == 1
    assert "has other definitions" in capsys.readouterr().err


def test_a_source_that_is_not_shown_to_compute_its_definitions_is_compared_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "while True:\n        if i >= n:\n            break\n        x[i] *= 2\n        i += 1\n"
    text = f"def grow(x: 'float64[:]', n: int):\n    i = 0\n    {body}"
    file = tmp_path / "grow.py"
    file.write_text(text, encoding="utf-8")
    report = json.loads(lift_source(source_from_text(text, "grow.py"), LiftOptions()).to_json())
    assert report["functions"][0]["definitions"] == "tested"
    assert main(["verify", _write(report, tmp_path), "--source", str(file)]) == 0
    assert capsys.readouterr().out == "grow: holds, its definitions tested\n"


def test_a_program_for_sizes_at_which_nothing_is_empty_is_compared_with_its_source(tmp_path: Path) -> None:
    text = """void f(int n, int m, const double *x, const double *h, double *y) {
      for (int i = 0; i < n; i++) {
        double a = 0;
        for (int k = 0; k < m; k++) if (i - k >= 0) a += h[k] * x[i - k];
        y[i] = a; } }"""
    file, other = tmp_path / "f.c", tmp_path / "other.c"
    file.write_text(text, encoding="utf-8")
    report = json.loads(lift_source(source_from_text(text, "f.c"), LiftOptions()).to_json())
    assert {"m >= 1", "n >= 1"} <= {one["text"] for one in report["functions"][0]["preconditions"]}
    assert main(["verify", _write(report, tmp_path), "--source", str(file)]) == 0
    other.write_text(text.replace("i - k >= 0", "i - k > 0"), encoding="utf-8")
    digest = source_from_text(other.read_text(encoding="utf-8")).sha256
    forged = _sealed(report["functions"][0]["certificate"], source_sha256=digest)
    assert main(["verify", _write(forged, tmp_path), "--source", str(other)]) == 1


def test_an_adapter_is_compared_with_its_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "grow.c"
    file.write_text(SOURCE, encoding="utf-8")
    report = json.loads(lift_source(source_from_text(SOURCE, "grow.c"), LiftOptions(adapter=True)).to_json())
    assert main(["verify", _write(report, tmp_path), "--source", str(file)]) == 0
    changed = copy.deepcopy(report)
    changed["functions"][0]["adapter"] += "\nprint('hello')\n"
    assert main(["verify", _write(changed, tmp_path), "--source", str(file)]) == 1
    assert "another adapter" in capsys.readouterr().err


def test_options_of_reading_go_with_a_source(tmp_path: Path) -> None:
    assert main(["verify", _write(_report("numpy"), tmp_path), "-D", "N=3"]) == 2


@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "c"])
def test_a_text_without_an_import_that_it_needs_is_refused(target: str) -> None:
    source = """#include <math.h>
    void f(int n, double s, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = exp(s * x[i]) + y[n - 1]; }
    double g(int n, const double *x, const double *y) {
      double s = 0;
      for (int i = 0; i < n; i++) s += x[i] * y[i];
      return s;
    }
    """
    for function in lift_source(source_from_text(source, "f.c"), LiftOptions(target=target)).functions:
        assert function.certificate is not None, function.diagnostics
        lines = function.program.splitlines(keepends=True)
        for line in lines:
            rest = "".join(other for other in lines if other != line).lstrip("\n")
            if line.startswith("#include ") or (
                line.startswith(("import ", "from ")) and f"{line.split()[-1]}." in rest
            ):
                assert verify(_sealed(function.certificate, program=rest)), (function.name, line)
