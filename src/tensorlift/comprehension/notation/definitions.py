"""The notation of definitions and summaries, as ``--emit definitions`` prints them.

A definition is a declaration of the array, the points where it is defined, and its term::

    array C_1: f64[n, m] of C where 0 <= C_x0 < n and 0 <= C_x1 < m
    C_1(C_x0, C_x1) = sum(k : 0 <= k < p) A(C_x0, k) * B(k, C_x1)

Several pieces are written as cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, Item, KeptLoop, Summary
from tensorlift.comprehension.notation.printer import Printer, shapes, show
from tensorlift.comprehension.notation.sharing import abbreviated
from tensorlift.poly.variables import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.poly.affine import Affine


def show_definition(definition: Definition) -> str:
    """Spell a definition on two lines."""
    where = f"{definition.name}({', '.join(definition.indices)})"
    declaration = f"array {definition.name}: {definition.dtype}{shapes(definition.shape)} of {definition.array}"
    return f"{declaration} where {spelled(definition.domain, definition.indices)}\n{where} = {_right_side(definition)}"


def _right_side(definition: Definition) -> str:
    pieces = definition.pieces
    if len(pieces) == 1 and pieces[0][0].is_equal(definition.domain):
        return show(pieces[0][1], definition.dtype)
    printer = Printer(abbreviated([t for _, t in pieces]))
    cases = "; ".join(
        f"{printer.text(t, definition.dtype)} if {spelled(domain, definition.indices)}" for domain, t in pieces
    )
    return f"{printer.introduction()}{{ {cases} }}"


def show_summary(summary: Summary) -> str:
    """Spell the meaning of a function: what it is given, its definitions in order, what it returns."""
    lines = [f"function {summary.name}"]
    if summary.sizes:
        lines.append(f"sizes {', '.join(summary.sizes)} where {summary.context}")
    lines += [f"size {d.name} = floor(({d.numerator}) / {_divisor(d.divisor)})" for d in summary.derived]
    lines += [f"scalar {name}: {dtype}" for name, dtype in summary.scalars.items()]
    for array in summary.arrays.values():
        kind = "array" if array.is_parameter else "local"
        lines.append(f"{kind} {array.name}: {array.dtype}{shapes(array.shape)}")
    lines += _items(summary.items, "")
    lines += [f"output {array} = {version}" for array, version in summary.outputs]
    if summary.result:
        lines.append(f"result {summary.result}")
    return "\n".join(lines) + "\n"


def _divisor(value: Affine) -> str:
    return str(value) if value.is_constant or value.variable is not None else f"({value})"


def _items(items: tuple[Item, ...], indent: str) -> Iterator[str]:
    for item in items:
        if isinstance(item, KeptLoop):
            yield from _loop(item, indent)
        else:
            yield from (indent + line for line in show_definition(item).splitlines())


def _loop(loop: KeptLoop, indent: str) -> Iterator[str]:
    step = f" step {loop.step}" if loop.step != 1 else ""
    head = f"for {loop.variable} from {loop.lower} to {loop.upper}{step}"
    if loop.goes_on is not None:
        head = f"while {loop.goes_on}"
    yield f"{indent}{head}: # {loop.reason.message}"
    inner = indent + "    "
    for carried in loop.carried:
        yield f"{inner}carry {carried.name} of {carried.array} from {carried.before} to {carried.after}"
    yield from _items(loop.body, inner)
