"""Printing TDS as the paper on Multi-Level Tactics writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.synthesis.tactics.built import Function, built_from
from tensorlift.synthesis.tactics.steps import Tensor
from tensorlift.synthesis.tactics.syntax import GROUP, Name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.synthesis.tactics.built import Built
    from tensorlift.synthesis.tactics.steps import Program

_PAIR = 2


def as_tablegen(program: Program) -> str:
    """Spell a tactic in the form of the paper."""
    levels = f" from {', '.join(level.operation for level in program.levels)}" if program.levels else ""
    pattern = [f'"{statement}{levels if statement is program.pattern[-1] else ""}"' for statement in program.pattern]
    head = pattern[0] if len(pattern) == 1 else f"[{', '.join(pattern)}]"
    taken = {name for step in program.steps for name in (step.target.array, *(_array(o) for o in step.operands))}
    printer = _Printer(taken)
    builders = [text for built in built_from(program.steps) for text in printer.builders(built)]
    lines = "".join(f"  {text},\n" for text in builders)
    return f"def {program.name} : Tactic<{head}, [\n{lines}  eraseOpBuilder\n]>;\n"


def _array(operand: object) -> str:
    return operand.array if isinstance(operand, Tensor) else str(operand)


@dataclass
class _Printer:
    """Spells builders; ``taken`` are the names that arrays have."""

    taken: set[str]

    def builders(self, built: Built) -> list[str]:
        """Spell what one builds."""
        plain = built.conditions or built.spelling or any(GROUP in i for i in (*built.target.indices, *built.bound))
        found = None if plain else self._rearranged(built) if built.is_rearranged else self._product(built)
        return found or [f'statementBuilder<StrExpr<"{_statement(built)}">>']

    def _rearranged(self, built: Built) -> list[str] | None:
        """Bring joint axes apart, permute all of them, and join them anew, as far as that is needed."""
        source, target = built.value, built.target
        assert isinstance(source, Tensor)
        if any(s.only is None for s in (*source.subscripts, *target.subscripts)):
            return None
        steps = list(source.axes)
        made = [s for axis in target.axes for s in axis]
        texts: list[str] = []
        name = source.array
        apart = [(s,) for axis in source.axes for s in axis]
        wanted = [(s,) for s in made]
        if sorted(map(str, apart)) != sorted(map(str, wanted)):
            return None
        if steps != apart:
            name = self._add(
                texts,
                "reshapeBuilder",
                name,
                _expression(source),
                target if wanted == apart == [*target.axes] else None,
            )
        if apart != wanted:
            order = f"{{{', '.join(str(apart.index(axis)) for axis in wanted)}}}"
            name = self._add(texts, "transposeBuilder", name, order, target if wanted == [*target.axes] else None)
        if [*target.axes] != wanted:
            name = self._add(texts, "reshapeBuilder", name, _expression(target), target)
        return texts if name == target.array and texts else None

    def _add(self, texts: list[str], kind: str, name: str, expression: str, target: Tensor | None) -> str:
        made = target.array if target is not None else self._fresh()
        texts.append(f'{kind}<Inputs<["{name}"]>, Outputs<["{made}"]>, StrExpr<"{expression}">>')
        return made

    def _fresh(self) -> str:
        number = 0
        while f"tmp{number}" in self.taken:
            number += 1
        self.taken.add(f"tmp{number}")
        return f"tmp{number}"

    def _product(self, built: Built) -> list[str] | None:
        factors = _factors(built)
        tensors = [f for f in factors if isinstance(f, Tensor)]
        scalars = [f for f in factors if isinstance(f, Name)]
        if built.fold != "sum" or built.combine not in (None, "add") or len(tensors) != _PAIR or len(scalars) > 1:
            return None
        if len(tensors) + len(scalars) != len(factors):
            return None
        alpha = scalars[0].name if scalars else "1"
        beta = "1" if built.combine else "0"
        constants = f'Constant<"{alpha}">, Constant<"{beta}">'
        left, right = tensors
        arrays = f'Inputs<["{left.array}", "{right.array}"]>, Outputs<["{built.target.array}"]>'
        shapes = [_matrix(t) for t in (left, right, built.target)]
        if None in shapes:
            is_added = built.combine is not None
            return [f"convBuilder<{arrays}>"] if is_added and alpha == "1" and _is_window(built, tensors) else None
        a, b, c = (list(map(str, t.axes)) for t in (left, right, built.target))
        ranks = (len(a), len(b), len(c))
        if ranks == (2, 2, 2) and c == [a[0], b[1]] and a[1] == b[0] and len({*a, *b}) == 3:  # noqa: PLR2004 - matrices
            return [f'matmulBuilder<StrExpr<"N">, StrExpr<"N">, M<1>, N<1>, K<1>, {constants}, {arrays}>']
        if ranks == (2, 1, 1) and c[0] in a and b[0] in a and c != b:
            flag = "N" if a == [c[0], b[0]] else "T"
            return [f'matvecBuilder<StrExpr<"{flag}">, {arrays}, {constants}>']
        return None


def _is_window(built: Built, tensors: Sequence[Tensor]) -> bool:
    return len(built.target.axes) == _PAIR and any(s.only is None for t in tensors for s in t.subscripts)


def _matrix(tensor: Tensor) -> Tensor | None:
    return tensor if all(s.only is not None for s in tensor.subscripts) else None


def _factors(built: Built) -> list[object]:
    def visit(value: object) -> list[object]:
        if isinstance(value, Function) and value.op == "mul":
            return [factor for arg in value.args for factor in visit(arg)]
        return [value]

    return visit(built.value)


def _expression(tensor: Tensor) -> str:
    """Spell which axes are joint."""
    texts, at = [], 0
    for axis in tensor.axes:
        listed = ", ".join(str(at + k) for k in range(len(axis)))
        texts.append(f"{{{listed}}}" if len(axis) > 1 else listed)
        at += len(axis)
    return f"{{{', '.join(texts)}}}"


def _statement(built: Built) -> str:
    """Spell what one builds as a statement of the language, joint axes with a clause."""
    fused: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        parts = [part.strip() for part in match[1].split(",")]
        fused["_".join(parts)] = " * ".join(parts)
        return "_".join(parts)

    text = re.sub(r"\[([^\]]*)\]", name, str(built))
    clauses = [f"{one} = {parts}" for one, parts in fused.items()] + [str(c) for c in built.conditions]
    text = f"{text} where {', '.join(clauses)}" if clauses else text
    return f"{text} {built.spelling}" if built.spelling else text
