"""A lifted function as a notebook shows it: the verdict, the program, what its callers must guarantee.

Everything is escaped, and styled in place, so that no style sheet is needed and none of the notebook's is changed.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tensorlift.report.excerpt import Sources, plain, render
from tensorlift.report.terminal import NUMERICS_TEXT, in_few_words, level_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

_PROGRAM_STYLE = "margin: 0.3em 0; padding: 0.4em; border-left: 3px solid currentColor; text-align: left"


def show_function(function: FunctionRecord, source: Source) -> str:
    """Give the HTML of one function; ``source`` is the text that its diagnostics point into."""
    return f"<div>{''.join(_parts(function, source))}</div>"


def _parts(function: FunctionRecord, source: Source) -> Iterator[str]:
    words = [str(function.verdict)]
    if function.lifted:
        words += [level_text(function), NUMERICS_TEXT[function.numerics], f"target {function.target}"]
    yield f"<div><code>{escape(function.name)}</code>: <b>{escape(words[0])}</b>{escape(_rest(words[1:]))}</div>"
    if function.lifted:
        yield _code(function.program.strip())
    if function.diagnostics:
        yield _code(explain(function.diagnostics, source).rstrip())
    lines = [f"keeps {loop.loop}: {loop.reason}" for loop in function.residual_loops]
    lines += [f"requires {condition}" for condition in in_few_words(shown(function))]
    if lines:
        yield f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def explain(diagnostics: Sequence[Diagnostic], source: Source) -> str:
    """Give diagnostics with their lines and carets as plain text."""
    return "".join(plain(render(diagnostic, Sources(source))) for diagnostic in diagnostics)


def _code(text: str) -> str:
    return f'<pre style="{_PROGRAM_STYLE}">{escape(text)}</pre>'


def _rest(words: Sequence[str]) -> str:
    return "".join(f", {word}" for word in words)
