"""The C file that makes a function callable over flat memory: ``tl_call(void **arguments, void *result)``.

Scalars are read through pointers of their own type, and an array is passed as ``void *``, which C converts to any
pointer type, those to variable-length arrays included.  Parameters that are no parameters of C are put where C reaches
them (``tl.access``, docs/loop-ir.md) and, where the function may change them in place, read back after the call:

    m.rows  m->rows         a structure on the stack of ``tl_call`` holds the members
    x[].re                  so does an array of structures; ``tl_arguments`` has its length behind the parameters
    total  table[]  s.sum   globals of the file, which is included and so lets even static ones be seen
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from tensorlift.ir.function import FunctionView, Parameter


def call_file(included: str, view: FunctionView) -> str:
    """Write the file; raises LiftError TL603 for a parameter that is not C's own."""
    placed = [_Placed(parameter, position, len(view.parameters)) for position, parameter in enumerate(view.parameters)]
    by_name = {item.parameter.name: item for item in placed}
    declared = view.c_parameters or tuple((p.name, "") for p in view.parameters if not p.access)
    structures = {name: ctype for name, ctype in declared if ctype}
    before = [line for name, ctype in structures.items() for line in _structure(name, ctype, placed)]
    before += [line for item in placed for line in item.fill()]
    after = [line for item in placed for line in item.read_back()]
    arguments = ", ".join(
        _structure_argument(name, structures[name], placed) if name in structures else _passed(by_name[name])
        for name, _ in declared
    )
    result = f"*({c_scalar(view.result_dtype)} *)tl_result = " if view.result_dtype else ""
    body = [*before, f"{result}{view.name}({arguments});", *after]
    lines = "".join(f"  {line}\n" for line in body)
    return f'#include "{included}"\nvoid tl_call(void **tl_arguments, void *tl_result) {{\n{lines}}}\n'


class _Placed:
    """A parameter of the lifted function and where C keeps it."""

    def __init__(self, parameter: Parameter, position: int, count: int) -> None:
        self.parameter, self.position = parameter, position
        self.length = f"*(__INT64_TYPE__ *)tl_arguments[{count + position}]"
        self.root, self.is_column = structure_of(parameter.access), "[]." in parameter.access
        whole = parameter.access.removesuffix("[]")
        self.is_inside = parameter.role == "array" and (whole != parameter.access or parameter.extents == ())
        path = re.sub(r"^(\w+)(->|\[\])?\.?", "", whole) if self.root else ""
        self.path = re.sub(r"^\.", "", path)
        self.place = whole

    @property
    def _member(self) -> str:
        return self.place if not self.root or not self._is_local else f"tl_{self.root}.{self.path}"

    _is_local = False

    def local_to(self, names: object) -> None:
        """Note whether the root is a structure that ``tl_call`` holds."""
        self._is_local = isinstance(names, dict) and self.root in names

    def fill(self) -> list[str]:
        """Write the statements that put the argument where C reaches it."""
        raise NotImplementedError

    def read_back(self) -> list[str]:
        """Write the statements that fetch what the function left there."""
        raise NotImplementedError
