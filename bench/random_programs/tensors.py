"""Random tensor programs as C: every operation a loop nest of its own, each on what the one before computed.

A program is a chain of operations on matrices and vectors over three sizes; their second operands are parameters or
what earlier nests computed, so that values are shared.  All but the last result are local arrays.  Operations are sums,
differences, products and minima cell by cell, also with a vector in each row, multiples, functions, transposes, sums
and maxima of rows, products of matrices and vectors, and outer products.

The same seed and length give the same text.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

Shape = tuple[str, ...]
_SIZES = ("m", "n", "p")
_LETTERS = ("i", "j", "k")
_SHAPES: tuple[Shape, ...] = (("m",), ("n",), ("m", "n"), ("n", "m"), ("n", "p"), ("n", "n"))
_REUSED = 0.4  # of the second operands are what earlier nests computed, where there is one that fits
_FUNCTIONS = ("fmax({}, 0.0)", "fabs({})", "tanh({})")
_CELLWISE = ("{} + {}", "{} - {}", "{} * {}", "fmin({}, {})")


@dataclass(frozen=True)
class Operand:
    """An array by its name, with its extents."""

    name: str
    shape: Shape

    def at(self, *indices: str) -> str:
        """Spell a cell."""
        return self.name + "".join(f"[{index}]" for index in indices)

    def declared(self) -> str:
        """Spell its declaration."""
        return f"double {self.name}" + "".join(f"[{size}]" for size in self.shape)


def tensor_program(seed: int, length: int) -> str:
    """Write the program of a seed with so many operations: a C function ``f`` with its header."""
    return _Writer(random.Random(f"{seed} {length}")).written(length)


@dataclass
class _Writer:
    """Writes one program; operations take the latest result, and return the next with the lines of its nest."""

    rng: random.Random
    inputs: list[Operand] = field(default_factory=list)
    results: list[Operand] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)

    def written(self, length: int) -> str:
        latest = self._input(self.rng.choice(_SHAPES))
        nests: list[str] = []
        for step in range(length):
            name = "out" if step == length - 1 else f"t{step + 1}"
            latest, nest = self._operation(name, latest)
            self.results.append(latest)
            nests.append(nest)
        locals_ = "".join(f"  {result.declared()};\n" for result in self.results[:-1])
        sizes = [f"int {size}" for size in _SIZES]
        scalars = [f"double {name}" for name in self.scalars]
        arrays = [operand.declared() for operand in (*self.inputs, latest)]
        head = f"void f({', '.join([*sizes, *scalars, *arrays])})"
        return f"#include <math.h>\n\n{head} {{\n{locals_}{''.join(nests)}}}\n"

    def _input(self, shape: Shape) -> Operand:
        fitting = [operand for operand in self.inputs if operand.shape == shape]
        if fitting and self.rng.random() < _REUSED:
            return self.rng.choice(fitting)
        found = Operand(f"a{len(self.inputs) + 1}", shape)
        self.inputs.append(found)
        return found

    def _other(self, shape: Shape) -> Operand:
        """Choose a second operand, another one than the latest result."""
        fitting = [operand for operand in self.results[:-1] if operand.shape == shape]
        if fitting and self.rng.random() < _REUSED:
            return self.rng.choice(fitting)
        return self._input(shape)

    def _operation(self, name: str, latest: Operand) -> tuple[Operand, str]:
        ways = [self._cellwise] * 3 + [self._multiple, self._function]
        if len(latest.shape) == 1:
            ways += [self._outer, self._matrix_vector, self._matrix_vector]
        else:
            ways += [self._row, self._transpose, self._rows, self._product, self._product, self._product, self._applied]
        return self.rng.choice(ways)(name, latest)

    def _mapped(self, name: str, shape: Shape, text: str) -> tuple[Operand, str]:
        result = Operand(name, shape)
        return result, _nest(result, f"{result.at(*_LETTERS[: len(shape)])} = {text};")

    def _cellwise(self, name: str, latest: Operand) -> tuple[Operand, str]:
        own = _LETTERS[: len(latest.shape)]
        operands = [latest.at(*own), self._other(latest.shape).at(*own)]
        self.rng.shuffle(operands)
        return self._mapped(name, latest.shape, self.rng.choice(_CELLWISE).format(*operands))

    def _multiple(self, name: str, latest: Operand) -> tuple[Operand, str]:
        if self.rng.random() < _REUSED:
            factor = self.rng.choice(["2.0", "0.5", "3.0"])
        else:
            factor = self.rng.choice(["alpha", "beta"])
            self.scalars = sorted({*self.scalars, factor})
        return self._mapped(name, latest.shape, f"{factor} * {latest.at(*_LETTERS[: len(latest.shape)])}")

    def _function(self, name: str, latest: Operand) -> tuple[Operand, str]:
        cell = latest.at(*_LETTERS[: len(latest.shape)])
        return self._mapped(name, latest.shape, self.rng.choice(_FUNCTIONS).format(cell))

    def _row(self, name: str, latest: Operand) -> tuple[Operand, str]:
        vector = self._other(latest.shape[1:])
        return self._mapped(name, latest.shape, f"{latest.at('i', 'j')} {self.rng.choice('+-*')} {vector.at('j')}")

    def _transpose(self, name: str, latest: Operand) -> tuple[Operand, str]:
        return self._mapped(name, latest.shape[::-1], latest.at("j", "i"))

    def _rows(self, name: str, latest: Operand) -> tuple[Operand, str]:
        result, size = Operand(name, latest.shape[:1]), latest.shape[1]
        if self.rng.random() < _REUSED:
            loop = f"for (int j = 1; j < {size}; j++) {name}[i] = fmax({name}[i], {latest.at('i', 'j')});"
            return result, _nest(result, f"{name}[i] = {latest.at('i', '0')}; {loop}")
        return result, _nest(result, _sum(f"{name}[i]", "j", size, latest.at("i", "j")))

    def _outer(self, name: str, latest: Operand) -> tuple[Operand, str]:
        other = self._other((self.rng.choice(_SIZES),))
        return self._mapped(name, latest.shape + other.shape, f"{latest.at('i')} * {other.at('j')}")

    def _matrix_vector(self, name: str, latest: Operand) -> tuple[Operand, str]:
        matrix = self._other((self.rng.choice(_SIZES), *latest.shape))
        result = Operand(name, matrix.shape[:1])
        product = f"{matrix.at('i', 'j')} * {latest.at('j')}"
        return result, _nest(result, _sum(f"{name}[i]", "j", latest.shape[0], product))

    def _applied(self, name: str, latest: Operand) -> tuple[Operand, str]:
        vector = self._other(latest.shape[1:])
        result = Operand(name, latest.shape[:1])
        product = f"{latest.at('i', 'j')} * {vector.at('j')}"
        return result, _nest(result, _sum(f"{name}[i]", "j", latest.shape[1], product))

    def _product(self, name: str, latest: Operand) -> tuple[Operand, str]:
        size = self.rng.choice(_SIZES)
        if self.rng.random() < 0.5:  # noqa: PLR2004 - either side
            left, right = latest, self._other((latest.shape[1], size))
        else:
            left, right = self._other((size, latest.shape[0])), latest
        result = Operand(name, (left.shape[0], right.shape[1]))
        product = f"{left.at('i', 'k')} * {right.at('k', 'j')}"
        return result, _nest(result, _sum(f"{name}[i][j]", "k", left.shape[1], product))


def _sum(cell: str, index: str, size: str, term: str) -> str:
    return f"{cell} = 0.0; for (int {index} = 0; {index} < {size}; {index}++) {cell} += {term};"


def _nest(result: Operand, body: str) -> str:
    loops = "".join(
        f"for (int {letter} = 0; {letter} < {size}; {letter}++) "
        for letter, size in zip(_LETTERS, result.shape, strict=False)
    )
    return f"  {loops}{{ {body} }}\n"
