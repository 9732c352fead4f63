"""The command `lift`: exit statuses, messages and files, over records that no lifting made."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tensorlift import pipeline
from tensorlift.cli import main
from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.record import SCHEMA_VERSION

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.pipeline import LiftOptions
    from tensorlift.record import FunctionRecord, LiftRecord
    from tensorlift.source import Source


@pytest.fixture
def c_file(tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.c").write_text(source.text, encoding="utf-8")
    return "scale.c"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, record: LiftRecord) -> list[LiftOptions]:
    """Let the pipeline give `record`; collect what it was asked."""
    collected: list[LiftOptions] = []

    def answer(_source: Source, options: LiftOptions) -> LiftRecord:
        collected.append(options)
        return record

    monkeypatch.setattr(pipeline, "lift_source", answer)
    return collected


def _answer(monkeypatch: pytest.MonkeyPatch, record: LiftRecord) -> None:
    monkeypatch.setattr(pipeline, "lift_source", lambda _source, _options: record)


def test_all_lifted_is_0(
    c_file: str,
    monkeypatch: pytest.MonkeyPatch,
    record: LiftRecord,
    scale: FunctionRecord,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _answer(monkeypatch, replace(record, functions=(scale,)))
    assert main(["lift", c_file]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("import numpy as np\n")
    assert err.startswith("scale.c:3:5: warning: odd [TL210]\n")


@pytest.mark.usefixtures("asked")
def test_some_refused_is_1_with_the_reason_on_standard_error(c_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", c_file]) == 1
    out, err = capsys.readouterr()
    assert "# walk: refused [TL203]\n" in out
    assert "    7 |     a[i] = f(a[i-1]);\n      |            ^\n  help: define 'f' in this file\n" in err


def test_an_internal_error_inside_a_record_is_3(
    c_file: str, monkeypatch: pytest.MonkeyPatch, record: LiftRecord, walk: FunctionRecord
) -> None:
    broken = replace(walk, diagnostics=(internal_error(RuntimeError("boom")),))
    _answer(monkeypatch, replace(record, functions=(broken,)))
    assert main(["lift", c_file]) == 3


def test_an_exception_is_3_without_a_traceback(
    c_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_source: Source, _options: LiftOptions) -> LiftRecord:
        raise RuntimeError("boom")

    monkeypatch.delenv("TENSORLIFT_DEBUG", raising=False)
    monkeypatch.setattr(pipeline, "lift_source", fail)
    assert main(["lift", c_file]) == 3
    err = capsys.readouterr().err
    assert err.startswith("tensorlift: error: internal error: RuntimeError: boom [TL900]\n  help: please report it")
    assert "Traceback" not in err
    monkeypatch.setenv("TENSORLIFT_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["lift", c_file])


def test_interrupting_is_130(c_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_source: Source, _options: LiftOptions) -> LiftRecord:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "lift_source", interrupt)
    assert main(["lift", c_file]) == 130


def test_options_reach_the_pipeline(c_file: str, asked: list[LiftOptions]) -> None:
    words = "--function f --function g --to numpy -I inc -I . -D N=4 -DFAST --std c99 --engine derive --test"
    main(["lift", c_file, *words.split()])
    assert asked == [
        pipeline.LiftOptions(("f", "g"), "numpy", ("inc", "."), ("N=4", "FAST"), "c99", "derive", test=True)
    ]


@pytest.mark.usefixtures("asked")
def test_the_program_goes_to_the_output_and_the_verdicts_stay(
    c_file: str, tmp_path: Path, scale: FunctionRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lift", c_file, "-o", "out.py"]) == 1
    assert (tmp_path / "out.py").read_text(encoding="utf-8") == scale.program
    assert capsys.readouterr().out.startswith("scale: loop-free, proved")


def test_nothing_lifted_leaves_the_output_alone(
    c_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: LiftRecord, walk: FunctionRecord
) -> None:
    _answer(monkeypatch, replace(record, functions=(walk,)))
    assert main(["lift", c_file, "-o", "out.py"]) == 1
    assert not (tmp_path / "out.py").exists()


@pytest.mark.usefixtures("asked")
def test_the_report_is_written_with_or_without_times(c_file: str, tmp_path: Path, record: LiftRecord) -> None:
    main(["lift", c_file, "--json", "timed.json"])
    main(["lift", c_file, "--json", "untimed.json", "--no-times"])
    assert (tmp_path / "timed.json").read_text(encoding="utf-8") == record.to_json()
    assert (tmp_path / "untimed.json").read_text(encoding="utf-8") == record.to_json(times=False)


@pytest.mark.usefixtures("asked")
def test_a_report_on_standard_output_stands_alone(c_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lift", c_file, "--json", "-"])
    assert json.loads(capsys.readouterr().out)["schema"] == SCHEMA_VERSION


@pytest.mark.parametrize("option", ["-o", "--json"])
def test_the_source_is_not_overwritten(
    c_file: str, tmp_path: Path, source: Source, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lift", c_file, option, "./scale.c"]) == 2
    assert capsys.readouterr().err.startswith(
        "tensorlift: error: cannot write './scale.c': it is the source [TL505]\n  help: "
    )
    assert (tmp_path / "scale.c").read_text(encoding="utf-8") == source.text


@pytest.mark.usefixtures("asked")
def test_an_output_that_cannot_be_written_is_2(c_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", c_file, "-o", "no/such/out.py"]) == 2
    assert (
        "cannot write 'no/such/out.py': its directory does not exist [TL505]\n  help: create" in capsys.readouterr().err
    )


def test_intermediate_forms_are_shown_and_refusals_told(
    c_file: str, monkeypatch: pytest.MonkeyPatch, walk: FunctionRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        pipeline.Intermediate("scale", "func.func @scale()\n"),
        pipeline.Intermediate("walk", "", walk.diagnostics),
    ]
    monkeypatch.setattr(pipeline, "intermediate", lambda _source, _options, _form: found)
    assert main(["lift", c_file, "--emit", "ir"]) == 1
    out, err = capsys.readouterr()
    assert out == "func.func @scale()\n"
    assert "[TL203]" in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("find.c", "int find(int *a) { int i = 0; while (a[i]) { i = a[i]; } return i; }\n"),
        (
            "find.mlir",
            (
                "func.func @find(%a: memref<?xi32>, %n: index) {\n  %k = arith.muli %n, %n : index\n"
                "  affine.for %i = 0 to %k {\n    %x = affine.load %a[%i] : memref<?xi32>\n  }\n  return\n}\n"
            ),
        ),
    ],
)
def test_literal_ir_is_shown_also_of_what_is_not_lifted(
    tmp_path: Path, name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert main(["lift", str(file), "--emit", "literal"]) == 0
    out, err = capsys.readouterr()
    assert "func.func @find(%a: memref<?xi32>" in out
    assert "cf.cond_br" in out
    assert err == ""


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("f.py", "def f(x: 'list[float]', y: 'float32[:]'):\n    x[0] = y[0]\n", "TL166"),
        ("f.py", "def f(x: float):\n    return x.spam\n", "TL185"),
        ("f.c", "union u { int k; };\nint f(union u v) { return v.k; }\n", "TL1"),
    ],
)
def test_what_has_no_literal_ir_is_told(
    tmp_path: Path, name: str, text: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert main(["lift", str(file), "--emit", "literal"]) == 1
    assert f"[{code}" in capsys.readouterr().err


def test_a_report_of_an_intermediate_form_is_refused(c_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", c_file, "--emit", "ir", "--json", "r.json"]) == 2
    assert "--json" in capsys.readouterr().err


def test_an_error_of_the_request_is_2(
    c_file: str, monkeypatch: pytest.MonkeyPatch, walk: FunctionRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_source: Source, _options: LiftOptions) -> LiftRecord:
        raise LiftError(*walk.diagnostics)

    monkeypatch.setattr(pipeline, "lift_source", refuse)
    assert main(["lift", c_file]) == 2
    assert "[TL203]" in capsys.readouterr().err
