"""``*std::max_element(first, last)`` and ``*std::min_element(first, last)``, as the loops that find the value."""

from __future__ import annotations

from typing import Any

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import INT, FloatType, IntegerType, PointerType
from tensorlift.frontends.cpp.calls import Calls
from tensorlift.frontends.cpp.refusals import refusal

EXTREMES = {"max_element": "<", "min_element": ">"}
_ENDS = 2


class Extremes(Calls):
    """Reading of the greatest and the least element."""

    def extreme_element(self, cursor: Any) -> nodes.Expression:
        """Read the value of the greatest or least element between two iterators."""
        location = self.location(cursor)
        ends = [self.expression(argument) for argument in cursor.get_arguments()]
        kind = ends[0].ctype
        if len(ends) != _ENDS or not isinstance(kind, PointerType):
            raise refusal("call", location, f"std::{cursor.spelling}")
        ctype = kind.element
        if not isinstance(ctype, IntegerType | FloatType):
            raise refusal("call", location, f"std::{cursor.spelling}")
        first, last = (nodes.Variable(name, kind, location, is_parameter=True) for name in ("first", "last"))
        here = nodes.Name(first, kind, location)
        value = nodes.Unary("*", here, ctype, location)
        best = nodes.Variable("best", ctype, location, initialiser=value)
        found = nodes.Name(best, ctype, location)
        better = nodes.Binary(EXTREMES[cursor.spelling], found, value, INT, location)
        take = nodes.Evaluate(nodes.Assign("", found, value, ctype, location), location)
        going = nodes.Binary("!=", here, nodes.Name(last, kind, location), INT, location)
        step = nodes.Unary("pre++", here, kind, location)
        loop = nodes.Loop("for", None, going, step, nodes.If(better, take, None, location), location)
        statements = (nodes.Declare(best, location), loop, nodes.Return(found, location))
        body = nodes.Block(statements, location)
        function = nodes.Function(cursor.spelling, (first, last), ctype, location, body)
        return nodes.Call(cursor.spelling, tuple(ends), function, ctype, location)
