"""Files are written whole or not at all, and never over the source."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.report.output import check_outputs, write_output


def _refusal(error: pytest.ExceptionInfo[LiftError]) -> str:
    assert error.value.diagnostics[0].code == "TL505"
    assert error.value.diagnostics[0].remedy
    return error.value.diagnostics[0].message


def test_writing_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    out = tmp_path / "out.py"
    out.write_text("old", encoding="utf-8")
    write_output(str(out), "new é\n")
    assert out.read_bytes() == "new é\n".encode()
    assert list(tmp_path.iterdir()) == [out]


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.py"
    out.write_text("old", encoding="utf-8")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LiftError) as error:
        write_output(str(out), "new")
    assert _refusal(error) == f"cannot write '{out}': no space left on device"
    assert out.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_the_mode_of_the_old_file_is_kept_and_a_new_one_follows_the_umask(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch(0o640)
    before = os.umask(0o022)
    try:
        write_output(str(old), "")
        write_output(str(new), "")
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o644


def test_a_link_is_written_through(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    target.touch()
    link.symlink_to(target)
    write_output(str(link), "text")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "text"


def test_a_device_is_written_and_not_replaced() -> None:
    write_output(os.devnull, "text")
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize(
    ("name", "reason"), [("no/such/out.py", "its directory does not exist"), (".", "it is a directory")]
)
def test_places_that_cannot_be_written_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LiftError) as error:
        write_output(name, "")
    assert _refusal(error) == f"cannot write '{name}': {reason}"


def test_the_source_is_never_an_output(tmp_path: Path) -> None:
    source, link = tmp_path / "a.c", tmp_path / "b.c"
    source.touch()
    link.symlink_to(source)
    for output in (source, link):
        with pytest.raises(LiftError) as error:
            check_outputs(str(source), [str(output)])
        assert "it is the source" in _refusal(error)


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    with pytest.raises(LiftError) as error:
        check_outputs("-", [str(tmp_path / "x"), str(tmp_path / "x")])
    assert "another output" in _refusal(error)
    check_outputs("-", ["-"])
