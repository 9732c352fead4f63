"""What a sample of a row means: its program, read and evaluated as an emitted one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.proofs.tensor_text.execute import Evaluation, Values
from tensorlift.proofs.tensor_text.read import read_function
from tensorlift.proofs.values import Held

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.targets.target import Target


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
