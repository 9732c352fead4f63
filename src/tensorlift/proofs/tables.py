"""Tables of constants that a program binds: each cell must be the source's, bit by bit, in the source's type."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.ops.dtypes import DType, cell_text, integer_range, is_float, round_float
from tensorlift.proofs.failure import UNEQUAL, CheckFailure
from tensorlift.proofs.parse import unreadable

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.targets.target import Target


def check_contents(call: ast.Call, info: ArrayInfo, target: Target) -> ast.expr | None:
    """Demand that a call makes an array of the cells of a table, of its type, in lists of its extents.

    What it says of a device is given back.

    Raises:
        CheckFailure: where it makes another one, or more than a list and a type is given.

    """
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    device = named.pop("device", None)
    if len(call.args) != 1 or set(named) != {"dtype"} or not isinstance(call.args[0], ast.List):
        raise unreadable(call, "a table that is no list of a type")
    if target.element_types.get(ast.unparse(named["dtype"])) != info.dtype:
        raise CheckFailure(UNEQUAL, f"{info.name} is of another type in the source", call.lineno)
    cells: list[ast.expr] = [call.args[0]]
    for extent in info.shape:
        lists = [cell for cell in cells if isinstance(cell, ast.List) and len(cell.elts) == extent.constant]
        if len(lists) != len(cells):
            raise CheckFailure(UNEQUAL, f"{info.name} has other extents in the source", call.lineno)
        cells = [inner for cell in lists for inner in cell.elts]
    if tuple(_cell(cell, info.dtype, target) for cell in cells) != info.contents:
        raise CheckFailure(UNEQUAL, f"{info.name} holds other values in the source", call.lineno)
    return device


def _cell(node: ast.expr, dtype: DType, target: Target) -> str:
    """Return what an array of a type holds where its list has a number."""
    is_negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    plain = node.operand if isinstance(node, ast.UnaryOp) and is_negative else node
    value = plain.value if isinstance(plain, ast.Constant) else None
    if is_float(dtype):
        name = ast.unparse(plain)
        if name in target.constants and name.rpartition(".")[2] in {"inf", "nan"}:
            value = float(name.rpartition(".")[2])
        if type(value) is not float:
            raise unreadable(node, "a cell that is no float")
        value = -value if is_negative else value
        return cell_text(round_float(value, dtype), dtype)
    if type(value) is not int:
        raise unreadable(node, "a cell that is no integer")
    value = -value if is_negative else value
    least, most = integer_range(dtype)
    if not least <= value <= most:
        raise unreadable(node, "a cell that its type does not hold")
    return cell_text(value, dtype)
