"""The process that lifts for the page: a request on each line of standard input, its answer on a line of output.

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
from tensorlift.exploring import ENGINES, FILES, VIEWS, explored, measured, options_of
from tensorlift.report.explored_html import MOST_TOLD, explored_page, refusal_html, view_html
from tensorlift.report.html import code
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
    found = {"html": refusal_html(diagnostics, source), "findings": _findings(diagnostics, source)}
    return {"verdict": "refused", "functions": [], **found}


def _name(request: Mapping[str, Any]) -> str:
    """Name the source by its own file where it was opened from one, so that what it includes is found beside it."""
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
        "findings": _findings(shown.record.all_diagnostics, source),
    }


def _export(source: Source, request: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    shown = explored(source, _options(request, flags), VIEWS)
    return {"verdict": str(shown.record.verdict), "functions": [], "html": explored_page(shown, source), "findings": []}


def _run(source: Source, request: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    text = measured(source, _options(request, flags), float(request["limit"]))
    return {"verdict": "", "functions": [], "html": code(text.rstrip("\n"), ""), "findings": []}


_ANSWERS = {"lift": _lift, "export": _export, "run": _run}


def _findings(diagnostics: Sequence[Diagnostic], source: Source) -> list[dict[str, Any]]:
    """Say what stands under lines of the source; what is about none of them has no line."""
    found = []
    for one in diagnostics[:MOST_TOLD]:
        here = one.location if one.location is not None and one.location.file == source.name else None
        line, column = (here.line, here.column) if here is not None else (0, 0)
        told = {"severity": one.severity.value, "code": one.code, "message": one.message, "remedy": one.remedy}
        found.append({"line": line, "column": column, **told})
    return found


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
