"""Compiles functions of literal IR to Python text, which runs some ten times as fast as closures would.

A value is a Python variable: integers in the signed range of their width, ``i1`` as 0 or -1, memory as a list.  A block
with one predecessor stands where that one branches to it, under ``if`` and ``else``.  Each other block is a *node* with
a number: a loop takes the node named by ``go`` until the function returns, and a node that branches to itself is a
``while`` of its own, so an innermost loop of the program is one of Python.

    go = 0
    while True:
        tick()
        if go < 1:
            ...
            i, s = 0, 0.0; go = 1; continue

What C leaves undefined stops the run.  Overflow is tested after the operation, an access outside fails in Python or by
the test for negative indices, a cell that was never written holds ``None``, and an undefined value is an object that
every operation refuses.  Hot operations are spelled in place, the others call their evaluator in ``arithmetic``; a
test compares the two.  Each line of the text belongs to an operation, so an exception tells its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IntegerType, MemRefType

from tensorlift.ir.arithmetic import ArithmeticFault, constant, evaluator, width_of
from tensorlift.ir.c_types import FLOAT_NAMES
from tensorlift.ir.execution import InterpreterError
from tensorlift.ir.literal_regions import RULES as REGIONS
from tensorlift.ir.literal_regions import handed_on
from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Attribute, Block, Operation, SSAValue

_DEEPEST = 30  # blocks inside of each other; Python takes no more than 100 levels of indentation
_ORDERED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}  # predicates of cmpf that Python has
_COMPARED = ("==", "!=", "<", "<=", ">", ">=")
_FIRST_UNSIGNED = 6
_EXACT_FLOAT = 32  # bits of an integer that a double holds exactly


@dataclass(slots=True)
class Code:
    """The text of a module; ``origins`` has an operation for each line, ``names`` what the text refers to."""

    lines: list[str] = field(default_factory=list)
    origins: list[Operation | None] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)


def compile_functions(functions: Iterable[FuncOp]) -> Code:
    """Compile functions that call one another; raises ``InterpreterError`` for an operation that is not literal IR."""
    code = Code()
    for function in functions:
        Writer(code, function).compile()
    return code


class Writer:
    """Writes one function."""

    def __init__(self, code: Code, function: FuncOp) -> None:
        self.code, self.function = code, function
        self._names: dict[SSAValue, str] = {}
        self._undefined = _may_be_undefined(function)
        self._edges: dict[Block, int] = {}
        for block in function.body.blocks:
            for target in _terminator(block).successors:
                self._edges[target] = self._edges.get(target, 0) + 1
        self._nodes: list[Block] = []
        self._node = -1

    def compile(self) -> None:
        """Write the function; nodes may be found while others are written, so their texts are put together last."""
        entry = self.function.body.blocks[0]
        arguments = ", ".join(self.name(argument) for argument in entry.args)
        self.line(0, f"def {function_name(self.function.sym_name.data)}({arguments}):", None)
        self._nodes = [entry, *(b for b in self.function.body.blocks if self._edges.get(b, 0) > 1)]
        texts: list[Code] = []
        outer, number = self.code, 0
        while number < len(self._nodes):
            self.code = Code(names=outer.names)
            self._node = number
            self._block(self._nodes[number], 0)
            texts.append(self.code)
            number += 1
        self.code = outer
        self.line(1, "go = 0", None)
        self.line(1, "while True:", None)
        self._dispatch(texts, 0, len(texts), 2)

    def _dispatch(self, texts: list[Code], first: int, end: int, indent: int) -> None:
        """Find a node by halving."""
        if end - first > 1:
            middle = (first + end) // 2
            self.line(indent, f"if go < {middle}:", None)
            self._dispatch(texts, first, middle, indent + 1)
            self.line(indent, "else:", None)
            self._dispatch(texts, middle, end, indent + 1)
            return
        self.line(indent, "while True:", None)
        self.line(indent + 1, "tick()", _terminator(self._nodes[first]))
        prefix = " " * (indent + 1)
        self.code.lines += [prefix + line for line in texts[first].lines]
        self.code.origins += texts[first].origins

    def line(self, indent: int, text: str, origin: Operation | None) -> None:
        """Append one line that belongs to an operation."""
        self.code.lines.append(" " * indent + text)
        self.code.origins.append(origin)

    def name(self, value: SSAValue) -> str:
        """Give the variable, or the text, that stands for a value."""
        known = self._names.get(value)
        if known is None:
            known = self._names[value] = f"v{len(self._names)}"
        return known

    def helper(self, key: str, value: Any) -> str:
        """Make something known to the text."""
        name = key if self.code.names.setdefault(key, value) is value else f"h{len(self.code.names)}"
        self.code.names[name] = value
        return name

    def check(self, indent: int, values: Sequence[SSAValue], op: Operation) -> None:
        """Stop where one of the values is undefined, as far as that can be."""
        for value in values:
            if value in self._undefined:
                self.line(indent, f"if {self.name(value)} is undefined: unreadable()", op)

    def _block(self, block: Block, indent: int) -> None:
        """Write a block and those that only it leads to."""
        for op in block.ops:
            if op is not block.last_op:
                self.operation(op, indent)
        op = _terminator(block)
        match op.name:
            case "func.return":
                self.line(indent, f"return {', '.join(self.name(value) for value in op.operands)}", op)
            case "cf.br":
                self._edge(op.successors[0], op.operands, op, indent)
            case "cf.cond_br":
                first = 1 + len(op.successors[0].args)
                self.line(indent, f"if {self.name(op.operands[0])}:", op)
                self._edge(op.successors[0], op.operands[1:first], op, indent + 1)
                self.line(indent, "else:", op)
                self._edge(op.successors[1], op.operands[first:], op, indent + 1)
            case _:
                raise _foreign(op)

    def _edge(self, target: Block, passed: Sequence[SSAValue], op: Operation, indent: int) -> None:
        """Pass the arguments of a block and go there."""
        moves = [(self.name(a), self.name(v)) for a, v in zip(target.args, passed, strict=True) if a is not v]
        if moves:
            left, right = (", ".join(names) for names in zip(*moves, strict=True))
            self.line(indent, f"{left} = {right}", op)
        if self._edges[target] == 1 and indent < _DEEPEST:
            self._block(target, indent)
            return
        if target not in self._nodes:
            self._nodes.append(target)
        number = self._nodes.index(target)
        self.line(indent, "continue" if number == self._node else f"go = {number}; break", op)

    def operation(self, op: Operation, indent: int) -> None:
        """Write an operation that is no terminator."""
        rule = _RULES.get(op.name)
        if rule is not None:
            rule(self, op, indent)
            return
        evaluate = evaluator(op)
        if evaluate is None:
            raise _foreign(op)
        operands = ", ".join(self.name(operand) for operand in op.operands)
        called = self.helper(f"e{len(self.code.names)}", evaluate)
        self.line(indent, f"{self.name(op.results[0])} = {called}({operands})", op)


def function_name(symbol: str) -> str:
    """Give the name that a function has in the text."""
    return f"f_{symbol}"


def overflow() -> None:
    """Stop at a result that a signed type does not hold."""
    raise ArithmeticFault("signed arithmetic overflows")


def outside(index: int) -> None:
    """Stop at an access before the start of a memory."""
    raise ArithmeticFault(f"the access at {index} lies outside of the memory")


def unwritten() -> None:
    """Stop at a read of a cell that was never written."""
    raise ArithmeticFault("undefined memory is read")


def unreadable(*_: object) -> Any:
    """Stop at a use of an undefined value."""
    raise ArithmeticFault("an undefined value is used")


def memory_of(count: int) -> list[Any] | Unbounded:
    """Make memory in which no cell may be read before it is written."""
    if count == UNBOUNDED:
        return Unbounded()
    if not 0 <= count <= _MOST_CELLS:
        raise ArithmeticFault(f"memory of {count} elements")
    return [None] * count


_MOST_CELLS = 1 << 26
UNBOUNDED = 1 << 60  # elements of memory that grows with what is written


class Unbounded(dict[int, Any]):
    """Memory without an end."""

    def __missing__(self, index: int) -> None:
        """Hold nothing where nothing was written."""


class Ended(Exception):  # noqa: N818 - an event of the interpreted program
    """Raised where the program ends itself."""


def end(message: str) -> None:
    """Stop where an assertion does not hold."""
    raise Ended(message)


class Undefined:
    """The undefined value: whatever is computed from it stops the run."""

    __slots__ = ()


_OPERATORS = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "neg", "abs"),
    *("and", "rand", "or", "ror", "xor", "rxor", "lshift", "rlshift", "rshift", "rrshift"),
    *("lt", "le", "gt", "ge", "eq", "ne", "bool", "int", "float", "index", "getitem", "setitem", "len", "hash"),
)
for _operator in _OPERATORS:
    setattr(Undefined, f"__{_operator}__", unreadable)
UNDEFINED = Undefined()


def _terminator(block: Block) -> Operation:
    found = block.last_op
    assert found is not None, "a block ends"
    return found


def _foreign(op: Operation) -> InterpreterError:
    return InterpreterError(f"{op.name} is not part of literal IR", location_of(op))


def _may_be_undefined(function: FuncOp) -> set[SSAValue]:
    """Collect the values that may be undefined without being computed: poison, and what branches and calls pass on."""
    found: set[SSAValue] = set()
    handed: list[tuple[SSAValue, SSAValue]] = []
    for op in function.walk():
        if op.name in {"ub.poison", "func.call"}:
            found.update(op.results)
        handed += handed_on(op)
        if op.successors:
            arguments = [argument for target in op.successors for argument in target.args]
            handed += zip(arguments, op.operands[len(op.operands) - len(arguments) :], strict=True)
    changed = True
    while changed:
        changed = False
        for argument, value in handed:
            if value in found and argument not in found:
                found.add(argument)
                changed = True
    return found


# Rules: how operations are written.


def _rounded(text: str, of_type: Attribute) -> str:
    """Round an expression to its type where that is a float narrower than Python's."""
    dtype = FLOAT_NAMES.get(of_type, "f64")
    return text if dtype == "f64" else f"nearest({text}, '{dtype}')"


def _constant(f: Writer, op: Operation, _indent: int) -> None:
    value = constant(op)
    text = repr(value) if isfinite(value) else f.helper(f"c{len(f.code.names)}", value)
    f._names[op.results[0]] = f"({text})" if text.startswith("-") else text  # noqa: SLF001 - of the same file


def _same(f: Writer, op: Operation, _indent: int) -> None:
    """Give the result the name of the operand: the Python values are equal."""
    f._names[op.results[0]] = f.name(op.operands[0])  # noqa: SLF001 - of the same file
    if op.operands[0] in f._undefined:  # noqa: SLF001 - of the same file
        f._undefined.add(op.results[0])  # noqa: SLF001 - of the same file


def _integer(sign: str) -> Callable[[Writer, Operation, int], None]:
    """Write a sum, difference or product that wraps or must not overflow."""

    def write(f: Writer, op: Operation, indent: int) -> None:
        target, left, right = f.name(op.results[0]), *map(f.name, op.operands)
        half = 1 << (width_of(op.results[0].type) - 1)
        if "nsw" in str(op.properties["overflowFlags"]):
            f.line(indent, f"{target} = {left} {sign} {right}", op)
            f.line(indent, f"if not -{half} <= {target} < {half}: overflow()", op)
        else:
            f.line(indent, f"{target} = (({left} {sign} {right}) + {half} & {2 * half - 1}) - {half}", op)

    return write


def _expression(template: str) -> Callable[[Writer, Operation, int], None]:
    """Write an expression of the operands; a float narrower than Python's is rounded."""

    def write(f: Writer, op: Operation, indent: int) -> None:
        text = _rounded(template.format(*map(f.name, op.operands)), op.results[0].type)
        f.line(indent, f"{f.name(op.results[0])} = {text}", op)

    return write


def _cmpi(f: Writer, op: Operation, indent: int) -> None:
    predicate: Any = op.properties["predicate"]
    number = predicate.value.data
    target, left, right = f.name(op.results[0]), *map(f.name, op.operands)
    if number >= _FIRST_UNSIGNED:
        mask = (1 << width_of(op.operands[0].type)) - 1
        left, right, number = f"({left} & {mask})", f"({right} & {mask})", number - 4
    f.line(indent, f"{target} = -({left} {_COMPARED[number]} {right})", op)


def _cmpf(f: Writer, op: Operation, indent: int) -> None:
    predicate: Any = op.properties["predicate"]
    sign = _ORDERED.get(predicate.value.data)
    target, left, right = f.name(op.results[0]), *map(f.name, op.operands)
    if sign is None:
        f.line(indent, f"{target} = {f.helper(f'e{len(f.code.names)}', evaluator(op))}({left}, {right})", op)
    else:
        f.line(indent, f"{target} = -({left} {sign} {right})", op)


def _extui(f: Writer, op: Operation, indent: int) -> None:
    mask = (1 << width_of(op.operands[0].type)) - 1
    f.line(indent, f"{f.name(op.results[0])} = {f.name(op.operands[0])} & {mask}", op)


def _trunci(f: Writer, op: Operation, indent: int) -> None:
    half = 1 << (width_of(op.results[0].type) - 1)
    f.line(indent, f"{f.name(op.results[0])} = ({f.name(op.operands[0])} + {half} & {2 * half - 1}) - {half}", op)


def _to_float(f: Writer, op: Operation, indent: int) -> None:
    """Write the conversion of a short integer, which a double holds; a long one is rounded once, by its evaluator."""
    source = op.operands[0].type
    assert isinstance(source, IntegerType)
    text = f.name(op.operands[0])
    if source.width.data > _EXACT_FLOAT:
        text = f"{f.helper(f'e{len(f.code.names)}', evaluator(op))}({text})"
    else:
        text = f"{text} & {(1 << source.width.data) - 1}" if op.name == "arith.uitofp" else text
        text = _rounded(f"float({text})", op.results[0].type)
    f.line(indent, f"{f.name(op.results[0])} = {text}", op)


def _shl(f: Writer, op: Operation, indent: int) -> None:
    target, left, right = f.name(op.results[0]), *map(f.name, op.operands)
    f.line(indent, f"{target} = {f.helper(f'e{len(f.code.names)}', evaluator(op))}({left}, {right})", op)
    if "nsw" in str(op.properties["overflowFlags"]):
        f.line(indent, f"if {target} != {left} << {right}: overflow()", op)


def _absi(f: Writer, op: Operation, indent: int) -> None:
    target = f.name(op.results[0])
    f.line(indent, f"{target} = abs({f.name(op.operands[0])})", op)
    f.line(indent, f"if {target} == {1 << (width_of(op.results[0].type) - 1)}: overflow()", op)


def _load(f: Writer, op: Operation, indent: int) -> None:
    target, memory, index = f.name(op.results[0]), *map(f.name, op.operands)
    f.line(indent, f"{target} = {memory}[{index}] if {index} >= 0 else outside({index})", op)
    f.line(indent, f"if {target} is None: unwritten()", op)


def _store(f: Writer, op: Operation, indent: int) -> None:
    value, memory, index = map(f.name, op.operands)
    f.check(indent, op.operands[:1], op)
    f.line(indent, f"if {index} < 0: outside({index})", op)
    f.line(indent, f"{memory}[{index}] = {value}", op)


def _allocation(f: Writer, op: Operation, indent: int) -> None:
    f.line(indent, f"{f.name(op.results[0])} = memory_of({f.name(op.operands[0])})", op)


def _dealloc(f: Writer, op: Operation, indent: int) -> None:
    f.line(indent, f"{f.name(op.operands[0])}.clear()", op)


def _get_global(f: Writer, op: Operation, indent: int) -> None:
    symbol: Any = op.properties["name"]
    assert isinstance(op.results[0].type, MemRefType)
    f.line(indent, f"{f.name(op.results[0])} = memories[{symbol.string_value()!r}]", op)


def _call(f: Writer, op: Operation, indent: int) -> None:
    callee: Any = op.properties["callee"]
    f.check(indent, op.operands, op)
    called = f"{function_name(callee.string_value())}({', '.join(map(f.name, op.operands))})"
    results = ", ".join(map(f.name, op.results))
    f.line(indent, f"{results} = {called}" if results else called, op)


def _poison(f: Writer, op: Operation, _indent: int) -> None:
    f._names[op.results[0]] = "undefined"  # noqa: SLF001 - of the same file


def _assert(f: Writer, op: Operation, indent: int) -> None:
    message: Any = op.properties["msg"]
    f.line(indent, f"if not {f.name(op.operands[0])}: end({message.data!r})", op)


_RULES: dict[str, Callable[[Writer, Operation, int], None]] = {
    "arith.constant": _constant,
    "arith.addi": _integer("+"),
    "arith.subi": _integer("-"),
    "arith.muli": _integer("*"),
    "arith.andi": _expression("{} & {}"),
    "arith.ori": _expression("{} | {}"),
    "arith.xori": _expression("{} ^ {}"),
    "arith.shli": _shl,
    "arith.addf": _expression("{} + {}"),
    "arith.subf": _expression("{} - {}"),
    "arith.mulf": _expression("{} * {}"),
    "arith.divf": _expression("{0} / {1} if {1} else divide({0}, {1})"),
    "arith.negf": _expression("-{}"),
    "arith.cmpi": _cmpi,
    "arith.cmpf": _cmpf,
    "arith.extsi": _same,
    "arith.extf": _same,
    "arith.index_cast": _same,
    "arith.extui": _extui,
    "arith.trunci": _trunci,
    "arith.sitofp": _to_float,
    "arith.uitofp": _to_float,
    "math.absi": _absi,
    "memref.load": _load,
    "memref.store": _store,
    "memref.alloc": _allocation,
    "memref.alloca": _allocation,
    "memref.dealloc": _dealloc,
    "memref.get_global": _get_global,
    "memref.cast": _same,
    "func.call": _call,
    "ub.poison": _poison,
    "cf.assert": _assert,
    **REGIONS,
}
