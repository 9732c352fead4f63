"""Emitting MLIR: the statements of a tensor program, one after the other, as operations on values.

A dialect of tensors says how parameters are typed, and how expressions and stores become operations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.tensor_program import (
    Assign,
    Expression,
    For,
    Return,
    SetSlice,
    TensorProgram,
    definitions_computed,
)
from tensorlift.targets.emitted import Emitted
from tensorlift.targets.mlir_text.writer import Writer
from tensorlift.targets.target import UnspelledError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, SSAValue

    from tensorlift.ir.tensor_program import Parameter, Statement


class TextEmission(ABC):
    """Emits one program; ``title`` is the dialect as people call it."""

    title: ClassVar[str]

    def __init__(self, program: TensorProgram) -> None:
        self.program = program
        self.parameters = self.taken()
        self.writer = Writer((p.name, self.parameter_type(p)) for p in self.parameters)
        named = zip(self.parameters, self.writer.block.args, strict=True)
        self.values: dict[str, SSAValue] = {parameter.name: argument for parameter, argument in named}

    def taken(self) -> tuple[Parameter, ...]:
        """Return the parameters of the function."""
        return self.program.parameters

    @abstractmethod
    def parameter_type(self, parameter: Parameter) -> Attribute:
        """Return the type of a parameter."""

    @abstractmethod
    def value(self, node: Expression) -> SSAValue:
        """Return the value of an expression, computed once."""

    @abstractmethod
    def loop(self, statement: For) -> None:
        """Add a loop that stays; afterwards the variables that it carries have the values of its last iteration."""

    def start_statement(self) -> None:  # noqa: B027 - nothing to forget where nothing is remembered
        """Forget the values of expressions: those of variables may change."""

    @abstractmethod
    def stored(self, statement: SetSlice, old: SSAValue) -> SSAValue:
        """Return an array after a store into a part of it."""

    def emit(self) -> Emitted:
        """Return the program as MLIR.

        Raises:
            LiftError: TL305 to TL308, where the dialect lacks a function or a type, or a loop is kept.

        """
        try:
            results = self.run(self.program.body)
        except LiftError as error:
            place = self.program.location
            located = LiftError(*(d if d.location else replace(d, location=place) for d in error.diagnostics))
            raise UnspelledError(located, error.definitions if isinstance(error, UnspelledError) else ()) from None
        place = self.program.location
        comment = f"Lifted from {place.file.rpartition('/')[2]}:{place.line}." if place is not None else ""
        text = self.writer.text(self.program.name, results, comment)
        return Emitted(text, self.program.name, self.writer.located_cuts(text), self.parameters)

    def run(self, body: tuple[Statement, ...]) -> Sequence[SSAValue]:
        """Add statements, up to the one that returns values; return those."""
        for position, statement in enumerate(body):
            self.start_statement()
            try:
                if isinstance(statement, Return):
                    return self._returned(statement)
                self._statement(statement)
            except UnspelledError:
                raise
            except LiftError as error:
                raise UnspelledError(error, definitions_computed(body[position:])) from None
        return ()

    def _returned(self, statement: Return) -> list[SSAValue]:
        if not statement.values:
            raise refuse("TL306", f"{self.program.name} computes nothing", self.program.location, "write to an array")
        return [self.value(value) for value in statement.values]

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, For):
            self.loop(statement)
            return
        assert isinstance(statement, Assign | SetSlice)
        if isinstance(statement, Assign):
            value = self.value(statement.value)
        else:
            value = self.stored(statement, self.values[statement.name])
        self.writer.name(value, statement.name, statement.definition)
        self.values[statement.name] = value
