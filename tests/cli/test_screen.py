"""More or less of what commands show, colours, progress, completion in shells, and settings of a project."""

from __future__ import annotations

import io
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.commands import screen
from tensorlift.progress import begin

if TYPE_CHECKING:
    from pathlib import Path

_SOURCE = "void twice(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] *= 2; }\n"
_REFUSED = "void f(int n, double *a) { for (int i = 0; i < n; i++) { if (a[i] < 0) goto out; } out: ; }\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a file."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "twice.c").write_text(_SOURCE, encoding="utf-8")
    return tmp_path


def _shown(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["lift", "twice.c", *arguments]) == 0
    return capsys.readouterr().out


def test_quiet_shows_programs_alone_and_verbose_shows_more(capsys: pytest.CaptureFixture[str]) -> None:
    usual, quiet, verbose = (_shown(*given, capsys=capsys) for given in ([], ["-q"], ["-v"]))
    assert usual.startswith(quiet)
    assert "#" not in quiet
    assert "engine derive" in verbose
    assert " ms)" in verbose
    assert "engine" not in usual


def test_quiet_keeps_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "f.c").write_text(_REFUSED, encoding="utf-8")
    assert main(["lift", "f.c", "--quiet"]) == 1
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "variable", "is_coloured"),
    [
        ([], "", False),
        (["--color", "always"], "", True),
        ([], "FORCE_COLOR", True),
        (["--color", "always"], "NO_COLOR", True),
        (["--color", "never"], "FORCE_COLOR", False),
    ],
)
def test_colours_are_asked_for(
    arguments: list[str],
    variable: str,
    is_coloured: bool,  # noqa: FBT001 - a column of the table
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if variable:
        monkeypatch.setenv(variable, "1")
    assert ("\x1b[" in _shown(*arguments, capsys=capsys)) is is_coloured
    assert "\x1b[" not in _shown("--color", "never", capsys=capsys)


def test_a_wrong_request_has_the_colours_that_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "none.c", "--color", "always"]) == 2
    assert "\x1b[" in capsys.readouterr().err


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_takes_long_is_told_on_a_terminal_and_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "_SILENT_FOR", 0.0)
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with screen.progress():
        begin("lifting gemm (2 of 3)")
        end = time.monotonic() + 20
        while "lifting gemm (2 of 3)" not in terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    assert "lifting gemm (2 of 3)" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is empty again
    with screen.progress():
        screen.shown.quiet = True
    screen.start_screen()


def test_a_bar_is_shown_on_a_terminal_that_is_not_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for quiet in (True, False):
        assert not terminal.getvalue()
        screen.shown.quiet = quiet
        with screen.progress_bar(2) as advance:
            advance()
    screen.start_screen()
    assert "1/2" in terminal.getvalue()


def test_what_is_quick_or_piped_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with screen.progress():
        begin("lifting gemm")
    monkeypatch.setattr(screen, "_SILENT_FOR", 0.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with screen.progress():
        begin("lifting gemm")
    assert not terminal.getvalue()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "_TENSORLIFT_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("tensorlift li", {"plain,lift"}),
        ("tensorlift lift --to st", {"plain,stablehlo"}),
        ("tensorlift lift --regard", {"plain,--regardless"}),
        ("tensorlift lift --tactics x", {"file,x"}),
    ],
)
def test_words_are_completed(
    words: str, wanted: set[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_TENSORLIFT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    with pytest.raises(SystemExit, match="0"):
        main([])
    assert set(capsys.readouterr().out.split()) == wanted


def _configure(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(f'[project]\nname = "to"\n\n{text}', encoding="utf-8")


@pytest.mark.parametrize(
    ("settings", "arguments", "wanted"),
    [
        ('[tool.tensorlift]\nto = "jax"', [], "import jax"),
        ('[tool.tensorlift.lift]\nto = "torch"', [], "import torch"),
        ('[tool.tensorlift]\nto = "torch"\n[tool.tensorlift.lift]\nto = "jax"', [], "import jax"),
        ('[tool.tensorlift.scan]\nto = "jax"', [], "import numpy"),
        ('[tool.tensorlift]\nto = "jax"', ["--to", "numpy"], "import numpy"),
        ("[tool.tensorlift.lift]\nguards = true", [], "raise ValueError"),
        ('[tool.other]\nto = "jax"', [], "import numpy"),
    ],
)
def test_a_project_has_settings(
    folder: Path, settings: str, arguments: list[str], wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _configure(folder, settings)
    assert wanted in _shown(*arguments, capsys=capsys)


def test_settings_hold_in_folders_of_the_project_and_name_files_from_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _configure(folder, '[tool.tensorlift]\nI = ["include"]\nD = ["FACTOR=3"]')
    (folder / "include").mkdir()
    (folder / "include" / "own.h").write_text("#define ZERO 0\n", encoding="utf-8")
    (folder / "src").mkdir()
    text = '#include "own.h"\n' + _SOURCE.replace("= 0", "= ZERO").replace("2", "FACTOR")
    (folder / "src" / "twice.c").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder / "src")
    assert "x * 3.0" in _shown(capsys=capsys)


@pytest.mark.parametrize(
    ("settings", "place", "message"),
    [
        ('[tool.tensorlift]\ntarget = "jax"', "5:1", "no command has an option 'target'"),
        ('[tool.tensorlift.lift]\nfloat = "jax"', "5:1", "'lift' has no option 'float'"),
        ("[tool.tensorlift.lyft]\nto = 1", "4:18", "there is no command 'lyft'"),
        ('[tool.tensorlift]\nto = ["jax"]', "5:1", "'to' takes one value"),
        ('[tool.tensorlift]\nI = "include"', "5:1", "'I' takes a list"),
        ('[tool.tensorlift]\nengine = "best"', "5:1", "'engine': 'best' is not one of"),
        ("[tool.tensorlift]\nto = ", "5:1", "this is not TOML"),
        ("[tool.tensorlift]\nto = ?\nI = []", "5:6", "this is not TOML"),
    ],
)
def test_wrong_settings_are_told(
    folder: Path, settings: str, place: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _configure(folder, settings)
    assert main(["lift", "twice.c"]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "[TL514]" in err
    assert f"pyproject.toml:{place}" in err
    assert "  help: " in err
