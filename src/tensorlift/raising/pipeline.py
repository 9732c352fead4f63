"""Pipelines of passes over a module: run, and reported on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError
from tensorlift.ir.dialects import context_with
from tensorlift.raising.assumed import put_guard
from tensorlift.raising.modules import PLAIN, Modules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.raising.instrumentation import Instrumentation
    from tensorlift.raising.passes import Proof, RaisingPass

_MARK = "// -----"  # between the modules of a text
_COMMENT = re.compile("//.*")
_DEVICE = re.compile(r"\bgpu\.(?:alloc|memcpy|memset)\b")  # memory that the host may not reach


@dataclass(frozen=True, slots=True)
class Result:
    """A module behind a pipeline, as text, with what its passes had to say, their counters by name, and proofs."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    counts: tuple[tuple[str, dict[str, int]], ...]
    proofs: tuple[Proof, ...] = ()


def run_passes(  # noqa: PLR0913 - one parameter for each option
    text: str,
    filename: str,
    passes: Sequence[RaisingPass],
    watch: Instrumentation | None = None,
    *,
    guards: bool = True,
    dialects: Collection[str] = (),
) -> Result:
    """Run passes over the text of a module; ``watch`` sees the module before, between and behind them.

    Operations of ``dialects`` are kept where they are, in functions that are raised too.

    What replacements assume is tested where their function starts; without ``guards``, it is for the caller to see to.

    Raises:
        LiftError: TL19x, where the text is no module.

    """
    return _result(passes, *_run(text, filename, passes, watch, guards=guards, dialects=dialects))


def run_on_pieces(
    pieces: Iterable[str],
    filename: str,
    passes: Sequence[RaisingPass],
    watch: Instrumentation | None = None,
    *,
    dialects: Collection[str] = (),
) -> Result:
    """Run passes over each piece of a text, a module of its own; what refuses one is a diagnostic of the result."""
    texts: list[str] = []
    said: list[Diagnostic] = []
    for piece in pieces:
        try:
            text, notes = _run(piece, filename, passes, watch, dialects=dialects)
        except LiftError as refusal:
            text, notes = "", list(refusal.diagnostics)
        texts.append(text)
        said += notes
    return _result(passes, f"{_MARK}\n".join(texts), said)


def pieces_of(text: str) -> list[str]:
    """Split a text at lines ``// -----``; each piece starts with as many empty lines as the text has before it."""
    pieces, before = [], 0
    for piece in re.split(rf"^{_MARK}[^\S\n]*$", text, flags=re.MULTILINE):
        is_empty = not _COMMENT.sub("", piece).strip()
        pieces.append("\n" * before + piece + ("builtin.module {}" if is_empty else ""))
        before += piece.count("\n")
    return pieces


def _run(  # noqa: PLR0913 - one parameter for each option
    text: str,
    filename: str,
    passes: Sequence[RaisingPass],
    watch: Instrumentation | None,
    *,
    guards: bool = True,
    dialects: Collection[str] = (),
) -> tuple[str, list[Diagnostic]]:
    known = {one.name: one for made in passes for one in made.operations}
    kernels = "gpu.launch" in text and _DEVICE.search(text) is None
    context = context_with(known.values(), dialects, kernels=kernels)
    modules = Modules.read(text, filename, context)
    for done, coming in pairwise((None, *passes, None)):
        if done is not None:
            for module in modules.each:
                done.apply(context, module)
        if watch is not None:
            watch(done, modules, coming)
    for module, function in modules.functions() if guards else ():
        assumptions = [found for one in passes for found in one.report.assumptions.get(function, ())]
        if assumptions:
            original = modules.originals[function].clone()
            put_guard(module, function, original, assumptions, context)
            modules.keep_text(original, function)
    modules.check()
    return modules.text(PLAIN if watch is None else watch.form), [*modules.notes, *modules.renamed()] if passes else []


def _result(passes: Sequence[RaisingPass], text: str, before: Sequence[Diagnostic]) -> Result:
    said = tuple(d for one in passes for d in one.report.diagnostics)
    proofs = tuple(proof for one in passes for proof in one.report.proofs)
    return Result(text, (*before, *said), tuple((one.name, one.report.counts) for one in passes), proofs)
