"""Operations on integers of one bit: each as text from `%p` and `%q` to `%r`, with the type of the result."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BINARY = [
    "addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui",
    "maxsi", "maxui", "minsi", "minui", "andi", "ori", "xori", "shli", "shrsi", "shrui",
]  # fmt: skip
_ORDERS = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]

OPERATIONS: dict[str, tuple[str, str]] = {
    **{name: (f"%r = arith.{name} %p, %q : i1", "i1") for name in _BINARY},
    **{name: (f"%r = arith.cmpi {name}, %p, %q : i1", "i1") for name in _ORDERS},
    **{f"{name}_{t}": (f"%r = arith.{name} %p : i1 to {t}", t) for name in ("extsi", "extui") for t in ("i8", "i64")},
    **{
        f"{name}_{t}": (f"%r = arith.{name} %p : i1 to {t}", t) for name in ("sitofp", "uitofp") for t in ("f32", "f64")
    },
    "absi": ("%r = math.absi %p : i1", "i1"),
    "select": ("%r = arith.select %p, %q, %p : i1", "i1"),
    "index_cast": ("%x = arith.index_cast %p : i1 to index\n%r = arith.index_cast %x : index to i64", "i64"),
    "index_castui": ("%x = arith.index_castui %p : i1 to index\n%r = arith.index_cast %x : index to i64", "i64"),
    "index_and_back": ("%x = arith.index_cast %p : i1 to index\n%r = arith.index_castui %x : index to i1", "i1"),
    "trunci": (
        (
            "%x = arith.extui %p : i1 to i8\n%c = arith.constant 2 : i8\n%y = arith.addi %x, %c : i8\n"
            "%r = arith.trunci %y : i8 to i1"
        ),
        "i1",
    ),
    "fptosi": (
        (
            "%x = arith.sitofp %p : i1 to f64\n%c = arith.constant 0.5 : f64\n%y = arith.mulf %x, %c : f64\n"
            "%r = arith.fptosi %y : f64 to i1"
        ),
        "i1",
    ),
    "fptoui": (
        (
            "%x = arith.uitofp %p : i1 to f64\n%c = arith.constant 1.5 : f64\n%y = arith.mulf %x, %c : f64\n"
            "%r = arith.fptoui %y : f64 to i1"
        ),
        "i1",
    ),
    "several": (
        (
            "%x = arith.addi %p, %q : i1\n%y = arith.maxsi %x, %q : i1\n%z = arith.cmpi slt, %y, %p : i1\n"
            "%r = arith.subi %z, %q : i1"
        ),
        "i1",
    ),
}


def is_defined(name: str, p: int, q: int) -> bool:
    """Tell whether an operation has a result: no division by zero or beyond the type, no shift by the width."""
    if name.startswith("sh"):
        return q == 0
    if name in {"divsi", "remsi", "floordivsi", "ceildivsi"}:
        return (p, q) == (0, 1)
    return q == 1 or name not in {"divui", "remui", "ceildivui"}


def defined() -> Iterator[tuple[str, int, int]]:
    """Yield each operation with all operands for which it is defined."""
    for name, p, q in itertools.product(OPERATIONS, (0, 1), (0, 1)):
        if is_defined(name, p, q):
            yield name, p, q


_TO_I64 = {
    "i1": "%v = arith.extsi %r : i1 to i64",
    "i8": "%v = arith.extsi %r : i8 to i64",
    "i64": "%z = arith.constant 0 : i64\n%v = arith.addi %r, %z : i64",
    "f32": "%v = arith.fptosi %r : f32 to i64",
    "f64": "%v = arith.fptosi %r : f64 to i64",
}


def main() -> str:
    """Give a function that mixes all defined results into one number of 64 bits."""
    calls = ["%h0 = arith.constant 7 : i64", "%m = arith.constant 31 : i64"]
    for k, (name, p, q) in enumerate(defined()):
        body, of_type = OPERATIONS[name]
        text = f"%p = arith.constant {p} : i1\n%q = arith.constant {q} : i1\n{body}\n{_TO_I64[of_type]}\n"
        for value in ("p", "q", "r", "v", "x", "y", "z", "c"):
            text = text.replace(f"%{value} ", f"%{value}{k} ").replace(f"%{value},", f"%{value}{k},")
        calls += [text, f"%g{k} = arith.muli %h{k}, %m : i64", f"%h{k + 1} = arith.addi %g{k}, %v{k} : i64"]
    last = len([*defined()])
    return "\n".join(["func.func @main() -> i64 {", *calls, f"return %h{last} : i64", "}"])


def over_arrays(name: str) -> str:
    """Give a function that applies an operation to each pair of elements of two arrays."""
    body, of_type = OPERATIONS[name]
    return (
        f"func.func @{name}_bit(%P: memref<?xi1>, %Q: memref<?xi1>, %Y: memref<?x{of_type}>, %n: index) {{\n"
        "affine.for %i = 0 to %n {\n%p = affine.load %P[%i] : memref<?xi1>\n%q = affine.load %Q[%i] : memref<?xi1>\n"
        f"{body}\naffine.store %r, %Y[%i] : memref<?x{of_type}>\n}}\nreturn\n}}\n"
    )
