"""Calls: functions of <math.h> become operations, functions of the same file are inlined, the rest is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, Note
from tensorlift.frontends.c.c_types import ArrayType, NumberType, PointerType
from tensorlift.frontends.c.endings import ending_in
from tensorlift.frontends.c.machine import check_type
from tensorlift.frontends.c.mapped import converted
from tensorlift.frontends.c.math_functions import is_math_function
from tensorlift.frontends.c.memory import MEMORY_CALLS, Memory
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Address, Array, Binding, Data, Slot, Unknown, Value

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c import nodes

_DEPTH_LIMIT = 32
_HEAP = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"}
_MEMORY = {"memcmp"}
_OUTPUT = {"printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "fputs", "scanf", "fscanf", "fopen", "fclose"}
_OUTPUT |= {"fread", "fwrite", "fflush", "perror", "fgets", "getchar", "sscanf"}


class Calls(Memory):
    """Evaluation of calls."""

    def call(self, expression: nodes.Call) -> Value:
        """Evaluate a call."""
        name = expression.name
        if expression.callee is not None:
            return self._inline(expression, expression.callee)
        if is_math_function(name) and isinstance(expression.ctype, NumberType):
            arguments = [self.data(argument) for argument in expression.arguments]
            values = [self.value_of(data, expression.location) for data in arguments]
            return self.sink.library_call(name, values, expression.ctype, expression.location)
        if name in MEMORY_CALLS:
            return self.memory_call(expression)
        ending = ending_in(expression)
        if ending is not None:
            raise refusal("ending", expression.location, ending)
        for names, reason in ((_HEAP, "heap"), (_MEMORY, "memory-call"), (_OUTPUT, "output")):
            if name in names:
                raise refusal(reason, expression.location, f"`{name}`" if reason == "memory-call" else name)
        raise refusal("call", expression.location, name)

    def _inline(self, expression: nodes.Call, callee: nodes.Function) -> Value:
        """Execute the body of a function of this file in place of its call."""
        self.count_step(expression.location)
        if callee in self.calling:
            raise refusal("recursion", expression.location, callee.name)
        if len(self.calling) > _DEPTH_LIMIT:
            raise refusal("depth", expression.location)
        if callee.is_variadic or len(callee.parameters) != len(expression.arguments):
            raise refusal("variadic", expression.location, callee.name)
        bound = [
            self._argument(parameter, argument)
            for parameter, argument in zip(callee.parameters, expression.arguments, strict=True)
        ]
        self.calling.append(callee)
        try:
            for parameter, binding in zip(callee.parameters, bound, strict=True):
                self.bind_parameter(parameter, binding)
            for parameter, binding in zip(callee.parameters, bound, strict=True):
                self._same_rows(parameter, binding, expression.location)
            return self.run_body(callee)
        except LiftError as error:
            raise called_from(error, expression.name, expression.location) from error
        finally:
            self.calling.pop()

    def _argument(self, parameter: nodes.Variable, argument: nodes.Expression) -> Value:
        """Evaluate an argument as its parameter needs it."""
        if isinstance(parameter.ctype, PointerType | ArrayType):
            value = self.evaluate(argument)
            return value if isinstance(value, Address) else Unknown("pointer-walk", parameter.name)
        argument = converted(argument, parameter.ctype)  # definitions without a prototype leave that to the callee
        value = self.evaluate(argument)
        if self.demand.steers(parameter):
            kept = self.kept(value, argument.location)
            return Unknown("subscript-data", f"`{parameter.name}`") if kept is None else kept
        check_type(parameter.ctype, argument.location)
        return self.value_of(self.as_data(value, argument), argument.location)

    def bind_parameter(self, parameter: nodes.Variable, value: Value) -> None:
        """Bind a parameter; one that the callee assigns gets memory of its own."""
        binding: Binding = value
        if isinstance(value, Data) and parameter in self.demand.assigned and not self.demand.steers(parameter):
            binding = self.declare_scalar(parameter)
            array = binding.array
            if array is not None:
                self.sink.store(array, (), value, self.domain, parameter.location)
        self.environment[parameter] = binding

    def _same_rows(self, parameter: nodes.Variable, value: Value, location: Location) -> None:
        """Require that the rows of an argument are as long as its parameter declares them."""
        if not self.sink.emits or not isinstance(value, Address) or not isinstance(value.base, Array):
            return
        given = value.base.extents[1:]
        declared = self.extents(parameter)[-len(given) :] if given else []
        for mine, its in zip(reversed(declared), reversed(given), strict=False):
            if mine is not None and its is not None and mine != its:
                for room in (mine - its, its - mine):
                    if (room.constant_value or 0) < 0:
                        detail = f"rows of {its} elements of `{value.base.name}` are passed as rows of {mine}"
                        raise refusal("pointer", location, detail)
                    self.preconditions.insist("argument", room, location)

    def declare_scalar(self, variable: nodes.Variable) -> Slot:
        """Make memory for a scalar variable."""
        raise NotImplementedError


def called_from(error: LiftError, name: str, location: Location) -> LiftError:
    """Note the call in the diagnostics of the callee."""
    note = Note(f"in `{name}`, called from here", location)
    return LiftError(*(replace(item, notes=(*item.notes, note)) for item in error.diagnostics))
