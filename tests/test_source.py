"""Sources are read as compilers read them, whatever their encoding."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"// \xc3\xa9", "// \xe9"),
        (b"// \xe9", "// \xe9"),
        (b"\xef\xbb\xbfint x;", "int x;"),
        (b"a\r\nb", "a\r\nb"),
        (b"", ""),
    ],
)
def test_old_encodings_marks_and_line_ends_are_read(tmp_path: Path, data: bytes, text: str) -> None:
    file = tmp_path / "a.c"
    file.write_bytes(data)
    source = read_source(str(file))
    assert source.text == text
    assert source.sha256 == hashlib.sha256(data).hexdigest()


def test_text_has_the_digest_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("// é\n", encoding="utf-8")
    assert source_from_text("// é\n").sha256 == read_source(str(tmp_path / "a.c")).sha256
