"""What a sample of an operation means: its text, read and evaluated as an emitted program is.

What a sample of a row means: its program, read and evaluated as an emitted one is.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.comprehension import normal
from tensorlift.comprehension.tensor import SymbolicTensor, size
from tensorlift.poly.affine import Affine
from tensorlift.proofs.compactions import compacted
from tensorlift.proofs.evaluate import Evaluator
from tensorlift.proofs.parse import ProgramText
from tensorlift.proofs.tensor_text.execute import Evaluation, Values
from tensorlift.proofs.tensor_text.read import read_function
from tensorlift.proofs.updates import updated
from tensorlift.proofs.values import Frame, Held, Item

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
    evaluator = _evaluator(target, ledger)
    frame = _frame({name: Held(value) for name, value in operands.items()}, sizes)
    statement = ast.parse(text).body[0]
    if isinstance(statement, ast.Expr):
        update = updated(evaluator, statement.value, frame)
        if update is not None:
            return update.result
        return evaluator.tensor(statement.value, frame)
    assert isinstance(statement, ast.Assign)
    kept = compacted(evaluator, statement, frame, lambda one, other: normal.equal(one, other, ledger.context))
    if kept is not None:
        return kept[2]
    (place,) = statement.targets
    assert isinstance(place, ast.Subscript)
    items = evaluator.subscripts(place.slice, frame)
    value = evaluator.tensor(statement.value, frame)
    stored = target.rows["x[] ="].meaning(ledger, operands["a"], items, value)
    assert isinstance(stored, SymbolicTensor)
    return stored


def held_of_sample(
    text: str, operands: Mapping[str, Held], sizes: Iterable[str], target: Target, ledger: Ledger
) -> Item:
    """Return the value of an expression and the memory in which it lives.

    Raises:
        CheckFailure: where the text has no meaning for such operands.

    """
    return _evaluator(target, ledger).evaluate(ast.parse(text, mode="eval").body, _frame(operands, sizes))


def _evaluator(target: Target, ledger: Ledger) -> Evaluator:
    return Evaluator(ProgramText({}, frozenset({*target.modules, *target.helpers})), target, ledger, target.starts)


def _frame(operands: Mapping[str, Held], sizes: Iterable[str]) -> Frame:
    values = {**operands, **{name: Held(size(Affine.var(name))) for name in sizes}}
    frame = Frame(frozenset(values))
    for name, value in values.items():
        frame.bind(name, value)
    return frame


def meaning_of_program(
    text: str, entry: str, operands: Mapping[str, SymbolicTensor], target: Target, ledger: Ledger
) -> SymbolicTensor:
    """Return the only result of a function for given arguments.

    Raises:
        CheckFailure: where the text has no meaning for them.

    """
    function = read_function(text, entry, target)
    evaluation = Evaluation(target, ledger)
    named = zip(function.parameters, function.body.args, strict=True)
    values: Values = {argument: Held(operands[name]) for name, argument in named}
    (result,) = evaluation.statements(function.body, values, is_function=True)
    return result.tensor


def meaning_of_statement(
    text: str, entry: str, operands: Mapping[str, SymbolicTensor], target: Target, ledger: Ledger
) -> tuple[Held, str]:
    """Return what the last statement of a function that returns nothing computes, and the type that it states.

    Raises:
        CheckFailure: where the text has no meaning for the operands.
        Undecided: where its meaning depends on the sizes.

    """
    function = read_function(text, entry, target)
    named = zip(function.parameters, function.body.args, strict=True)
    values: Values = {argument: Held(operands[name]) for name, argument in named}
    Evaluation(target, ledger).statements(function.body, values, is_function=True)
    *_, last, _ = function.body.ops
    (result,) = last.results
    return values[result], str(result.type)
