"""The text tests under tests/filecheck: their RUN lines, as lit reads them; all but mlir-opt runs in this process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filecheck.main import main as filecheck
from lit.ShUtil import ShParser

from tensorlift.cli import main
from tensorlift.ir import text
from tensorlift.runtime.mlir.tools import find_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SUITE = Path(__file__).parents[1] / "filecheck"
_RUN = re.compile(r"^// RUN: (.*)$", re.MULTILINE)
_TOOLS = find_tools()


def _upstream(arguments: Sequence[str]) -> int:
    assert _TOOLS is not None
    done = subprocess.run(
        [_TOOLS.opt, *arguments], input=sys.stdin.read(), capture_output=True, text=True, env=os.environ, check=False
    )
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


_PROGRAMS: dict[str, Callable[[list[str]], object]] = {
    "tensorlift-ir": text.main,
    "tensorlift-opt": lambda arguments: main(["opt", *arguments]),
    "tensorlift-lift": lambda arguments: main(["lift", *arguments]),
    "filecheck": lambda arguments: filecheck(["filecheck", *arguments]),
    "%mlir-opt": _upstream,
}


def _status(arguments: list[str]) -> object:
    """Run a program; give its exit status, 0 or what a process ends with."""
    program, *rest = arguments
    if program == "not":
        return int(not _status(rest))
    try:
        return _PROGRAMS[program](rest)
    except SystemExit as end:
        return end.code


def _runs(line: Any, given: str = "") -> str:
    """Run what the shell would; give what the last command leaves to the next."""
    if hasattr(line, "lhs"):
        assert line.op == "&&"
        _runs(line.lhs)
        return _runs(line.rhs)
    for command in line.commands:
        given = _piped(command, given)
    return given


def _piped(command: Any, given: str) -> str:
    output, errors = StringIO(), StringIO()
    into = None
    for redirection, file in command.redirects:
        match redirection:
            case (">&", 2):
                assert file == "1"
                errors = output
            case (">", 2):
                assert file == os.devnull
            case (">",):
                into = Path(file)
            case _:
                raise AssertionError(redirection)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        patch.setattr(sys, "stdin", StringIO(given))
        status = _status(command.args)
    assert status in {0, None}, f"{command.args}: {status}\n{output.getvalue()}\n{errors.getvalue()}"
    if into is None:
        return output.getvalue()
    into.write_text(output.getvalue(), encoding="utf-8")
    return ""


@pytest.mark.parametrize("file", sorted(_SUITE.glob("*/*.mlir")), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_what_is_printed_is_as_the_file_says(file: Path, tmp_path: Path) -> None:
    lines = _RUN.findall(file.read_text(encoding="utf-8"))
    assert lines
    if _TOOLS is None and any("%mlir-opt" in line for line in lines):
        pytest.skip("mlir-opt is not installed")
    for line in lines:
        spelled = re.sub(r"%s\b", str(file), line).replace("%t", str(tmp_path / "t"))
        _runs(ShParser(spelled).parse())


def test_a_file_that_says_otherwise_fails(tmp_path: Path) -> None:
    file = tmp_path / "f.mlir"
    file.write_text("// CHECK: func.func @g\nfunc.func @f() {\n  return\n}\n")
    with pytest.raises(AssertionError, match="filecheck"):
        _runs(ShParser(f"tensorlift-ir {file} | filecheck {file}").parse())
    with pytest.raises(AssertionError, match="tensorlift-ir"):
        _runs(ShParser(f"not tensorlift-ir {file} | filecheck {file}").parse())
