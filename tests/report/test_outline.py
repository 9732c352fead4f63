"""Outlines drawn as trees: well-formed, each line once, every box inside the picture, the same for the same text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tensorlift.cli import main
from tensorlift.report.outline import outline_svg

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_OUTLINE = "function f\nC_1\n  sum for [i, j]\n    known for [i] & <j>\n    known for [j]\n  known\n# 3 goals\n"
_SVG = "{http://www.w3.org/2000/svg}"


def _texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{_SVG}text")]


def test_each_line_is_a_box_and_notes_come_below() -> None:
    svg = outline_svg(_OUTLINE)
    labels = ["function f", "C_1", "sum for [i, j]", "known for [i] & <j>", "known for [j]", "known"]
    assert _texts(svg) == [*labels, "3 goals"]
    root = ET.fromstring(svg)
    assert len(root.findall(f"{_SVG}path")) == 4
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for box in root.findall(f"{_SVG}rect")[1:]:
        assert 0 < float(box.attrib["x"]) < float(box.attrib["x"]) + float(box.attrib["width"]) < width
        assert 0 < float(box.attrib["y"]) < float(box.attrib["y"]) + float(box.attrib["height"]) < height


def test_no_two_boxes_overlap() -> None:
    boxes = ET.fromstring(outline_svg(_OUTLINE * 2)).findall(f"{_SVG}rect")[1:]
    places = {(box.attrib["x"], box.attrib["y"]) for box in boxes}
    assert len(places) == len(boxes)


def test_an_empty_outline_is_an_empty_picture() -> None:
    assert _texts(outline_svg("")) == []


def test_derivations_are_drawn_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "scale.c"
    source.write_text("void scale(int n, double s, double a[n]) { for (int i = 0; i < n; i++) a[i] = s * a[i]; }\n")
    drawings = []
    for name in ("one.svg", "two.svg"):
        assert main(["lift", str(source), "--emit", "sketches", "-o", str(tmp_path / name)]) == 0
        drawings.append((tmp_path / name).read_text())
    assert drawings[0] == drawings[1]
    assert "function scale" in _texts(drawings[0])
    assert capsys.readouterr().out == ""
