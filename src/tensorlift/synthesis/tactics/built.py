"""What a module gets for the steps of a tactic: one operation on arrays for each of these, as few as possible.

A value that one step makes and the next one takes is no array where it has no name but a number, as ``t1``: a product
that is added to an array is added where it comes about, scalar functions are computed together.  Transpositions and
reshapes stay by themselves, as a tactic says them to be made.  A step that names its operation (``as``) stands for the
whole statement that it was written in.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.terms import COMBINER
from tensorlift.synthesis.tactics.steps import PRODUCTS, REARRANGEMENTS, REDUCTIONS, Tensor
from tensorlift.synthesis.tactics.syntax import Name, Number, Subscript

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.synthesis.tactics.steps import Step
    from tensorlift.synthesis.tactics.syntax import Condition, Spelling

NUMBERED = re.compile(r"t\d+")  # names of what steps make in between
_SIGNS = {"add": "+=", "sub": "-=", "max": "max=", "min": "min="}


@dataclass(frozen=True)
class Function:
    """A scalar function on operands."""

    op: str
    args: tuple[Value, ...]


Value = Tensor | Name | Number | Function


@dataclass(frozen=True)
class Built:
    """``target = combine(target, fold(value))``: without ``combine`` just the fold, without ``fold`` just the value.

    The indices of the value that the target lacks are folded over.
    """

    target: Tensor
    value: Value
    fold: Reducer | None = None
    combine: str | None = None
    conditions: tuple[Condition, ...] = ()
    spelling: Spelling | None = None

    @property
    def bound(self) -> tuple[str, ...]:
        """The indices that are folded over."""
        return tuple(i for i in indices_of(self.value) if i not in self.target.indices)

    @property
    def is_rearranged(self) -> bool:
        """Whether the cells of one array are only brought into another order."""
        return isinstance(self.value, Tensor) and self.fold is None and self.combine is None

    def __str__(self) -> str:
        """Spell it as a statement."""
        return f"{self.target} {_SIGNS.get(self.combine or '', '=')} {spelled(self.value)}"


def tensors_of(value: Value) -> tuple[Tensor, ...]:
    """Return the arrays that a value reads, in order, repetitions included."""
    return tuple(leaf for leaf in leaves_of(value) if isinstance(leaf, Tensor))


def leaves_of(value: Value) -> Iterator[Tensor | Name | Number]:
    """Yield the arrays, scalars and numbers of a value in order."""
    if isinstance(value, Function):
        for arg in value.args:
            yield from leaves_of(arg)
    else:
        yield value


def indices_of(value: Value) -> tuple[str, ...]:
    """Return the indices of the arrays that a value reads, in order, each once."""
    return tuple(dict.fromkeys(i for tensor in tensors_of(value) for i in tensor.indices))


def spelled(value: Value) -> str:
    """Spell a value."""
    if not isinstance(value, Function):
        return str(value)
    args = [f"({spelled(a)})" if isinstance(a, Function) and a.op in ("add", "sub") else spelled(a) for a in value.args]
    sign = {"add": "+", "sub": "-", "mul": "*", "div": "/"}.get(value.op)
    return f" {sign} ".join(args) if sign else f"{value.op}({', '.join(map(spelled, value.args))})"


def built_from(steps: Sequence[Step]) -> list[Built]:
    """Return what steps build."""
    reads = Counter(o.array for step in steps for o in step.operands if isinstance(o, Tensor))
    made = Counter(step.target.array for step in steps)
    single = {name for name, count in made.items() if count == 1 == reads[name] and NUMBERED.fullmatch(name)}
    found: list[Built] = []
    for step in steps:
        new = _of(step)
        while (shorter := _with_last(found, new, single)) is not None:
            found.pop()
            new = shorter
        found.append(new)
    return found


def _of(step: Step) -> Built:
    """Return what one step builds."""
    new = Built(step.target, _value(step), _fold(step), None, step.conditions, step.spelling)
    return new if new.fold is not None or new.conditions else _combined(new)


def _value(step: Step) -> Value:
    first, *rest = step.operands
    value: Value = first
    if step.op in PRODUCTS:
        for operand in rest:
            value = Function("mul", (value, operand))
    elif step.op not in (*REARRANGEMENTS, *REDUCTIONS, "triangle"):
        value = Function(step.op, tuple(step.operands))
    return value


def _fold(step: Step) -> Reducer | None:
    if set(step.indices) <= set(step.target.indices):
        return None
    return "sum" if step.op in PRODUCTS else REDUCTIONS.get(step.op)


def _combined(new: Built) -> Built:
    """Let what is combined with the target's own value be so; without a fold only where that is all of it."""
    value = new.value
    if not isinstance(value, Function) or value.op not in _SIGNS:
        return new
    own, other = value.args
    if own != new.target or any(t.array == new.target.array for t in tensors_of(other)):
        return new
    return replace(new, value=other, combine=value.op)


def _with_last(found: Sequence[Built], new: Built, single: set[str]) -> Built | None:
    """Take in what the last one builds, where nothing else reads that; None where it stays by itself."""
    if not found or found[-1].target.array not in single:
        return None
    last = found[-1]
    used = next((t for t in tensors_of(new.value) if t.array == last.target.array), None)
    if used is None or last.spelling or last.conditions or new.conditions:
        return None
    if new.spelling is None and (new.is_rearranged or (last.is_rearranged and not _is_detour(last, used, new))):
        return None
    value = _renamed(last, used)
    if value is None:
        return None
    if last.fold is None:
        return None if last.combine else replace(new, value=_put(new.value, used, value))
    if new.fold is not None or new.combine not in (None, *_joined(last.fold)) or not _factors(new.value, used, last):
        return None
    return replace(new, value=_put(new.value, used, value), fold=last.fold)


def _is_detour(last: Built, used: Tensor, new: Built) -> bool:
    """Tell whether an array is brought into another order only to be combined with one that has the order before."""
    return isinstance(last.value, Tensor) and last.value.axes == new.target.axes and tensors_of(new.value) == (used,)


def _joined(fold: Reducer) -> tuple[str, ...]:
    """Return by what a fold may be combined with a value before."""
    return ("add", "sub") if fold == "sum" else (COMBINER[fold],)


def _factors(value: Value, used: Tensor, last: Built) -> bool:
    """Tell whether a value is a fold, or a product of a sum with what does not depend on its indices."""
    if value == used:
        return True
    if not isinstance(value, Function) or value.op != "mul" or last.fold != "sum":
        return False
    others = [arg for arg in value.args if used not in tensors_of(arg)]
    inner = [arg for arg in value.args if used in tensors_of(arg)]
    apart = all(set(indices_of(arg)).isdisjoint(last.bound) for arg in others)
    return len(inner) == 1 and apart and _factors(inner[0], used, last)


def _renamed(last: Built, used: Tensor) -> Value | None:
    """Return what one builds, at the indices at which it is used; None where these are not plain ones."""
    made, wanted = ([s.only for s in tensor.subscripts] for tensor in (last.target, used))
    if None in made or None in wanted or len(made) != len(wanted) or not set(last.bound).isdisjoint(wanted):
        return None
    return _at(last.value, dict(zip(map(str, made), map(str, wanted), strict=True)))


def _at(value: Value, names: Mapping[str, str]) -> Value:
    if isinstance(value, Function):
        return Function(value.op, tuple(_at(arg, names) for arg in value.args))
    if not isinstance(value, Tensor):
        return value
    axes = tuple(tuple(_moved(s, names) for s in axis) for axis in value.axes)
    return Tensor(value.array, axes, value.place)


def _moved(subscript: Subscript, names: Mapping[str, str]) -> Subscript:
    return Subscript(tuple((factor, names.get(name, name)) for factor, name in subscript.terms), subscript.constant)


def _put(value: Value, old: Tensor, new: Value) -> Value:
    if value == old:
        return new
    if isinstance(value, Function):
        return Function(value.op, tuple(_put(arg, old, new) for arg in value.args))
    return value
