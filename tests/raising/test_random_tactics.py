"""Random products of arrays, with tactics that transpose, reshape and multiply: what is raised computes the same."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.mlir_in_place import find_blas, load_in_place
from bench.raising import arguments_of, nest
from tests.shared import sampled

from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.tactics import RaiseWithTactics
from tensorlift.runtime.mlir.tools import find_tools

if TYPE_CHECKING:
    from pathlib import Path

_FORMS = ("", " as linalg.generic", " as affine.for", "reshaped", "reshaped")
_COMPILED = pytest.mark.skipif(
    find_tools() is None or find_blas() is None, reason="upstream MLIR's tools or OpenBLAS are not installed"
)


def drawn(seed: int) -> tuple[str, str]:
    """Draw a nest, and a tactic for it: each index is of rows, columns, summed, or of a batch."""
    rng = random.Random(seed)
    letters = "abcdef"[: rng.randint(3, 5)]
    kinds = dict(zip(letters, "mnk", strict=False)) | {letter: rng.choice("mnkb") for letter in letters[3:]}
    sides = [[x for x in letters if kinds[x] in kept] for kept in ("mnb", "mkb", "nkb")]
    for side in sides:
        rng.shuffle(side)
    cells = [f"{name}({', '.join(side)})" for name, side in zip("CAB", sides, strict=True)]
    pattern = f"{cells[0]} += {cells[1]} * {cells[2]}"
    form = rng.choice(_FORMS)
    extents = {letter: 2 + position for position, letter in enumerate(letters)}
    module = nest([tuple(side) for side in sides], extents, "f")
    if form != "reshaped":
        return module, f"def drawn {{ pattern = builder {pattern}{form} }}"
    groups = {kind: [x for x in letters if kinds[x] == kind] for kind in "mnkb"}
    named = {kind: f"all_{kind}" if len(group) > 1 else group[0] for kind, group in groups.items() if kind != "b"}

    def cell(name: str, *wanted: str) -> str:
        return f"{name}({', '.join([*groups['b'], *(named[kind] for kind in wanted)])})"

    def where(*wanted: str) -> str:
        listed = [f"{named[kind]} = {' * '.join(groups[kind])}" for kind in wanted if len(groups[kind]) > 1]
        return f" where {', '.join(listed)}" if listed else ""

    builder = [
        f"X{cell('', 'm', 'n')} = {cells[0]}{where('m', 'n')}",
        f"Y{cell('', 'm', 'k')} = {cells[1]}{where('m', 'k')}",
        f"Z{cell('', 'k', 'n')} = {cells[2]}{where('k', 'n')}",
        f"{cell('X', 'm', 'n')} += {cell('Y', 'm', 'k')} * {cell('Z', 'k', 'n')}{where('m', 'n', 'k')}",
        f"{cells[0]} = {cell('X', 'm', 'n')}{where('m', 'n')}",
    ]
    return module, f"def drawn {{ pattern {pattern} builder {' '.join(builder)} }}"


@_COMPILED
@pytest.mark.parametrize("seed", range(sampled(4, 200)))
def test_a_random_product_is_raised_to_what_computes_the_same(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module, tactic = drawn(seed)
    (tmp_path / "drawn.tdl").write_text(tactic)
    result = run_passes(module, "in.mlir", [RaiseWithTactics(file="drawn.tdl", explain=True)], guards=False)
    assert [d.code for d in result.diagnostics] == ["TL592"], [d.message for d in result.diagnostics]
    values = arguments_of(module, "f", {})
    left = []
    for text in (module, result.text):
        (call,) = load_in_place(text, "f")
        given = [value.copy() for value in values]
        call(*given)
        left.append(given)
    for one, other in zip(*left, strict=True):
        assert np.allclose(one, other), tactic
