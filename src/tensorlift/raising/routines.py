"""Routines of BLAS on memrefs: for each what it means, as loops, and the function that calls CBLAS.

A routine adds ``alpha * A * B`` to ``beta * C``, where A has the axes ``i... k...``, B ``k... j...``, C ``i... j...``;
a group of several axes lies in memory as one.  Without j it is a product of a matrix and a vector, without k an outer
product, which knows no beta, without i and j a dot product.  A ``t`` in its name stands for an operand whose two groups
are exchanged, ``new`` for one that does not read C.  A proof reads the loops; the function is tested against them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

_REALS = {"f64": "d", "f32": "s"}
_BYTES = {"f64": 8, "f32": 4}
_NO_TRANSPOSE, _TRANSPOSE, _ROW_MAJOR = 111, 112, 101
_LAYOUT = {0: "strided<[], offset: ?>", 1: "strided<[?], offset: ?>", 2: "strided<[?, 1], offset: ?>"}


class Callee(Protocol):
    """A function that a proof reads as loops, and that the module gets as it is implemented."""

    @property
    def name(self) -> str:
        """The name of the function."""

    @property
    def meaning(self) -> str:
        """The function as loops."""

    @property
    def prototype(self) -> str:
        """What it calls, declared."""

    @property
    def implementation(self) -> str:
        """The function as it is implemented."""


@dataclass(frozen=True, slots=True)
class Routine:
    """A routine for a type of numbers, numbers of axes of the groups i, j and k, and the form of its operands."""

    dtype: str
    ranks: tuple[int, int, int]
    transposed: tuple[bool, bool]
    is_new: bool

    @property
    def family(self) -> str:
        """The name in BLAS, without the type of numbers."""
        rows, columns, summed = self.ranks
        if not rows and not columns:
            return "dot"
        if not summed:
            return "ger"
        return "gemm" if columns else "gemv"

    @property
    def name(self) -> str:
        """The name of the function."""
        flags = "".join("t" if flag else "n" for flag in self.transposed)
        ranks = "" if max(self.ranks) <= 1 else "_" + "".join(map(str, self.ranks))
        return f"blas_{_REALS[self.dtype]}{self.family}_{flags}{ranks}{'_new' if self.is_new else ''}"

    @property
    def cblas(self) -> str:
        """The name of the function of CBLAS."""
        return f"cblas_{_REALS[self.dtype]}{self.family}"

    def axes(self, operand: int) -> tuple[str, ...]:
        """Return the indices of an operand: of A, B or C."""
        rows, columns, summed = self._groups
        if operand == 2:  # noqa: PLR2004 - the result
            return (*rows, *columns)
        first, second = ((rows, summed), (summed, columns))[operand]
        return (*second, *first) if self.transposed[operand] else (*first, *second)

    @property
    def _groups(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(f"{g}{n}" for n in range(rank)) for g, rank in zip("ijk", self.ranks, strict=True))

    def type_of(self, operand: int) -> str:
        """Spell the type of an operand; one with a group of several axes is dense."""
        axes = self.axes(operand)
        extents = "?x" * len(axes)
        is_plain = all(len(g) <= 1 for g in self._groups if set(g) & set(axes))
        return f"memref<{extents}{self.dtype}{f', {_LAYOUT[len(axes)]}' if is_plain else ''}>"

    @property
    def takes_beta(self) -> bool:
        """Whether what C holds before is scaled."""
        return not self.is_new and self.family != "ger"

    @property
    def _arguments(self) -> str:
        beta = f", %beta: {self.dtype}" if self.takes_beta else ""
        a, b, c = map(self.type_of, range(3))
        return f"%alpha: {self.dtype}, %A: {a}, %B: {b}{beta}, %C: {c}"

    # -- the meaning

    @property
    def meaning(self) -> str:
        """Return the function as loops."""
        lines = [f"func.func @{self.name}({self._arguments}) {{"]
        extents: dict[str, str] = {}
        for operand in (2, 0, 1):
            for axis, index in enumerate(self.axes(operand)):
                if index not in extents:
                    extents[index] = f"%n_{index}"
                    lines.append(f"%c_{index} = arith.constant {axis} : index")
                    lines.append(f"%n_{index} = memref.dim %{'ABC'[operand]}, %c_{index} : {self.type_of(operand)}")
        rows, columns, summed = self._groups
        if self.is_new or self.takes_beta:
            lines += _nest((*rows, *columns), extents, self._scaled())
        lines += _nest((*rows, *columns, *summed), extents, self._added())
        return "\n".join([*lines, "return", "}"]) + "\n"

    def _cell(self, operand: int) -> str:
        return f"%{'ABC'[operand]}[{', '.join(f'%{i}' for i in self.axes(operand))}] : {self.type_of(operand)}"

    def _scaled(self) -> list[str]:
        if self.is_new:
            return [f"%z = arith.constant 0.0 : {self.dtype}", f"affine.store %z, {self._cell(2)}"]
        scaled = f"%kept = arith.mulf %beta, %before : {self.dtype}"
        return [f"%before = affine.load {self._cell(2)}", scaled, f"affine.store %kept, {self._cell(2)}"]

    def _added(self) -> list[str]:
        loads = [f"%{name} = affine.load {self._cell(k)}" for k, name in enumerate("abc")]
        steps = [("p", "mulf", "a", "b"), ("q", "mulf", "alpha", "p"), ("s", "addf", "c", "q")]
        numbers = [f"%{to} = arith.{op} %{x}, %{y} : {self.dtype}" for to, op, x, y in steps]
        return [*loads, *numbers, f"affine.store %s, {self._cell(2)}"]

    # -- the call

    @property
    def prototype(self) -> str:
        """Declare the function of CBLAS."""
        number, pointer = self.dtype, "!llvm.ptr"
        vector = [pointer, "i32"]
        listed = {
            "gemm": ["i32"] * 6 + [number, *vector, *vector, number, *vector],
            "gemv": ["i32"] * 4 + [number, *vector, *vector, number, *vector],
            "ger": ["i32"] * 3 + [number, *vector, *vector, *vector],
            "dot": ["i32", *vector, *vector],
        }[self.family]
        result = f" -> {number}" if self.family == "dot" else ""
        return f"func.func private @{self.cblas}({', '.join(listed)}){result}\n"

    @property
    def implementation(self) -> str:
        """Return the function that calls CBLAS."""
        lines = [f"func.func private @{self.name}({self._arguments}) {{"]
        for operand, name in enumerate("ABC"):
            lines += self._taken(operand, name)
        lines += _constants({"rows": _ROW_MAJOR, "plain": _NO_TRANSPOSE, "turned": _TRANSPOSE, "one": 1})
        if self.is_new:
            lines.append(f"%beta = arith.constant 0.0 : {self.dtype}")
        lines += self._call()
        return "\n".join([*lines, "return", "}"]) + "\n"

    def _taken(self, operand: int, name: str) -> list[str]:
        """Take an operand apart: its pointer, its extents and its strides."""
        groups = [g for g in self._groups if set(g) & set(self.axes(operand))]
        groups.sort(key=lambda g: self.axes(operand).index(g[0]))
        value, of_type, lines = f"%{name}", self.type_of(operand), []
        if any(len(g) > 1 for g in groups):
            of_type = f"memref<{'?x' * len(groups)}{self.dtype}>"
            places = {index: axis for axis, index in enumerate(self.axes(operand))}
            listed = ", ".join(f"[{', '.join(str(places[i]) for i in g)}]" for g in groups)
            value = f"%{name}_joined"
            lines.append(f"{value} = memref.collapse_shape %{name} [{listed}] : {self.type_of(operand)} into {of_type}")
        rank = len(groups)
        counts = [f"%{name}_sizes:{rank}", f"%{name}_strides:{rank}"] if rank else []
        results = ", ".join([f"%{name}_base", f"%{name}_offset", *counts])
        types = ", ".join([f"memref<{self.dtype}>", *["index"] * (1 + 2 * rank)])
        lines.append(f"{results} = memref.extract_strided_metadata {value} : {of_type} -> {types}")
        lines += [
            f'%{name}_start = "memref.extract_aligned_pointer_as_index"({value}) : ({of_type}) -> index',
            f"%{name}_bytes = arith.constant {_BYTES[self.dtype]} : index",
            f"%{name}_ahead = arith.muli %{name}_offset, %{name}_bytes : index",
            f"%{name}_first = arith.addi %{name}_start, %{name}_ahead : index",
            f"%{name}_address = arith.index_cast %{name}_first : index to i64",
            f"%{name}_pointer = llvm.inttoptr %{name}_address : i64 to !llvm.ptr",
        ]
        for axis, group in enumerate(groups):
            lines.append(f"%{name}_{group[0][0]} = arith.index_cast %{name}_sizes#{axis} : index to i32")
        if rank:
            lines.append(f"%{name}_step = arith.index_cast %{name}_strides#0 : index to i32")
        return lines

    def _call(self) -> list[str]:
        flags = ["%turned" if flag else "%plain" for flag in self.transposed]
        a, b, c = (f"%{name}_pointer, %{name}_step" for name in "ABC")
        if self.family == "gemm":
            given = f"%rows, {flags[0]}, {flags[1]}, %C_i, %C_j, %A_k, %alpha, {a}, {b}, %beta, {c}"
        elif self.family == "gemv":
            extents = "%A_k, %A_i" if self.transposed[0] else "%A_i, %A_k"
            given = f"%rows, {flags[0]}, {extents}, %alpha, {a}, {b}, %beta, {c}"
        elif self.family == "ger":
            given = f"%rows, %C_i, %C_j, %alpha, {a}, {b}, {c}"
        else:
            return self._dot(f"%A_k, {a}, {b}")
        return [f"func.call @{self.cblas}({given}) : {self._call_type}"]

    @property
    def _call_type(self) -> str:
        listed = self.prototype.partition("(")[2].strip()
        return f"({listed}" if "->" in listed else f"({listed} -> ()"

    def _dot(self, given: str) -> list[str]:
        number, cell = self.dtype, f"%C[] : {self.type_of(2)}"
        lines = [
            f"%r = func.call @{self.cblas}({given}) : {self._call_type}",
            f"%scaled = arith.mulf %alpha, %r : {number}",
        ]
        if self.is_new:
            return [*lines, f"memref.store %scaled, {cell}"]
        return [
            *lines,
            f"%c = memref.load {cell}",
            f"%kept = arith.mulf %beta, %c : {number}",
            f"%sum = arith.addf %kept, %scaled : {number}",
            f"memref.store %sum, {cell}",
        ]


def _constants(numbers: dict[str, int]) -> list[str]:
    return [f"%{name} = arith.constant {number} : i32" for name, number in numbers.items()]


def _nest(indices: tuple[str, ...], extents: dict[str, str], body: list[str]) -> list[str]:
    heads = [f"affine.for %{index} = 0 to {extents[index]} {{" for index in indices]
    return [*heads, *body, *(["}"] * len(indices))]
