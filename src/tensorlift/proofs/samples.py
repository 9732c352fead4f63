"""What a sample of an operation means: its text, read and evaluated as an emitted program is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.tensor import SymbolicTensor, size
from tensorlift.proofs.evaluate import Evaluator
from tensorlift.proofs.parse import ProgramText
from tensorlift.proofs.values import Frame, Held

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.proofs.obligations import Ledger
    from tensorlift.targets.target import Target


def meaning_of_sample(
    text: str, operands: Mapping[str, SymbolicTensor], sizes: Iterable[str], target: Target, ledger: Ledger
) -> SymbolicTensor:
    """Return the value of an expression, or ``a`` after a store into a subscript of it; every setting is made.

    Raises:
        CheckFailure: where the text has no meaning for such operands.
        Undecided: where its meaning depends on the sizes.

    """
    program = ProgramText({}, frozenset(target.modules), frozenset(target.settings))
    evaluator = Evaluator(program, target, ledger)
    values = {**operands, **{name: size(Affine.var(name)) for name in sizes}}
    frame = Frame(frozenset(values))
    for name, value in values.items():
        frame.bind(name, Held(value))
    statement = ast.parse(text).body[0]
    if isinstance(statement, ast.Expr):
        return evaluator.tensor(statement.value, frame)
    assert isinstance(statement, ast.Assign)
    (place,) = statement.targets
    assert isinstance(place, ast.Subscript)
    items = evaluator.subscripts(place.slice, frame)
    value = evaluator.tensor(statement.value, frame)
    stored = target.rows["x[] ="].meaning(ledger, operands["a"], items, value)
    assert isinstance(stored, SymbolicTensor)
    return stored
