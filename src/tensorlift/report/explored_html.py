"""What exploring shows, as HTML: a view of each function beside its source, or a page of all views in one file.

The page is `explore.html`, which `tensorlift explore` serves too; there an editor stands in the place of the source.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from tensorlift import __version__
from tensorlift.report.derivation import derivation_sections
from tensorlift.report.html import code, page, resource, verdict
from tensorlift.report.output import seconds_text
from tensorlift.report.program import source_language
from tensorlift.report.terminal import explain, summary_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.record import Derivation, Exploration, FunctionRecord, Text
    from tensorlift.source import Source

TITLES = {
    "program": "Program",
    "definitions": "Definitions",
    "ir": "IR",
    "derivation": "Derivation",
    "certificate": "Certificate",
    "cost": "Cost",
}
MOST_TOLD = 10  # diagnostics
_DEFINITIONS = "Definitions"  # the section of a derivation that the view of this name shows
_COPY = '<button type="button" class="copy" data-copy>Copy</button>'


def view_html(shown: Exploration, view: str, source: Source) -> str:
    """Write a view of all functions."""
    body = "".join(_BODIES[view](shown, source))
    return f'<div class="view {view}">{refusal_html(shown.record.diagnostics, source)}{body}</div>'


def refusal_html(diagnostics: Sequence[Diagnostic], source: Source) -> str:
    """Write why there is nothing else to show: the first diagnostics with their lines, and how many more there are."""
    if not diagnostics:
        return ""
    more = len(diagnostics) - MOST_TOLD
    text = explain(diagnostics[:MOST_TOLD], source).rstrip()
    return code(f"{text}\nand {more} more" if more > 0 else text, "")


def explored_page(shown: Exploration, source: Source) -> str:
    """Write the page of a lift with all of its views."""
    views = {view: view_html(shown, view, source) for view in TITLES}
    controls = f'<span class="faint">{escape(source.name)} to {escape(shown.record.target)}</span>'
    return explore_page(
        {
            "title": escape(source.name),
            "controls": controls,
            "source": code(source.text.rstrip("\n"), source_language(source.name), first=1, anchor="line-"),
            "status": f"by tensorlift {__version__}",
            "scripts": f'<script>"use strict";\n{resource("page.js")}\nlinkLines(document); tabs();</script>',
        },
        views,
    )


def explore_page(parts: Mapping[str, str], views: Mapping[str, str], titles: Mapping[str, str] = TITLES) -> str:
    """Fill the page: a tab for each title, with its view where there is one yet."""
    tabs = "".join(
        f'<button type="button" role="tab" id="tab-{name}" aria-controls="view-{name}" aria-selected="false"'
        f' tabindex="-1">{title}</button>'
        for name, title in titles.items()
    )
    panels = "\n".join(
        f'<div role="tabpanel" id="view-{name}" aria-labelledby="tab-{name}" hidden>{views.get(name, "")}</div>'
        for name in titles
    )
    return page("explore", {**parts, "tabs": tabs, "panels": panels})


def _heads(shown: Exploration, source: Source) -> Iterator[tuple[FunctionRecord, str]]:
    """Yield each function with what stands above its view: name, verdict, and why it is refused."""
    for function in shown.record.functions:
        said = summary_lines(function)[0].partition(f": {function.verdict}")[2].removeprefix(", ")
        head = f"<h2><code>{escape(function.name)}</code> {verdict(function.verdict)}"
        head += f'<span class="faint">{escape(said)}</span></h2>'
        if not function.lifted:
            head += refusal_html(function.diagnostics, source)
        yield function, head


def _programs(shown: Exploration, source: Source) -> Iterator[str]:
    for function, head in _heads(shown, source):
        text = shown.programs.get(function.name)
        lines = (line.strip() for line in summary_lines(function)[1:])
        told = "".join(f"<li>{escape(line)}</li>" for line in lines)
        yield f"<article>{head}{_text(text) if text else ''}{f'<ul>{told}</ul>' if told else ''}</article>"


def _text(text: Text) -> str:
    return f'<div class="block">{_COPY}{code(text.text, text.language, first=1, of=text.of)}</div>'


def _passes(shown: Exploration, source: Source) -> Iterator[str]:
    titles = dict.fromkeys(stage.title for stages in shown.passes.values() for stage in stages)
    options = "".join(f"<option>{escape(title)}</option>" for title in titles)
    if titles:
        yield f'<label class="stages">IR <select data-stages>{options}</select></label>'
    for function, head in _heads(shown, source):
        stages = shown.passes.get(function.name, ())
        yield f"<article>{head}{_stages(stages)}</article>"


def _stages(stages: Sequence[Text]) -> str:
    return "".join(f'<div data-stage="{escape(stage.title)}">{_text(stage)}</div>' for stage in stages)


def _derived(choose: Callable[[str], bool]) -> Callable[[Exploration, Source], Iterator[str]]:
    def write(shown: Exploration, source: Source) -> Iterator[str]:
        for function, head in _heads(shown, source):
            told = shown.derivations.get(function.name)
            sections = derivation_sections(_kept(told, choose)) if told else ""
            yield f'<article class="derivation">{head}{sections}</article>'

    return write


def _kept(told: Derivation, choose: Callable[[str], bool]) -> Derivation:
    return type(told)(told.function, tuple(one for one in told.sections if choose(one.title)))


def _certificates(shown: Exploration, source: Source) -> Iterator[str]:
    for function, head in _heads(shown, source):
        text = json.dumps(function.certificate, indent=2, ensure_ascii=False) if function.certificate else ""
        shown_text = f'<div class="block">{_COPY}{code(text, "json", first=1)}</div>' if text else ""
        yield f"<article>{head}{shown_text}</article>"


def _costs(shown: Exploration, source: Source) -> Iterator[str]:
    if shown.estimates:
        most = max(shown.estimates.values())
        rows = (
            (escape(name), seconds_text(one), f'<i class="measure" style="width: {one / most:.1%}"></i>')
            for name, one in shown.estimates.items()
        )
        at = ", ".join(f"{name} = {size}" for name, size in shown.at.items())
        where = f" at {escape(at)}" if at else ""
        yield f"<article><h2>Expected of a call{where}</h2>{_table(('target', 'time', ''), rows)}</article>"
    for function, head in _heads(shown, source):
        runs = (
            (
                escape(", ".join((run.engine, *run.forms))),
                escape(run.outcome),
                "" if run.cost is None else seconds_text(run.cost * 1e-9),
                escape(run.reason),
            )
            for run in function.engines
        )
        work = ((escape(of), f"<code>{escape(one)}</code>") for of, one in function.work.items())
        tables = _table(("engine", "outcome", "cost", "reason"), runs) if function.engines else ""
        tables += _table(("work of", "operations, by degree"), work) if function.work else ""
        yield f"<article>{head}{tables}</article>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    titles = "".join(f'<th scope="col">{title}</th>' for title in head)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"


_BODIES: Mapping[str, Callable[[Exploration, Source], Iterator[str]]] = {
    "program": _programs,
    "definitions": _derived(lambda title: title == _DEFINITIONS),
    "ir": _passes,
    "derivation": _derived(lambda title: title != _DEFINITIONS),
    "certificate": _certificates,
    "cost": _costs,
}
