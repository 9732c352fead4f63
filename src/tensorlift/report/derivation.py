"""A derivation as text, or as a page of HTML beside its source: sections of steps, each with its place there."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

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


_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 1rem; }
main { display: grid; gap: 2rem; grid-template-columns: minmax(20rem, 2fr) 3fr; }
pre { font: 13px/1.5 ui-monospace, monospace; margin: 0; overflow-x: auto; }
.source { align-self: start; max-height: 95vh; overflow: auto; position: sticky; top: 1rem; }
.source span { display: block; } .source span::before { content: attr(data-n); opacity: .5; padding-right: 1em; }
.source span:target { background: color-mix(in srgb, gold 40%, transparent); }
code { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; }
li { list-style: none; margin: .4rem 0; } .note { opacity: .8; }
"""


def derivation_html(source: Source, derivations: Sequence[Derivation]) -> str:
    """Write a page that needs nothing else: the source, and beside it why each lift is right."""
    name = escape(source.name)
    width = len(str(source.text.count("\n") + 1))
    lines = (
        f'<span id="line-{number}" data-n="{number:>{width}}">{escape(line) or " "}</span>'
        for number, line in enumerate(source.text.splitlines(), 1)
    )
    body = "\n".join(part for derivation in derivations for part in _article(derivation))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{name}</h1><main>\n"
        f'<pre class="source">{"".join(lines)}</pre>\n<div>\n{body}\n</div></main></body></html>\n'
    )


def _article(derivation: Derivation) -> Iterator[str]:
    name, _, verdict = summary_lines(derivation.function)[0].partition(": ")
    yield f"<article><h2>{escape(name)}</h2><p>{escape(verdict)}</p>"
    for section in derivation.sections:
        yield from _section(section)
    yield "</article>"


def _section(section: Section) -> Iterator[str]:
    yield f"<h3>{escape(section.title)}</h3><ul>"
    for step in section.steps:
        place = ""
        if step.location is not None:
            place = f'<a href="#line-{step.location.line}">line {step.location.line}</a> '
        said = "".join(f"<br><code>{escape(line)}</code>" for line in step.lines)
        yield f'<li style="margin-left: {2 * step.depth}em">{place}<code>{escape(step.head)}</code>{said}</li>'
    yield "</ul>" + (f'<p class="note">{escape(section.note)}</p>' if section.note else "")
