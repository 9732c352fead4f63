"""The gatekeeper: emitted text against the summary of its source.

The text is parsed back and executed symbolically, operation by operation, with the meanings of the target's rows.
Each returned value must equal the summary's final definition of it: same shape, same element type, and every cell
equal, for all sizes on which the source is defined.  Bounds, equal extents, divisors and memory are obligations on the
way.  Nothing of what produced the text is used or trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.names import reserve
from tensorlift.comprehension.tensor import Strength, array, scalar_value, size
from tensorlift.proofs.cases import by_cases
from tensorlift.proofs.certificate import Certificate
from tensorlift.proofs.counterparts import Counterparts, refusal_of
from tensorlift.proofs.divisors import Divisors
from tensorlift.proofs.evaluate import Evaluator
from tensorlift.proofs.execute import Execution
from tensorlift.proofs.expansion import Definitions
from tensorlift.proofs.failure import INTERFACE, MEMORY, UNEQUAL, UNREADABLE, CheckFailure
from tensorlift.proofs.guards import check_guards
from tensorlift.proofs.loops import LoopProver
from tensorlift.proofs.obligations import Ledger
from tensorlift.proofs.parse import parse_program
from tensorlift.proofs.values import Buffer, Frame, Held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.domain import Domain
    from tensorlift.comprehension.dtypes import DType
    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.conditions.language import Condition
    from tensorlift.ir.cut import Cut
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
    program = parse_program(text, target.modules, target.settings)
    function = program.functions.get(entry)
    if function is None:
        raise CheckFailure(INTERFACE, f"the text defines no function {entry}")
    check_guards(program, entry, guards)
    reserve(summary.sizes)
    proof = _Proof(program, function, summary, target, cuts)
    try:
        cases = by_cases(summary.context, proof.prove)
    except RecursionError:
        raise CheckFailure(UNREADABLE, "the program is nested too deeply") from None
    obligations = dict(sorted(proof.ledger.counts.items()))
    return Certificate(summary, text, entry, target.name, tuple(cuts), obligations, cases, guards=tuple(guards))


class _Proof:
    """One program against one summary; `prove` is run once for each case of the sizes."""

    def __init__(
        self, program: ProgramText, function: Function, summary: Summary, target: Target, cuts: Sequence[Cut]
    ) -> None:
        self.function = function
        self.summary = summary
        self.definitions = Definitions(summary)
        self.ledger = Ledger(summary.context, summary.derived, target.types, self._never_zero)
        self.divisors = Divisors(self.definitions, summary.items)
        self.counterparts = Counterparts(self.definitions, self.divisors)
        self.evaluator = Evaluator(program, target, self.ledger)
        self.cuts = cuts

    def _never_zero(self, divisor: SymbolicTensor, context: Domain) -> bool:
        return self.divisors.never_zero(divisor, context)

    def prove(self, case: Domain) -> None:
        """Prove the program for the sizes of one case."""
        self.divisors = Divisors(self.definitions, self.summary.items)
        self.counterparts = Counterparts(self.definitions, self.divisors)
        self.ledger.within(case)
        self.definitions.opaque = set()
        loops = LoopProver(self.summary.items)
        execution = Execution(self.evaluator, self.definitions, self.counterparts, self.cuts, loops.prove)
        returned = execution.run(self.function.body, self._parameters())
        self._check_results(execution, returned)

    # -- parameters

    def _parameters(self) -> Frame:
        """Bind the parameters by the names of the source; each kind of them stands in source order."""
        frame = Frame(self.function.local_names)
        given = [self._source_name(parameter) for parameter in self.function.parameters]
        for parameter, name in zip(self.function.parameters, given, strict=True):
            frame.bind(parameter, self._parameter(parameter, name))
        if len(set(given)) != len(given):
            raise CheckFailure(INTERFACE, "a parameter of the source stands twice")
        for kind in (self.summary.arrays, self.summary.scalars, self.summary.sizes):
            listed = [name for name in given if name in kind]
            if listed != [name for name in kind if name in listed]:
                raise CheckFailure(INTERFACE, "the parameters are not in the order of the source")
        return frame

    def _source_name(self, parameter: str) -> str:
        """Names that Python has for itself get trailing underscores."""
        known = self.summary.arrays.keys() | self.summary.scalars.keys() | set(self.summary.sizes)
        name = parameter
        while name not in known and name.endswith("_"):
            name = name[:-1]
        return name

    def _parameter(self, parameter: str, name: str) -> Held:
        known = {**self.summary.scalars, **{a.name: a.dtype for a in self.summary.arrays.values()}}
        if name in known:
            self.evaluator.require_enabled(known[name])
        info = self.summary.arrays.get(name)
        if info is not None and info.is_parameter:
            return Held(array(name, info.shape, info.dtype), Buffer(is_input=True))
        if name in self.summary.scalars:
            return Held(scalar_value(terms.scalar(name, self.summary.scalars[name]), Strength.EITHER))
        if name in self.summary.sizes:
            return Held(size(Affine.var(name)))
        raise CheckFailure(INTERFACE, f"the source has no parameter {parameter}")

    # -- results

    def _check_results(self, execution: Execution, returned: Item) -> None:
        wanted = [(name, version) for name, version in self.summary.outputs]
        if self.summary.result is not None:
            wanted.append(("the result", self.summary.result))
        values = (returned,) if len(wanted) == 1 else returned
        if not isinstance(values, tuple) or len(values) != len(wanted) or not wanted:
            raise CheckFailure(INTERFACE, f"the source has {len(wanted)} outputs", self.ledger.line)
        buffers: set[Buffer] = set()
        for (name, version), value in zip(wanted, values, strict=True):
            if not isinstance(value, Held) or value.blank is not None:
                raise CheckFailure(INTERFACE, f"{name} is returned without values", self.ledger.line)
            self._check_result(execution, name, version, value)
            self._check_memory(name, value, buffers)

    def _check_result(self, execution: Execution, name: str, version: str, held: Held) -> None:
        shape, dtype = self._form(version)
        if not execution.has_shape(held, shape):
            mine = ", ".join(map(str, held.tensor.shape))
            raise CheckFailure(INTERFACE, f"{name} is returned with the shape ({mine})", self.ledger.line)
        if held.tensor.dtype != dtype:
            raise CheckFailure(
                INTERFACE, f"{name} is returned as {held.tensor.dtype}, but is {dtype} in the source", self.ledger.line
            )
        self.ledger.counts["an output equals its definition"] += 1
        if not self.definitions.is_version(held.tensor, version, self.ledger.context):
            cut = execution.unproved_cut
            hint = "" if cut is None else f" (nor {cut.variable} to be {cut.definition} after line {cut.line})"
            raise CheckFailure(UNEQUAL, f"{name} is not proved to be {version}{hint}", self.ledger.line)
        difference = self.counterparts.difference(held.tensor, version, self.ledger.context)
        if difference is not None:
            raise refusal_of(difference, name, self.ledger.line)

    def _form(self, version: str) -> tuple[tuple[Affine, ...], DType]:
        definition = self.definitions.by_name.get(version)
        if definition is not None:
            return definition.shape, definition.dtype
        info = self.definitions.arrays[self.definitions.array_of(version)]
        return info.shape, info.dtype

    def _check_memory(self, name: str, held: Held, buffers: set[Buffer]) -> None:
        """Demand a fresh output: no view of an input, of another output or of read-only memory."""
        if held.buffer is None or held.is_number or not self.evaluator.target.changes_arrays:
            return
        is_view = held.is_window and held.tensor.rank > 0
        if held.buffer.is_input or is_view or held.buffer in buffers:
            raise CheckFailure(
                MEMORY, f"{name} is returned in memory that is not its own", self.ledger.line, "return a copy"
            )
        buffers.add(held.buffer)
