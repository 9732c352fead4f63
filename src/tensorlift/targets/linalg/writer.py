"""Lines of an MLIR function: names of values, constants and sizes, each defined where it is first needed.

Scalar operations of the dialects arith and math are named here, by the kind of their type.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import SIGNED, UNSIGNED, DType, integer_range, is_float, round_float, signed, width, wrap
from tensorlift.ops.scalar_ops import REALS, ROUNDINGS
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.targets.emitted import as_float
from tensorlift.targets.mlir_text.text import Lines, names_and_types

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from tensorlift.ir.tensor_program import Shape
    from tensorlift.poly.domain import Domain
    from tensorlift.targets.mlir_text.text import Typed


Define = Callable[[str, str], "Value"]  # adds an operation whose result has a type


class Value(NamedTuple):
    """A value of the program: its name with the sign before it, and its type."""

    name: str
    type: str


def element_type(dtype: DType) -> str:
    """Spell an element type; integers have no sign in MLIR, operations have."""
    return dtype if is_float(dtype) else f"i{width(dtype)}"


def tensor_type(shape: Shape, dtype: DType) -> str:
    """Spell the type of a tensor: extents that are no numbers are open."""
    extents = "".join(f"{extent.constant if extent.is_constant else '?'}x" for extent in shape)
    return f"tensor<{extents}{element_type(dtype)}>"


def map_text(dimensions: Sequence[str], results: Sequence[Affine], symbols: Sequence[str] = ()) -> str:
    """Spell an affine map over dimensions and symbols, which are the names of variables."""
    names = dict(zip(dimensions, (f"d{k}" for k in range(len(dimensions))), strict=True))
    names |= dict(zip(symbols, (f"s{k}" for k in range(len(symbols))), strict=True))
    listed = f"[{', '.join(names[s] for s in symbols)}]" if symbols else ""
    inside = ", ".join(_affine_text(result, names) for result in results)
    return f"affine_map<({', '.join(names[d] for d in dimensions)}){listed} -> ({inside})>"


def _affine_text(value: Affine, names: Mapping[str, str]) -> str:
    """Spell an affine expression, positive parts first."""
    parts = sorted(value.terms, key=lambda term: (term[1] < 0, names[term[0]]))
    spelled = [(c, names[v] if abs(c) == 1 else f"{names[v]} * {abs(c)}") for v, c in parts]
    if value.constant or not spelled:
        spelled.append((value.constant, str(abs(value.constant))))
    first, *rest = spelled
    text = f"-{first[1]}" if first[0] < 0 else first[1]
    return text + "".join(f" {'-' if c < 0 else '+'} {t}" for c, t in rest)


def operands_text(inputs: Iterable[Typed], out: Typed) -> str:
    """Spell what a structured operation reads, if anything, and what it writes."""
    names, types = names_and_types(inputs)
    return f"{f'ins({names} : {types}) ' if names else ''}outs({out.name} : {out.type})"


class Writer(Lines[Value]):
    """Collects the lines of a function; ``symbols`` are the values of sizes and loop variables by name."""

    def __init__(self, context: Domain, taken: Sequence[str]) -> None:
        super().__init__(context)
        self.symbols: dict[str, Value] = {}
        self.constants: dict[str, str] = {}  # lines that define constants, by their names
        self._taken = set(taken)
        self._counter = 0

    # -- names

    def fresh(self, stem: str = "") -> str:
        """Return a new name, the stem itself if that is free."""
        if stem:
            name = self.unused(stem)
        else:
            name = str(self._counter)
            self._counter += 1
        self._taken.add(name)
        return f"%{name}"

    def unused(self, stem: str, others: Container[str] = ()) -> str:
        """Return a name that nothing has, neither here nor among others, without taking it."""
        stem = re.sub(r"[^\w$.]", "_", stem)
        name, number = stem, 0
        while name in self._taken or name in others:
            name, number = f"{stem}_{number}", number + 1
        return name

    # -- lines

    def define(self, operation: str, type_: str, stem: str = "", others: int = 0) -> Value:
        """Add a line that defines a value, and others of its type, of which it has the name."""
        value = Value(self.fresh(stem), type_)
        self.line(f"{value.name}{f':{others + 1}' if others else ''} = {operation}")
        return value

    def once(self, key: object, operation: str, type_: str, stem: str = "") -> Value:
        """Define a value unless one that is the same is known here."""
        return self.known(key) or self.remember(key, self.define(operation, type_, stem))

    # -- numbers

    def constant(self, text: str, type_: str, stem: str) -> Value:
        """Return a constant, which is defined at the top."""
        key = (text, type_)
        outermost, _ = self._scopes[0]
        known = outermost.get(key)
        if known is None:
            known = outermost[key] = Value(self.fresh(stem), type_)
            spelled = text if type_ == "i1" else f"{text} : {type_}"
            self.constants[known.name] = f"{known.name} = arith.constant {spelled}"
        return known

    def number(self, value: Fraction | str, dtype: DType) -> Value:
        """Return a constant of a type."""
        return self.constant(number(value, dtype), element_type(dtype), stem_of(value, dtype))

    def applied(self, op: str, operands: Sequence[Value], dtype: DType, define: Define) -> Value:
        """Apply a scalar function to operands of a type; the first one of a selection is its condition.

        Raises:
            LiftError: TL305, where the dialects have no such function.

        """
        if not operands:
            return self.number({"infinity": "inf"}.get(op, op), dtype)
        made = type_ = operands[-1].type
        if op == "select":
            name = "arith.select"
        elif op in COMPARISONS and not (dtype == "bool" and op == "ne"):
            name, made = comparison(op, dtype), "i1"
        elif op == "neg" and not is_float(dtype):
            name, operands = "arith.subi", [self.number(Fraction(0), dtype), *operands]
        elif op == "mod" and dtype in SIGNED:
            quotient = self.applied("floordiv", operands, dtype, define)
            name, operands = "arith.subi", [operands[0], self.applied("mul", [quotient, operands[1]], dtype, define)]
        elif op in ("bitnot", "not"):
            name, operands = "arith.xori", [*operands, self.number(Fraction(1 if dtype == "bool" else -1), dtype)]
        else:
            name = operation(op, dtype)
        return define(f"{name} {', '.join(o.name for o in operands)} : {type_}", made)

    def converted(self, value: Value, source: DType, dtype: DType, define: Define) -> Value:
        """Return a value in another type."""
        if source == dtype:
            return value
        if dtype == "bool":
            return self.applied("ne", [value, self.number(Fraction(0), source)], source, define)
        target = element_type(dtype)
        if target == value.type:
            return value
        return define(f"{conversion(source, dtype)} {value.name} : {value.type} to {target}", target)

    def index(self, number: int) -> Value:
        """Return a constant index."""
        return self.constant(str(number), "index", f"c{number}" if number >= 0 else f"cm{-number}")

    def size(self, value: Affine) -> Value:
        """Return an affine expression of sizes and loop variables as an index."""
        if value.is_constant:
            return self.index(value.constant)
        if value.variable is not None:
            return self.symbols[value.variable]
        return self.once(value, f"affine.apply {self.over_sizes(value)}", "index")

    def extent(self, value: Affine) -> Value:
        """Return the number of positions that an affine expression says, none where it is negative."""
        if self.holds(value, ZERO):
            return self.size(value)
        return self.once(("extent", value), f"affine.max {self.over_sizes(value, ZERO)}", "index")

    def quotient(self, value: Affine, divisor: Affine, stem: str) -> Value:
        """Define an affine expression of sizes divided by another one, rounded down."""
        if divisor.variables:  # of which no affine map is read
            above, below = (self.size(side).name for side in (value, divisor))
            return self.define(f"arith.divsi {above}, {below} : index", "index", stem)
        spelled = map_text((), (value,), value.variables)
        if divisor != 1:
            head, _, inside = spelled.removesuffix(")>").rpartition("(")
            spelled = f"{head}({f'({inside})' if ' ' in inside else inside} floordiv {divisor})>"
        return self.define(f"affine.apply {spelled}()[{self.named(value.variables)}]", "index", stem)

    def extents(self, shape: Shape) -> str:
        """Spell the extents of a shape that are no numbers."""
        return ", ".join(self.extent(extent).name for extent in shape if not extent.is_constant)

    def over_sizes(self, *results: Affine) -> str:
        """Spell a map of affine expressions, the first of which has all their variables, with its operands."""
        names = results[0].variables
        return f"{map_text((), results, names)}()[{self.named(names)}]"

    def named(self, names: Iterable[str]) -> str:
        """Spell the values of sizes and loop variables."""
        return ", ".join(self.symbols[name].name for name in names)

    def attribute(self, value: Affine, *, is_extent: bool = False) -> str:
        """Spell an index where numbers may stand for themselves."""
        if value.is_constant:
            return str(value.constant)
        return (self.extent(value) if is_extent else self.size(value)).name


FLOAT = {
    "add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf", "rem": "arith.remf",
    "neg": "arith.negf", "max": "arith.maximumf", "min": "arith.minimumf", "fmax": "arith.maxnumf",
    "fmin": "arith.minnumf", "abs": "math.absf", "pow": "math.powf", "atan2": "math.atan2",
    "copysign": "math.copysign", "rint": "math.roundeven",
    **{name: f"math.{name}" for name in (*REALS, *ROUNDINGS[:-1])},
}  # fmt: skip
_INTEGER = {
    "add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "tdiv": "arith.divsi", "rem": "arith.remsi",
    "floordiv": "arith.floordivsi", "max": "arith.maxsi", "min": "arith.minsi", "abs": "math.absi",
    "bitand": "arith.andi", "bitor": "arith.ori", "bitxor": "arith.xori", "shl": "arith.shli", "shr": "arith.shrsi",
}  # fmt: skip
_UNSIGNED_INTEGER = _INTEGER | {
    "tdiv": "arith.divui", "rem": "arith.remui", "floordiv": "arith.divui", "mod": "arith.remui",
    "max": "arith.maxui", "min": "arith.minui", "shr": "arith.shrui",
}  # fmt: skip
_TRUTH = {"and": "arith.andi", "or": "arith.ori", "ne": "arith.xori", "bitand": "arith.andi", "bitor": "arith.ori"}
_FLOAT_COMPARISONS = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_INTEGER_COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
COMPARISONS = frozenset(_FLOAT_COMPARISONS)
COMBINERS: dict[str, str] = {
    "sum": "add", "prod": "mul", "max": "max", "min": "min", "fmax": "fmax", "fmin": "fmin", "any": "or", "all": "and",
}  # fmt: skip
_SPECIAL: dict[DType, dict[str, str]] = {
    "f64": {"inf": "0x7FF0000000000000", "-inf": "0xFFF0000000000000", "nan": "0x7FF8000000000000"},
    "f32": {"inf": "0x7F800000", "-inf": "0xFF800000", "nan": "0x7FC00000"},
    "f16": {"inf": "0x7C00", "-inf": "0xFC00", "nan": "0x7E00"},
    "bf16": {"inf": "0x7F80", "-inf": "0xFF80", "nan": "0x7FC0"},
}


def operation(op: str, dtype: DType) -> str:
    """Return the name of a scalar operation on operands of a type.

    Raises:
        LiftError: TL305, where the dialects have none.

    """
    integers = _UNSIGNED_INTEGER if dtype in UNSIGNED else _INTEGER
    table = FLOAT if is_float(dtype) else _TRUTH if dtype == "bool" else integers
    found = table.get(op)
    if found is None:
        raise refuse("TL305", f"MLIR's arith and math have no {op} on {dtype}", remedy="lift to another target")
    return found


def comparison(op: str, dtype: DType) -> str:
    """Return a comparison of operands of a type, with its predicate."""
    if is_float(dtype):
        return f"arith.cmpf {_FLOAT_COMPARISONS[op]},"
    if dtype == "bool" and op not in ("eq", "ne"):
        raise refuse("TL305", f"truth values have no comparison {op}", remedy="compare integers")
    predicate = _INTEGER_COMPARISONS[op]
    return f"arith.cmpi {predicate.replace('s', 'u', 1) if dtype in UNSIGNED else predicate},"


def conversion(source: DType, dtype: DType) -> str:
    """Return the operation that converts between two types that differ; none goes to truth values."""
    if source == "bool":
        return "arith.uitofp" if is_float(dtype) else "arith.extui"
    if is_float(source):
        if not is_float(dtype):
            return "arith.fptoui" if dtype in UNSIGNED else "arith.fptosi"
        return "arith.extf" if width(dtype) > width(source) else "arith.truncf"
    if is_float(dtype):
        return "arith.uitofp" if source in UNSIGNED else "arith.sitofp"
    if source in UNSIGNED and width(dtype) > width(source):
        return "arith.extui"
    return "arith.extsi" if width(dtype) > width(source) else "arith.trunci"


def to_index(dtype: DType) -> str:
    """Return the operation that makes an index of an integer."""
    return "arith.index_castui" if dtype in UNSIGNED else "arith.index_cast"


def number(value: Fraction | str, dtype: DType) -> str:
    """Spell a constant of a type, exactly.

    Raises:
        LiftError: TL305, where the type does not hold it.

    """
    if isinstance(value, str):
        return _SPECIAL[dtype][value]
    if dtype == "bool":
        return "true" if value else "false"
    if not is_float(dtype):
        low, high = integer_range(dtype)
        if not low <= value <= high:
            message = f"MLIR has no constant {value} of type {dtype}"
            raise refuse("TL305", message, remedy="keep the number in the range of its type")
        return str(wrap(int(value), signed(dtype)))
    return _decimal(round_float(as_float(value), dtype))


def _decimal(value: float) -> str:
    """Spell a float so that MLIR reads it: with a point, also before an exponent."""
    text = repr(value)
    mantissa, sign, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{sign}{exponent}"


def stem_of(value: Fraction | str, dtype: DType) -> str:
    """Return a name for a constant."""
    if isinstance(value, str) or value.denominator != 1 or value < 0 or is_float(dtype):
        return {0: "zero", 1: "one", 2: "two"}.get(value, "cst") if not isinstance(value, str) else "cst"  # type: ignore[call-overload]  # fractions are hashed as numbers
    return f"c{value}_{element_type(dtype)}"
