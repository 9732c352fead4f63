"""Every row of the StableHLO table means what XLA and StableHLO's reference interpreter do with its text."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.shared import is_exhaustive
from tests.targets.sampling import LARGEST, WITH_BRAIN, Meaning, compare_cells, values

from tensorlift.poly.domain import UNIVERSE
from tensorlift.proofs.obligations import Ledger
from tensorlift.proofs.samples import meaning_of_program
from tensorlift.runtime.xla import interpret, load_stablehlo
from tensorlift.targets import get_target
from tensorlift.targets.mlir_text.samples import (
    ENTRY,
    SIZES,
    sample_dtypes,
    sample_operands,
    sample_text,
    static_program,
)
from tensorlift.targets.stablehlo import TARGET

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import Sample

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", name="jax", autouse=True)
def _jax() -> Any:
    return pytest.importorskip("jax", reason="JAX, which XLA comes with, is not installed")


def _trials(entry: Sample) -> Iterator[tuple[Mapping[str, DType], dict[str, int]]]:
    """Yield types and sizes: each type once, and the least sizes, which may be none, with the plainest."""
    rng = np.random.default_rng(sum(map(ord, entry.text)))
    least = dict.fromkeys(SIZES, entry.least)
    types = sample_dtypes(entry)
    yield types[0], least
    for dtypes in types:
        yield dtypes, {name: int(rng.integers(max(entry.least, 1), LARGEST + 1)) for name in SIZES}


def _try(entry: Sample, dtypes: Mapping[str, DType], sizes: Mapping[str, int], *, compiles: bool) -> None:
    operands = sample_operands(entry, dtypes, sizes)
    text = static_program(sample_text(entry, dtypes, sizes), operands)
    ledger = Ledger(UNIVERSE, (), get_target("stablehlo").types, lambda _divisor, _context: True)
    meant = meaning_of_program(text, ENTRY, operands, get_target("stablehlo"), ledger)
    rng = np.random.default_rng(len(text))
    arrays = {}
    for name, operand in operands.items():
        shape = tuple(extent.constant for extent in operand.shape)
        kind = entry.operands[name].partition("[")[0]
        arrays[name] = values("sparse" if operand.dtype == "bool" else kind, operand.dtype, shape, rng)
    model = Meaning(sizes, arrays)
    is_brain = meant.dtype == "bf16"  # of which the interpreter's library gives no cells
    found = [load_stablehlo(text, ENTRY)(**arrays)] if compiles or is_brain else []
    for got in [*found, *([] if is_brain else interpret(text, list(arrays.values())))]:
        assert got.shape == tuple(extent.constant for extent in meant.shape)
        assert got.dtype == WITH_BRAIN[meant.dtype]
        compare_cells(got, meant, model)


@pytest.mark.in_turns(6)
@pytest.mark.parametrize(
    ("spelling", "number"), [(s, k) for s, row in TARGET.rows.items() for k in range(len(row.samples))]
)
def test_a_row_means_what_xla_does(spelling: str, number: int) -> None:
    """XLA compiles for each float, and for integers with a sign and without; the interpreter runs all types."""
    entry = TARGET.rows[spelling].samples[number]
    seen = set()
    for dtypes, sizes in itertools.islice(_trials(entry), 8):
        own = (sizes == dict.fromkeys(SIZES, entry.least), *map(_class, dtypes.values()))
        try:
            _try(entry, dtypes, sizes, compiles=own not in seen or is_exhaustive())
        except AssertionError as difference:
            pytest.fail(f"{entry.text} with {dtypes}, {sizes}: {difference}")
        seen.add(own)


def _class(dtype: DType) -> str:
    return dtype if dtype.startswith("f") else dtype.rstrip("0123456789")
