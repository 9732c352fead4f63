"""What replacements assume of the arguments of their function, checked where it starts; the original runs otherwise.

A replacement assumes conditions on sizes and that arrays lie apart.  They are traced back to the arguments of the
function, its extents and memory; what cannot be traced is not assumed, and the loops stay.  A function that assumes
something becomes three: the raised one, the original, and one under the name of the source that tests what is
assumed and calls one of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, IndexType, IntegerType, MemRefType, NoneAttr, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from tensorlift.contract.language import AnyOf, Compare, Extent, InWords, Quotient, Separate, Sum, atoms_of
from tensorlift.contract.mlir import Tests
from tensorlift.frontends.mlir.layouts import is_open, rises
from tensorlift.ir.mixed import name_of
from tensorlift.ir.requirements import DISTINCT
from tensorlift.ir.text import functions, parse_module
from tensorlift.poly.names import unused
from tensorlift.raising.bodies import unraisable
from tensorlift.raising.outline import is_allocated, is_apart_from_new, is_first_block, memory_of, root_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.contract.language import Atom, Condition

ORIGINAL, RAISED = "_original", "_raised"  # behind the name of a function
_CALLERS = ("sym_visibility", "arg_attrs", "res_attrs")  # what the function that is called keeps


@dataclass(frozen=True, slots=True)
class Apart:
    """Two arguments of a function lie apart, or are the very same array where that is enough."""

    one: int
    other: int
    or_same: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """Rows of an argument of a function, which may lie far from each other, do not overlap."""

    array: int


Assumption = Compare | AnyOf | Apart | Spread  # over ``a0``, the argument itself, and ``a0_d1``, an extent of one


def assumed(conditions: Iterable[Condition], arguments: Mapping[str, SSAValue]) -> list[Assumption]:
    """Trace conditions on named values back to the arguments of the function around.

    Raises:
        LiftError: TL594, where one speaks of anything else.

    """
    found: list[Assumption] = []
    for condition in conditions:
        if isinstance(condition, Separate):
            for other in condition.others:
                found += _apart(arguments, condition.array, other, or_same=condition.or_same)
            continue
        traced: Assumption | None = None
        if isinstance(condition, InWords):
            told = (value for name, value in arguments.items() if condition.text == DISTINCT.format(name))
            traced = next((Spread(value.index) for value in told if _is_argument(value)), None)
        if isinstance(condition, Compare | AnyOf):
            values = {atom: _named(atom, arguments) for atom in atoms_of(condition)}
            known = {atom: value for atom, value in values.items() if value is not None}
            traced = condition.substitute(known) if len(known) == len(values) else None
        if traced is None:
            raise _untraced(str(condition))
        found.append(traced)
    return found


def longer(array: SSAValue, length: Sum | None, what: str) -> list[Assumption]:
    """Trace back that an array of one dimension has so many elements; raises LiftError where that cannot be."""
    extent = _extent(array, 0)
    if length is None or extent is None:
        raise _untraced(what)
    return [Compare(extent, ">=", length)]


def value_of(value: SSAValue) -> Sum | None:
    """Give an integer as a sum over arguments of the function around; None where it is none."""
    owner: Any = value.owner
    if isinstance(value, BlockArgument):
        whole = isinstance(value.type, IndexType | IntegerType)
        return Sum.name(f"a{value.index}") if whole and _is_argument(value) else None
    if owner.name == "arith.constant" and hasattr(owner.properties["value"], "value"):
        number = owner.properties["value"].value.data
        return Sum.number(number) if isinstance(number, int) else None
    if owner.name == "arith.index_cast":
        return value_of(owner.operands[0])
    if owner.name == "memref.dim":
        axis = value_of(owner.operands[1])
        return None if axis is None or axis.value is None else _extent(owner.operands[0], axis.value)
    if owner.name in ("arith.addi", "arith.subi", "arith.muli") and isinstance(value.type, IndexType):
        left, right = map(value_of, owner.operands)
        if left is not None and right is not None:
            return {"arith.addi": Sum.__add__, "arith.subi": Sum.__sub__, "arith.muli": Sum.__mul__}[owner.name](
                left, right
            )
    return None


def _extent(array: SSAValue, axis: int) -> Sum | None:
    """Give an extent of an array as a sum over arguments of the function around."""
    of_type: Any = array.type
    owner: Any = array.owner
    length = of_type.get_shape()[axis]
    if length != DYNAMIC_INDEX:
        return Sum.number(length)
    if isinstance(array, BlockArgument):
        return Sum.name(f"a{array.index}_d{axis}") if _is_argument(array) else None
    if owner.name == "memref.cast":
        return _extent(owner.operands[0], axis)
    open_before = sum(extent == DYNAMIC_INDEX for extent in of_type.get_shape()[:axis])
    if is_allocated(array):
        return value_of(owner.operands[open_before])
    if owner.name in ("memref.subview", "memref.reinterpret_cast"):
        sizes = list(owner.static_sizes.iter_values())
        if len(sizes) == len(of_type.get_shape()):
            return value_of(list(owner.sizes)[open_before])
    return None


def _named(atom: Atom, arguments: Mapping[str, SSAValue]) -> Sum | None:
    """Give what a name or an extent of an array stands for."""
    if not isinstance(atom, Extent):
        return value_of(arguments[str(atom)]) if str(atom) in arguments else None
    value = arguments.get(atom.array)
    return _extent(value, atom.axis) if value is not None and isinstance(value.type, MemRefType) else None


def _apart(arguments: Mapping[str, SSAValue], one: str, other: str, *, or_same: bool) -> list[Assumption]:
    """Trace back that two arrays lie apart; nothing where they do in any case, as one was made in the function."""
    memories = [memory_of(arguments[name]) for name in (one, other)]
    if any(map(is_allocated, memories)) and all(map(is_apart_from_new, memories)) and memories[0] is not memories[1]:
        return []
    if any(map(_is_constant, memories)):
        return []  # whoever wrote through the other one would write a constant
    if len({*memories}) == 2 and all(getattr(m.owner, "name", "") == "memref.get_global" for m in memories):  # noqa: PLR2004 - both
        names = {str(m.owner.properties["name"]) for m in memories if isinstance(m.owner, Operation)}
        if len(names) == 2:  # noqa: PLR2004 - two globals lie apart
            return []
    around = [m for name, m in zip((one, other), memories, strict=True) if _has_span(m, arguments[name])]
    if len({*around}) != 2:  # noqa: PLR2004 - both
        raise _untraced(f"{one} shares no memory with {other}")
    types: list[Any] = [memory.type for memory in memories]
    spread = [Spread(memory.index) for memory, of_type in zip(around, types, strict=True) if is_open(of_type)]
    is_whole = all(arguments[name] is memory for name, memory in zip((one, other), memories, strict=True))
    same = or_same and is_whole and types[0] == types[1] and not spread
    return [*spread, Apart(around[0].index, around[1].index, same)]


def _is_constant(memory: SSAValue) -> bool:
    """Tell whether memory is a global that the module declares to be constant."""
    owner: Any = memory.owner
    if getattr(owner, "name", "") != "memref.get_global":
        return False
    around, name = owner.parent_op(), owner.properties["name"].string_value()
    while around is not None and around.name != "builtin.module":
        around = around.parent_op()
    known = (op.properties for op in around.body.block.ops) if around is not None else ()
    return any("constant" in stated and stated["sym_name"].data == name for stated in known if "sym_name" in stated)


def _is_argument(value: SSAValue) -> TypeGuard[BlockArgument]:
    return isinstance(value, BlockArgument) and is_first_block(value.block)


def _has_span(memory: SSAValue, view: SSAValue) -> TypeGuard[BlockArgument]:
    """Tell whether a memory is an argument of the function whose first and last address are told, around a view."""
    of_type: Any = memory.type
    if not _is_argument(memory) or not hasattr(of_type.element_type, "bitwidth"):
        return False
    return isinstance(of_type.layout, NoneAttr) or (root_of(view) is memory and rises(of_type))


def _untraced(what: str) -> Exception:
    return unraisable(f"it needs that {what}, which is not known where the function starts")


# -- the function that tests


def put_guard(
    module: ModuleOp, function: Operation, original: Operation, assumptions: Sequence[Assumption], context: Context
) -> None:
    """Put a function that tests what a raised one assumes under its name, with the raised one and the original."""
    taken = {name_of(op) for op in module.ops if "sym_name" in op.properties}
    name = name_of(function)
    names = [unused(f"{name}{ending}", taken, "_") for ending in (RAISED, ORIGINAL)]
    types: Any = function.properties["function_type"]
    text = _Guard(list(types.inputs), list(types.outputs)).text(name, names, assumptions)
    entry = next(one for one in functions(parse_module(text, "guard.mlir", context=context)) if name_of(one) == name)
    entry.detach()  # type: ignore[no-untyped-call]  # untyped in xDSL
    for op in entry.walk():
        op.location = function.location
    for key in _CALLERS:
        if key in function.properties:
            entry.properties[key] = function.properties[key]
    entry.attributes.update(function.attributes)
    block = module.body.block
    block.insert_op_before(entry, function)
    block.insert_op_after(original, function)
    for op, called in zip((function, original), names, strict=True):
        op.properties["sym_name"] = StringAttr(called)
        op.properties["sym_visibility"] = StringAttr("private")
        op.attributes.clear()


@dataclass(slots=True)
class _Guard(Tests):
    address = '"memref.extract_aligned_pointer_as_index"({}) : ({}) -> index'  # as xDSL reads it

    def text(self, name: str, names: Sequence[str], assumptions: Sequence[Assumption]) -> str:
        """Write the function, with declarations of the two that it calls."""
        form = str(FunctionType.from_lists(self.types, self.results))
        declared = [f"func.func private @{one}{form}" for one in names]
        tests = [self._holds(one) for one in dict.fromkeys(assumptions)]
        holds = self.joined(tests, "andi")
        spelled = ", ".join(map(str, self.results))
        calls = [self.call(one) for one in names]
        if self.results:
            values = [", ".join(f"%{arm}{k}" for k in range(len(self.results))) for arm in "xyz"]
            arms = [f"{values[k]} = {call}\nscf.yield {values[k]} : {spelled}" for k, call in enumerate(calls)]
            count = f":{len(self.results)}" if len(self.results) > 1 else ""
            chosen = f"%z{count} = scf.if {holds} -> ({spelled}) {{\n{arms[0]}\n}} else {{\n{arms[1]}\n}}"
            outer = ", ".join(f"%z#{k}" for k in range(len(self.results))) if count else "%z"
            end = f"func.return {outer} : {spelled}"
        else:
            chosen = f"scf.if {holds} {{\n{calls[0]}\n}} else {{\n{calls[1]}\n}}"
            end = "func.return"
        arrow = f" -> ({spelled})" if self.results else ""
        body = "\n".join([*self.lines, chosen, end])
        return "\n".join([*declared, f"func.func @{name}({self.parameters}){arrow} {{", body, "}"]) + "\n"

    def factors(self, factor: int, atoms: Sequence[Atom], value: Sum) -> list[str]:
        """Return a number that is not one, and the atoms."""
        del value
        return [*([self.number(factor)] if factor != 1 or not atoms else []), *map(self._atom, atoms)]

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, Quotient):
            return self.new(f"arith.floordivsi {self.sum(atom.numerator)}, {self.sum(atom.divisor)} : index")
        place, _, axis = str(atom).removeprefix("a").partition("_d")
        return self.extent(int(place), int(axis)) if axis else self.as_index(int(place))

    def _holds(self, one: Assumption) -> str:
        if isinstance(one, Spread):
            return self.spread(one.array)
        return self._same(one) if isinstance(one, Apart) else self.test(one)

    def _same(self, pair: Apart) -> str:
        """Test that arrays lie apart, or are the same one where that is enough."""
        one, other = self.span(pair.one), self.span(pair.other)
        tests = self.apart(one, other)
        if pair.or_same:
            rank = range(len(self.types[pair.one].get_shape()))
            extents = [(self.extent(pair.one, axis), self.extent(pair.other, axis)) for axis in rank]
            same = [self.new(f"arith.cmpi eq, {a}, {b} : index") for a, b in [(one[0], other[0]), *extents]]
            tests.append(self.joined(same, "andi"))
        return self.joined(tests, "ori")
