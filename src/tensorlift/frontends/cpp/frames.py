"""The state while C++ is read: what names are bound to, in a frame for each function that is read in place.

A function is read anew for each call, with its parameters bound to the arguments: references are the caller's objects
themselves, and only numbers and pointers are passed by value.  What must happen before an expression (the call of a
function that returns a container) is collected in ``before`` and joined to it with the comma operator.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import VOID
from tensorlift.frontends.c.clang_ast import UnitReader
from tensorlift.frontends.c.modified import assigned_in_statement
from tensorlift.frontends.c.refusals import refusal as c_refusal
from tensorlift.frontends.cpp.cpp_types import INCLUDE, CppTypes
from tensorlift.frontends.cpp.objects import Binding, Extent, Object, Record, extent_node, sequence
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.uses import Uses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.c_types import CType

_CALL_LIMIT = 400
_DEPTH_LIMIT = 24


@dataclass(slots=True, eq=False)
class Frame:
    """One function that is being read: the object that it returns, and what it declares or assigns for the caller."""

    number: int
    definition: Any
    this: Record | None = None
    result: Object | None = None
    empty_returns: list[nodes.Settle] = field(default_factory=list)
    writes: list[nodes.Variable] = field(default_factory=list)


class Frames(UnitReader):
    """State and basic steps; the subclasses add containers, classes, calls, expressions and statements."""

    types: CppTypes

    def __init__(self, file: str, source: bytes) -> None:
        super().__init__(file, source)
        self.types = CppTypes()
        self.bound: dict[int, Binding] = {}
        self.frames: list[Frame] = []
        self.before: list[nodes.Expression] = []
        self.used_sizes: set[nodes.Variable] = set()
        self.names: set[str] = set()
        self.uses = Uses()
        self._calls = 0
        self._place: Location | None = None
        self.loops = 0

    @property
    def frame(self) -> Frame:
        """The function that is being read."""
        return self.frames[-1]

    def location(self, cursor: Any) -> Location:
        """Give the place of a cursor; what stands inside of the library stands where the library is called."""
        return super().location(cursor) if self._place is None else self._place

    @contextmanager
    def reading(self, definition: Any, this: Record | None, location: Location) -> Iterator[Frame]:
        """Read a function in place of a call, in a frame of its own."""
        self._calls += 1
        if any(frame.definition == definition for frame in self.frames):
            raise c_refusal("recursion", location, definition.spelling)
        if self._calls > _CALL_LIMIT or len(self.frames) > _DEPTH_LIMIT:
            raise c_refusal("depth", location)
        saved = dict(self.variables), dict(self.bound), self.before, self.file, self._place
        self.frames.append(Frame(self._calls, definition, this))
        self.before, self.file = [], self._file_of(definition)
        self._place = location if Path(self.file).is_relative_to(INCLUDE) else None
        try:
            yield self.frame
        finally:
            done = self.frames.pop()
            self.variables, self.bound, self.before, self.file, self._place = saved
            if self.frames:
                self.frame.writes += done.writes

    @contextmanager
    def repeating(self) -> Iterator[None]:
        """Read the body of a loop."""
        self.loops += 1
        try:
            yield
        finally:
            self.loops -= 1

    @contextmanager
    def collecting(self) -> Iterator[list[nodes.Expression]]:
        """Collect what must happen before what is read here."""
        saved, self.before = self.before, []
        try:
            yield self.before
        finally:
            self.before = saved

    def joined(self, cursor: Any) -> nodes.Expression:
        """Read an expression together with what must happen before it."""
        with self.collecting() as before:
            expression = self.expression(cursor)
        return sequence(before, expression)

    def fresh_name(self, name: str) -> str:
        """Give a name that no parameter of the loop IR has yet."""
        found, count = name, 0
        while found in self.names:
            count += 1
            found = f"{name}_{count}"
        self.names.add(found)
        return found

    def size_of(self, extent: Extent, location: Location) -> nodes.Expression:
        """Give an extent, and note that the source asks for it."""
        if extent is None:
            raise refusal("vector", location, "the length of rows that are appended is not known here")
        if isinstance(extent, nodes.Variable):
            self.used_sizes.add(extent)
        return extent_node(extent, location)

    def local(self, name: str, ctype: CType, initial: nodes.Expression | None, location: Location) -> nodes.Declare:
        """Declare a variable that the source does not spell."""
        variable = nodes.Variable(name, ctype, location, initialiser=initial)
        self.frame.writes.append(variable)
        return nodes.Declare(variable, location)

    def as_expression(self, statements: list[nodes.Statement], location: Location) -> nodes.Expression:
        """Make an expression of statements."""
        block = nodes.Block(tuple(statements), location)
        writes = assigned_in_statement(block)
        ordered = tuple(sorted(writes, key=lambda v: (v.location, v.name)))
        function = nodes.Function("temporary", (), VOID, location, block, writes=ordered)
        return nodes.Call("temporary", (), function, VOID, location)

    def object_of(self, cursor: Any) -> Object | None:
        """Read an expression of class type; None where it is no known object."""
        raise NotImplementedError

    def text_of(self, cursor: Any) -> str:
        """Give the source text of a cursor on one line, for messages."""
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        return " ".join(self.source_of_file()[start:end].decode("utf-8", "replace").split())
