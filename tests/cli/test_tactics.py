"""``--engine tactics`` and ``--tactics FILE``: covered definitions are proved, others refused by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main

if TYPE_CHECKING:
    from pathlib import Path

_GEMV = """void gemv(int n, double A[n][n], double x[n], double y[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i] += A[i][j] * x[j];
}
"""
_RUNNING = """void running(int n, double x[n], double y[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i];
    y[i] = s;
  }
}
"""
_OWN = """# Twice what the library would say in two steps.
def doubled_product {
  pattern
    y(i) += A(i, j) * x(j)
  builder
    y(i) = y(i) + t * 1
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with two sources."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gemv.c").write_text(_GEMV)
    (tmp_path / "running.c").write_text(_RUNNING)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_tactics_alone_lift_and_prove(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "gemv.c", "--engine", "tactics", "--json", "-"]) == 0
    (function,) = json.loads(capsys.readouterr().out)["functions"]
    assert (function["engine"], function["verdict"], function["level"]) == ("tactics", "loop-free", "proved")
    assert "y + A @ x" in function["program"]


@pytest.mark.usefixtures("folder")
def test_what_no_tactic_covers_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "running.c", "--engine", "tactics"]) == 1
    told = capsys.readouterr().err
    assert "running.c:3:3: error: no tactic covers the definition of `y`" in told
    assert "[TL320]" in told
    assert "add one with --tactics FILE" in told
    assert main(["lift", "running.c"]) == 0


@pytest.mark.usefixtures("folder")
def test_the_same_source_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for _ in range(2):
        main(["lift", "gemv.c", "--engine", "tactics", "--json", "-", "--no-times"])
        texts.append(capsys.readouterr().out)
        main(["lift", "running.c", "--engine", "derive", "--json", "-"])
        capsys.readouterr()
    assert texts[0] == texts[1]


def test_tactics_of_a_file_go_before_those_of_the_library(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = """def in_two_steps {
      pattern
        y(i) += A(i, j) * x(j)
      builder
        z(i) += A(i, j) * x(j)
        y(i) = y(i) + (2 * z(i) - z(i))
    }"""
    (folder / "own.tdl").write_text(own)
    assert main(["lift", "gemv.c", "--engine", "tactics", "--tactics", "own.tdl"]) == 0
    assert "2.0 * " in capsys.readouterr().out


def test_a_contradictory_tactic_is_a_wrong_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "own.tdl").write_text(_OWN.replace("t * 1", "2 * A(i, j) * x(j)").replace("y(i) = y(i) +", "y(i) +="))
    assert main(["lift", "gemv.c", "--engine", "tactics", "--tactics", "own.tdl"]) == 2
    told = capsys.readouterr().err
    assert "own.tdl:2:5: error: the tactic `doubled_product` contradicts itself" in told
    assert "the pattern gives" in told
    assert "    2 | def doubled_product {" in told


def test_an_unbound_name_is_shown_at_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "own.tdl").write_text(_OWN)
    assert main(["lift", "gemv.c", "--engine", "tactics", "--tactics", "own.tdl"]) == 2
    told = capsys.readouterr().err
    assert "own.tdl:6:19: error: a name of the tactic is not bound as it is used: the scalar `t`" in told
    assert "      |                   ^" in told


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_not_there_and_another_engine_are_wrong_requests(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "gemv.c", "--engine", "tactics", "--tactics", "none.tdl"]) == 2
    assert "cannot read 'none.tdl'" in capsys.readouterr().err
    assert main(["lift", "gemv.c", "--tactics", "own.tdl"]) == 2
    assert "--tactics goes with --engine tactics" in capsys.readouterr().err
