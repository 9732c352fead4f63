"""Pages of HTML that need nothing else, and the parts that all of them share: code, verdicts, data for scripts.

A page is a file of this folder in which marks `<!--name-->` stand for its parts. All begin as `head.html` says, and
share `page.css`, which takes `code.css` in, and `page.js`: lines that belong together light up. What belongs to lines
of the source says so in `data-of`, as "3-5 9-9".
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.report.highlight import highlighted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Range = tuple[int, int]  # first and last line of the source
_FOLDER = Path(__file__).parent
_MARK = re.compile(r"<!--(\w+)-->")
_SCRIPTS = "script-src 'unsafe-inline'"


def page(name: str, parts: Mapping[str, str]) -> str:
    """Fill the page of a name; raises KeyError where it has a part that is not given.

    ``title`` and ``policy``, what it may do beside being shown, are parts of its head.
    """
    head = _filled("head", {"title": f"tensorlift {name}", "policy": _SCRIPTS, "style": style(), **parts})
    return _filled(name, {"script": resource("page.js"), **parts, "head": head})


def _filled(name: str, parts: Mapping[str, str]) -> str:
    return _MARK.sub(lambda mark: parts[mark[1]], resource(f"{name}.html"))


@cache
def resource(name: str) -> str:
    """Read a file of this folder."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def style() -> str:
    """Give the style that all pages share."""
    return resource("code.css") + resource("page.css")


def code(  # noqa: PLR0913 - a text, and how its lines are told from others
    text: str,
    language: str,
    *,
    first: int | None = None,
    anchor: str = "",
    of: Mapping[int, Collection[Range]] | None = None,
    at: int | None = None,
) -> str:
    """Write a text as lines that are highlighted.

    They are numbered from ``first`` on, and may be led to by ``anchor`` and their number. ``of`` tells by the
    number of a line to which lines of the source it belongs; ``at`` is the number of the line that is pointed at.
    """
    start = 1 if first is None else first
    lines = []
    for number, line in enumerate(highlighted(text, language), start):
        own = f' id="{anchor}{number}"' if anchor else ""
        pointed = ' class="at"' if number == at else ""
        lines.append(f"<span{own}{of_lines(of.get(number, ()) if of else ())}{pointed}>{line}\n</span>")
    numbers = "" if first is None else f' data-first="{first}" style="counter-reset: line {first - 1}"'
    return f'<pre class="code" tabindex="0"{numbers}>{"".join(lines)}</pre>'


def of_lines(ranges: Iterable[Range]) -> str:
    """Spell the attribute by which an element belongs to lines of the source."""
    spelled = " ".join(f"{first}-{last}" for first, last in sorted(set(ranges)))
    return f' data-of="{spelled}"' if spelled else ""


def verdict(name: str) -> str:
    """Write a verdict in its colour."""
    return f'<span class="verdict {escape(name)}">{escape(name)}</span>'


def as_script_data(value: object) -> str:
    """Write JSON that ends no script and begins no comment, whatever it holds."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.replace("</", "<\\/").replace("<!", "\\u003c!")
