"""What a notebook shows of a lift: the source and beside it the program, the verdict, what callers must guarantee.

The style comes with it, under a class of its own, so that nothing of the notebook's is changed; where a viewer takes it
away, the texts stay.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tensorlift.report.html import code, resource, verdict
from tensorlift.report.program import language, source_language
from tensorlift.report.terminal import NUMERICS_TEXT, explain, in_few_words, level_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

_COPY = "navigator.clipboard.writeText(this.parentNode.querySelector('pre').textContent); this.textContent = 'Copied'"


def show_functions(
    functions: Sequence[FunctionRecord],
    source: Source,
    diagnostics: Sequence[Diagnostic] = (),
    lines: tuple[int, int] | None = None,
    written: str = "",
) -> str:
    """Give the HTML of functions of a source, into which diagnostics point; some may be about no function.

    ``lines`` are the first and the last that are shown of it, all without; ``written`` is its language, where the name
    of its file does not tell it.
    """
    first, last = lines or (1, len(source.lines))
    text = "\n".join(source.lines[first - 1 : last]).strip("\n")
    original = code(text, written or source_language(source.name), first=first)
    programs = "".join(part for function in functions for part in _parts(function, source))
    right = programs + _refusal(diagnostics, source)
    style = resource("notebook.css") + resource("code.css")
    left = f"<div>{original}</div>" if text else ""
    panes = f'<div class="panes">{left}<div>{right}</div></div>'
    return f'<div class="tensorlift"><style>.tensorlift {{ {style} }}</style>{panes}</div>'


def _parts(function: FunctionRecord, source: Source) -> Iterator[str]:
    words = [verdict(function.verdict)]
    if function.lifted:
        numerics = NUMERICS_TEXT[function.numerics]
        words += map(escape, (level_text(function), numerics, f"target {function.target}"))
    yield f"<p><code>{escape(function.name)}</code>: {', '.join(words)}</p>"
    if function.lifted:
        program = code(function.program.strip(), language(function.target).name)
        yield f'<div class="program">{program}<button type="button" onclick="{escape(_COPY)}">Copy</button></div>'
    yield _refusal(function.diagnostics, source)
    lines = [f"keeps {loop.loop}: {loop.reason}" for loop in function.residual_loops]
    yield _listed([*lines, *(f"requires {condition}" for condition in in_few_words(shown(function)))])


def _refusal(diagnostics: Sequence[Diagnostic], source: Source) -> str:
    return code(explain(diagnostics, source).rstrip(), "") if diagnostics else ""


def _listed(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""
