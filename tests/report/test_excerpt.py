"""Diagnostics are shown with the source line and a caret under the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tensorlift.diagnostics import Diagnostic, Location, Severity
from tensorlift.report.excerpt import Sources, plain, render
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

_GUTTER = "      | "


def _excerpt(text: str, line: int, column: int, width: int = 120) -> list[str]:
    """Render an error at a place of the text; give what follows the headline."""
    diagnostic = Diagnostic("TL201", "wrong", Location("a.c", line, column))
    return plain(render(diagnostic, Sources(source_from_text(text, "a.c")), width)).splitlines()[1:]


def _marked(text: str, line: int, column: int, width: int = 120) -> str:
    """Give the character of the shown line that the caret stands under."""
    shown, caret = _excerpt(text, line, column, width)
    assert caret.endswith("^")
    return shown[len(caret) - 1 :][:1]


def test_whole_refusal(walk: FunctionRecord, source: Source) -> None:
    assert plain(render(walk.diagnostics[0], Sources(source))) == (
        "scale.c:7:12: error: 'f' is called and not defined here [TL203]\n"
        "    7 |     a[i] = f(a[i-1]);\n"
        "      |            ^\n"
        "  help: define 'f' in this file\n"
        "scale.c:6:3: note: called for each cell of\n"
        "    6 |   for (int i = 1; i < n; i++)\n"
        "      |   ^\n"
        "tensorlift: note: nothing else stops it\n"
    )


def test_a_warning_says_so() -> None:
    warning = Diagnostic("TL101", "odd", Location("a.c", 1, 1), severity=Severity.WARNING)
    assert plain(render(warning, Sources())).startswith("a.c:1:1: warning: odd [TL101]\n")


def test_tabs_are_spread_and_the_caret_follows() -> None:
    assert _excerpt("\tx\ty;", 1, 4) == ["    1 |         x       y;", _GUTTER + " " * 16 + "^"]


def test_a_caret_on_a_tab_stands_at_its_start() -> None:
    assert _excerpt("x\ty;", 1, 2)[1] == _GUTTER + " ^"


def test_columns_count_bytes() -> None:
    assert _marked("/* é */ x;", 1, 10) == "x"


def test_wide_characters_take_two_cells() -> None:
    shown, caret = _excerpt("/* 中 */ x;", 1, 11)
    assert shown.index("x") + 1 == caret.index("^")


def test_line_ends_of_every_kind_count() -> None:
    assert [_marked("a;\r\nb;\rc;\nd;", line, 1) for line in (1, 2, 3, 4)] == ["a", "b", "c", "d"]


def test_form_feeds_end_no_line() -> None:
    assert _marked("a;\fx\nb;", 2, 1) == "b"


def test_the_end_of_the_file_can_be_pointed_at() -> None:
    assert _excerpt("int f() {", 1, 10) == ["    1 | int f() {", _GUTTER + "         ^"]
    assert _excerpt("int f() {\n", 2, 1) == ["    2 |", _GUTTER + "^"]
    assert _excerpt("int f() {", 2, 1) == ["    2 |", _GUTTER + "^"]


def test_a_place_outside_the_file_gets_no_excerpt() -> None:
    assert _excerpt("x;", 9, 1) == []
    assert _excerpt("x;", 0, 1) == []


def test_columns_beyond_the_line_point_to_its_end() -> None:
    assert _excerpt("x;", 1, 99)[1] == _GUTTER + "  ^"


def test_long_lines_are_cut_around_the_caret() -> None:
    text = "a" * 200 + "X" + "b" * 200
    shown, caret = _excerpt(text, 1, 201, 60)
    assert len(shown) <= 60
    assert shown.startswith("    1 | ...a")
    assert shown.endswith("b...")
    assert shown[caret.index("^")] == "X"


def test_long_lines_are_cut_on_one_side_where_that_is_enough() -> None:
    text = "X" + "a" * 300 + "Z"
    assert _marked(text, 1, 1, 60) == "X"
    assert _marked(text, 1, 302, 60) == "Z"


def test_cutting_wide_characters_keeps_the_caret_in_place() -> None:
    for column in range(1, 3 * 60, 3):
        shown, caret = _excerpt("中" * 60, 1, column, 40)
        before = shown[: shown.index("中")] + "  " * shown.count("中")
        assert len(before) <= 40
        assert caret.index("^") < 40


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = plain(render(Diagnostic("TL201", "\x1b[31m", Location("\x9b.c", 1, 1)), Sources()))
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "\x1b" not in "".join(_excerpt("x = '\x1b[2J';", 1, 1))


def test_sources_are_read_where_they_are_not_given(tmp_path: Path) -> None:
    header = tmp_path / "a.h"
    header.write_text("int x;\n", encoding="utf-8")
    assert Sources().line(Location(str(header), 1, 1)) == "int x;"
    assert Sources().line(Location(str(tmp_path), 1, 1)) is None
    assert Sources().line(Location(str(tmp_path / "none.h"), 1, 1)) is None


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.integers(1, 4), st.integers(1, 90), st.integers(20, 60))
def test_no_place_in_any_text_breaks_the_excerpt(text: str, line: int, column: int, width: int) -> None:
    shown = _excerpt(text, line, column, width)
    assert len(shown) in {0, 2}
    assert all(unit.isprintable() for unit in shown)
    assert not shown or (shown[1].endswith("^") and len(shown[1]) <= width)
