"""Reading ends: devices, pipes, macros that explode and full disks are diagnostics with the designed exit status."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from tensorlift import LiftError, lift, source
from tensorlift.cli import main
from tensorlift.frontends.c import bounded, libclang
from tensorlift.source import read_source

if TYPE_CHECKING:
    from pathlib import Path

FUNCTION = "void f(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] = a[i] * {}; }}\n"


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    name = tmp_path / "pipe"
    os.mkfifo(name)
    return str(name)


COMMANDS = [
    ["lift", "{}"], ["verify", "{}"], ["opt", "{}"], ["run", "{}", "--sizes", "n=3"], ["bench", "{}"],
    ["build", "{}", "-o", "lib.so"], ["tactics", "{}"], ["lift", "{}", "--in-place"],
    ["lift", "f.c", "--to", "auto", "--measured", "{}"], ["lift", "f.c", "-p", "{}"],
    ["lift", "f.c", "--engine", "tactics", "--tactics", "{}"],
    ["target", "add", "x", "--irdl", "{}", "--lowering", "{}"],
    ["verify", "r.json", "--source", "{}"],
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_is_no_regular_file_is_refused_by_every_command(
    command: list[str], pipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(FUNCTION.format(2), encoding="utf-8")
    (tmp_path / "r.json").write_text('{"function": "f"}', encoding="utf-8")
    for name in ("/dev/zero", pipe):
        assert main([part.format(name) for part in command]) == 2
        assert f"cannot read '{name}': " in (said := capsys.readouterr().err)
        assert "it is no regular file" in said


def test_files_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_BYTES", 10)
    (tmp_path / "f.c").write_text("x" * 11, encoding="utf-8")
    with pytest.raises(LiftError, match="it has more than 10 bytes"):
        read_source(str(tmp_path / "f.c"))


@pytest.mark.parametrize(
    "head",
    [
        '#include "{}"\n',
        "#include <{}>\n",
        '  #  include "{}"\n',
        '#define HEADER "{}"\n#include HEADER\n',
        '#inc\\\nlude "{}"\n',
        '%:include "{}"\n',
        '#include "middle.h"\n',
        '#if 1\n#include "{}"\n#endif\n',
    ],
)
def test_includes_are_regular_files(head: str, pipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("/dev/zero", pipe):
        (tmp_path / "middle.h").write_text(f'#include "{name}"\n', encoding="utf-8")
        for suffix in ("c", "cpp"):
            file = tmp_path / f"f.{suffix}"
            file.write_text(head.format(name) + FUNCTION.format(2), encoding="utf-8")
            assert main(["lift", str(file)]) == 1
            assert f"'{name}' is no regular file [TL102]" in capsys.readouterr().err


def test_files_that_are_read_first_are_regular_too(
    pipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.c"
    file.write_text(FUNCTION.format(2), encoding="utf-8")
    assert main(["lift", str(file), "-include", pipe]) == 1
    assert f"'{pipe}' is no regular file [TL102]" in capsys.readouterr().err


DOUBLED = "#define A0 1 +\n" + "".join(f"#define A{k} A{k - 1} A{k - 1}\n" for k in range(1, 31))
BOMBS = {
    "each twice the one before": DOUBLED + FUNCTION.format("(A30 0)"),
    "calls in calls": "#define F(x) x + x\n" + FUNCTION.format("F(" * 30 + "1" + ")" * 30),
    "long ones": (
        f"#define A {'1 + ' * 400}\n#define B {'A ' * 400}\n#define C {'B ' * 400}\n" + FUNCTION.format("(C 0)")
    ),
    "calls in bodies": (
        "#define F0(x) x+x\n"
        + "".join(f"#define F{k}(x) F{k - 1}(F{k - 1}(x))\n" for k in range(1, 6))
        + FUNCTION.format("F5(1)")
    ),
    "any number of arguments": (
        "#define F(...) __VA_ARGS__ + __VA_ARGS__\n" + FUNCTION.format("F(" * 30 + "1" + ")" * 30)
    ),
    "two definitions": "#ifdef X\n#define A0 1\n#endif\n" + DOUBLED + FUNCTION.format("(A30 0)"),
}


@pytest.mark.parametrize("what", BOMBS)
def test_macros_expand_to_a_bounded_text(what: str) -> None:
    with pytest.raises(LiftError, match="its macros expand to more than 5000000 tokens"):
        lift(BOMBS[what])


def test_macros_from_the_command_line_count() -> None:
    defines = ["A0=1 +", *(f"A{k}=A{k - 1} A{k - 1}" for k in range(1, 31))]
    with pytest.raises(LiftError, match="its macros expand to more than 5000000 tokens"):
        lift(FUNCTION.format("(A30 0)"), defines=defines)


def test_usual_macros_are_read() -> None:
    text = """#define N (M + 1)
#define M 3
#define SQUARE(x) ((x) * (x))
#define LOOP(i, n) for (int i = 0; i < (n); i++)
#define AT(i) a[i]
#define SELF SELF
#define OPEN (
#define F(x, ...) x
void f(int n, double *a) { LOOP(i, n) AT(i) = SQUARE(SQUARE(AT(i))) + N + F(1, 2, OPEN 3)); }
"""
    assert lift(text.replace(" + F(1, 2, OPEN 3))", "")).functions[0].program
    assert lift("#define N 3\n" + FUNCTION.format("N")).functions[0].program


def test_each_argument_counts_as_often_as_its_macro_has_it() -> None:
    """A polynomial by Horner's rule in fixed point is nested in the one argument that is there once."""
    head = "#define MUL(a, b) (((a) * (a) + (a)) * 3 + (b))\n"
    value = "a[i]"
    for _ in range(40):
        value = f"MUL(2, {value})"
    bounded.check_reading(head + FUNCTION.format(value), "f.c", [])
    with pytest.raises(LiftError, match="its macros expand to more than"):
        bounded.check_reading((head + FUNCTION.format(value)).replace("+ (b))", "+ (b) * (b))"), "f.c", [])


def test_the_parser_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "_SECONDS", 0.05)
    monkeypatch.setattr(libclang, "_index", lambda: time.sleep(0.5))
    with pytest.raises(LiftError, match=r"the parser takes more than 0\.05 seconds"):
        lift("#define N 2\n" + FUNCTION.format("N"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the machine has no /dev/full")  # noqa: PTH110 - a device
@pytest.mark.parametrize(
    "command", [["lift", "f.c", "-o"], ["lift", "f.c", "--json"], ["lift", "f.c", "--in-place", "-o"]], ids=" ".join
)
def test_a_full_disk_is_a_diagnostic(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(FUNCTION.format(2), encoding="utf-8")
    assert main([*command, "/dev/full"]) == 2
    assert "cannot write '/dev/full': no space left on device [TL505]" in capsys.readouterr().err


LARGE = ["1e308*1e308", "1.7976931348623157e308*1.7976931348623157e308", "1e308/1e-308", "4.9e-324*1e-308"]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("to", ["numpy", "jax", "torch", "c", "linalg", "stablehlo"])
def test_the_largest_floats_are_no_internal_error(to: str) -> None:
    text = "".join(
        f"void f{k}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] = {form}; }}\n"
        for k, form in enumerate([f"a[i]*{product}" for product in LARGE] + [f"({product})*a[i]" for product in LARGE])
    )
    for function in lift(text, to=to).functions:
        assert not any(d.code.startswith("TL9") for d in function.diagnostics), function.diagnostics
