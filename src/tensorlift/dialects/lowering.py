"""Lowering trials by upstream's passes: those of the dialect that the user names, then memory and affine loops."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

from tensorlift.diagnostics import refuse
from tensorlift.runtime.mlir.tools import find_tools, lowered_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.runtime.mlir.tools import Tools

_TO_LOOPS = (
    "canonicalize,cse,"
    "one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},"
    "canonicalize,func.func(linalg-generalize-named-ops,convert-linalg-to-affine-loops),fold-memref-alias-ops,"
    "resolve-ranked-shaped-type-result-dims,canonicalize,cse"
)
_NAME = re.compile(r"func\.func @trial(\d+)\(")
_MESSAGE = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)
_TOGETHER = 512  # texts given to upstream at once
_WRONG_PASSES = re.compile(r"PassPipeline Parser:[\d:]+ error: (.*)")


class Written(Protocol):
    """What can be spelled as a function of a name."""

    def text(self, name: str) -> str:
        """Spell the function."""


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


def verified(trials: Sequence[Written]) -> tuple[set[int], dict[int, str]]:
    """Return the places of the trials that upstream's verifier takes, and what is said of the others.

    Raises:
        LiftError: TL538, where there is no mlir-opt.

    """
    found, errors = _passed(trials, "builtin.module()")
    return set(found), errors


def lowered(trials: Sequence[Written], passes: str) -> tuple[dict[int, str], dict[int, str]]:
    """Return the trials as functions of affine loops on memory by their places, and what is said of the others.

    Raises:
        LiftError: TL537, where a pass is not known; TL538, where there is no mlir-opt.

    """
    return _passed(trials, f"builtin.module({passes},{_TO_LOOPS})")


def _passed(trials: Sequence[Written], pipeline: str) -> tuple[dict[int, str], dict[int, str]]:
    texts = [trial.text(f"trial{place}") for place, trial in enumerate(trials)]
    found: dict[int, str] = {}
    said: dict[int, str] = {}
    for start in range(0, len(texts), _TOGETHER):
        _pass(range(start, min(start + _TOGETHER, len(texts))), texts, pipeline, found, said)
    return found, said


def _pass(places: range, texts: Sequence[str], pipeline: str, found: dict[int, str], said: dict[int, str]) -> None:
    """Give some texts to upstream at once, or in two halves where it breaks down."""
    chosen = texts[places.start : places.stop]
    done = lowered_parts("// -----\n".join(chosen), pipeline, require_tools())
    if done is None:
        if len(places) == 1:
            said[places.start] = "mlir-opt broke down"
            return
        middle = (places.start + places.stop) // 2
        for half in (range(places.start, middle), range(middle, places.stop)):
            _pass(half, texts, pipeline, found, said)
        return
    parts, errors = done
    wrong = _WRONG_PASSES.search(errors)
    if wrong is not None:
        message = f"the passes are not taken: {wrong[1]}"
        raise refuse("TL537", message, remedy="name passes of 'mlir-opt --help', in order, separated by commas")
    # Under one name, so that what is computed alike is seen to be the same text.
    for part in parts:
        name = _NAME.search(part)
        if name is not None:
            found[int(name[1])] = _NAME.sub("func.func @trial(", part)
    starts = list(itertools.accumulate((text.count("\n") + 1 for text in chosen[:-1]), initial=1))
    for line, message in _MESSAGE.findall(errors):
        said.setdefault(places.start + bisect_right(starts, int(line)) - 1, message)
