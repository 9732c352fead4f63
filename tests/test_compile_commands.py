"""The flags of one file come from the build's compile_commands.json."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.compile_commands import CompilerFlags, read_flags
from tensorlift.diagnostics import LiftError

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = "cc -Iinc -I other -include inc/real.h -DM=0 -U M -DN=4 -D M -std=c99 -O2 -c src/f.c"


@pytest.mark.parametrize("spelled", [{"command": COMMAND}, {"arguments": COMMAND.split()}])
def test_flags_are_found_under_the_file_and_made_absolute(tmp_path: Path, spelled: dict[str, object]) -> None:
    entry = {"directory": ".", "file": "src/f.c", **spelled}
    (tmp_path / "compile_commands.json").write_text(json.dumps([{"file": "g.c", "command": "cc -DG g.c"}, entry]))
    rest = "-Iinc -I other -include inc/real.h -DM=0 -U M -DN=4 -D M -std=c99 -O2"
    expected = CompilerFlags(
        (str(tmp_path / "inc"), str(tmp_path / "other")),
        (str(tmp_path / "inc/real.h"),),
        ("N=4", "M"),
        "c99",
        "cc",
        tuple(rest.split()),
        str(tmp_path),
    )
    assert read_flags(str(tmp_path), str(tmp_path / "src/f.c")) == expected


@pytest.mark.parametrize(
    ("command", "compiler", "rest"),
    [
        ("ccache gcc -O2 -MD -MF f.d -MT f.o -o f.o -c f.c", "gcc", "-O2"),
        ("../bin/clang -fopenmp -Wp,-MMD,f.d -of.o -S ./src/../f.c", "/../bin/clang", "-fopenmp"),
        (
            "cc -UX -iquote q -march=native -save-temps=obj -isystem s -- f.c",
            "cc",
            "-UX -iquote q -march=native -isystem s",
        ),
        ("cc -E -fno-math-errno -Xclang -x --sysroot /r -pie f.c", "cc", "-fno-math-errno -Xclang -x --sysroot /r"),
        ("", "", ""),
    ],
)
def test_the_rest_of_a_command_are_its_flags_but_for_what_it_reads_and_writes(
    tmp_path: Path, command: str, compiler: str, rest: str
) -> None:
    (tmp_path / "compile_commands.json").write_text(json.dumps([{"file": "f.c", "command": command}]))
    flags = read_flags(str(tmp_path), str(tmp_path / "f.c"))
    assert flags.compiler in {compiler, f"{tmp_path}{compiler}"}
    assert flags.rest == tuple(rest.split())


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", '[{"file": "other.c"}]'])
def test_a_database_that_does_not_name_the_file_is_refused(tmp_path: Path, text: str) -> None:
    database = tmp_path / "compile_commands.json"
    database.write_text(text)
    with pytest.raises(LiftError) as caught:
        read_flags(str(database), str(tmp_path / "f.c"))
    assert caught.value.diagnostics[0].code == "TL509"


@pytest.mark.parametrize("flag", ["-funsigned-char", "-m32", "-fpack-struct=2", "-fshort-enums"])
@pytest.mark.parametrize("command", ["lift", "scan", "build"])
def test_a_file_whose_flags_change_what_types_are_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flag: str,
    command: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text("void f(int n, const char *c, int *y) { for (int i = 0; i < n; i++) y[i] = c[i]; }\n")
    (tmp_path / "compile_commands.json").write_text(json.dumps([{"file": "f.c", "command": f"cc {flag} -c f.c"}]))
    main([command, "f.c", "-p", ".", *(["-o", "f.so"] if command == "build" else [])])
    said = capsys.readouterr()
    assert f"compiled with {flag}" in said.out + said.err
    assert "TL509" in said.out + said.err
