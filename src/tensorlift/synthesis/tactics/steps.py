"""TDS, the form between tactics and programs: a pattern and the steps that compute it, one operation each.

    tactic ttgt {
      pattern C(a, b, c) += A(a, c, d) * B(d, b)
      build t1([a, c], d) = reshape(A(a, c, d))
      build t2([a, c], b) = matmul(t1([a, c], d), B(d, b))
      ...
    }

The axes of arrays carry the names of indices, ``[a, c]`` an axis over pairs.  So permutations, groupings and summed
axes need no attributes: a product is summed over the indices that its result lacks.

Builder statements of TDL become steps, contractions by way of matrix products (TTGT): a product summed over shared
indices becomes transpositions and reshapes that leave two matrices, their product, and the way back.  A condition on a
summed index becomes a triangle of an operand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.syntax import (
    Call,
    Cell,
    Condition,
    Expression,
    Name,
    Number,
    Spelling,
    Statement,
    Subscript,
    cells_of,
    folded,
    indices_of,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.diagnostics import Location


REARRANGEMENTS = ("transpose", "reshape", "copy")
PRODUCTS = ("matmul", "matvec", "dot", "outer", "batch_matmul", "conv", "chain")
REDUCTIONS: dict[str, Reducer] = {"reduce_sum": "sum", "reduce_max": "max", "reduce_min": "min"}
OPERATIONS = frozenset((*REARRANGEMENTS, *PRODUCTS, *REDUCTIONS, "triangle", *SCALAR_OPS)) - {"cast", "hits"}

Axis = tuple[Subscript, ...]  # several subscripts make an axis over all their combinations


@dataclass(frozen=True)
class Tensor:
    """An array with the names of its axes."""

    array: str
    axes: tuple[Axis, ...]
    place: Location | None = field(default=None, compare=False)

    @property
    def subscripts(self) -> tuple[Subscript, ...]:
        """The subscripts of all axes, those of joint axes one by one."""
        return tuple(s for axis in self.axes for s in axis)

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices in their order, each once."""
        return tuple(dict.fromkeys(name for s in self.subscripts for _, name in s.terms))

    def __str__(self) -> str:
        """Spell the array with its axes."""
        spelled = (str(a[0]) if len(a) == 1 else f"[{', '.join(map(str, a))}]" for a in self.axes)
        return f"{self.array}({', '.join(spelled)})"


Operand = Tensor | Name | Number


@dataclass(frozen=True)
class Step:
    """``target = op(operands)``; a triangle keeps what the conditions hold for and is zero elsewhere."""

    target: Tensor
    op: str
    operands: tuple[Operand, ...]
    conditions: tuple[Condition, ...] = ()
    spelling: Spelling | None = None

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices of the operands in their order, each once."""
        return tuple(dict.fromkeys(i for o in self.operands if isinstance(o, Tensor) for i in o.indices))

    def __str__(self) -> str:
        """Spell the step."""
        text = f"{self.target} = {self.op}({', '.join(map(str, self.operands))})"
        text = f"{text} where {', '.join(map(str, self.conditions))}" if self.conditions else text
        return f"{text} {self.spelling}" if self.spelling else text


@dataclass(frozen=True)
class Program:
    """A pattern and its steps."""

    name: str
    pattern: tuple[Statement, ...]
    steps: tuple[Step, ...]
    place: Location | None = field(default=None, compare=False)
    levels: tuple[Spelling, ...] = ()

    def __str__(self) -> str:
        """Spell the program, a line for each statement and step."""
        lines = [f"tactic {self.name} {{"]
        lines += [f"  pattern {statement}" for statement in self.pattern]
        lines += [f"  from {', '.join(level.operation for level in self.levels)}"] if self.levels else []
        lines += [f"  build {step}" for step in self.steps]
        return "\n".join([*lines, "}", ""])


def parse_steps(text: str, file: str) -> list[Program]:
    """Read TDS text as it is printed.

    Raises:
        LiftError: TL321, where the text is not in the form.

    """
    reader = _StepReader(text, file)
    found = []
    while reader.word.kind != "end":
        found.append(reader.program())
    return found


class _StepReader(Reader):
    """Reads programs."""

    def program(self) -> Program:
        self.take("tactic")
        place = self.here
        name = self.name("the name of the tactic")
        self.take("{")
        pattern: list[Statement] = []
        while not pattern or self.at("pattern"):
            self.take("pattern")
            pattern.append(self.statement())
        levels = self.levels()
        steps: list[Step] = []
        while not steps or self.at("build"):
            self.take("build")
            steps.append(self._step())
        self.take("}")
        return Program(name, tuple(pattern), tuple(steps), place, levels)

    def _step(self) -> Step:
        target = self._tensor()
        self.take("=")
        start = self.word.start
        op = self.name("an operation")
        if op not in OPERATIONS:
            raise self.fault(f"there is no operation `{op}`", start)
        self.take("(")
        operands = self.listed(self._operand, ")")
        arity = SCALAR_OPS[op].arity if op in SCALAR_OPS else None if op in PRODUCTS else 1
        if not operands or (arity is not None and len(operands) != arity):
            raise self.fault(f"`{op}` takes {arity or 'some'} operands", start)
        conditions: list[Condition] = []
        while self.at("where" if not conditions else ","):
            self.take()
            self._clause(conditions, [])
        return Step(target, op, tuple(operands), tuple(conditions), self.spelling())

    def _operand(self) -> Operand:
        if self.word.kind == "number" or self.at("-"):
            number = self.expression(3)
            if isinstance(number, Number):
                return number
            raise self.fault("an operand is an array, a scalar or a number")
        if self.words[self.position + 1].text == "(":
            return self._tensor()
        place = self.here
        return Name(self.name("an operand"), place)

    def _tensor(self) -> Tensor:
        place = self.here
        array = self.name("an array")
        self.take("(")
        return Tensor(array, tuple(self.listed(self._axis, ")")), place)

    def _axis(self) -> Axis:
        if not self.at("["):
            return (self.subscript(),)
        self.take("[")
        return tuple(map(plain, self.listed(self._index, "]")))


_REDUCTION = {"max=": "reduce_max", "min=": "reduce_min"}


def steps_of(statements: Iterable[Statement], given: Iterable[str], place: Location) -> tuple[Step, ...]:
    """Return the steps that compute builder statements; ``given`` arrays have values before.

    Raises:
        LiftError: TL325, where no operation computes a statement.

    """
    listed = tuple(statements)
    fusions = {f.index: f.parts for s in listed for f in s.fusions}
    taken = {s.target.array for s in listed} | {c.array for s in listed for c in cells_of(s.value)}
    generator = _Generator(fusions, given, taken, place)
    for statement in listed:
        generator.statement(statement)
    return tuple(generator.steps)


class _Generator:
    def __init__(
        self, fusions: Mapping[str, tuple[str, ...]], given: Iterable[str], taken: Iterable[str], place: Location
    ) -> None:
        self.fusions = fusions
        self.valued = set(given)
        self.place = place
        self.steps: list[Step] = []
        self.taken = set(taken)
        self.count = 0

    def statement(self, statement: Statement) -> None:
        """Add the steps of one statement."""
        target = self._tensor(statement.target)
        bound = self._parts(folded(statement))
        value = self._value(statement, bound, target.indices)
        has_value = statement.target.array in self.valued
        outside = tuple(c for c in statement.conditions if not set(c.indices) & set(folded(statement)))
        if outside and not isinstance(value, Tensor):
            raise self._refuse("a condition restricts an array", statement)
        if outside and isinstance(value, Tensor):
            value = self._step("triangle", (value,), value.axes, outside)
        if statement.op == "=" and outside and has_value:
            raise self._refuse("a part of an array that has a value already is assigned", statement)
        before = Tensor(target.array, target.axes)
        if statement.op == "=" or (not has_value and statement.op == "+="):
            self._name(value, target)
        elif not has_value:
            raise self._refuse(f"`{statement.op}` needs a value before", statement)
        else:
            op = {"+=": "add", "-=": "sub"}.get(statement.op, statement.op.removesuffix("="))
            self.steps.append(Step(target, op, (before, value)))
        self.valued.add(target.array)
        if statement.spelling is not None:
            self.steps[-1] = replace(self.steps[-1], spelling=statement.spelling)

    def _refuse(self, message: str, statement: Statement) -> Exception:
        place = statement.target.place or self.place
        return refuse(
            "TL325", f"no operations compute this statement: {message}", place, "write it in simpler statements"
        )

    # -- names and axes

    def _parts(self, indices: Iterable[str]) -> tuple[str, ...]:
        return tuple(part for index in indices for part in self.fusions.get(index, (index,)))

    def _tensor(self, cell: Cell) -> Tensor:
        axes: list[Axis] = []
        for subscript in cell.subscripts:
            parts = self.fusions.get(subscript.only or "")
            axes.append((subscript,) if parts is None else tuple(map(plain, parts)))
        return Tensor(cell.array, tuple(axes), cell.place)

    def _step(
        self, op: str, operands: tuple[Operand, ...], axes: Iterable[Axis], conditions: tuple[Condition, ...] = ()
    ) -> Tensor:
        self.count += 1
        while f"t{self.count}" in self.taken:
            self.count += 1
        target = Tensor(f"t{self.count}", tuple(axes))
        self.steps.append(Step(target, op, operands, conditions))
        return target

    def _name(self, value: Operand, target: Tensor) -> None:
        """Give a value the name and the axes of the target; a step that made it makes the target instead."""
        is_made = isinstance(value, Tensor) and value.array not in self.valued and value.axes == target.axes
        if is_made and self.steps and self.steps[-1].target == value:
            last = self.steps.pop()
            self.steps.append(Step(target, last.op, last.operands, last.conditions))
            return
        op = "copy"
        if isinstance(value, Tensor) and value.axes != target.axes:
            op = "transpose" if set(value.axes) == set(target.axes) else "reshape"
        self.steps.append(Step(target, op, (value,)))

    # -- values

    def _value(self, statement: Statement, bound: tuple[str, ...], wanted: tuple[str, ...]) -> Operand:
        if not bound:
            return self._elementwise(statement.value)
        if statement.op in _REDUCTION:
            operand = self._elementwise(statement.value)
            assert isinstance(operand, Tensor)
            return self._step(_REDUCTION[statement.op], (operand,), _without(operand.axes, bound))
        total: Operand | None = None
        for sign, summand in _summands(statement.value):
            value = self._summed(_factors(summand), statement, bound, wanted)
            if total is None:
                total = value if sign > 0 else self._apply("neg", (value,))
            else:
                total = self._apply("add" if sign > 0 else "sub", (total, value))
        assert total is not None
        return total

    def _elementwise(self, item: Expression) -> Operand:
        if isinstance(item, Cell):
            return self._tensor(item)
        if isinstance(item, Call):
            return self._apply(item.op, tuple(self._elementwise(a) for a in item.args))
        return item

    def _apply(self, op: str, operands: tuple[Operand, ...]) -> Tensor:
        for operand in operands:
            if isinstance(operand, Tensor):
                self._check_plain(operand)
        axes = dict.fromkeys(axis for o in operands if isinstance(o, Tensor) for axis in o.axes)
        return self._step(op, operands, axes)

    def _check_plain(self, array: Tensor) -> None:
        """Refuse cells at other subscripts than indices, which a function of cells does not need."""
        moved = next((s for s in array.subscripts if s.only is None), None)
        if moved is None:
            return
        message = f"no operations compute this statement: `{array}` is not read at plain indices"
        remedy = "read windows in a sum, as in `y(i) += x(i + k) * w(k)`"
        if len(moved.terms) == 1:
            ((_, index),) = moved.terms
            remedy = f"write `{index}` for `{moved}`: a cell stands for any slice of an array, with offset and stride"
        raise refuse("TL325", message, array.place or self.place, remedy)

    def _summed(
        self, factors: Sequence[Expression], statement: Statement, bound: tuple[str, ...], wanted: tuple[str, ...]
    ) -> Operand:
        """Return a product summed over indices, what does not depend on them multiplied afterwards."""
        inside = [f for f in factors if set(self._parts(indices_of(f))) & set(bound)]
        operands = [self._elementwise(f) for f in inside]
        arrays = [o for o in operands if isinstance(o, Tensor)]
        for condition in statement.conditions:
            if set(condition.indices) & set(bound):
                arrays = self._restricted(arrays, condition, statement)
        if not arrays:
            raise self._refuse("a sum does not depend on its index", statement)
        result: Operand = self._contracted(arrays, bound, wanted)
        for factor in factors:
            if factor not in inside:
                result = self._apply("mul", (self._elementwise(factor), result))
        return result

    def _restricted(self, arrays: list[Tensor], condition: Condition, statement: Statement) -> list[Tensor]:
        for position, array in enumerate(arrays):
            single = {s.only for axis in array.axes if len(axis) == 1 for s in axis}
            if set(condition.indices) <= single:
                kept = self._step("triangle", (array,), array.axes, (condition,))
                return [*arrays[:position], kept, *arrays[position + 1 :]]
        raise self._refuse("no array has both indices of the condition", statement)

    # -- contractions

    def _contracted(self, arrays: list[Tensor], bound: tuple[str, ...], wanted: tuple[str, ...]) -> Tensor:
        windowed = any(s.only is None for a in arrays for s in a.subscripts)
        indices = list(dict.fromkeys(i for a in arrays for i in a.indices))
        output = [i for i in (*wanted, *indices) if i in indices and i not in bound]
        axes: list[Axis] = [(plain(i),) for i in dict.fromkeys(output)]
        if windowed:
            return self._step("conv", tuple(arrays), axes)
        if len(arrays) > 2:  # noqa: PLR2004 - more than a pair
            return self._step("chain", tuple(arrays), axes)
        if len(arrays) == 1:
            return self._step("reduce_sum", tuple(arrays), _without(arrays[0].axes, bound))
        first, second = (self._own_sum(a, arrays, bound) for a in arrays)
        return self._matrix_product(first, second, bound, axes)

    def _own_sum(self, array: Tensor, arrays: list[Tensor], bound: tuple[str, ...]) -> Tensor:
        others = {i for a in arrays if a is not array for i in a.indices}
        own = tuple(i for i in array.indices if i in bound and i not in others)
        return self._step("reduce_sum", (array,), _without(array.axes, own)) if own else array

    def _matrix_product(self, left: Tensor, right: Tensor, bound: tuple[str, ...], axes: list[Axis]) -> Tensor:
        output = [s.only for axis in axes for s in axis]
        shared = [i for i in left.indices if i in right.indices]
        summed = [i for i in shared if i in bound]
        batch = [i for i in output if i in shared]
        rows = [i for i in output if i in left.indices and i not in shared]
        columns = [i for i in output if i in right.indices and i not in shared]
        if not summed:
            return self._step("outer", (left, right), axes)
        if columns and not rows:
            left, right, rows, columns = right, left, columns, rows
        one = self._arranged(left, [*([b] for b in batch), rows, summed])
        other = self._arranged(right, [*([b] for b in batch), summed, columns])
        op = "batch_matmul" if batch else "matmul" if columns else "matvec" if rows else "dot"
        made = [(plain(str(b)),) for b in batch] + [tuple(plain(str(i)) for i in g) for g in (rows, columns) if g]
        return self._restored(self._step(op, (one, other), made), axes)

    def _arranged(self, array: Tensor, groups: Sequence[Sequence[str | None]]) -> Tensor:
        """Bring the axes of an array into the order of the groups, and join those of each group."""
        flat = tuple((plain(str(i)),) for g in groups for i in g)
        joint = tuple(tuple(plain(str(i)) for i in g) for g in groups if g)
        if array.axes == joint:
            return array
        if tuple((s,) for s in array.subscripts) != flat:
            array = self._step("transpose", (array,), flat)
        return array if array.axes == joint else self._step("reshape", (array,), joint)

    def _restored(self, array: Tensor, axes: list[Axis]) -> Tensor:
        flat = tuple((s,) for s in array.subscripts)
        if array.axes != flat:
            array = self._step("reshape", (array,), flat)
        return array if array.axes == tuple(axes) else self._step("transpose", (array,), axes)


def _without(axes: Iterable[Axis], names: Sequence[str]) -> list[Axis]:
    return [axis for axis in axes if not {s.only for s in axis} & set(names)]


def _summands(item: Expression, sign: int = 1) -> list[tuple[int, Expression]]:
    if isinstance(item, Call) and item.op in ("add", "sub"):
        left, right = item.args
        return _summands(left, sign) + _summands(right, sign if item.op == "add" else -sign)
    if isinstance(item, Call) and item.op == "neg":
        return _summands(item.args[0], -sign)
    return [(sign, item)]


def _factors(item: Expression) -> list[Expression]:
    if isinstance(item, Call) and item.op == "mul":
        return _factors(item.args[0]) + _factors(item.args[1])
    return [item]
