"""Imported dialects as files: JSON with the instances of operations, their meanings in the notation.

The same dialect gives the same bytes.

Reading a dialect's definition in IRDL, MLIR's own dialect for definitions, and verifying operations against it.

Constraints are evaluated as far as IRDL spells them; a predicate in C++ (``irdl.c_pred``) holds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, UnregisteredOp
from xdsl.dialects.irdl import IRDL
from xdsl.utils.exceptions import ParseError, VerifyException

from tensorlift.codec import Codec, Form, Via
from tensorlift.comprehension.instance import (
    DestinationForm,
    Instance,
    InstanceOperand,
    ListKind,
    ListOperand,
    RegionForm,
)
from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.comprehension.notation.parser import parse_affine, parse_definition
from tensorlift.comprehension.notation.syntax import SyntaxFault
from tensorlift.comprehension.tensor import Shape
from tensorlift.diagnostics import Location, refuse
from tensorlift.ir.location import location_of
from tensorlift.ir.mixed import name_of
from tensorlift.ir.parser import LoopParser
from tensorlift.ops.dtypes import DType
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, parse_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue

    from tensorlift.diagnostics import LiftError

    Takes = Callable[[Attribute], bool]


_UNDEFINED = re.compile(r"values used but not defined: \[(%[\w$.-]+)")
_LAST_WORD = re.compile(r"[\w.]+(?=\W*\Z)")
_LIMITS = (VerifyException, ValueError, TypeError, KeyError, NotImplementedError, AssertionError, RecursionError)


@dataclass(frozen=True)
class DefinedOperand:
    """An operand or a result by its name, and which types it may have; all of one ``group`` have the same."""

    name: str
    takes: Callable[[Attribute], bool]
    group: int


@dataclass(frozen=True)
class DefinedOperation:
    """An operation of a dialect; ``obstacle`` says why nothing of its form can be given a meaning, if so."""

    name: str
    operands: tuple[DefinedOperand, ...]
    results: tuple[DefinedOperand, ...]
    obstacle: str = ""

    def refusal(self, operands: Sequence[Attribute], results: Sequence[Attribute]) -> str:
        """Return what the definition says against types of operands and results, nothing where it takes them."""
        if (len(operands), len(results)) != (len(self.operands), len(self.results)):
            return f"its definition has {len(self.operands)} operands and {len(self.results)} results"
        groups: dict[int, Attribute] = {}
        for defined, kind in zip((*self.operands, *self.results), (*operands, *results), strict=True):
            if not defined.takes(kind):
                return f"its definition has no {defined.name} of the type {kind}"
            wanted = groups.setdefault(defined.group, kind)
            if wanted != kind:
                return f"its definition wants {defined.name} to be of the type {wanted}, not {kind}"
        return ""


@lru_cache(maxsize=8)
def operations_of(text: str) -> Mapping[str, DefinedOperation]:
    """Return the operations that a definition in IRDL has, by their names.

    Raises:
        LiftError: as `read_irdl`.

    """
    _, operations = read_irdl(text, "the definition")
    return {operation.name: operation for operation in operations}


def read_irdl(text: str, file: str) -> tuple[str, list[DefinedOperation]]:
    """Return the name of the dialect that a text defines, and its operations in order.

    Raises:
        LiftError: TL534, where the text is no IRDL, or defines another number of dialects than one.

    """
    dialects = _dialects(text, file)
    if len(dialects) != 1:
        raise _no_irdl(file, f"it defines {len(dialects)} dialects")
    return name_of(dialects[0]), list(_operations(dialects[0]))


def defined_in(text: str, file: str) -> list[DefinedOperation]:
    """Return the operations of all dialects that a text defines, in order.

    Raises:
        LiftError: TL534, where the text is no IRDL.

    """
    return [operation for dialect in _dialects(text, file) for operation in _operations(dialect)]


def _operations(dialect: Operation) -> Iterator[DefinedOperation]:
    return (_operation(name_of(dialect), op) for op in dialect.walk() if op.name == "irdl.operation")


def _dialects(text: str, file: str) -> list[Operation]:
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    context.load_dialect(IRDL)
    try:
        parser = LoopParser(context, text, file)
        parser.places = True
        module = parser.parse_module()
    except ParseError as error:
        raise _unread(text, file, error) from None
    except _LIMITS as error:
        raise _no_irdl(file, str(error)) from None
    known: set[tuple[object, str]] = set()
    for op in module.walk():
        if isinstance(op, UnregisteredOp):
            raise _no_irdl(file, f"`{op.op_name.data}` is no operation of IRDL", location_of(op))
        symbol = {(op.parent, name_of(op))} if "sym_name" in op.properties else set()
        if symbol & known:
            raise _no_irdl(file, f"it defines `{name_of(op)}` twice", location_of(op))
        known |= symbol
    return [op for op in module.walk() if op.name == "irdl.dialect"]


def _unread(text: str, file: str, error: ParseError) -> LiftError:
    """Say what cannot be read, and where."""
    at, why = error.span.start, error.msg.strip()
    undefined = _UNDEFINED.match(why)
    unknown = _LAST_WORD.search(text, 0, at) if why.endswith("custom format.") else None
    used = re.search(rf"{re.escape(undefined[1])}(?![\w$.-])", text) if undefined else None
    if used is not None:
        at, why = used.start(), f"the value {used[0]} is not defined"
    elif unknown is not None:
        at, why = unknown.start(), f"`{unknown[0]}` is no operation of IRDL"
    elif not text[at:].strip():
        why = "it ends too early"
    place = Location(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
    return _no_irdl(file, why, place) if "irdl.dialect" in text else _no_irdl(file, "it has no irdl.dialect")


def dialects_in(text: str, file: str) -> frozenset[str]:
    """Name the dialects that a text in IRDL defines, in whatever form it is printed.

    Raises:
        LiftError: TL534, where there are none.

    """
    found = _dialects(text, file)
    if not found:
        raise _no_irdl(file, "it has no irdl.dialect")
    return frozenset(map(name_of, found))


def no_definition(file: str, why: str, remedy: str, place: Location | None = None) -> LiftError:
    """Return the refusal of a text that defines no dialect."""
    return refuse("TL534", f"'{file}' is no definition of a dialect: {why}", place or Location(file, 1, 1), remedy)


def _no_irdl(file: str, why: str, place: Location | None = None) -> LiftError:
    remedy = "give one irdl.dialect, or a dump" if place is None else "write what 'mlir-opt --irdl-file' accepts"
    return no_definition(file, why, remedy, place)


def _operation(dialect: str, op: Operation) -> DefinedOperation:
    inside = {inner.name: inner for inner in op.walk()}
    operands = inside.get("irdl.operands")
    results = inside.get("irdl.results")
    takes, gives = (tuple(_listed(part)) if part is not None else () for part in (operands, results))
    obstacle = ""
    if results is None or len(results.operands) != 1:
        obstacle = "it has another number of results than one"
    elif any(_is_many(part) for part in (operands, results) if part is not None):
        obstacle = "it has optional or repeated operands or results"
    elif "irdl.regions" in inside or "irdl.attributes" in inside:
        obstacle = f"it has {'regions' if 'irdl.regions' in inside else 'attributes'}"
    return DefinedOperation(f"{dialect}.{name_of(op)}", takes, gives, obstacle)


def _listed(op: Operation) -> Iterator[DefinedOperand]:
    names: Any = op.properties.get("names")
    for position, constraint in enumerate(op.operands):
        name = str(names.data[position].data) if names is not None else f"operand{position}"
        yield DefinedOperand(name, _takes(constraint), id(constraint))


def _is_many(op: Operation) -> bool:
    """Tell whether an operand may be left out or repeated."""
    variadicity: Any = op.properties.get("variadicity")
    return variadicity is not None and any(str(one.data) != "single" for one in variadicity.value.data)


def _takes(constraint: SSAValue) -> Takes:
    """Return which attributes meet a constraint."""
    op: Any = constraint.owner
    if op.name == "irdl.is":
        return lambda given: given == op.expected
    if op.name == "irdl.base":
        wanted = None if op.base_name is None else op.base_name.data.lstrip("!#").removeprefix("builtin.")
        return lambda given: wanted is None or given.name == wanted
    if op.name in ("irdl.any_of", "irdl.all_of"):
        parts = [_takes(operand) for operand in op.operands]
        join = any if op.name == "irdl.any_of" else all
        return lambda given: join(part(given) for part in parts)
    return lambda _: True


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
            "operation attributes? form! operands lists? sizes context meaning=definitions sampled? others? place?"
            " regions?",
            make=_instance,
        ),
        InstanceOperand: Form("name type=dtype shape!=extents value! attribute?=is_attribute", make=_operand),
        ListOperand: Form("name place kind numbers"),
        ListKind: Form("operation attribute type_name", is_row=True),
        RegionForm: Form("end arms"),
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
