"""Python to the loop IR: the front end finds types and extents, literal IR says what is computed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from tensorlift.frontends.python.lower import lower_python
from tensorlift.frontends.python.reader import read_functions
from tensorlift.normalise.loop_ir import PYTHON, executed, rewrite
from tensorlift.readers.python import literal_module_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.python import LiveFunction
    from tensorlift.frontends.python.state import Inference
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir import nodes
    from tensorlift.normalise.execution import Language


def read_python(
    text: str, filename: str, *, function: str | None = None, divides_sizes: bool = True
) -> list[ReadFunction]:
    """Read Python source text into the loop IR, one module for each function at the top level of the file.

    With ``function`` only that function is read; with ``divides_sizes`` quotients of sizes are sizes, else data.

    Raises ``LiftError`` for what concerns the whole file.
    """
    literal = cache(_literal)
    found = read_functions(
        text, filename, partial(_lower, literal, language=replace(PYTHON, divides_sizes=divides_sizes)), function
    )
    return [_with_literal(f, literal) for f in found]


def read_live(live: LiveFunction, told: Mapping[str, str]) -> ReadFunction:
    """Read a live function; ``told`` are annotations for parameters whose own do not tell what they are."""
    literal = cache(_literal)
    return _with_literal(live.read(partial(_lower, literal), told), literal)


def _with_literal(function: ReadFunction, read: Callable[[Inference], ModuleOp]) -> ReadFunction:
    """Say of a function how it is read literally, where its types are known."""
    known = function.inference
    return function if known is None else replace(function, literally=partial(read, known))


def _literal(known: Inference) -> ModuleOp:
    return literal_module_of(known.inferred())


def _lower(read: Callable[[Inference], ModuleOp], known: Inference, language: Language = PYTHON) -> ModuleOp:
    @cache
    def rewritten() -> ModuleOp:
        literal = read(known).clone()  # the passes rewrite what they are given
        rewrite(literal, known.location, language)
        return literal

    def lower(signature: nodes.Function, source: str) -> ModuleOp:
        return executed(rewritten(), signature, source, language)

    return lower_python(known, lower)
