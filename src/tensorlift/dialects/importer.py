"""Importing a dialect: its definition and its lowerings become instances of its operations, each with a meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.session import SESSION
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.dialects.meanings import NoMeaning, instance_of, summary_of
from tensorlift.frontends.mlir import read_mlir
from tensorlift.targets.imported.definition import read_irdl
from tensorlift.targets.imported.record import ImportedDialect
from tensorlift.targets.imported.rows import operand_type, result_of

if TYPE_CHECKING:
    from tensorlift.comprehension.instance import Instance
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.source import Source
    from tensorlift.targets.imported.definition import DefinedOperation

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
