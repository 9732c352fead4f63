"""The meaning of an operation: a function in affine MLIR that computes it on memory, read and summarised.

The function takes the operands in order.  What it writes is the result: an operand of the operation, which it updates
in place, or one more array behind the operands, which it fills.  What is written must be the same whatever was there.

Importing a dialect: its definition and its lowerings become instances of its operations, each with a meaning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.instance import DIVISIONS, Instance, InstanceOperand
from tensorlift.comprehension.rewrite import rebuild_inside, substitute, transform, walk
from tensorlift.comprehension.terms import Reduce, applies
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.mlir import read_mlir
from tensorlift.poly.affine import Affine
from tensorlift.poly.variables import extreme_of
from tensorlift.session import SESSION
from tensorlift.summarize import summarise
from tensorlift.targets.imported import operand_type, result_of
from tensorlift.targets.imported.record import ImportedDialect, read_irdl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.rewrite import Descend
    from tensorlift.comprehension.terms import Term
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.poly.domain import Domain
    from tensorlift.source import Source
    from tensorlift.targets.imported.record import DefinedOperation


class NoMeaning(Exception):  # noqa: N818 - a property of an operation
    """Raised where an operation is given no meaning; the text says why."""


def summary_of(function: ReadFunction) -> Summary:
    """Return what a function computes.

    Raises:
        NoMeaning: where the front end or summarising refuses it.

    """
    if function.module is None:
        raise NoMeaning(f"its lowering is not read: {function.diagnostics[0].message}")
    try:
        (func_op,) = functions(function.module)
        return summarise(FunctionView(func_op), distribute=False, nonempty=True, places=True)
    except LiftError as refusal:
        raise NoMeaning(f"its lowering is not summarised: {refusal.diagnostics[0].message}") from None


def instance_of(operation: str, summary: Summary, count: int, attributes: str = "") -> Instance:
    """Return what an operation with so many operands computes, from the summary of its lowering.

    Raises:
        NoMeaning: where the summary is not one of a single result.

    """
    definitions = [item for item in summary.items if isinstance(item, Definition)]
    if len(definitions) != len(summary.items):
        raise NoMeaning("its lowering keeps a loop")
    summary, definitions = _of_multiples(summary, definitions)
    if summary.derived or summary.result is not None or len(summary.outputs) != 1:
        raise NoMeaning("its lowering does not give one array out")
    ((written, version),) = summary.outputs
    names = [name for name in summary.parameters if name not in summary.sizes]
    if len(names) == count + 1 and names[-1] == written:
        names.pop()
    if len(names) != count or len(summary.parameters) != len(names) + len(summary.sizes) + (written not in names):
        raise NoMeaning(f"its lowering takes {len(names)} arrays and numbers, not {count}")
    if not any(d.name == version for d in definitions):
        raise NoMeaning("its lowering writes nothing")
    summary, definitions = _of_least_result(summary, written, definitions)
    result = next(d for d in definitions if d.name == version)
    ordered = [d for d in definitions if d is not result]
    if definitions[-1] is not result:
        raise NoMeaning("its lowering writes to an array that it gives out before the end")
    _check(definitions, {*names, *(d.name for d in ordered)}, summary.sizes)
    operands = tuple(_operand(summary, name) for name in names)
    meaning = tuple(map(tidied, definitions))
    found = Instance(operation, operands, attributes, tuple(summary.sizes), summary.context, meaning)
    if found.sizes_of([operand.shape for operand in operands]) is None:
        raise NoMeaning("the extents of its result do not follow from those of its operands")
    return found


def _of_least_result(summary: Summary, written: str, definitions: list[Definition]) -> tuple[Summary, list[Definition]]:
    """Return a summary and its definitions for a result that is no larger than the lowering needs, where that is known.

    Its extents are those of what is computed where all of it is then written to.
    """
    taken = {
        name for array, info in summary.arrays.items() if array != written for e in info.shape for name in e.variables
    }
    values: dict[str, Affine] = {}
    own = [e.variable for e in summary.arrays[written].shape if e.variable is not None and e.variable not in taken]
    for name in own if set(own) <= set(summary.sizes) else ():
        least = extreme_of(summary.context, name, maximum=False)
        if len(least) == 1 and least[0][1].variables:
            values[name] = least[0][1]
    if not values or any(name in values for value in values.values() for name in value.variables):
        return summary, definitions
    sizes = tuple(name for name in summary.sizes if name not in values)
    return _with_sizes(summary, definitions, sizes, values)


def _of_multiples(summary: Summary, definitions: list[Definition]) -> tuple[Summary, list[Definition]]:
    """Return a summary and its definitions for sizes that are multiples of what they are divided by."""
    values: dict[str, Affine] = {}
    for derived in summary.derived:
        name, factor = derived.numerator.variable, derived.divisor
        if name not in summary.sizes or not factor.is_constant or name in values:
            return summary, definitions
        values[name] = Affine.var(derived.name, factor.constant)
    names = {derived.numerator.variable: derived.name for derived in summary.derived}
    sizes, parameters = (
        tuple(names.get(name, name) for name in listed) for listed in (summary.sizes, summary.parameters)
    )
    return _with_sizes(replace(summary, derived=(), parameters=parameters), definitions, sizes, values)


def _with_sizes(
    summary: Summary, definitions: list[Definition], sizes: tuple[str, ...], values: Mapping[str, Affine]
) -> tuple[Summary, list[Definition]]:
    """Return a summary and its definitions with other sizes, of which the values of the former ones are made."""
    arrays = {
        name: replace(info, shape=tuple(extent.substitute(values) for extent in info.shape))
        for name, info in summary.arrays.items()
    }
    changed = replace(summary, sizes=sizes, context=summary.context.substitute(values), arrays=arrays)
    return changed, [_at(d, values) for d in definitions]


def _at(definition: Definition, values: Mapping[str, Affine]) -> Definition:
    """Return a definition at values of sizes, pieces aside that are then empty."""
    pieces = ((domain.substitute(values), substitute(term, values)) for domain, term in definition.pieces)
    return replace(
        definition,
        shape=tuple(extent.substitute(values) for extent in definition.shape),
        domain=definition.domain.substitute(values),
        pieces=tuple((domain, term) for domain, term in pieces if not domain.is_empty()),
    )


def _operand(summary: Summary, name: str) -> InstanceOperand:
    if name in summary.scalars:
        return InstanceOperand(name, summary.scalars[name], is_number=True)
    info = summary.arrays[name]
    return InstanceOperand(name, info.dtype, info.shape)


def tidied(definition: Definition) -> Definition:
    """Leave out of the domains of folds what is known where they are evaluated."""

    def tidy(node: Term, where: Domain, descend: Descend) -> Term:
        if not isinstance(node, Reduce):
            return rebuild_inside(node, where, descend)
        return terms.reduce(node.op, node.bound, node.domain.gist(where), descend(node.body, where & node.domain))

    pieces = tuple((domain, transform(term, domain, tidy)) for domain, term in definition.pieces)
    return replace(definition, pieces=pieces)


def _check(definitions: Sequence[Definition], known: set[str], sizes: Sequence[str]) -> None:
    """Demand that only operands and what is computed are read, and that programs can see to it that nothing fails.

    Integers may be divided by what a cell of the result or a size says: the checker demands that no such divisor is
    zero.
    """
    for definition in definitions:
        for _, term in definition.pieces:
            unknown = sorted(term.reads - known)
            if unknown:
                raise NoMeaning(f"its result depends on what {unknown[0]} held before")
            for node in walk(term):
                if applies(node, DIVISIONS) and not node.args[1].free <= {*definition.indices, *sizes}:
                    raise NoMeaning("it divides integers in a fold, which fails for some")


_APART = "$"  # between the name of an operation and what tells its lowerings apart


def import_irdl(name: str, definition: Source, lowerings: Source) -> ImportedDialect:
    """Import a dialect from IRDL and a file of functions, one or more for an operation, that compute it on memory.

    A function has the name of its operation; behind a ``$`` stands what tells functions of one operation apart.

    Raises:
        LiftError: TL534 to TL536, where the definition or the lowerings are none, or no operation gets a meaning.

    """
    _, operations = read_irdl(definition.text, definition.name)
    functions = read_mlir(lowerings.text, lowerings.name)
    known = {operation.name for operation in operations}
    for function in functions:
        if _operation_of(function) not in known:
            message = f"'{definition.name}' defines no operation '{_operation_of(function)}'"
            raise refuse("TL535", message, function.location, "name the function as the operation that it computes")
    instances: list[Instance] = []
    without: dict[str, str] = {}
    for operation in operations:
        own, reason = _instances(operation, [f for f in functions if _operation_of(f) == operation.name])
        instances += own
        if reason:
            without[operation.name] = reason
    found = ImportedDialect(name, definition.name, lowerings.name, tuple(instances), without, definition.text)
    return checked(found, definition.name)


def checked(dialect: ImportedDialect, file: str) -> ImportedDialect:
    """Return a dialect that has a meaning for some operation.

    Raises:
        LiftError: TL536, where it has none.

    """
    if not dialect.instances:
        listed = "; ".join(f"{name}: {reason}" for name, reason in list(dialect.without.items())[:3])
        message = f"no operation of '{file}' could be given a meaning" + (f" ({listed})" if listed else "")
        raise refuse("TL536", message, remedy="give lowerings to affine loops for its operations")
    return dialect


def _operation_of(function: ReadFunction) -> str:
    return function.name.partition(_APART)[0]


def _instances(operation: DefinedOperation, functions: list[ReadFunction]) -> tuple[list[Instance], str]:
    """Return the instances of an operation, and why it has none or fewer than functions."""
    if operation.obstacle:
        return [], operation.obstacle
    if not functions:
        return [], "no lowering is given"
    found: list[Instance] = []
    reason = ""
    for function in functions:
        SESSION.restart()
        try:
            instance = instance_of(operation.name, summary_of(function), len(operation.operands))
            _check_types(operation, instance)
            found.append(instance)
        except NoMeaning as error:
            reason = reason or str(error)
        except LiftError as refusal:
            reason = reason or refusal.diagnostics[0].message
    return found, reason


def _check_types(operation: DefinedOperation, instance: Instance) -> None:
    """Demand that the definition takes operands of an instance's types, and gives its result."""
    *operands, result = (operand_type(own) for own in (*instance.operands, result_of(instance)))
    refusal = operation.refusal(operands, [result])
    if refusal:
        raise NoMeaning(refusal)
