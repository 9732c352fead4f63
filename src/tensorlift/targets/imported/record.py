"""Imported dialects as files: JSON with the instances of operations, their meanings in the notation.

The same dialect gives the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.domain import parse_domain
from tensorlift.comprehension.instance import DestinationForm, Instance, InstanceOperand, ListKind, ListOperand
from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.comprehension.notation.parser import parse_affine, parse_definition
from tensorlift.comprehension.notation.syntax import SyntaxFault
from tensorlift.diagnostics import refuse
from tensorlift.targets.imported.definition import operations_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.ops.dtypes import DType

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
        content = {
            "target": _VERSION,
            "name": self.name,
            "definition": self.definition,
            "lowering": self.lowering,
            "operations": [instance_data(instance) for instance in self.instances],
            "without": dict(self.without),
            **({"irdl": self.irdl} if self.irdl else {}),
        }
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
    instances = tuple(map(instance_from_data, data["operations"]))
    without = {str(name): str(reason) for name, reason in data["without"].items()}
    irdl = str(data.get("irdl", ""))
    if irdl:
        operations_of(irdl)
    return ImportedDialect(str(data["name"]), str(data["definition"]), str(data["lowering"]), instances, without, irdl)


def instance_data(instance: Instance) -> dict[str, Json]:
    """Return an instance as data, its expressions as texts."""
    data: dict[str, Json] = {"operation": instance.operation}
    if instance.attributes:
        data["attributes"] = instance.attributes
    if instance.form is not None:
        data["form"] = {"states_result": instance.form.states_result, "body": instance.form.body}
    data["operands"] = [_operand_data(operand) for operand in instance.operands]
    if instance.lists:
        data["lists"] = [asdict(listed) for listed in instance.lists]
    data["sizes"] = list(instance.sizes)
    data["context"] = str(instance.context)
    data["meaning"] = [show_definition(definition) for definition in instance.definitions]
    if instance.sampled:
        data["sampled"] = [list(sizes) for sizes in instance.sampled]
    return data


def _operand_data(operand: InstanceOperand) -> dict[str, Json]:
    data: dict[str, Json] = {"name": operand.name, "type": operand.dtype}
    if not operand.is_number:
        data["shape"] = [str(extent) for extent in operand.shape]
    if operand.value is not None:
        data["value"] = str(operand.value)
    if operand.is_attribute:
        data["attribute"] = True
    return data


def instance_from_data(data: Json) -> Instance:
    """Read an instance back.

    Raises:
        SyntaxFault, ValueError, KeyError, TypeError, IndexError, RuntimeError: where the data are none.

    """
    operands = tuple(map(_operand, data["operands"]))
    dtypes: dict[str, DType] = {operand.name: operand.dtype for operand in operands}
    definitions = []
    for text in data["meaning"]:
        definition = parse_definition(text, dtypes)
        definitions.append(definition)
        dtypes[definition.name] = definition.dtype
    if not definitions:
        raise ValueError(f"{data['operation']} has no meaning")
    return Instance(
        str(data["operation"]),
        operands,
        str(data.get("attributes", "")),
        tuple(map(str, data["sizes"])),
        parse_domain(data["context"]),
        tuple(definitions),
        tuple(tuple(map(int, sizes)) for sizes in data.get("sampled", ())),
        _form(data["form"]) if "form" in data else None,
        tuple(map(_list, data.get("lists", ()))),
    )


def _list(data: Json) -> ListOperand:
    kind = ListKind(*map(str, data["kind"]))
    return ListOperand(str(data["name"]), int(data["place"]), kind, tuple(map(int, data["numbers"])))


def _form(data: Json) -> DestinationForm:
    return DestinationForm(bool(data["states_result"]), str(data["body"]))


def _operand(data: Json) -> InstanceOperand:
    value = Fraction(data["value"]) if "value" in data else None
    shape = tuple(parse_affine(text) for text in data.get("shape", ()))
    return InstanceOperand(str(data["name"]), data["type"], shape, "shape" not in data, value, "attribute" in data)
