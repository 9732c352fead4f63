"""Rows of imported operations: an instance is chosen by the types and the attributes that the text states.

The dialect's own verifier decides whether an operation is one at all: its definition in IRDL where that is known, else
upstream's verifier, which took each instance when the dialect was imported.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tensorlift.targets.imported.definition import operations_of
from tensorlift.targets.imported.forms import list_row, reading_class, zero_of
from tensorlift.targets.imported.types import list_type, operand_type, result_of
from tensorlift.targets.mlir_text.operations import context_of
from tensorlift.targets.target import row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Operation

    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.targets.target import OpRow


def _verified(irdl: str, op: Operation) -> None:
    """Demand what a definition says of an operation.

    Raises:
        VerifyException: where it is not met.

    """
    defined = operations_of(irdl).get(op.name)
    refusal = "the dialect does not define it"
    if defined is not None:
        refusal = defined.refusal([o.type for o in op.operands], [r.type for r in op.results])
    if refusal:
        raise VerifyException(f"{op.name}: {refusal}")


@cache
def _refusal(row: OpRow, instance: Instance) -> str:
    types = [str(operand_type(own)) for own in instance.operands]
    given = zip(instance.operands, types, strict=True)
    operands = [(zero_of(o) if o.is_attribute else f"%operand{k}", kind) for k, (o, kind) in enumerate(given)]
    lists = [(f"%{own.name}", own.type) for own in instance.lists]
    tensors = [(name, kind) for name, kind in operands if name.startswith("%")]
    parameters = ", ".join(f"{name}: {kind}" for name, kind in (*tensors, *lists))
    value = instance.text(operands, str(operand_type(result_of(instance))), [name for name, _ in lists])
    text = f"func.func @verified({parameters}) {{\n  %result = {value}\n  return\n}}\n"
    try:
        Parser(context_of([row]), text, instance.operation).parse_module().verify()
    except ParseError as error:
        return error.msg
    except VerifyException as error:
        return str(error)
    return ""


def rows_of(instances: Iterable[Instance], irdl: str = "") -> dict[str, OpRow]:
    """Return the rows of operations by their names, those of lists they take too; ``irdl`` is their definition."""
    grouped: dict[str, list[Instance]] = {}
    for instance in instances:
        grouped.setdefault(instance.operation, []).append(instance)
    kinds = {own.kind for listed in grouped.values() for instance in listed for own in instance.lists}
    rows: dict[str, OpRow] = {kind.operation: list_row(kind) for kind in sorted(kinds)}
    return rows | {name: _row(name, tuple(listed), irdl) for name, listed in grouped.items()}


def _row(name: str, instances: tuple[Instance, ...], irdl: str) -> OpRow:
    read_as = reading_class(name, instances)
    types = tuple(dict.fromkeys(list_type(own.kind.type_name) for instance in instances for own in instance.lists))
    verify = partial(_verified, irdl) if irdl else None
    plain = row(name, _by_instance, name, name=name, form="")
    own = replace(plain, read_as=read_as, types=types, verify=verify, instances=instances)
    return replace(own, refusal=partial(_refusal, own))


def _by_instance(o: Obligations) -> SymbolicTensor:
    """Refuse: which instance is meant is seen from the text."""
    return o.refuse("an imported operation means what its instance computes")
