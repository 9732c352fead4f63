"""Modules of mixed dialects, as compilers print them, under raising passes: what is not understood stays as it was.

Each module of ``mixed/*.mlir`` says how many nests are raised in it, and which functions stay because of an operation
that cannot be read.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.ir.skip import without_comments
from tensorlift.raising.pipeline import pieces_of, run_on_pieces, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import find_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOLDER = Path(__file__).parent / "mixed"
_FILES = sorted(_FOLDER.glob("*.mlir"))
_TOOLS = find_tools()
_PASSES = "raise-affine-to-linalg,raise-linalg-to-blas"
_SAID = re.compile(r"// raised: (\d+), stays:(.*)")
_STAYS = re.compile(r"the function `(.*)` stays as it is")
_BECOMES = re.compile("the (nest|kernel) becomes")
_MARK = "// -----\n"


def test_there_are_as_many_modules_as_that() -> None:
    assert sum(len(pieces_of(file.read_text(encoding="utf-8"))) for file in _FILES) >= 60


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("file", _FILES, ids=lambda file: file.stem)
def test_one_operation_keeps_no_more_than_its_function(file: Path) -> None:
    pieces = pieces_of(file.read_text(encoding="utf-8"))
    raised = [_raised(piece) for piece in pieces]
    again = run_on_pieces(raised, "out.mlir", [])
    assert again.diagnostics == ()
    assert again.text == _MARK.join(raised)
    if _TOOLS is None:
        return
    for piece, before, after in zip(pieces, _generic(map(without_comments, pieces)), _generic(raised), strict=True):
        assert bool(after) >= bool(before), f"upstream reads what goes in, but not what comes out:\n{piece}"
        made = list(_operations(after.splitlines()))
        changed = [op for op in _operations(before.splitlines()) if op not in made]
        said = _SAID.search(piece)
        assert said is not None
        assert len(changed) <= int(said[1]), changed
        for op in changed:
            head, *body = op.splitlines()
            assert head.startswith('"func.func"')
            originals = [one.splitlines()[1:] for one in made if f"{_name_of(op)}_original" in _name_of(one)]
            assert not originals or body[:-1] in [one[:-1] for one in originals]


def test_old_names_are_told() -> None:
    (piece,) = [p for p in pieces_of((_FOLDER / "versions.mlir").read_text(encoding="utf-8")) if "arith.maxf" in p]
    said = run_passes(piece, "in.mlir", parse_passes(_PASSES)).diagnostics[0]
    assert "TL589: `arith.maxf` becomes `arith.maximumf`, its name in later versions of MLIR" in str(said)


_DEFINED = """irdl.dialect @cm {
  irdl.type @complex {
    %0 = irdl.any
    irdl.parameters(element: %0)
  }
  irdl.operation @norm {
    %0 = irdl.any
    %1 = irdl.any
    irdl.operands(of: %0)
    irdl.results(norm: %1)
  }
}
irdl.dialect @dev {
  irdl.operation @view {
    %0 = irdl.any
    irdl.operands(of: %0)
    irdl.results(as: %0)
  }
}
"""
_WITH_NORM = """func.func @f(%z: !cm.complex<f32>, %A: memref<8xf32>, %B: memref<8xf32>) -> !cm.complex<f32> {
  %n = "cm.norm"(%z) {note = "x"} : (!cm.complex<f32>) -> f32
  affine.for %i = 0 to 8 {
    affine.store %n, %A[%i] : memref<8xf32>
  }
  %own = "dev.view"(%A) : (memref<8xf32>) -> memref<8xf32>
  affine.for %j = 1 to 8 {
    %b = affine.load %B[%j - 1] : memref<8xf32>
    affine.store %b, %own[%j] : memref<8xf32>
  }
  return %z : !cm.complex<f32>
}
func.func @g() {
  "dev.region"() ({}) : () -> ()
  return
}
"""


def test_operations_of_a_dialect_in_irdl_stay_in_functions_that_are_raised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("d.irdl.mlir", _DEFINED), ("in.mlir", _WITH_NORM)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    given = f"--irdl-file={tmp_path / 'd.irdl.mlir'}"
    passes = ["--raise-affine-to-linalg", "--canonicalize", "--cse"]
    assert main(["opt", str(tmp_path / "in.mlir"), given, *passes]) == 0
    shown = capsys.readouterr()
    assert '  %n = "cm.norm"(%z) {note = "x"} : (!cm.complex<f32>) -> f32\n  linalg.fill ins(%n' in shown.out
    assert "it needs that own shares no memory with B" in shown.err
    assert "the function `g` stays as it is: `dev.region` cannot be read: it holds other operations" in shown.err
    if _TOOLS is not None:
        command = [str(_TOOLS.opt), given, "--allow-unregistered-dialect"]
        text = shown.out.partition("func.func @g")[0]
        subprocess.run(command, input=text, capture_output=True, text=True, check=True)


def test_a_file_that_defines_no_dialect_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.mlir").write_text(_WITH_NORM, encoding="utf-8")
    assert main(["opt", str(tmp_path / "in.mlir"), f"--irdl-file={tmp_path / 'in.mlir'}"]) == 2
    assert "it has no irdl.dialect [TL534]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("irdl.operation @g {\n%0 = irdl.foo\n}", "d.irdl.mlir:3:6: error: {} `irdl.foo` is no operation of IRDL"),
        ("irdl.operation @g {\nirdl.results(r: %1)\n}", "d.irdl.mlir:3:17: error: {} the value %1 is not defined"),
        ("irdl.operation @g\nirdl.operation @g", "d.irdl.mlir:3:1: error: {} it defines `g` twice"),
        ("irdl.operation @g {", "d.irdl.mlir:4:1: error: {} it ends too early"),
        ('irdl.operation @g {\n"irdl.foo"() : () -> ()\n}', "d.irdl.mlir:3:1: error: {} `irdl.foo` is no operation"),
    ],
)
def test_what_is_wrong_in_a_definition_is_shown_at_its_place(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in (("d.irdl.mlir", f"irdl.dialect @d {{\n{text}\n}}\n"), ("in.mlir", _WITH_NORM)):
        Path(name).write_text(content, encoding="utf-8")
    assert main(["opt", "in.mlir", "--irdl-file=d.irdl.mlir"]) == 2
    shown = capsys.readouterr().err
    assert said.format("'d.irdl.mlir' is no definition of a dialect:") in shown
    assert "^\n  help: write what 'mlir-opt --irdl-file' accepts" in shown


def _raised(piece: str) -> str:
    """Run passes over a module, and compare what they say with its first comment."""
    result = run_passes(piece, "in.mlir", parse_passes(_PASSES))
    said = _SAID.search(piece)
    assert said is not None
    nests = [d.message for d in result.diagnostics if _BECOMES.match(d.message)]
    stay = [found[1] for d in result.diagnostics if (found := _STAYS.match(d.message))]
    assert (len(nests), sorted(stay)) == (int(said[1]), sorted(re.findall(r"[^\s,]+", said[2]))), result.diagnostics
    assert {d.severity.value for d in result.diagnostics} <= {"note"}
    return result.text


def _generic(pieces: Iterable[str]) -> list[str]:
    """Print modules by upstream's tool, in generic form; one that it does not read is empty."""
    assert _TOOLS is not None
    flags = ["--allow-unregistered-dialect", "--split-input-file", "--mlir-print-op-generic"]
    command = [str(_TOOLS.opt), *flags, "--mlir-print-local-scope"]
    shown = subprocess.run(command, input=_MARK.join(pieces), capture_output=True, text=True, check=False)
    return str(shown.stdout).split(_MARK)


def _operations(lines: list[str]) -> Iterator[str]:
    """Yield the operations of modules, nested ones too, with values and blocks numbered within each."""
    start = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and (not lines[end].startswith('"') or not lines[end]):
            continue
        op = lines[start:end]
        start = end
        if op[0].startswith('"builtin.module"'):
            yield f"{op[0]} {op[-1]}"
            yield from _operations([line.removeprefix("  ") for line in op[1:-1]])
        else:
            yield _numbered("\n".join(op))


def _numbered(op: str) -> str:
    names: dict[str, str] = {}
    return re.sub(r"[%^][\w$.-]+", lambda found: names.setdefault(found[0], f"{found[0][0]}{len(names)}"), op)


def _name_of(op: str) -> str:
    found = re.search('sym_name = "(.*?)"', op)
    return "" if found is None else found[1]
