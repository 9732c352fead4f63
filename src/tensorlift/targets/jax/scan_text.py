"""The text of a scan: a function of what is carried and the cells that are read, and the call that iterates it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.cut import Cut
from tensorlift.ir.tensor_program import Range
from tensorlift.poly.affine import ZERO
from tensorlift.poly.names import unused
from tensorlift.targets.python_text.emission import INDENT
from tensorlift.targets.python_text.wrap import wrapped

if TYPE_CHECKING:
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
    first = [f"{emission.spell.rename(a)}[{(loop.lower - k).constant}]" for a, k in scan.previous]
    initial = _tuple([*map(emission.spell.rename, scan.carried), *first])
    read = _tuple([_slice(emission.spell, scan, array, offset) for array, offset in scan.cells])
    arrays = list(map(emission.spell.rename, scan.stored))
    target = f"{_tuple(carried)}, {_tuple(arrays if scan.is_whole else list(scan.stacked.values()))}"
    if scan.is_whole:
        for array in scan.stored:
            _stored_cut(emission, scan, array)
    emission.lines += wrapped(f"{target} = ", f"lax.scan({step}, {initial}, {read})", indent)
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
        emission.lines += wrapped(f"{name} = ", f"{name}.at[{spaced}].set({stacked})", indent)


def _stored_cut(emission: Emission, scan: Scan, array: str) -> None:
    """Note which definition an array holds after an iteration, where the next line says what is stored."""
    definition = scan.definitions[array]
    if definition is not None:
        emission.cuts.append(Cut(len(emission.lines) + 1, emission.names[array], definition))


def _slice(spell: Spelling, scan: Scan, array: str, offset: int) -> str:
    """Spell the cells of an array that the iterations of a scan read."""
    loop, shape, name = scan.loop, scan.shapes[array], spell.rename(array)
    items = spell.items((Range(loop.lower + offset, loop.upper + offset),), shape)
    return name if items == ":" else f"{name}[{items}]"


def _tuple(texts: list[str]) -> str:
    """Spell a tuple of several, or what is one alone."""
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
