"""The text of a scan: a function of what is carried and the cells that are read, and the call that iterates it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.cut import Cut
from tensorlift.ir.tensor_program import At, Range
from tensorlift.poly.affine import ZERO
from tensorlift.poly.names import unused
from tensorlift.targets.python_text.emission import INDENT
from tensorlift.targets.python_text.wrap import wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import SubscriptItem
    from tensorlift.targets.jax.scans import Scan
    from tensorlift.targets.python_text.emission import Emission
    from tensorlift.targets.python_text.spelling import Spelling


def scanned(emission: Emission, scan: Scan, indent: str) -> None:
    """Spell a function of what is carried and the cells that are read, and the scan that iterates it."""
    loop, taken, inside = scan.loop, set(emission.names.values()), indent + INDENT
    step = unused(f"{emission.names[loop.variable]}_step", taken)
    carried = [*map(emission.spell.rename, scan.carried), *scan.previous.values()]
    cells = list(scan.cells.values())
    packed = carried[0] if len(carried) == 1 else unused("state", taken)
    taken_cells = cells[0] if len(cells) == 1 else unused("cells", taken)
    emission.lines.append(f"{indent}def {step}({packed}, {taken_cells}):")
    for names, whole in ((carried, packed), (cells, taken_cells)):
        if len(names) > 1:
            emission.lines += wrapped(f"{', '.join(names)} = ", whole, inside)
    emission.block(tuple(scan.body), inside)
    nearer = [scan.stored[a] if k == 1 else scan.previous[a, k - 1] for a, k in scan.previous]
    left = [*map(emission.spell.rename, scan.carried), *nearer]
    emission.lines += [*wrapped("return ", f"{_tuple(left)}, {_tuple(list(scan.stored.values()))}", inside), ""]
    first = [_part(emission.spell, scan, a, (*scan.leads[a], At(loop.lower - k))) for a, k in scan.previous]
    initial = _tuple([*map(emission.spell.rename, scan.carried), *first])
    spans = [Range(loop.lower + offset, loop.upper + offset) for _, _, offset in scan.cells]
    read = [_part(emission.spell, scan, a, (*lead, s)) for (a, lead, _), s in zip(scan.cells, spans, strict=True)]
    arrays = list(map(emission.spell.rename, scan.stored))
    target = f"{_tuple(carried)}, {_tuple(arrays if scan.is_whole else list(scan.stacked.values()))}"
    if scan.is_whole:
        for array in scan.stored:
            _stored_cut(emission, scan, array)
    emission.lines += wrapped(f"{target} = ", f"lax.scan({step}, {initial}, {_tuple(read)})", indent)
    if not scan.is_whole:
        _stores(emission, scan, indent)


def _stores(emission: Emission, scan: Scan, indent: str) -> None:
    """Spell the stores of what a scan has stacked."""
    ends = scan.loop.lower, scan.loop.upper
    lower, upper = ("" if end == ZERO else emission.spell.size(end).source for end in ends)
    spaced = f"{lower} : {upper}".strip() if " " in upper else f"{lower}:{upper}"
    for array, stacked in scan.stacked.items():
        name = emission.spell.rename(array)
        _stored_cut(emission, scan, array)
        place = ", ".join([*(emission.spell.items((at,), scan.shapes[array]) for at in scan.leads[array]), spaced])
        emission.lines += wrapped(f"{name} = ", f"{name}.at[{place}].set({stacked})", indent)


def _stored_cut(emission: Emission, scan: Scan, array: str) -> None:
    """Note which definition an array holds after an iteration, where the next line says what is stored."""
    definition = scan.definitions[array]
    if definition is not None:
        emission.cuts.append(Cut(len(emission.lines) + 1, emission.names[array], definition))


def _part(spell: Spelling, scan: Scan, array: str, items: Sequence[SubscriptItem]) -> str:
    """Spell a part of an array, or all of it."""
    name, spelled = spell.rename(array), spell.items(items, scan.shapes[array])
    return name if spelled == ":" else f"{name}[{spelled}]"


def _tuple(texts: list[str]) -> str:
    """Spell a tuple of several, or what is one alone."""
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
