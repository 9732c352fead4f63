"""Operations of imported dialects that write over an operand: how their form is read, and what attributes it has."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from string import Template
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, DenseArrayBase, IntegerAttr, StringAttr, i64
from xdsl.parser import Parser

from tensorlift.ops.dtypes import is_float
from tensorlift.targets.imported.types import list_type
from tensorlift.targets.mlir_text.operations import context_of, structured
from tensorlift.targets.target import row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Operation

    from tensorlift.comprehension.instance import Instance, InstanceOperand, ListKind, ListOperand
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.targets.target import OpRow

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


def _by_use(o: Obligations) -> SymbolicTensor:
    return o.refuse("a list of integers is no tensor")


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
