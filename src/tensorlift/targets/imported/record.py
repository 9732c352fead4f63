"""Imported dialects as files: JSON with the instances of operations, their meanings in the notation.

The same dialect gives the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tensorlift.codec import Codec, Form, Via
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, parse_domain
from tensorlift.comprehension.instance import DestinationForm, Instance, InstanceOperand, ListKind, ListOperand
from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.comprehension.notation.parser import parse_affine, parse_definition
from tensorlift.comprehension.notation.syntax import SyntaxFault
from tensorlift.comprehension.tensor import Shape
from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import DType
from tensorlift.targets.imported.definition import operations_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_VERSION = 1
Json = Any


@dataclass(frozen=True)
class ImportedDialect:
    """A dialect as it was imported: instances of its operations, and why others have none.

    ``definition`` and ``lowering`` say what it was imported from; ``irdl`` is the text of a definition in IRDL.
    """

    name: str
    definition: str
    lowering: str
    instances: tuple[Instance, ...]
    without: Mapping[str, str]
    irdl: str = ""

    def to_json(self) -> str:
        """Give the dialect as JSON text."""
        content = {"target": _VERSION, **INSTANCES.write(self)}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def dialect_from_json(text: str, file: str) -> ImportedDialect:
    """Read a dialect back.

    Raises:
        LiftError: TL533, where the text is none.

    """
    try:
        return _dialect(json.loads(text))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RuntimeError, SyntaxFault) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else error or type(error).__name__
        message = f"'{file}' is no target: {reason}"
        raise refuse("TL533", message, remedy="write it with 'tensorlift target add'") from None


def _dialect(data: Json) -> ImportedDialect:
    if data["target"] != _VERSION:
        raise ValueError(f"files of version {data['target']} are not read here")
    dialect: ImportedDialect = INSTANCES.read(ImportedDialect, data)
    if dialect.irdl:
        operations_of(dialect.irdl)
    return dialect


def _instance(
    operation: str, operands: tuple[InstanceOperand, ...], definitions: Iterable[str], attributes: str = "", **rest: Any
) -> Instance:
    dtypes: dict[str, DType] = {operand.name: operand.dtype for operand in operands}
    found = []
    for text in definitions:
        definition = parse_definition(text, dtypes)
        found.append(definition)
        dtypes[definition.name] = definition.dtype
    if not found:
        raise ValueError(f"{operation} has no meaning")
    return Instance(operation, operands, attributes, definitions=tuple(found), **rest)


def _operand(extents: Shape | None = None, **rest: Any) -> InstanceOperand:
    return InstanceOperand(shape=extents or (), is_number=extents is None, **rest)


# Expressions are texts.  ``INSTANCES.read(Instance, data)`` may also raise SyntaxFault, IndexError and RuntimeError.
INSTANCES: Codec = Codec(
    {
        ImportedDialect: Form("name definition lowering operations=instances without irdl?"),
        Instance: Form(
            "operation attributes? form! operands lists? sizes context meaning=definitions sampled?", make=_instance
        ),
        InstanceOperand: Form("name type=dtype shape!=extents value! attribute?=is_attribute", make=_operand),
        ListOperand: Form("name place kind numbers"),
        ListKind: Form("operation attribute type_name", is_row=True),
        DestinationForm: Form("states_result body"),
    },
    {
        Affine: Via(lambda _, value: str(value), str, lambda _, text: parse_affine(text)),
        Fraction: Via(lambda _, value: str(value), str, lambda _, text: Fraction(text)),
        Domain: Via(lambda _, domain: str(domain), str, lambda _, text: parse_domain(text)),
        (InstanceOperand, "shape"): Via(lambda _, shape: [str(extent) for extent in shape], tuple[Affine, ...]),
        (Instance, "meaning"): Via(lambda _, listed: [show_definition(one) for one in listed], tuple[str, ...]),
    },
    DType=DType,
    Shape=Shape,
    Definition=Any,
)
