"""Every row of the PyTorch table means what PyTorch does, and its types promote as PyTorch's do."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.targets.sampling import NUMPY_TYPES, Library, try_row

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import UNIVERSE
from tensorlift.comprehension.tensor import Strength, SymbolicTensor
from tensorlift.comprehension.terms import zero
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.obligations import Ledger
from tensorlift.targets import get_target
from tensorlift.targets.torch.rows import ROWS

if TYPE_CHECKING:
    from types import ModuleType

    from tensorlift.ops.dtypes import DType

_LACKS = frozenset({"u16", "u32", "u64"})
_TYPES = sorted(NUMPY_TYPES.keys() - _LACKS)


@pytest.fixture(scope="module", name="torch")
def _torch() -> ModuleType:
    torch: ModuleType = pytest.importorskip("torch", reason="PyTorch is not installed")
    return torch


@pytest.fixture(scope="module", name="library")
def _library(torch: ModuleType) -> Library:
    return Library(
        get_target("torch"),
        {"torch": torch},
        give=torch.from_numpy,
        take=np.asarray,
        is_number=lambda value: not isinstance(value, torch.Tensor),
        lacks=_LACKS,
    )


@pytest.mark.parametrize("spelling", sorted(ROWS))
def test_a_row_means_what_torch_does(library: Library, spelling: str) -> None:
    try_row(library, ROWS[spelling])


def _tensor(dtype: DType, rank: int, strength: Strength = Strength.STRONG) -> SymbolicTensor:
    return SymbolicTensor((Affine(1),) * rank, dtype, lambda _: zero(dtype), strength)


@pytest.mark.parametrize("left", _TYPES)
def test_types_promote_as_in_torch(torch: ModuleType, left: DType) -> None:
    types = get_target("torch").types
    ledger = Ledger(UNIVERSE, (), types, lambda _divisor, _context: True)
    for right, rank in itertools.product(_TYPES, (0, 1)):
        given = [torch.ones((1,) * r, dtype=getattr(torch, NUMPY_TYPES[t])) for r, t in ((1, left), (rank, right))]
        operands = (_tensor(left, 1), _tensor(right, rank))  # type: ignore[arg-type]  # as above
        assert str(torch.result_type(*given)) == f"torch.{NUMPY_TYPES[types.result_type(ledger, operands)]}"


@pytest.mark.parametrize("left", _TYPES)
@pytest.mark.parametrize(("kind", "number"), [("bool", True), ("i64", 2), ("f64", 2.5)])
def test_python_numbers_promote_as_in_torch(torch: ModuleType, left: DType, kind: DType, number: float) -> None:
    types = get_target("torch").types
    ledger = Ledger(UNIVERSE, (), types, lambda _divisor, _context: True)
    result = torch.result_type(torch.ones(1, dtype=getattr(torch, NUMPY_TYPES[left])), number)
    try:
        dtype = types.result_type(ledger, (_tensor(left, 1), _tensor(kind, 0, Strength.WEAK)))
    except CheckFailure:
        assert result is torch.get_default_dtype()
    else:
        assert str(result) == f"torch.{NUMPY_TYPES[dtype]}"
