"""Every row of the Linalg table means what upstream MLIR does with its text, lowered by stock passes and run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from tests.targets.sampling import LARGEST, NUMPY_TYPES, Meaning, compare_cells, values

from tensorlift.poly.domain import Domain, equal
from tensorlift.proofs.obligations import Ledger
from tensorlift.proofs.samples import meaning_of_statement
from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.targets import get_target
from tensorlift.targets.linalg import ROWS
from tensorlift.targets.mlir_text.samples import SIZES, open_program, sample_arguments, sample_dtypes, sample_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.proofs.values import Held
    from tensorlift.targets.target import Sample

pytestmark = pytest.mark.skipif(find_tools() is None, reason="upstream MLIR's tools are not installed")


class Trial(NamedTuple):
    """A sample with its types and sizes, what it means there, and the function that computes it."""

    entry: Sample
    sizes: dict[str, int]
    arguments: dict[str, SymbolicTensor]
    meant: Held
    ledger: Ledger
    name: str
    program: str

    def run(self, module: Module) -> None:
        """Run the function and compare each cell of its result with what it means."""
        rng = np.random.default_rng(len(self.program))
        arrays = {name: self._drawn(name, rng) for name in self.entry.operands}
        given = {name: arrays.get(name, self.sizes.get(name)) for name in self.arguments}
        got = np.asarray(module.function(self.name)(**given))
        tensor = self.meant.tensor
        sizes = dict(self.sizes)
        for quotient in self.ledger.quotients():
            sizes[quotient.name] = quotient.at(sizes)
        assert got.shape == tuple(extent.evaluate(sizes) for extent in tensor.shape)
        assert got.dtype == NUMPY_TYPES[tensor.dtype]
        if self.meant.blank is None:
            compare_cells(got, tensor, Meaning(sizes, arrays))

    def _drawn(self, name: str, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        tensor, kind = self.arguments[name], self.entry.operands[name].partition("[")[0]
        shape = tuple(extent.evaluate(self.sizes) for extent in tensor.shape)
        return values("sparse" if tensor.dtype == "bool" else kind, tensor.dtype, shape, rng)


def _trials(spelling: str) -> Iterator[Trial]:
    """Yield each sample of a row with each type, at the least sizes and at others."""
    target = get_target("linalg")
    for number, entry in enumerate(ROWS[spelling].samples):
        rng = np.random.default_rng(sum(map(ord, entry.text)))
        for which, dtypes in enumerate(sample_dtypes(entry)):
            arguments, text = sample_arguments(entry, dtypes), sample_text(entry, dtypes)
            least = dict.fromkeys(SIZES, entry.least)
            larger = {name: int(rng.integers(max(entry.least, 1), LARGEST + 1)) for name in SIZES}
            for place, sizes in enumerate((least, larger)):
                context = Domain.of(*(equal(name, value) for name, value in sizes.items()))
                ledger = Ledger(context, (), target.types, lambda _divisor, _context: True)
                name = f"{spelling}_{number}_{which}_{place}"
                program = open_program(name, text, arguments)
                meant, result = meaning_of_statement(program, name, arguments, target, ledger)
                whole = open_program(name, text, arguments, result)
                yield Trial(entry, sizes, arguments, meant, ledger, name, whole)


@pytest.fixture(scope="module", name="trials")
def _all_trials() -> dict[str, list[Trial]]:
    return {spelling: list(_trials(spelling)) for spelling in ROWS}


@pytest.fixture(scope="module", name="module")
def _module(trials: dict[str, list[Trial]]) -> Module:
    """Return all functions in one module, so that the tools start once."""
    return Module("\n".join(trial.program for listed in trials.values() for trial in listed))


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("spelling", list(ROWS))
def test_a_row_means_what_upstream_does(spelling: str, trials: dict[str, list[Trial]], module: Module) -> None:
    assert trials[spelling]
    for trial in trials[spelling]:
        try:
            trial.run(module)
        except AssertionError as difference:
            pytest.fail(f"{trial.program} with {trial.sizes}: {difference}")
