"""Lowering trials by upstream's passes: those of the dialect that the user names, then memory and affine loops."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.runtime.mlir.tools import find_tools, lowered_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.dialects.trials import Trial
    from tensorlift.runtime.mlir.tools import Tools

_TO_LOOPS = (
    "canonicalize,cse,"
    "one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},"
    "canonicalize,func.func(linalg-generalize-named-ops,convert-linalg-to-affine-loops),fold-memref-alias-ops,"
    "resolve-ranked-shaped-type-result-dims,canonicalize,cse"
)
_NAME = re.compile(r"func\.func @trial(\d+)\(")
_WRONG_PASSES = re.compile(r"PassPipeline Parser:[\d:]+ error: (.*)")


def require_tools() -> Tools:
    """Return upstream's tools.

    Raises:
        LiftError: TL538, where they are missing.

    """
    tools = find_tools()
    if tools is None:
        message = "importing a dialect by its passes needs mlir-opt, which is not installed"
        raise refuse("TL538", message, remedy="install it: apt install mlir-22-tools")
    return tools


def lowered(trials: Sequence[Trial], passes: str) -> tuple[dict[int, str], dict[int, str]]:
    """Return the trials as functions of affine loops on memory by their places, and what is said of the others.

    Raises:
        LiftError: TL537, where a pass is not known; TL538, where there is no mlir-opt.

    """
    texts = [trial.text(f"trial{place}") for place, trial in enumerate(trials)]
    starts: list[int] = []
    line = 1
    for text in texts:
        starts.append(line)
        line += text.count("\n") + 1
    pipeline = f"builtin.module({passes},{_TO_LOOPS})"
    parts, errors = lowered_parts("// -----\n".join(texts), pipeline, require_tools())
    wrong = _WRONG_PASSES.search(errors)
    if wrong is not None:
        message = f"the passes are not taken: {wrong[1]}"
        raise refuse("TL537", message, remedy="name passes of 'mlir-opt --help', in order, separated by commas")
    found = {int(name[1]): part for part in parts if (name := _NAME.search(part)) is not None}
    return found, _by_place(errors, starts)


def _by_place(errors: str, starts: Sequence[int]) -> dict[int, str]:
    """Return the first message about each trial."""
    found: dict[int, str] = {}
    for line, message in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", errors, re.MULTILINE):
        place = sum(start <= int(line) for start in starts) - 1
        found.setdefault(place, message)
    return found
