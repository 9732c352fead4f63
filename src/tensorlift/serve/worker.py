"""The process that lifts for the page and for editors: a line of standard input asks, a line of output answers.

It stays between requests, so that a lift costs no start-up; what takes too long or crashes is ended with it. Limits of
memory are those of this process alone: what it starts takes its own.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, internal_error, refuse
from tensorlift.exploring import ENGINES, FILES, VIEWS, ends, explored, is_read, measured, options_for, options_of
from tensorlift.report.explored_html import MOST_TOLD, explored_page, refusal_html, view_html
from tensorlift.report.html import code
from tensorlift.report.program import language
from tensorlift.report.terminal import level_text, summary_lines
from tensorlift.serve.findings import findings
from tensorlift.serve.inserted import insertion
from tensorlift.source import Source, source_from_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.diagnostics import Diagnostic
_MEMORY = 8 << 30  # of addresses
_FIRST = {"source": "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }", "target": "numpy"}


def answer(request: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a request, whatever it holds."""
    start = time.perf_counter()
    source = source_from_text(str(request.get("source", "")), _name(request))
    try:
        found = _ANSWERS[request.get("kind", "lift")](source, request, flags)
    except LiftError as refusal:
        found = refused(refusal.diagnostics, source)
    except Exception as error:  # noqa: BLE001 - told on the page as what it is
        found = refused((internal_error(error),), source)
    return {**found, "seconds": time.perf_counter() - start}


def refused(diagnostics: Sequence[Diagnostic], source: Source) -> dict[str, Any]:
    """Say why there is no other answer."""
    found = {"html": refusal_html(diagnostics, source), "findings": findings(diagnostics[:MOST_TOLD], source)}
    return {"verdict": "refused", "functions": [], **found}


def _name(request: Mapping[str, Any]) -> str:
    """Name the source by its own file where it was opened from one, so that what it includes is found beside it."""
    if request.get("kind") == "check":
        return str(request["file"])
    written = FILES.get(str(request.get("language")), FILES["c"])
    file = request.get("file")
    return file if isinstance(file, str) and file.rpartition(".")[2] == written.rpartition(".")[2] else written


def _options(request: Mapping[str, Any], flags: Mapping[str, Any]) -> Any:
    engine = request.get("engine", ENGINES[0])
    if engine not in ENGINES:
        raise refuse("TL661", f"there is no engine '{engine}'", remedy=f"use one of: {', '.join(ENGINES)}")
    chosen = {
        "engine": engine,
        "guards": request.get("guards") is True,
        "functions": (str(request["function"]),) if request.get("function") else (),
    }
    return options_of(str(request.get("target", "numpy")), str(request.get("sizes", "")), **chosen, **flags)


def _lift(source: Source, request: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    view = next((name for name in VIEWS if name == request.get("view")), VIEWS[0])
    shown = explored(source, _options(request, flags), [view])
    return {
        "verdict": str(shown.record.verdict),
        "functions": [function.name for function in shown.record.functions if function.lifted],
        "html": view_html(shown, view, source),
        "findings": findings(shown.record.all_diagnostics[:MOST_TOLD], source),
    }


def _export(source: Source, request: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    shown = explored(source, _options(request, flags), VIEWS)
    return {"verdict": str(shown.record.verdict), "functions": [], "html": explored_page(shown, source), "findings": []}


def _run(source: Source, request: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    text = measured(source, _options(request, flags), float(request["limit"]))
    return {"verdict": "", "functions": [], "html": code(text.rstrip("\n"), ""), "findings": []}


def _check(source: Source, request: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Say of each function what an editor shows: its verdict, its program, and what may be put behind it."""
    options = options_for(source.name, str(request["target"]), flags)
    record = explored(source, options, ()).record
    last = ends(source, options) if any(one.lifted for one in record.functions) else {}
    found = list[dict[str, Any]]()
    for one in record.functions:
        if one.location is None or one.location.file != source.name:
            continue
        said = summary_lines(one)
        told = {
            "name": one.name,
            "line": one.location.line,
            "title": f"{one.verdict}, {level_text(one)}" if one.lifted else said[0].partition(": ")[2],
            "program": one.program,
            "language": language(one.target).name,
            "said": said,
        }
        end = last.get((one.name, one.location.line))
        inserted = insertion(one, source) if end is not None else ""
        found.append({**told, "end": end, "inserted": inserted})
    offered = [entry for entry in found if entry["inserted"]]
    if offered and not is_read(_with_all(offered, source), options):
        for entry in offered:
            if not is_read(_with_all([entry], source), options):
                entry["inserted"] = ""
    return {"functions": found, "findings": findings(record.all_diagnostics, source)}


def _with_all(functions: Sequence[Mapping[str, Any]], source: Source) -> Source:
    """Put programs behind their functions."""
    lines = list(source.lines)
    for one in sorted(functions, key=lambda one: -int(one["end"])):
        lines.insert(one["end"], one["inserted"])
    return source_from_text("\n".join(lines), source.name)


_ANSWERS = {"lift": _lift, "export": _export, "run": _run, "check": _check}


def main() -> None:
    """Answer requests until there are no more; the arguments are the flags that sources are read with, as JSON."""
    flags = {
        name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(sys.argv[1]).items()
    }
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anything else prints is no reply
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most), most))
    answer(_FIRST, flags)  # loads what lifts need
    for line in requests:
        print(json.dumps(answer(json.loads(line), flags)), file=replies, flush=True)


if __name__ == "__main__":
    main()
