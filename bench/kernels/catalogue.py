"""The index of the reference kernels, read into typed records.

``index.json`` holds one entry for each kernel.  Its ``parameters`` stand in the order of the C signature, as strings:

    n: size                         an extent, given as ``int``
    lda: stride                     a leading dimension; at least the width of the matrix that names it
    alpha: f64                      any other scalar
    A: f64[m,n] inout ld lda        an array with its extents, how it is used, and its leading dimension if it has one
    m.vals: i32[m_rows,m_cols] in rows      a member of the structure ``m``, here a table of row pointers
    -> i32                          the returned value, last

A kernel in C++ has a ``call``, ``out = f(base, active)`` or ``return = f(..)``: its parameters are then the arrays and
sizes that its meaning has, of which the call passes some.

``data`` restricts random inputs: ``minimum`` of a size (1 otherwise), ``sizes`` that depend on others (``">= n"`` or an
expression that they equal), and ``values`` of scalars and arrays (``"lo..hi"``, ``"nonzero"``, ``"spd"``,
``"dominant"``).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.c.natural import with_natural_extents
from tensorlift.languages.c import read_c
from tensorlift.languages.cpp import read_cpp

if TYPE_CHECKING:
    from tensorlift.frontends.read_function import ReadFunction

ROOT = Path(__file__).parent

_ARRAY = re.compile(r"(\w+)\[(.*)\] (in|out|inout|unused)(?: ld (\w+))?( rows)?$")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; ``role`` is ``size``, ``stride``, ``scalar`` or ``array``; extents are expressions of sizes.

    ``structure`` names the C parameter of which this one is a member, in which case the name is ``structure_member``;
    ``rows`` marks a table of row pointers.
    """

    name: str
    role: str
    dtype: str = "i32"
    shape: tuple[str, ...] = ()
    access: str = "in"
    leading: str = ""
    structure: str = ""
    rows: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """One reference kernel; ``expect`` is the best verdict that lifting it may reach without a solver primitive.

    ``interpreted`` is that where Python runs the loops, if it is another one.
    """

    suite: str
    name: str
    path: Path
    function: str
    c_style: str
    expect: str
    parameters: tuple[Parameter, ...]
    result: str = ""
    call: str = ""
    minimum: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    interpreted: str = ""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the written arrays in source order."""
        return tuple(p.name for p in self.parameters if p.access in {"out", "inout"})

    def __str__(self) -> str:
        """Spell the kernel as ``suite/name``, unique in the index."""
        return f"{self.suite}/{self.name}"


def kernels() -> tuple[Kernel, ...]:
    """Read the whole index, in its order."""
    return tuple(_kernel(entry) for entry in json.loads((ROOT / "index.json").read_text()))


@lru_cache(maxsize=4)  # a file holds many kernels, one after the other
def read(path: Path) -> list[ReadFunction]:
    """Read a kernel into the loop IR by the front end of its language, with the arrays that programs on arrays take."""
    reader = read_cpp if path.suffix == ".cpp" else read_c
    return with_natural_extents(reader(path.read_text(), path.name, include_dirs=[str(path.parent)]))


def parse_parameter(text: str) -> Parameter:
    """Read one parameter in the notation of the index."""
    name, _, kind = text.partition(": ")
    structure, _, member = name.rpartition(".")
    name = f"{structure}_{member}" if structure else name
    if kind in {"size", "stride"}:
        return Parameter(name, kind, structure=structure)
    if array := _ARRAY.match(kind):
        dtype, extents, access, leading, rows = array.groups()
        shape = tuple(e.strip() for e in extents.split(","))
        return Parameter(name, "array", dtype, shape, access, leading or "", structure, bool(rows))
    dtype, _, access = kind.partition(" ")
    return Parameter(name, "scalar", dtype, (), access or "in", structure=structure)


def _kernel(entry: dict[str, Any]) -> Kernel:
    texts: list[str] = entry["parameters"]
    result = texts[-1].removeprefix("-> ") if texts[-1].startswith("-> ") else ""
    parameters = tuple(parse_parameter(text) for text in texts if not text.startswith("-> "))
    plain = {key: entry[key] for key in ("suite", "name", "function", "c_style", "expect")}
    return Kernel(
        **plain,
        path=ROOT / entry["file"],
        parameters=parameters,
        result=result,
        call=entry.get("call", ""),
        interpreted=entry.get("interpreted", ""),
        **entry["data"],
    )
