"""Every row of the PyTorch table means what PyTorch does, and its types promote as PyTorch's do."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

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
from tensorlift.runtime.libraries import load_library
from tensorlift.targets import get_target
from tensorlift.targets.torch import ROWS

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
        take=lambda value: np.asarray(load_library("torch").take(value)),
        is_number=lambda value: not isinstance(value, torch.Tensor),
        lacks=_LACKS,
    )


@pytest.mark.in_turns(2)
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


_VALUES = (
    *((dtype, rank, Strength.STRONG) for dtype in _TYPES for rank in (0, 1)),
    ("bool", 0, Strength.WEAK),
    ("i64", 0, Strength.WEAK),
    ("f64", 0, Strength.WEAK),
)
_BINARY = (
    *("+", "-", "*", "/", "//", "%", "**", "==", "<", "&", "|", "^", "<<", ">>"),
    *("torch.maximum", "torch.minimum", "torch.fmax", "torch.fmin", "torch.atan2", "torch.copysign", "torch.hypot"),
    *("torch.logical_and", "torch.fmod", "torch.pow", "torch.clamp", "torch.outer"),
)
_UNARY = (
    *("-x", "~x", "torch.abs", "torch.sign", "torch.square", "torch.floor", "torch.sqrt", "torch.logical_not"),
    *("torch.amax", "torch.amin", "torch.sum", "torch.prod", "torch.mean", "torch.argmax", "torch.isnan"),
)


def _given(torch: ModuleType, dtype: str, rank: int, strength: Strength) -> object:
    tensor = torch.ones((1,) * rank, dtype=getattr(torch, NUMPY_TYPES[dtype]))
    return tensor if strength is Strength.STRONG else tensor.item()


@pytest.mark.parametrize("spelling", [*_BINARY, *_UNARY])
def test_what_a_row_takes_torch_computes(torch: ModuleType, spelling: str) -> None:
    """Whatever types operands have, and truth values above all, a row refuses what raises in PyTorch."""
    ledger = Ledger(UNIVERSE, (), get_target("torch").types, lambda _divisor, _context: True)
    count = 2 if spelling in _BINARY else 1
    run = eval(f"lambda torch, x, y=None: {_text(spelling)}")
    taken = 0
    for operands in itertools.product(_VALUES, repeat=count):
        if all(strength is Strength.WEAK for *_, strength in operands):
            continue
        try:
            ROWS[spelling].meaning(ledger, *(_tensor(*own) for own in operands))  # type: ignore[arg-type]  # as above
        except CheckFailure:
            continue
        run(torch, *(_given(torch, *own) for own in operands))
        taken += 1
    assert taken


def _text(spelling: str) -> str:
    if spelling == "torch.clamp":
        return "torch.clamp(x, min=y)"
    if spelling.startswith("torch."):
        return f"{spelling}(x, y)" if spelling in _BINARY else f"{spelling}(x)"
    return f"x {spelling} y" if spelling in _BINARY else spelling


def test_parameters_are_those_of_torch() -> None:
    """A row with the meaning of one of NumPy's has PyTorch's names, and demands what PyTorch demands."""
    running = {p.name: p for p in ROWS["torch.cumsum"].parameters}
    assert list(running) == ["input", "dim", "dtype"]
    assert not running["dim"].is_optional
    assert running["dtype"].is_optional
    assert running["dtype"].is_keyword
    made = {p.name: (p.kind, p.is_optional, p.is_keyword) for p in ROWS["torch.empty"].parameters}
    assert made["size"] == ("Sizes", False, False)
    assert made["dtype"] == ("ElementType | None", False, True)
    assert made["device"] == ("Device | None", True, True)
