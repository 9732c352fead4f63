"""Loop IR of a function of C++: its literal IR tells what the signature asks for, and is then executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.memref import GlobalOp

from tensorlift.frontends.c.clang_ast import UnitReader
from tensorlift.frontends.cpp.reader import lower_cpp
from tensorlift.frontends.cpp.signature import Asked, signature_of
from tensorlift.ir.function import function_named
from tensorlift.normalise.loop_ir import cpp_language, executed, rewrite
from tensorlift.normalise.signature import argument_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.c import nodes
    from tensorlift.frontends.c.reader import ParsedFile
    from tensorlift.frontends.cpp.instances import Instance


def cpp_loop_ir(file: ParsedFile, instance: Instance, literal: Callable[[], ModuleOp]) -> ModuleOp:
    """Make the loop IR of a function or instance of a template; ``literal`` reads its literal IR.

    Raises:
        LiftError: where no loop IR is found.

    """
    read: list[ModuleOp] = []

    def asked() -> Asked:
        module = literal()
        read.append(module)
        outer = [op.sym_name.data for op in module.ops if isinstance(op, GlobalOp)]
        return Asked(argument_names(function_named(module, instance.name)), outer)

    entry = signature_of(UnitReader(file.name, file.source), instance.cursor, instance.name, asked)
    language, (module,) = cpp_language(entry.prototype), read
    rewrite(module, entry.function.location, language)

    def lower(signature: nodes.Function, source: str) -> ModuleOp:
        return executed(module, signature, source, language)

    return lower_cpp(entry, file.name, lower)
