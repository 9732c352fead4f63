"""Wrong requests end with status 2, one line that says what is wrong, and one that says what to do."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tensorlift import __version__, pipeline
from tensorlift.cli import commands, main
from tensorlift.diagnostics import Diagnostic

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.record import LiftRecord
    from tensorlift.source import Source


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lift", "none.c"], "cannot read 'none.c': there is no such file [TL501]"),
        (["lift", "."], "cannot read '.': it is a directory [TL501]"),
        (["lift", "a\0b"], "cannot read 'a\ufffdb': its name holds a NUL [TL501]"),
        (["lift", "binary"], "'binary' is not a text file: it holds a NUL byte [TL504]"),
        (["lift", "kernel.cu"], "'kernel.cu' is CUDA, which is not read [TL504]"),
        (["lift", "f.py", "--in-place"], "'f.py' is no file in C [TL519]"),
        (["lift", "f.c", "--to", "nunpy"], "there is no target 'nunpy' [TL502]"),
        (["verify", "none.json"], "cannot read 'none.json': there is no such file [TL501]"),
        (["verify", "list.json"], "'list.json' holds no certificate: it is not a JSON object [TL507]"),
        (
            ["verify", "report.json"],
            "'report.json' holds no certificate: none of its functions has a certificate [TL507]",
        ),
    ],
)
def test_wrong_requests(folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "binary").write_bytes(b"\x7fELF\0")
    (folder / "f.py").write_text("def f(): pass\n")
    (folder / "f.c").write_text("void f(void) {}\n", encoding="utf-8")
    (folder / "list.json").write_text("[]", encoding="utf-8")
    (folder / "report.json").write_text('{"functions": [{"name": "f", "certificate": null}, 3]}', encoding="utf-8")
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    first, second = err.splitlines()
    assert first == f"tensorlift: error: {message}"
    assert second.startswith("  help: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["lift"],
        ["lift", "a.c", "--emit", "x"],
        ["lift", "a.c", "--frob"],
        ["lift", "a.c", "--budget", "nan"],
        ["frob"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("Usage: tensorlift")


def test_certificates_that_do_not_hold_are_told(
    folder: Path, record: LiftRecord, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Diagnostic("TL401", "the program and the definitions differ")
    report = json.loads(record.to_json())
    function = report["functions"][0]
    function["certificate"] = {
        "function": function["name"],
        "source_sha256": report["source"]["sha256"],
        "preconditions": [stated["text"] for stated in function["preconditions"]],
        **{key: function[key] for key in ("program", "target", "level", "numerics")},
    }
    (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    (folder / "one.json").write_text(json.dumps({"function": "f", "program": ""}), encoding="utf-8")
    monkeypatch.setattr(pipeline, "verify", lambda certificate: () if certificate["program"] else (wrong,))
    assert main(["verify", "report.json"]) == 0
    assert main(["verify", "one.json"]) == 1
    out, err = capsys.readouterr()
    told = (
        "not checked: that definitions and preconditions are those of the source, and what a report says beside them;"
    )
    assert out == f"scale: holds\n{told} '--source FILE' compares them\nf: does not hold\n"
    assert err == "tensorlift: error: the program and the definitions differ [TL401]\n"


def test_standard_input_is_a_file(monkeypatch: pytest.MonkeyPatch, record: LiftRecord) -> None:
    seen: list[tuple[str, str]] = []

    def answer(source: Source, _options: pipeline.LiftOptions) -> LiftRecord:
        seen.append((source.name, source.text))
        return record

    monkeypatch.setattr(pipeline, "lift_source", answer)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"int x;")))
    assert main(["lift", "-"]) == 1
    assert seen == [("<stdin>", "int x;")]


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tensorlift, version {__version__}\n"
    for arguments in ([], ["lift"], ["verify"], ["targets"]):
        assert main([*arguments, "--help"]) == 0
        assert capsys.readouterr().out.startswith("Usage: tensorlift")


def test_only_commands_that_exist_are_listed() -> None:
    assert sorted(commands.commands) == [
        "bench",
        "build",
        "completion",
        "explain",
        "explore",
        "lift",
        "lsp",
        "opt",
        "run",
        "scan",
        "tactics",
        "target",
        "targets",
        "verify",
    ]


def test_targets_are_listed_with_the_language_they_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets"]) == 0
    assert "numpy        writes Python\n" in capsys.readouterr().out


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tensorlift", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert not process.stderr.read()


@pytest.mark.parametrize("names", [["prefix_sun"], ["prefix_sum", "prefix_sun"]])
def test_a_function_that_the_source_does_not_define_is_a_wrong_request(
    root: Path, names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = [word for name in names for word in ("--function", name)]
    assert main(["lift", str(root / "examples" / "prefix_sum.c"), *chosen]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "prefix_sun" in shown.err
