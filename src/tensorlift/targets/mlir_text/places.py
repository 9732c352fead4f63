"""Where operations of an emitted function come from: the places in the source behind each, as MLIR's locations.

Operations belong to the first definition that holds from there on.  One that several statements of the source make has
the places of all of them, fused.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.comprehension.definition import Definition, Summary
    from tensorlift.diagnostics import Location
    from tensorlift.ir.function import FunctionView
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.targets.emitted import Emitted

_STORES = {"affine.store", "memref.store"}
_OF_ALL = re.compile(
    r"^(?:func\.func|return)\b|= (?:arith\.constant|stablehlo\.constant|tensor\.dim|stablehlo\.get_dim\w+) "
)
_WITH_STATEMENTS = re.compile(r"\b(?:func\.func|scf\.for|scf\.while|stablehlo\.while)\b")  # others compute one value


def with_places(emit: Callable[..., Emitted], summary: Summary, view: FunctionView) -> Callable[..., Emitted]:
    """Return an emitter that gives each operation of a program its location; lines stay the same."""

    def emit_with_places(program: TensorProgram) -> Emitted:
        emitted = emit(program)
        return replace(emitted, text=_placed(emitted, summary, view))

    return emit_with_places


def _placed(emitted: Emitted, summary: Summary, view: FunctionView) -> str:
    found = {definition.name: _spelled(_places(definition, view)) for definition in summary.definitions()}
    whole = _spelled([view.location])
    cuts = sorted(cut for cut in emitted.cuts if cut.definition in found)
    lines, begun = emitted.text.split("\n"), list[tuple[str, bool]]()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        goes_on = text.startswith("}") and text.endswith("{")  # with another region
        if not text or goes_on or text.startswith(("//", "^")):
            continue
        if text.startswith("}"):
            here, _ = begun.pop()
        elif begun and not begun[-1][1]:
            here, _ = begun[-1]
        elif _OF_ALL.search(text):
            here = whole
        else:
            here = next((found[cut.definition] for cut in cuts if cut.line >= number), whole)
        if text.endswith("{"):
            begun.append((here, _WITH_STATEMENTS.search(text) is not None))
        else:
            lines[number - 1] = line + here
    return "\n".join(lines)


def _places(definition: Definition, view: FunctionView) -> list[Location | None]:
    """Return the places of the stores that make a definition, else that of the definition."""
    stores = [
        location_of(op)
        for loop in view.operations
        if loop.regions and location_of(loop) == definition.location
        for op in loop.walk()
        if op.name in _STORES and op.operands[1].name_hint == definition.array
    ]
    return [*dict.fromkeys(stores)] or [definition.location]


def _spelled(places: Sequence[Location | None]) -> str:
    known = [f'"{_escaped(place.file)}":{place.line}:{place.column}' for place in places if place is not None]
    if not known:
        return ""
    return f" loc({known[0]})" if len(known) == 1 else f" loc(fused[{', '.join(known)}])"


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
