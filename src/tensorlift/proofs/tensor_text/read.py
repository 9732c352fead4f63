"""Reading emitted MLIR: a module with one function over tensors, parsed with xDSL's parser.

The parser knows functions and the operations of the target's rows, and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tensorlift.proofs.failure import INTERFACE, UNREADABLE, CheckFailure
from tensorlift.targets.mlir_text.operations import context_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Dialect
    from xdsl.utils.lexer import Span

    from tensorlift.targets.target import Target

_MAP = re.compile(r"affine_map<\(([^)]*)\)(?:\[([^\]]*)\])?")
# Properties that change what an operation computes, or call something else, and how they say that they do not.
_CHANGING = frozenset({"library_call", "doc", "fastmath", "overflowFlags"})
_UNCHANGED = frozenset({"#arith.fastmath<none>", "#arith.overflow<none>"})


@dataclass(frozen=True)
class TextFunction:
    """A function of a text: the names of its parameters, its only block, and the name and line of each value."""

    parameters: tuple[str, ...]
    body: Block
    names: Mapping[SSAValue, tuple[str, int]]


class NamingParser(Parser):
    """A parser that remembers how values are named in the text, and on which lines."""

    def __init__(self, context: Context, text: str, name: str) -> None:
        self.names: dict[SSAValue, tuple[str, int]] = {}
        super().__init__(context, text, name)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        line = span.get_location().line
        self.names.update((value, (name, line)) for value in values)

    def _parse_tensor_literal_element(self) -> Any:
        """Refuse cells of tensors that are spelled by their bits: xDSL reads the bits of floats there as integers."""
        if self._current_token.text.lower().startswith("0x"):
            self.raise_error("a cell of a tensor that is spelled by its bits")
        return super()._parse_tensor_literal_element()

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        """Refuse the generic form of what has its own: xDSL reads the bits of floats there as integers."""
        if next(base for base in op_type.__mro__ if "parse" in vars(base)) is not Operation:
            self.raise_error(f"{op_type.name} is not in its own form")
        return super()._parse_generic_operation(op_type)


def _check_maps(text: str) -> None:
    """Refuse affine maps that name two dimensions or symbols alike, which xDSL reads as the last one."""
    for found in _MAP.finditer(text):
        names = re.findall(r"\w+", f"{found[1]} {found[2] or ''}")
        if len(set(names)) != len(names):
            line = text.count("\n", 0, found.start()) + 1
            raise CheckFailure(UNREADABLE, "an affine map names two of its dimensions alike", line)


def _check_attributes(module: ModuleOp, function: FuncOp) -> None:
    """Refuse attributes that no program has: some change what is called, what may be written or how is rounded."""
    stated = [*module.attributes, *module.properties, *function.attributes, *function.properties]
    for op in function.body.walk():
        stated += op.attributes
        stated += [name for name, value in op.properties.items() if name in _CHANGING and str(value) not in _UNCHANGED]
    unknown = sorted(set(stated) - {"sym_name", "function_type"})
    if unknown:
        raise CheckFailure(UNREADABLE, f"the attribute {unknown[0]}, which no program has")


def context_for(target: Target, *dialects: Dialect) -> Context:
    """Return what is known where a program of a target is read, and other dialects."""
    rows = [row for row in target.rows.values() if row.form is not None]
    return context_of(rows, (*target.load_dialects(), *dialects))


def read_function(text: str, entry: str, target: Target) -> TextFunction:
    """Read the function ``entry``, the only one of the text.

    Raises:
        CheckFailure: where the text is no MLIR, has other operations than the target, or more than the function.

    """
    _check_maps(text)
    context = context_for(target)
    try:
        parser = NamingParser(context, text, "the program")
        module = parser.parse_module()
        module.verify()
    except ParseError as error:
        line = error.span.get_location().line
        raise CheckFailure(UNREADABLE, f"not in the target's dialects: {error.msg}", line) from None
    except Exception as error:  # noqa: BLE001 - xDSL raises many without a place, of scf.while an Exception itself
        raise CheckFailure(UNREADABLE, f"not in the target's dialects: {error}") from None
    functions = list(module.body.ops)
    if len(functions) != 1 or not isinstance(functions[0], FuncOp) or functions[0].sym_name.data != entry:
        raise CheckFailure(INTERFACE, f"the text is more than the function {entry}, or less")
    function = functions[0]
    _check_attributes(module, function)
    if len(function.body.blocks) != 1:
        raise CheckFailure(UNREADABLE, "the function is not a single block")
    parameters = tuple(parser.names[argument][0] for argument in function.body.block.args)
    return TextFunction(parameters, function.body.block, parser.names)
