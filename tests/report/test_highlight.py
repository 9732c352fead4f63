"""Highlighted texts: what is shown is the text, and classes are those of its language."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.report.highlight import highlighted
from tensorlift.report.html import code

_LANGUAGES = ("c", "cpp", "fortran", "python", "mlir", "json", "definitions", "unknown")
_PARTS = (
    "/*",
    "*/",
    "//",
    "#",
    '"',
    "'",
    '"""',
    "\\",
    "\n",
    "for",
    "<b>",
    "&amp;",
    "%x",
    "@f",
    "1.5e3",
    " ",
    "f(",
    "x",
)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("language", _LANGUAGES)
@given(parts=st.lists(st.sampled_from(_PARTS) | st.text(max_size=3), max_size=12))
def test_markup_changes_no_text(language: str, parts: list[str]) -> None:
    text = "".join(parts)
    lines = highlighted(text, language)
    assert [unescape(re.sub(r"</?span( class=\w)?>", "", line)) for line in lines] == text.split("\n")
    assert all(line.count("<span") == line.count("</span>") for line in lines)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("c", "for (int i", "<span class=k>for</span> (<span class=t>int</span> i"),
        ("c", "/* a\nb */ x", "<span class=c>/* a</span>|<span class=c>b */</span> x"),
        ("c", "#include <math.h>", "<span class=m>#include &lt;math.h&gt;</span>"),
        ("cpp", "0x1Fu", "<span class=n>0x1Fu</span>"),
        (
            "fortran",
            "Real x(3) ! x",
            "<span class=t>Real</span> <span class=f>x</span>(<span class=n>3</span>) <span class=c>! x</span>",
        ),
        (
            "fortran",
            "c = 1.0d0_8\nC a\n!$omp do",
            "c = <span class=n>1.0d0_8</span>|<span class=c>C a</span>|<span class=m>!$omp do</span>",
        ),
        (
            "fortran",
            "x .and. 1.eq.2",
            "x <span class=k>.and.</span> <span class=n>1</span><span class=k>.eq.</span><span class=n>2</span>",
        ),
        ("python", 'np.dot(a, "b")', 'np.<span class=f>dot</span>(a, <span class=s>"b"</span>)'),
        ("mlir", "%a = arith.addf", "<span class=v>%a</span> = <span class=k>arith.addf</span>"),
        ("json", '{"a": "b"}', '{<span class=k>"a"</span>: <span class=s>"b"</span>}'),
        ("definitions", "sum(k : 0 <= k)", "<span class=k>sum</span>(k : <span class=n>0</span> &lt;= k)"),
    ],
)
def test_languages(language: str, text: str, expected: str) -> None:
    assert "|".join(highlighted(text, language)) == expected


def test_lines_are_numbered_led_to_and_linked() -> None:
    shown = code("a\nb", "c", first=3, anchor="line-", of={4: [(9, 9), (1, 2)]}, at=3)
    assert shown == (
        '<pre class="code" tabindex="0" data-first="3" style="counter-reset: line 2">'
        '<span id="line-3" class="at">a\n</span><span id="line-4" data-of="1-2 9-9">b\n</span></pre>'
    )
