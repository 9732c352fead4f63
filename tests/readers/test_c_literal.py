"""What the literal reader says of C: a case holds its source, and the text of its module behind `// MLIR`."""

from __future__ import annotations

import shutil
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from tensorlift.ir.location import location_of
from tensorlift.ops.c_types import is_structure
from tensorlift.readers.clang import read_literally

CASES = sorted((Path(__file__).parent / "literal").glob("*.c"))
CONSTRUCTS = Path(__file__).parent / "constructs.c"
STRUCTURES = Path(__file__).parent / "structures.c"
_MARK = "\n// MLIR\n"
_MLIR_OPT = shutil.which("mlir-opt") or next(map(str, Path("/usr/lib").glob("llvm-*/bin/mlir-opt")), None)


def _read(path: Path) -> ModuleOp:
    source = path.read_text(encoding="utf-8").partition(_MARK)[0] + "\n"
    module = read_literally(source, path.name)
    refused = [function for function in module.functions if function.operation is None]
    assert [f.diagnostics for f in refused if not is_structure(f.result)] == []  # what returns one is only called
    return module.module


def _text(module: ModuleOp, *, debuginfo: bool = False) -> str:
    stream = StringIO()
    Printer(stream, print_debuginfo=debuginfo).print_op(module)
    return stream.getvalue() + "\n"


def _commented(text: str) -> str:
    return "".join(f"// {line[2:]}\n" for line in text.splitlines()[1:-1])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_module_says_what_the_source_says(path: Path, update: bool) -> None:  # noqa: FBT001 - a fixture
    source, _, expected = path.read_text(encoding="utf-8").partition(_MARK)
    module = _read(path)
    module.verify()
    found = _commented(_text(module))
    if update:
        path.write_text(f"{source.rstrip()}\n{_MARK}{found}", encoding="utf-8")
    else:
        assert found == expected


@pytest.mark.skipif(_MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_opt_accepts_each_module() -> None:
    texts = [_text(_read(path), debuginfo=True) for path in [*CASES, CONSTRUCTS, STRUCTURES]]
    command = [str(_MLIR_OPT), "--split-input-file", "--verify-each", "-o", "/dev/null"]
    done = subprocess.run(
        command, input="// -----\n".join(texts), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr == ""


def test_every_operation_has_a_place_in_the_source() -> None:
    module = _read(CONSTRUCTS)
    lines = CONSTRUCTS.read_text(encoding="utf-8").count("\n")
    for operation in module.walk():
        place = location_of(operation)
        if not isinstance(operation, ModuleOp):
            assert place is not None
            assert place.file == CONSTRUCTS.name
            assert 0 < place.line <= lines


def test_reading_twice_gives_the_same_text() -> None:
    assert _text(_read(CONSTRUCTS)) == _text(_read(CONSTRUCTS))


def test_long_functions_need_no_deep_stack() -> None:
    ifs = "".join(f"if (n > {k}) m += {k};\n" for k in range(1200))
    module = read_literally(f"int f(int n, int k) {{ int m = 0; {ifs} return m + k; }}", "long.c")
    assert module.functions[0].operation is not None
