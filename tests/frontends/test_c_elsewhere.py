"""Functions that other files of a project define are read where they are called, and as their own file means them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tensorlift.cli import main as lift
from tensorlift.commands import scan
from tensorlift.commands.options import other_files
from tensorlift.commands.scan import _by_folder, _known, _tasks
from tensorlift.frontends.c.elsewhere import OtherFile
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.reading import read
from tensorlift.record import FunctionRecord
from tensorlift.source import read_source

HEADER = """
#ifdef WIDE
typedef struct { double pad; int n; float *x; } Row;
#else
typedef struct { int n; float *x; } Row;
#endif
typedef struct { int n; float total; const float *x; } Sum;
extern float shared[4];
extern const float weights[3];
extern const int width;
float scale(float *x, int n, float by);
void clear(Row *row);
void add_up(Sum *s);
float mean(const float *x, int n);
void prepare(float *x, int n);
"""
MAIN = '#include "p.h"\n'
SCALE = MAIN + "float scale(float *x, int n, float by) { for (int i = 0; i < n; i++) x[i] *= by; return by; }\n"
CALL = MAIN + "void f(float *x, int n) { scale(x, n, 2); }\n"


def _lift(
    folder: Path, files: dict[str, str], commands: dict[str, list[str]] | None = None, *, test: bool = False
) -> dict[str, FunctionRecord]:
    """Write a project, and lift the functions of `main.c`."""
    for name, text in {"p.h": HEADER, **files}.items():
        (folder / name).write_text(text)
    flags = {"include_dirs": (), "include_files": (), "defines": (), "std": None}
    database = None
    if commands is not None:
        ways = [(name, flag) for name, several in commands.items() for flag in several]
        entries = [{"directory": ".", "file": name, "arguments": ["cc", *flag.split(), name]} for name, flag in ways]
        database = str(folder / "compile_commands.json")
        Path(database).write_text(json.dumps(entries))
    names = [str(folder / name) for name in files]
    others = other_files(flags, () if database else names, database)
    record = lift_source(read_source(str(folder / "main.c")), LiftOptions(others=others, test=test))
    return {function.name: function for function in record.functions}


LIFTED = {
    "a loop": {"main.c": CALL, "b.c": SCALE},
    "without a prototype": {
        "main.c": "float limit();\nvoid f(float *x, int n) { for (int i = 0; i < n; i++) x[i] *= limit(); }\n",
        "b.c": "float limit() { return 2; }\n",
    },
    "two files deep, and back": {
        "main.c": CALL + "float mean(const float *x, int n) { return x[n - 1]; }\n",
        "b.c": MAIN + "float scale(float *x, int n, float by) { prepare(x, n); return by; }\n",
        "c.c": MAIN
        + "void prepare(float *x, int n) { float m = mean(x, n); for (int i = 0; i < n; i++) x[i] = m + i; }\n",
    },
    "static functions of one name": {
        "main.c": MAIN + "static float half(float v) { return v / 2; }\n"
        "void f(float *x, int n) { scale(x, n, 1); for (int i = 0; i < n; i++) x[i] = half(x[i]); }\n",
        "b.c": MAIN + "static float half(float v) { return v * 100; }\n"
        "float scale(float *x, int n, float by) { for (int i = 0; i < n; i++) x[i] = half(x[i]); return by; }\n",
    },
    "a static function as a name that is called": {
        "main.c": MAIN
        + "static float mean(float v) { return v - 7; }\n".replace("mean", "middle")
        + "void f(float *x, int n) { scale(x, n, 1); for (int i = 0; i < n; i++) x[i] = middle(x[i]); }\n",
        "b.c": MAIN + "float middle(float v) { return v * 3; }\n"
        "float scale(float *x, int n, float by) { for (int i = 0; i < n; i++) x[i] = middle(x[i]); return by; }\n",
    },
    "a member that a callee writes": {
        "main.c": MAIN + "void f(Sum *s, float *y) { add_up(s); for (int i = 0; i < s->n; i++) y[i] = s->total; }\n",
        "b.c": MAIN + "void add_up(Sum *s) { s->total = 0; for (int i = 0; i < s->n; i++) s->total += s->x[i]; }\n",
    },
    "a global that a callee writes": {
        "main.c": MAIN + "void f(float *x, int n) { scale(x, n, 3); for (int i = 0; i < 4; i++) shared[i] += 1; }\n",
        "b.c": MAIN + "float shared[4];\nfloat scale(float *x, int n, float by) {\n"
        "  for (int i = 0; i < n; i++) x[i] *= by;\n  for (int i = 0; i < 4; i++) shared[i] = by;\n  return by;\n}\n",
    },
    "constants": {
        "main.c": MAIN + "void f(float *x, int n) { for (int i = 0; i < n; i++) x[i] = width * weights[i % 3]; }\n",
        "b.c": MAIN + "const int width = 5;\nconst float weights[3] = {1, 2, 4};\n",
    },
    "a table of the other file": {
        "main.c": CALL + "static const float table[2] = {9, 8};\n"
        "void g(float *x) { for (int i = 0; i < 2; i++) x[i] = table[i]; }\n",
        "b.c": MAIN + "static const float table[2] = {1, 2};\n"
        "float scale(float *x, int n, float by) { for (int i = 0; i < n; i++) x[i] *= table[i & 1]; return by; }\n",
    },
}


@pytest.mark.parametrize("name", LIFTED)
def test_a_function_of_another_file_is_lifted_with_its_caller(name: str, tmp_path: Path) -> None:
    """The program agrees with both files, compiled and linked."""
    found = _lift(tmp_path, LIFTED[name], test=True)
    for function in found.values():
        assert function.lifted, function.diagnostics
        assert {trial.against for trial in function.tests} == {"interpreter", "compiled"}
        assert all(trial.passed for trial in function.tests)


def test_each_file_is_read_with_its_own_flags(tmp_path: Path) -> None:
    """A macro that only the command of the other file defines holds there alone."""
    text = SCALE.replace("*= by", "+= FACTOR")
    main_file = CALL.replace("scale(x", "\n#ifdef FACTOR\n#error\n#endif\nscale(x")
    found = _lift(tmp_path, {"main.c": main_file, "b.c": text}, {"main.c": [""], "b.c": ["-DFACTOR=3"]}, test=True)
    assert "3" in found["f"].program


REFUSED = {
    "no definition": ({"main.c": CALL, "b.c": MAIN}, "`scale` is not known"),
    "static there": ({"main.c": CALL, "b.c": "static " + SCALE.replace(MAIN, "")}, "`scale` is not known"),
    "two definitions": (
        {"main.c": CALL, "b.c": SCALE, "c.c": SCALE},
        "`scale` is defined in `{0}/b.c` and in `{0}/c.c`",
    ),
    "weak": (
        {"main.c": CALL, "b.c": SCALE.replace("float scale", "__attribute__((weak)) float scale")},
        "`scale` has the attribute `weak` in `{0}/b.c`",
    ),
    "weak here": (
        {"main.c": SCALE.replace("float scale", "__attribute__((weak)) float scale") + CALL.replace(MAIN, "")},
        "`scale` is weak, so that another one may be linked",
    ),
    "weak by a pragma": (
        {"main.c": CALL, "b.c": SCALE + "#pragma weak scale\n"},
        "`{0}/b.c`, which defines `scale`, has a `#pragma weak scale`",
    ),
    "other parameters": (
        {"main.c": "float scale(double *, int, float);\nvoid f(double *x, int n) { scale(x, n, 2); }\n", "b.c": SCALE},
        "`scale` has other types in `{0}/b.c`",
    ),
    "no prototype": (
        {"main.c": "float scale();\nvoid f(float *x, int n) { scale(x, n, 2.0); }\n", "b.c": SCALE},
        "`scale` has other types in `{0}/b.c`",
    ),
    "another structure": (
        {
            "main.c": MAIN + "void f(Row *row) { clear(row); }\n",
            "b.c": "#define WIDE\n" + MAIN + "void clear(Row *r) { for (int i = 0; i < r->n; i++) r->x[i] = 0; }\n",
        },
        "`clear` has other types in `{0}/b.c`",
    ),
    "a structure that this file knows by its name alone": (
        {
            "main.c": "struct s;\nstruct t { struct s *s; };\nvoid go(struct s *);\n"
            "void f(struct t *t) { go(t->s); }\n",
            "b.c": "struct s { int n; float *x; };\n"
            "void go(struct s *s) { for (int i = 0; i < s->n; i++) s->x[i] = 0; }\n",
        },
        "the members of `struct s` are not declared in this file",
    ),
    "a variable of that file": (
        {
            "main.c": CALL,
            "b.c": SCALE.replace("float scale", "static float calls;\nfloat scale", 1).replace(
                "x[i] *=", "calls += 1, x[i] *="
            ),
        },
        "the variable `calls` is one of `{0}/b.c` alone",
    ),
    "recursion": (
        {
            "main.c": MAIN
            + "void prepare(float *x, int n) { for (int i = 0; i < n; i++) x[i] = 0; scale(x, n - 1, 1); }\n",
            "b.c": MAIN + "float scale(float *x, int n, float by) { if (n > 0) prepare(x, n); return by; }\n",
        },
        "`prepare` calls itself",
    ),
    "a header that is missing": (
        {"main.c": CALL, "b.c": '#include "none.h"\n' + SCALE},
        "`{0}/b.c`, which defines `scale`, does not parse: 'none.h' file not found",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_be_another_function_is_refused(name: str, tmp_path: Path) -> None:
    """The message says what is in the way."""
    files, message = REFUSED[name]
    *_, found = _lift(tmp_path, files).values()
    assert not found.lifted
    assert found.diagnostics[0].message == message.format(tmp_path)


@pytest.mark.parametrize(
    ("ways", "message"),
    [
        (["-DA=1", "-DA=2"], "is compiled in several ways"),
        (["-funsigned-char"], "is compiled with other flags: -funsigned-char"),
    ],
)
def test_other_ways_to_compile_are_refused(ways: list[str], message: str, tmp_path: Path) -> None:
    """Neither may be what the linker takes."""
    (found,) = _lift(tmp_path, {"main.c": CALL, "b.c": SCALE}, {"main.c": [""], "b.c": ways}).values()
    assert found.diagnostics[0].message.endswith(message)


def test_a_record_of_a_scan_holds_while_the_other_files_do(tmp_path: Path) -> None:
    """What was found in another file is looked for again where that has changed."""
    names = [str(tmp_path / name) for name in ("b.c", "main.c", "p.h")]
    for name, text in zip(names, (SCALE, CALL, HEADER), strict=True):
        Path(name).write_text(text)
    flags = {"include_dirs": (), "include_files": (), "defines": (), "std": None, "database": None}
    tasks, _ = _tasks(names[:2], "numpy", dict(flags))
    task = next(task for task in tasks if task.file == names[1])
    (function,) = read(read_source(task.file), task.options)
    assert function.elsewhere is not None
    entry = replace(task.entry("f", 2), asked=tuple(function.elsewhere.asked.items()))
    assert _known([entry], tasks) == [entry]
    Path(names[0]).write_text(SCALE.replace("*= by", "-= by"))
    assert _known([entry], tasks) == []


def test_a_file_is_rewritten_with_what_another_one_defines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command takes files of the project behind the one that it rewrites."""
    files = {
        "p.h": HEADER,
        "main.c": CALL.replace("scale(", "for (int i = 0; i < n; i++) x[i] += 1; scale("),
        "b.c": SCALE,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    main, other = str(tmp_path / "main.c"), str(tmp_path / "b.c")
    assert lift(["lift", main, other, "--in-place", "--regardless"]) == 0, capsys.readouterr()
    rewritten = Path(main).read_text()
    assert "(x[i] + 1" in rewritten
    assert "scale(x, n, 2)" in rewritten  # of the original


def test_a_variadic_function_that_is_told_a_text_tells_of_an_error(tmp_path: Path) -> None:
    """Calls that come to it are outside of what the program is for, wherever it is defined."""
    fail = "void fail(const char *text, ...) { (void)text; }\n"
    body = 'void f(float *x, int n) { if (n < 0) fail("%d", n); for (int i = 0; i < n; i++) x[i] = 0; }\n'
    (_, found) = _lift(tmp_path, {"main.c": fail + body}).values()
    assert found.lifted, found.diagnostics
    assert [p.text for p in found.preconditions if "n" in p.text]


def test_of_very_many_files_those_of_a_folder_look_there_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a scan takes no longer than its files are many."""
    others = tuple(OtherFile(name) for name in ("a/x.c", "a/y.c", "b/z.c"))
    assert _by_folder(["a/x.c"], others) == {Path("a"): others}
    monkeypatch.setattr(scan, "_MOST_TOGETHER", 2)
    assert _by_folder(["a/x.c", "b/z.c"], others) == {Path("a"): others[:2], Path("b"): others[2:]}
