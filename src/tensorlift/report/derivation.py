"""A derivation as text, or as a page of HTML beside its source: sections of steps, each with its place there."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tensorlift.report.html import code, of_lines, page
from tensorlift.report.program import source_language
from tensorlift.report.terminal import summary_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.record import Derivation, Section, Step
    from tensorlift.source import Source

_INDENT = "  "


def derivation_text(derivation: Derivation) -> str:
    """Spell a derivation in plain lines."""
    return "\n".join(_lines(derivation)) + "\n"


def _lines(derivation: Derivation) -> Iterator[str]:
    yield summary_lines(derivation.function)[0]
    for section in derivation.sections:
        yield ""
        yield section.title
        for step in section.steps:
            yield from _step(step)
        if section.note:
            yield f"{_INDENT}{section.note}"


def _step(step: Step) -> Iterator[str]:
    indent = _INDENT * (step.depth + 1)
    place = "" if step.location is None else f"{step.location.file}:{step.location.line}: "
    yield f"{indent}{place}{step.head}"
    for line in step.lines:
        yield f"{indent}{_INDENT}{line}"


def derivation_html(source: Source, derivations: Sequence[Derivation]) -> str:
    """Write a page that needs nothing else: the source, and beside it why each lift is right."""
    parts = {
        "title": escape(source.name),
        "source": code(source.text.rstrip("\n"), source_language(source.name), first=1, anchor="line-"),
        "derivations": "\n".join(map(_article, derivations)),
    }
    return page("explain", parts)


def _article(derivation: Derivation) -> str:
    name, _, said = summary_lines(derivation.function)[0].partition(": ")
    sections = derivation_sections(derivation)
    return f'<article class="derivation"><h2>{escape(name)}</h2><p>{escape(said)}</p>\n{sections}</article>'


def derivation_sections(derivation: Derivation) -> str:
    """Write a derivation; its steps belong to lines of the source, and lead to them where they are on the page."""
    return "".join(map(_section, derivation.sections))


def _section(section: Section) -> str:
    steps = "".join(f"{_item(step)}\n" for step in section.steps)
    note = f'<p class="faint">{escape(section.note)}</p>\n' if section.note else ""
    return f"<h3>{escape(section.title)}</h3>\n<ul>\n{steps}</ul>\n{note}"


def _item(step: Step) -> str:
    place = of = ""
    if step.location is not None:
        line = step.location.line
        place, of = f'<a href="#line-{line}">line {line}</a> ', of_lines([(line, line)])
    said = "".join(f"<div><code>{escape(line)}</code></div>" for line in step.lines)
    return f'<li style="margin-left: {2 * step.depth}em"{of}>{place}<code>{escape(step.head)}</code>{said}</li>'
