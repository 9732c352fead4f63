"""Whether programs that two engines found for one kernel are equal, as the checker decides it.

Both were proved equal to the same definitions, each on its own way.  Here the definitions are left out: the first
program is executed symbolically, its results are definitions of their own, and the second is proved against these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, KeptLoop
from tensorlift.deep import with_deep_stack
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh
from tensorlift.proofs.certificate import certificate_from_json, same_summary
from tensorlift.proofs.check import check, proof_of
from tensorlift.proofs.failure import INTERFACE, CheckFailure
from tensorlift.proofs.obligations import by_cases
from tensorlift.proofs.values import Held
from tensorlift.proofs.verify import verify
from tensorlift.session import SESSION
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.proofs.certificate import Certificate
    from tensorlift.proofs.values import Item
    from tensorlift.record import Json
    from tensorlift.targets.target import Target


def check_equal(first: Certificate, second: Certificate, target: Target) -> None:
    """Prove that the programs of two certificates return the same for all sizes of the first one's context.

    Raises:
        CheckFailure: where that is not proved; programs that keep loops have no results without their definitions.

    """
    if any(isinstance(item, KeptLoop) for item in (*first.summary.items, *second.summary.items)):
        raise CheckFailure(INTERFACE, "a program with a kept loop is compared by its definitions")

    def prove(case: Domain) -> None:
        proof = proof_of(first.program, first.entry, first.summary, target, (), guards=first.guards)
        _, returned = proof.executed(case)
        check(second.program, second.entry, _computed(first.summary, returned, case), target, guards=second.guards)

    by_cases(first.summary.context, prove)


def _computed(summary: Summary, returned: Item, case: Domain) -> Summary:
    """Return the summary of what a program computes, with its results as the only definitions."""
    values: Sequence[Item] = returned if isinstance(returned, tuple) else (returned,)
    names = [fresh("returned") for _ in values]
    items = tuple(_definition(name, value, case) for name, value in zip(names, _tensors(values), strict=True))
    outputs = tuple((array, name) for (array, _), name in zip(summary.outputs, names, strict=False))
    result = names[-1] if summary.result is not None else None
    return replace(summary, items=items, outputs=outputs, result=result, context=case)


def _tensors(values: Sequence[Item]) -> Iterator[SymbolicTensor]:
    for value in values:
        if not isinstance(value, Held):
            raise CheckFailure(INTERFACE, "a result is no array")
        yield value.tensor


def _definition(name: str, tensor: SymbolicTensor, case: Domain) -> Definition:
    indices = tuple(fresh(f"{name}_x") for _ in tensor.shape)
    domain = case & Domain.box(indices, tensor.shape)
    term = tensor.at(tuple(map(Affine.var, indices)))
    return Definition(name, name, tensor.dtype, indices, tensor.shape, domain, ((domain, term),))


def disagreement(first: Mapping[str, Json], second: Mapping[str, Json], target: str) -> str:
    """Return why the programs of two certificates are not known to be equal, nothing where they are.

    Programs without kept loops are proved against each other.  Others, and those whose direct proof is too long, are
    proved once more against their definitions, which must be the same: they keep the same loops.
    """
    return with_deep_stack(lambda: _disagreement(first, second, target))


def _disagreement(first: Mapping[str, Json], second: Mapping[str, Json], target: str) -> str:
    SESSION.restart()
    one, other = certificate_from_json(first), certificate_from_json(second)
    keeps_loops = any(isinstance(item, KeptLoop) for item in (*one.summary.items, *other.summary.items))
    try:
        if not keeps_loops:
            check_equal(one, other, get_target(target))
            return ""
    except CheckFailure as failure:
        message = failure.diagnostics[0].message
    else:
        message = "they keep different loops"
    try:
        verify(one)
        verify(other)
    except CheckFailure as failure:
        return failure.diagnostics[0].message
    return "" if same_summary(one.summary, other.summary) else message
