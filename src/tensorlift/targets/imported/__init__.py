"""Targets that are dialects imported from their definition: the file that ``tensorlift target add`` writes.

Beside the operations of the dialect programs have what every program over tensors of open extents needs: slices and
extents of tensors, arithmetic on single numbers, loops that stay.

Rows of imported operations: an instance is chosen by the types and the attributes that the text states.

The dialect's own verifier decides whether an operation is one at all: its definition in IRDL where that is known, else
upstream's verifier, which took each instance when the dialect was imported.  Lists of integers are of types of the
dialect.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, partial
from string import Template
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, Builtin, DenseArrayBase, IntegerAttr, StringAttr, i64
from xdsl.ir import Operation, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tensorlift.comprehension.instance import InstanceOperand
from tensorlift.ops.dtypes import is_float
from tensorlift.targets.imported.record import operations_of
from tensorlift.targets.linalg import TARGET as LINALG
from tensorlift.targets.mlir_text.operations import (
    ELEMENT_TYPES,
    ReadData,
    TerminatorOperation,
    context_of,
    structured,
    tensor_type,
)
from tensorlift.targets.mlir_text.rows import StatedTypes
from tensorlift.targets.target import Target, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xdsl.ir import Attribute
    from xdsl.parser import AttrParser

    from tensorlift.comprehension.instance import Instance, ListKind, ListOperand
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.targets.imported.record import ImportedDialect
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
    text = f"func.func @verified({parameters}) {{\n  %result:{instance.others + 1} = {value}\n  return\n}}\n"
    try:
        Parser(context_of([row, *ends_of([instance]).values()]), text, instance.operation).parse_module().verify()
    except ParseError as error:
        return error.msg
    except VerifyException as error:
        return str(error)
    return ""


def rows_of(instances: Sequence[Instance], irdl: str = "") -> dict[str, OpRow]:
    """Return the rows of operations by their names, those of lists they take too; ``irdl`` is their definition."""
    grouped: dict[str, list[Instance]] = {}
    for instance in instances:
        grouped.setdefault(instance.operation, []).append(instance)
    kinds = {own.kind for listed in grouped.values() for instance in listed for own in instance.lists}
    rows: dict[str, OpRow] = {kind.operation: list_row(kind) for kind in sorted(kinds)} | ends_of(instances)
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


_LIST = re.compile(r"(\w+) = \[([-\d, ]*)\]")


def reading_class(name: str, instances: Sequence[Instance]) -> type[Operation] | None:
    """Return the class that reads an operation of these instances, None where it is in generic form."""
    form = instances[0].form
    if form is None:
        return None
    if form.states_result:
        return structured(name, "#stated ")
    behind = (f" {found[1]} = #{found[1]}" for found in _LIST.finditer(instances[0].attributes))
    return structured(name, "{ #body } " if form.body else "", "".join(behind))


def stated_attributes(instance: Instance) -> dict[str, Attribute]:
    """Return the attributes that a text states of an instance's operation, as they are read, numbers as zero."""
    form = instance.form
    if form is None:
        zeros = {o.name: zero_of(o) for o in instance.operands if o.is_attribute}
        return _dictionary(Template(instance.attributes).substitute(zeros))
    stated: dict[str, Attribute] = {"inputs": IntegerAttr(len(instance.operands) - 1, i64)}
    if form.body:
        stated["body"] = StringAttr(form.body)
    return stated | (_dictionary if form.states_result else _lists)(instance.attributes)


@cache
def list_operation(own: ListOperand) -> Operation:
    """Return the operation that gives a list, as it is read."""
    module = Parser(context_of([list_row(own.kind)]), own.text).parse_module()
    (op,) = module.ops
    return op


@cache
def list_row(kind: ListKind) -> OpRow:
    """Return the row of an operation that gives lists: they are seen where operations take them."""
    name = kind.operation
    return replace(row(name, _by_use, name, name=name, form=""), types=(list_type(kind.type_name),))


def ends_of(instances: Iterable[Instance]) -> dict[str, OpRow]:
    """Return the rows of operations that end regions, by their names: they are seen where operations have these."""
    names = sorted({instance.regions.end for instance in instances if instance.regions is not None})
    traits = {"traits": TerminatorOperation.traits}
    read_as = {name: type("End", (Operation,), {"name": name, **traits}) for name in names}
    return {name: replace(row(name, _by_use, name, name=name, form=""), read_as=read_as[name]) for name in names}


def _by_use(o: Obligations) -> SymbolicTensor:
    return o.refuse("a list of integers, or the end of a region, is no tensor")


def zero_of(operand: InstanceOperand) -> str:
    """Spell the zero that an operand may be which is an attribute."""
    return "0.0" if is_float(operand.dtype) else "0"


def _lists(text: str) -> dict[str, Attribute]:
    pairs = (found.groups() for found in _LIST.finditer(text))
    return {name: DenseArrayBase.from_list(i64, list(map(int, values.split(",")))) for name, values in pairs}


@cache
def _dictionary(text: str) -> dict[str, Attribute]:
    if not text:
        return {}
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    return Parser(context, text).parse_optional_attr_dict()


class ListType(ReadData, TypeAttribute):
    """The type of lists of so many integers, ``!dialect.name<2>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        """Read how many integers a list has."""
        with parser.in_angle_brackets():
            return parser.parse_integer(allow_boolean=False, allow_negative=False)


@cache
def list_type(name: str) -> type[ListType]:
    """Return the type of lists that has a name in its dialect."""
    return irdl_attr_definition(type("ListType", (ListType,), {"name": name}))


def is_list(value: SSAValue) -> bool:
    """Tell whether a value is a list of integers, which no cells are."""
    return isinstance(value.type, ListType)


def operand_type(operand: InstanceOperand) -> Attribute:
    """Return the type of an operand; extents that are sizes are open."""
    if operand.is_number:
        return ELEMENT_TYPES[operand.dtype]
    extents = [extent.constant if extent.is_constant else DYNAMIC_INDEX for extent in operand.shape]
    return tensor_type(extents, operand.dtype)


def result_of(instance: Instance) -> InstanceOperand:
    """Return the result of an instance as an operand of another would be."""
    return InstanceOperand(instance.result.name, instance.result.dtype, instance.result.shape)


_GLUE = ("tensor", "affine", "arith", "math")
_DIALECTS = tuple(place for place in LINALG.dialects if not place.endswith(":LINALG"))  # it may be what is imported


def target_of(dialect: ImportedDialect, name: str) -> Target:
    """Return an imported dialect as a target of some name."""
    glue = {s: row for s, row in LINALG.rows.items() if s.partition(".")[0] in _GLUE}
    return Target(
        name=name,
        rows={**rows_of(dialect.instances, dialect.irdl), **glue},
        types=StatedTypes(),
        emitter="tensorlift.targets.imported.emit:emit",
        changes_arrays=False,
        library="imported",
        language="mlir",
        has_numbers=True,
        loops=LINALG.loops,
        dialects=_DIALECTS,
        instances=dialect.instances,
    )
