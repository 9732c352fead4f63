"""TDS, the form between tactics and programs: a pattern and the steps that compute it, one operation each.

    tactic ttgt {
      pattern C(a, b, c) += A(a, c, d) * B(d, b)
      build t1([a, c], d) = reshape(A(a, c, d))
      build t2([a, c], b) = matmul(t1([a, c], d), B(d, b))
      ...
    }

The axes of arrays carry the names of indices, ``[a, c]`` an axis over pairs.  So permutations, groupings and summed
axes need no attributes: a product is summed over the indices that its result lacks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.syntax import Condition, Name, Number, Statement, Subscript, plain

if TYPE_CHECKING:
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

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices of the operands in their order, each once."""
        return tuple(dict.fromkeys(i for o in self.operands if isinstance(o, Tensor) for i in o.indices))

    def __str__(self) -> str:
        """Spell the step."""
        text = f"{self.target} = {self.op}({', '.join(map(str, self.operands))})"
        return f"{text} where {', '.join(map(str, self.conditions))}" if self.conditions else text


@dataclass(frozen=True)
class Program:
    """A pattern and its steps."""

    name: str
    pattern: tuple[Statement, ...]
    steps: tuple[Step, ...]
    place: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """Spell the program, a line for each statement and step."""
        lines = [f"tactic {self.name} {{"]
        lines += [f"  pattern {statement}" for statement in self.pattern]
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
        steps: list[Step] = []
        while not steps or self.at("build"):
            self.take("build")
            steps.append(self._step())
        self.take("}")
        return Program(name, tuple(pattern), tuple(steps), place)

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
        return Step(target, op, tuple(operands), tuple(conditions))

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
