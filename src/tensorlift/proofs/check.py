"""The gatekeeper: emitted text against the summary of its source.

The text is parsed back and executed symbolically, operation by operation, with the meanings of the target's rows.
Each returned value must equal the summary's final definition of it: same shape, same element type, and every cell
equal, for all sizes on which the source is defined.  Bounds, equal extents, divisors and memory are obligations on the
way.  Nothing of what produced the text is used or trusted.

Guards of an emitted function, read back: each may only raise, and together they are exactly the wanted ones.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal import PROVING, PROVING_NUMBERS, asking_for
from tensorlift.comprehension.terms import applies
from tensorlift.contract.language import (
    INTEGER,
    NUMBER,
    OPPOSITE,
    Compare,
    Condition,
    Inside,
    IsArray,
    IsScalar,
    Separate,
)
from tensorlift.contract.notation import comparison_of, parse_condition, relation_of
from tensorlift.ops.dtypes import DType, is_float
from tensorlift.poly.names import reserve
from tensorlift.proofs.certificate import Certificate
from tensorlift.proofs.evaluate import Evaluator
from tensorlift.proofs.execute import Execution
from tensorlift.proofs.failure import GUARD, INTERFACE, UNREADABLE, CheckFailure
from tensorlift.proofs.loops import KeptLoops, prove_loop
from tensorlift.proofs.obligations import by_cases, either_form
from tensorlift.proofs.parse import Function, ProgramText, parse_program
from tensorlift.proofs.proof import Proof
from tensorlift.proofs.values import Frame, Item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.cut import Cut
    from tensorlift.targets.target import Target


_NEEDED = {"np", "isinstance", "int", "ValueError"}  # names that guards use
_COMPARISONS = {"eq", "ne", "le", "ge"}
_LEAST_WORK = 1  # no work at all would compare the bounds of memory only


def check_guards(program: ProgramText, entry: str, wanted: Sequence[Condition]) -> None:
    """Demand that the guards of a function are the wanted ones, no more and no fewer, in any order.

    Raises:
        CheckFailure: where a guard is missing, wrong, of unknown meaning, or stands in another function.

    """
    for name, function in program.functions.items():
        if name != entry and function.guards:
            raise _failure(function.guards[0], "a guard outside of the function that is called")
    function = program.functions[entry]
    hidden = _NEEDED & (function.local_names | program.functions.keys())
    if function.guards and (hidden or "np" not in program.modules):
        raise _failure(function.guards[0], f"a guard needs the name {min(hidden, default='np')}")
    found: dict[Condition, ast.If] = {}
    for guard in function.guards:
        condition = read_guard(guard)
        if condition not in wanted or condition in found:
            raise _failure(guard, f"a guard that is not asked for, that {condition}")
        found[condition] = guard
    missing = [condition for condition in wanted if condition not in found]
    if missing:
        raise CheckFailure(GUARD, f"no guard checks that {missing[0]}")


def read_guard(guard: ast.If) -> Condition:
    """Read the condition that a guard checks; raises CheckFailure where it may do anything but raise a ValueError."""
    match guard:
        case ast.If(
            body=[ast.Raise(exc=ast.Call(func=ast.Name(id="ValueError"), args=[message], keywords=[]), cause=None)],
            orelse=[],
        ) if isinstance(message, ast.Constant) and isinstance(message.value, str):
            condition = _type(guard.test) or _memory(guard.test) or _places(guard.test) or _relation(guard.test)
            if condition is not None:
                return condition
    raise _failure(guard, "a guard of unknown meaning")


def _type(test: ast.expr) -> Condition | None:
    """Read a guard of a type."""
    match test:
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.BoolOp(
                op=ast.And(),
                values=[
                    ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kind], keywords=[]),
                    ast.Compare(ops=[ast.Eq()], left=element, comparators=[dtype]),
                    ast.Compare(ops=[ast.Eq()], left=dimensions, comparators=[ast.Constant(value=int(rank))]),
                ],
            ),
        ):
            read = (ast.unparse(kind), ast.unparse(element), ast.unparse(dimensions), ast.unparse(dtype)[:3])
            if read == ("np.ndarray", f"{name}.dtype", f"{name}.ndim", "np.") and isinstance(dtype, ast.Attribute):
                return IsArray(name, dtype.attr.removesuffix("_"), rank)
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kinds], keywords=[]),
        ) if ast.unparse(kinds) == "(int, np.integer)":
            return IsScalar(name, INTEGER)
        case ast.Compare(
            ops=[ast.NotEq()],
            left=ast.Call(func=function, args=[ast.Name(id=name)], keywords=[]),
            comparators=[ast.Constant(value=0)],
        ) if ast.unparse(function) == "np.ndim":
            return IsScalar(name, NUMBER)
    return None


def _memory(test: ast.expr) -> Condition | None:
    """Read a guard of shared memory, with or without the exception for the same elements."""
    or_same = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and not test.values[2:]
    overlap = test.values[0] if or_same and isinstance(test, ast.BoolOp) else test
    match overlap:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="np"), attr="may_share_memory"),
            args=[ast.Name(id=array), ast.Name(id=other)],
            keywords=[ast.keyword(arg="max_work", value=ast.Constant(value=int(work)))],
        ) if type(work) is int and work >= _LEAST_WORK:
            if not or_same:
                return Separate(array, (other,))
            apart = f"({array}.ctypes.data, {array}.strides) != ({other}.ctypes.data, {other}.strides)"
            if isinstance(test, ast.BoolOp) and ast.unparse(test.values[1]) == apart:
                return Separate(array, (other,), or_same=True)
    return None


def _places(test: ast.expr) -> Condition | None:
    """Read a guard of places: it raises where one is below zero or not below an extent."""
    match test:
        case ast.Call(
            func=ast.Attribute(
                value=ast.BinOp(
                    op=ast.BitOr(),
                    left=ast.Compare(left=place, ops=[ast.Lt()], comparators=[ast.Constant(value=0)]),
                    right=ast.Compare(left=again, ops=[ast.GtE()], comparators=[limit]),
                ),
                attr="any",
            ),
            args=[],
            keywords=[],
        ) if ast.unparse(place) == ast.unparse(again):
            condition = parse_condition(f"0 <= {ast.unparse(place)} < {ast.unparse(limit)}")
            return condition if isinstance(condition, Inside) else None
    return None


def _relation(test: ast.expr) -> Condition | None:
    """Read a relation between sizes, which raises where the opposite holds; or a choice, where it does not hold."""
    try:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return relation_of(test.operand)
        found = comparison_of(test)
    except ValueError:
        return None
    return Compare(found.left, OPPOSITE[found.relation], found.right)


def _failure(guard: ast.If, reason: str) -> CheckFailure:
    return CheckFailure(GUARD, reason, guard.lineno)


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
    proof, cases = either_form(summary, partial(_proved, text, entry, target, cuts, guards))
    if proof.unused:
        raise CheckFailure(UNREADABLE, f"the function {min(proof.unused)} is never called")
    obligations = dict(sorted(proof.ledger.counts.items()))
    return Certificate(summary, text, entry, target.name, tuple(cuts), obligations, cases, guards=tuple(guards))


def _proved(  # noqa: PLR0913, PLR0917 - as `check`
    text: str, entry: str, target: Target, cuts: Sequence[Cut], guards: Sequence[Condition], summary: Summary
) -> tuple[Proof, int]:
    proof = proof_of(text, entry, summary, target, cuts, guards=guards)
    try:
        with asking_for(PROVING if asks_for_nan(summary) else PROVING_NUMBERS):
            return proof, by_cases(summary.context, proof.prove)
    except RecursionError:
        raise CheckFailure(UNREADABLE, "the program is nested too deeply") from None


def asks_for_nan(summary: Summary) -> bool:
    """Tell whether definitions compare a float with itself; a program that does so alone is one of numbers."""
    nodes = (node for definition in summary.definitions() for node in definition.nodes())
    asked = (node for node in nodes if applies(node, _COMPARISONS))
    return any(node.args[0] is node.args[1] and is_float(node.args[0].dtype) for node in asked)


def proof_of(  # noqa: PLR0913 - as `check`
    text: str, entry: str, summary: Summary, target: Target, cuts: Sequence[Cut], *, guards: Sequence[Condition]
) -> Proof:
    """Read the text in the language of the target."""
    if target.language == "mlir":
        from tensorlift.proofs.tensor_text.execute import TextProof  # noqa: PLC0415 - loads xDSL, which Python does not need

        if guards:
            raise CheckFailure(GUARD, "programs in MLIR have no guards")
        return TextProof(text, entry, summary, target, cuts)
    program = parse_program(text, target.modules, target.starts, target.helpers)
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
        loop = partial(prove_loop, KeptLoops(self.summary.items))
        execution = Execution(self.evaluator, self.definitions, self.counterparts, self.cuts, loop)
        frame = Frame(self.function.local_names)
        for name, value in self.parameters(self.function.parameters).items():
            size = self.summary.source_name(name)
            if size in self.summary.sizes and self.summary.is_narrow(size) and name not in self.function.integers:
                raise CheckFailure(INTERFACE, f"{name}, of a narrow type, is not made an integer of Python")
            frame.bind(name, value)
        returned = execution.run(self.function.body, frame)
        self.unused -= execution.called
        return execution, returned

    def require_enabled(self, dtype: DType) -> None:
        """Refuse a type that the target has only where a check passes which the function does not make."""
        self.evaluator.require_enabled(dtype)
