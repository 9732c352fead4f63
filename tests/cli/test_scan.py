"""``tensorlift scan``: whole folders, workers that end, records that go on, and exit statuses that ask for it."""

from __future__ import annotations

import importlib
import json
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tensorlift.cli import main
from tensorlift.commands import scan_worker
from tensorlift.commands.scan_files import changed_since, source_files
from tensorlift.commands.scan_worker import Listed, Task, list_functions, scan_file
from tensorlift.diagnostics import LiftError
from tensorlift.pipeline import LiftOptions
from tensorlift.reading import read
from tensorlift.record import Verdict
from tensorlift.scanned import Entry, in_order, lines_of, read_entries, regressions
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

_DOUBLED = "void doubled(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }\n"
_PRINTS = (
    'int puts(const char *);\nvoid prints(int n, int *a) { for (int i = 0; i < n; i++) { puts("for"); a[i] = 1; } }\n'
)
_PYTHON = "def total(x: list[float]):\n    s = 0.0\n    for v in x:\n        s += v\n    return s\n"
_DYING = """
import os, signal, time
from tensorlift.commands.scan_worker import Listed

def work(task, done, sender):
    for line, name in enumerate("abcd", 1):
        sender.send((name, line))
        if name == "d" and not task.unread:
            time.sleep(60)
    sender.send([Listed(name, line, loops=True) for line, name in enumerate("abcd", 1)])
    for line, name in list(enumerate("abcd", 1))[done:]:
        if name == "b":
            os.kill(os.getpid(), signal.SIGSEGV)
        if name == "c":
            time.sleep(60)
        why = [why for unread, _, why in task.unread if unread == name]
        sender.send(task.entry(name, line, why=("", *why) if why else ("", "")))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with sources, one of which git ignores."""
    monkeypatch.chdir(tmp_path)
    sources = {
        "code/a.c": _DOUBLED + _PRINTS,
        "code/b.py": _PYTHON,
        "code/broken.c": "void f( {",
        "code/data.c": "int x;\n",
        "code/generated/g.c": _DOUBLED,
        "code/build/h.c": _DOUBLED,
        "code/.gitignore": "generated/\n",
        "code/README": "for",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", "code"], check=True)
    return tmp_path


def _entry(name: str, verdict: Verdict, file: str = "a.c") -> Entry:
    task = Task(file, "", LiftOptions(), ())
    return replace(task.entry(name, 1), verdict=verdict)


def test_files_are_those_that_git_does_not_ignore(folder: Path) -> None:
    assert source_files(["code"]) == ["code/a.c", "code/b.py", "code/broken.c", "code/data.c"]
    assert source_files(["code", "code/a.c"], ["b*", "data.c"]) == ["code/a.c"]
    assert source_files(["./code/a.c", "code//b.py"]) == source_files(["."], ["broken.c", "data.c", "generated"])
    (folder / "code/venv2").mkdir()
    (folder / "code/venv2/pyvenv.cfg").touch()
    (folder / "code/venv2/i.py").write_text(_PYTHON, encoding="utf-8")
    assert source_files(["code/README", "code/venv2"]) == ["code/README", "code/venv2/i.py"]
    assert "code/venv2/i.py" not in source_files(["code"])


def test_files_that_changed_are_told_by_git(folder: Path) -> None:
    by = ["git", "-C", "code", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*by, "add", "a.c", "b.py", "data.c"], check=True)
    subprocess.run([*by, "commit", "-qm", "first"], check=True)
    (folder / "code/b.py").write_text(_PYTHON + "\n", encoding="utf-8")
    assert changed_since("HEAD", ["code"], source_files(["code"])) == ["code/b.py", "code/broken.c"]
    assert changed_since("HEAD", ["code/a.c"], ["code/a.c"]) == []
    with pytest.raises(LiftError, match="TL596: git knows no revision 'none' of 'code'"):
        changed_since("none", ["code"], ["code/a.c"])


def test_files_are_found_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert source_files(["code"], ["code/none", "broken.c"]) == [
        "code/a.c", "code/b.py", "code/data.c", "code/generated/g.c",
    ]  # fmt: skip
    with pytest.raises(LiftError, match="TL596: no source is found"):
        source_files(["code/.git"])


def test_a_scan_goes_on_from_its_record(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["scan", "code", "-o", "record.jsonl", "--no-times", "--json", "all.json", "-j", "2"]
    assert main(command) == 0
    said, whole = capsys.readouterr().out, json.loads((folder / "all.json").read_text(encoding="utf-8"))
    assert said.startswith("3 functions in 4 files\n  loop-free      2\n")
    assert "1 file refused as a whole\n2 of 3 functions with loops over arrays lift (67 %)\n" in said
    assert "     1  TL101  " in said
    assert [(one["file"], one["function"], one["verdict"]) for one in whole["functions"]] == [
        ("code/a.c", "doubled", "loop-free"),
        ("code/a.c", "prints", "refused"),
        ("code/b.py", "total", "loop-free"),
        ("code/broken.c", "", "refused"),
    ]
    record = (folder / "record.jsonl").read_bytes()
    lifted: list[str] = []

    def seen(task: Task, seconds: float) -> list[Entry]:
        lifted.append(task.file)
        return scan_file(task, seconds)

    monkeypatch.setattr(scan_worker, "scan_file", seen)
    lines = record.splitlines(keepends=True)
    (folder / "record.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:9])  # it was ended in a line
    assert main(command) == 0
    assert sorted(lifted) == ["code/broken.c", "code/data.c"]
    assert (folder / "record.jsonl").read_bytes() == record
    assert (capsys.readouterr().out, json.loads((folder / "all.json").read_text(encoding="utf-8"))) == (said, whole)


def test_the_whole_is_as_its_schema_says(root: Path, folder: Path) -> None:
    assert main(["scan", "code/a.c", "-o", "r.jsonl", "--json", "all.json"]) == 0
    schema = json.loads((root / "docs/scan.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads((folder / "all.json").read_text(encoding="utf-8")), schema)
    for line in (folder / "r.jsonl").read_text(encoding="utf-8").splitlines():
        jsonschema.validate(json.loads(line), schema["properties"]["functions"]["items"])


def test_a_worker_that_ends_loses_the_function_at_hand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "dying.py").write_text(_DYING, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    work: Any = importlib.import_module("dying").work
    found = scan_file(Task("f.c", "", LiftOptions(), ()), 0.3, work)
    assert [(one.name, one.line, one.code, one.reason) for one in found] == [
        ("a", 1, "", ""),
        ("b", 2, "TL650", "the process that lifted it was stopped by SIGSEGV"),
        ("c", 3, "TL650", "it took more than 0.3 s"),
        ("d", 4, "", "it took more than 0.3 s"),
    ]


@pytest.mark.parametrize(("file", "lost"), [("a.c", "doubled"), ("b.py", "total"), ("m.mlir", "m"), ("p.cpp", "p")])
def test_a_function_that_is_lost_while_it_is_read_is_refused_unread(folder: Path, file: str, lost: str) -> None:
    (folder / "code/m.mlir").write_text("func.func @m(%a: memref<4xf32>) { return }\n", encoding="utf-8")
    (folder / "code/p.cpp").write_text("void p(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 1; }\n", "utf-8")
    task = Task(f"code/{file}", "", LiftOptions(), (), unread=((lost, 1, "it took long"),))
    first = scan_file(task, 20)[0]
    assert (first.name, first.verdict, first.code, first.reason) == (lost, "refused", "TL650", "it took long")


def test_a_file_that_is_not_read_in_time_is_lost_and_tried_again() -> None:
    command = ["scan", "code/a.c", "-o", "r.jsonl"]
    assert main([*command, "--time-limit", "0.001"]) == 0
    assert [(one.name, one.code) for one in read_entries("r.jsonl")] == [("", "TL650")]
    assert main(command) == 0
    assert [one.name for one in read_entries("r.jsonl")] == ["doubled", "prints"]


def test_regressions_are_verdicts_that_became_worse() -> None:
    old = [_entry("f", Verdict.LOOP_FREE), _entry("g", Verdict.HYBRID), _entry("h", Verdict.SCAN, "b.c")]
    old += [_entry("gone", Verdict.SCAN)]
    new = [_entry("f", Verdict.SCAN), _entry("g", Verdict.SCAN), _entry("", Verdict.REFUSED, "b.c")]
    found = [(was.name, was.verdict, now.verdict) for was, now in regressions(old, new)]
    assert found == [("f", "loop-free", "scan"), ("h", "scan", "refused")]


def test_the_exit_status_is_one_where_it_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "code/a.c", "-o", "old.jsonl"]) == 0
    better = [replace(one, verdict=Verdict.LOOP_FREE) for one in read_entries("old.jsonl")]
    (folder / "better.jsonl").write_text(lines_of(in_order(better)), encoding="utf-8")
    again = ["scan", "code/a.c", "-o", "old.jsonl"]
    assert main([*again, "--fail-on", "refused"]) == 1
    assert main([*again, "--fail-on", "regression", "--baseline", "old.jsonl"]) == 0
    assert main([*again, "--baseline", "better.jsonl"]) == 0
    assert not capsys.readouterr().err
    assert main(["scan", "code/b.py", "--baseline", "better.jsonl"]) == 0
    assert "the baseline has none of these files" in capsys.readouterr().err
    assert main([*again, "--fail-on", "regression", "--baseline", "better.jsonl"]) == 1
    assert "1 regression:\n  code/a.c:3: prints is refused, was loop-free (TL" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "there is no 'none' [TL596]"),
        (["code", "--fail-on", "regression"], "--fail-on regression goes with --baseline OLD"),
        (["code", "-o", "code/README"], "'code/README' is no record of a scan [TL595]"),
        (["code", "-o", "code/a.c"], "cannot write 'code/a.c': it is the source [TL505]"),
        (["code", "--baseline", "none"], "cannot read 'none'"),
        (["code", "-p", "none"], "cannot read 'none'"),
    ],
)
def test_wrong_requests_end_with_status_2(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["scan", *arguments]) == 2
    assert message in capfd.readouterr().err


def test_flags_are_those_of_the_build(folder: Path) -> None:
    (folder / "code/a.c").write_text("#ifdef TWICE\n" + _DOUBLED + "#endif\n", encoding="utf-8")
    built = [{"directory": str(folder), "file": "code/a.c", "command": "cc -DTWICE -c code/a.c"}]
    (folder / "compile_commands.json").write_text(json.dumps(built), encoding="utf-8")
    assert main(["scan", "code/a.c", "code/b.py", "-p", ".", "-o", "r.jsonl"]) == 0
    assert [(one.name, one.flags) for one in read_entries("r.jsonl")] == [("doubled", ("-DTWICE",)), ("total", ())]


def test_functions_of_c_count_that_loop_over_numbers_of_arrays() -> None:
    text = (
        "typedef struct { float x; float *p; } box;\n"
        "void cells(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n"
        "void walk(int n, int *x) { while (n--) *x++ = 0; }\n"
        "void members(int n, box *b) { for (int i = 0; i < n; i++) b[i].x = 0; }\n"
        "void jump(int n, float *x) { int i = 0; again: x[i] = 0; if (++i < n) goto again; }\n"
        "float once(float *x) { for (int i = 0; i < 3; i++) {} return x[3]; }\n"
        "int text(char *s) { int n = 0; for (; s[n]; n++) {} return n; }\n"
        "void pointers(int n, char **s, box *b) { for (int i = 0; i < n; i++) { s[i] = s[0]; b[i].p = b[0].p; } }\n"
    )
    source = source_from_text(text, "m.c")
    found = [one.name for one in list_functions(source, read(source, LiftOptions())) if one.loops]
    assert found == ["cells", "walk", "members", "jump"]


def test_procedures_of_fortran_end_and_loop_as_their_text_says() -> None:
    text = (
        "module m\ncontains\nsubroutine scale(n, x)\n  integer, intent(in) :: n\n  real, intent(inout) :: x(n)\n"
        "  integer :: i\n  do i = 1, n\n    x(i) = 2*x(i)\n  end do\nend subroutine\n"
        "integer function plus(a)\n  integer, intent(in) :: a ! do x(i)\n  plus = a\nend\nend module\n"
    )
    source = source_from_text(text, "m.f90")
    assert list_functions(source, read(source, LiftOptions())) == [
        Listed("scale", 3, loops=True, end=10),
        Listed("plus", 11, loops=False, end=14),
    ]
