"""Every row of the JAX table means what JAX does, and its types promote as JAX's do."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.targets.sampling import WITH_BRAIN as NUMPY_TYPES
from tests.targets.sampling import Library, try_row

from tensorlift.comprehension.tensor import Strength, SymbolicTensor
from tensorlift.comprehension.terms import zero
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.obligations import Ledger
from tensorlift.targets import get_target
from tensorlift.targets.jax import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from tests.targets.sampling import Run

    from tensorlift.ops.dtypes import DType

_BETWEEN_CLEANINGS = 16  # rows: what JAX compiles for one is of little use to another, and takes megabytes
_COUNT = itertools.count(1)
_NUMBERS: dict[str, Any] = {"bool": True, "i64": 2, "f64": 2.5}


@pytest.fixture(scope="module", name="jax")
def _jax() -> Iterator[ModuleType]:
    """Give JAX with 64-bit types; a test without JAX says so."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", val=True)
    yield jax
    jax.config.update("jax_enable_x64", val=before)


@pytest.fixture(scope="module", name="library")
def _library(jax: ModuleType) -> Library:
    return Library(
        get_target("jax"),
        {"jax": jax, "jnp": jax.numpy, "lax": jax.lax},
        give=np.asarray,
        take=np.asarray,
        is_number=lambda value: getattr(value, "weak_type", True),
        enough=2,
        together=functools.partial(_compiled, jax),
    )


def _compiled(jax: ModuleType, run: Run) -> Run:
    """Compile all trials at once; what Python computes of sizes alone stays as it is."""

    def compiled(given: Sequence[Mapping[str, Any]]) -> Sequence[Any]:
        plain: dict[int, Any] = {}

        def traced(arrays: Sequence[Mapping[str, Any]]) -> Sequence[Any]:
            results = run(arrays)
            plain.update({k: result for k, result in enumerate(results) if not isinstance(result, jax.Array)})
            return results

        return [plain.get(k, result) for k, result in enumerate(jax.jit(traced)(given))]

    return compiled


@pytest.fixture(name="tidied")
def _tidied(jax: ModuleType) -> Iterator[None]:
    """Forget from time to time what JAX has compiled."""
    yield
    if next(_COUNT) % _BETWEEN_CLEANINGS == 0:
        jax.clear_caches()


@pytest.mark.in_turns(6)
@pytest.mark.usefixtures("tidied")
@pytest.mark.parametrize("spelling", sorted(ROWS))
@pytest.mark.filterwarnings("ignore")
def test_a_row_means_what_jax_does(library: Library, spelling: str) -> None:
    try_row(library, ROWS[spelling])


def _tensor(dtype: DType, strength: Strength) -> SymbolicTensor:
    return SymbolicTensor((Affine(1),) * (strength is Strength.STRONG), dtype, lambda _: zero(dtype), strength)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("left", sorted(NUMPY_TYPES))
def test_types_promote_as_in_jax(jax: ModuleType, left: DType) -> None:
    types = get_target("jax").types
    ledger = Ledger(UNIVERSE, (), types, lambda _divisor, _context: True)
    array = jax.numpy.ones(1, NUMPY_TYPES[left])
    others = [(_tensor(t, Strength.STRONG), jax.numpy.ones(1, n)) for t, n in NUMPY_TYPES.items()]  # type: ignore[arg-type]  # the table names types
    others += [(_tensor(t, Strength.WEAK), number) for t, number in _NUMBERS.items()]  # type: ignore[arg-type]  # as above
    for meant, other in others:
        result = jax.numpy.maximum(array, other)
        try:
            dtype = types.result_type(ledger, (_tensor(left, Strength.STRONG), meant))
        except CheckFailure:
            assert result.weak_type
        else:
            assert result.dtype == NUMPY_TYPES[dtype]
            assert not result.weak_type
