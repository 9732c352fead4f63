"""The gatekeeper: emitted text against the summary of its source.

The text is parsed back and executed symbolically, operation by operation, with the meanings of the target's rows.
Each returned value must equal the summary's final definition of it: same shape, same element type, and every cell
equal, for all sizes on which the source is defined.  Bounds, equal extents, divisors and memory are obligations on the
way.  Nothing of what produced the text is used or trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.names import reserve
from tensorlift.comprehension.normal import PROVING, asking_for
from tensorlift.proofs.cases import by_cases
from tensorlift.proofs.certificate import Certificate
from tensorlift.proofs.evaluate import Evaluator
from tensorlift.proofs.execute import Execution
from tensorlift.proofs.failure import GUARD, INTERFACE, UNREADABLE, CheckFailure
from tensorlift.proofs.guards import check_guards
from tensorlift.proofs.loops import LoopProver
from tensorlift.proofs.parse import parse_program
from tensorlift.proofs.proof import Proof
from tensorlift.proofs.values import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.contract.language import Condition
    from tensorlift.ir.cut import Cut
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.parse import Function, ProgramText
    from tensorlift.proofs.values import Item
    from tensorlift.targets.target import Target


def check(  # noqa: PLR0913 - a text, what it must be, and hints
    text: str,
    entry: str,
    summary: Summary,
    target: Target,
    cuts: Sequence[Cut] = (),
    *,
    guards: Sequence[Condition] = (),
) -> Certificate:
    """Prove that the function ``entry`` of a text computes what a summary says, for all sizes of its context.

    At its top it must check exactly the conditions of ``guards``, in any order.

    Raises:
        CheckFailure: where that is not proved, with the reason and the line of the text.

    """
    reserve(summary.sizes)
    proof = proof_of(text, entry, summary, target, cuts, guards=guards)
    try:
        with asking_for(PROVING):
            cases = by_cases(summary.context, proof.prove)
    except RecursionError:
        raise CheckFailure(UNREADABLE, "the program is nested too deeply") from None
    if proof.unused:
        raise CheckFailure(UNREADABLE, f"the function {min(proof.unused)} is never called")
    obligations = dict(sorted(proof.ledger.counts.items()))
    return Certificate(summary, text, entry, target.name, tuple(cuts), obligations, cases, guards=tuple(guards))


def proof_of(  # noqa: PLR0913 - as `check`
    text: str, entry: str, summary: Summary, target: Target, cuts: Sequence[Cut], *, guards: Sequence[Condition]
) -> Proof:
    """Read the text in the language of the target."""
    if target.language == "mlir":
        from tensorlift.proofs.tensor_text.proof import TextProof  # noqa: PLC0415 - loads xDSL, which Python does not need

        if guards:
            raise CheckFailure(GUARD, "programs in MLIR have no guards")
        return TextProof(text, entry, summary, target, cuts)
    program = parse_program(text, target.modules, target.checks)
    function = program.functions.get(entry)
    if function is None:
        raise CheckFailure(INTERFACE, f"the text defines no function {entry}")
    check_guards(program, entry, guards)
    return _PythonProof(program, function, summary, target, cuts)


class _PythonProof(Proof):
    """A Python program against one summary."""

    def __init__(
        self, program: ProgramText, function: Function, summary: Summary, target: Target, cuts: Sequence[Cut]
    ) -> None:
        super().__init__(summary, target, cuts)
        self.function = function
        self.unused = program.functions.keys() - {function.name}
        self.evaluator = Evaluator(program, target, self.ledger, function.checks)

    def execute(self) -> tuple[Execution, Item]:
        """Execute the function with names of the source as its parameters."""
        loops = LoopProver(self.summary.items)
        execution = Execution(self.evaluator, self.definitions, self.counterparts, self.cuts, loops.prove)
        frame = Frame(self.function.local_names)
        for name, value in self.parameters(self.function.parameters).items():
            size = self._source_name(name)
            if size in self.summary.sizes and self.summary.is_narrow(size) and name not in self.function.integers:
                raise CheckFailure(INTERFACE, f"{name}, of a narrow type, is not made an integer of Python")
            frame.bind(name, value)
        returned = execution.run(self.function.body, frame)
        self.unused -= execution.called
        return execution, returned

    def require_enabled(self, dtype: DType) -> None:
        """Refuse a type that the target has only where a check passes which the function does not make."""
        self.evaluator.require_enabled(dtype)
