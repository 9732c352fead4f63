"""Pipelines of passes as text, nested as mlir-opt takes them: ``builtin.module(func.func(cse),any(canonicalize))``.

All passes go function by function, in modules inside of others too, so that one inside of an anchor is the same as one
beside it.  xDSL reads the options of a pass; it has no nested pipelines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError

from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.raising.passes import RAISING
from tensorlift.raising.simplify import SIMPLIFYING
from tensorlift.raising.tactics import RaiseWithTactics

if TYPE_CHECKING:
    from tensorlift.raising.passes import RaisingPass

PASSES = SIMPLIFYING | RAISING | {RaiseWithTactics.name: RaiseWithTactics}
PIPELINE = "pass-pipeline"  # the file that locations in a pipeline name
_MODULE, _FUNCTION, _ANY = "builtin.module", "func.func", "any"
_INSIDE = dict.fromkeys(("", _MODULE, _ANY), (_MODULE, _FUNCTION, _ANY))  # which anchors may stand in which
_WORD = re.compile(r"[\w.-]*")
_OPTIONS = re.compile(r'\{\s*((?:"(?:\\.|[^"\\])*"|[^{}"])*?)\s*\}')
_COLUMN = re.compile(r":1:(\d+)")  # in what xDSL says


def parse_passes(text: str) -> list[RaisingPass]:
    """Read a pipeline, ``pass,pass{option=value}``, with or without anchors around: ``builtin.module( )``.

    Raises:
        LiftError: TL590 where it is malformed, TL591 where a pass, an option or an anchor is not known.

    """
    reader = _Reader(text)
    found = reader.passes("") if text.strip() else []
    if reader.next() == ")":
        raise reader.malformed("no bracket is open that this one closes")
    if reader.next():
        raise reader.malformed("a comma is missing")
    return found


def known_pass(name: str, place: Location | None = None) -> type[RaisingPass]:
    """Give the pass of a name; raises LiftError TL591 where there is none."""
    if name not in PASSES:
        raise refuse("TL591", f"there is no pass '{name}'", place, f"use one of: {', '.join(PASSES)}")
    return PASSES[name]


@dataclass
class _Reader:
    """Reads a pipeline from left to right."""

    text: str
    at: int = 0

    def passes(self, around: str) -> list[RaisingPass]:
        """Read passes with commas between, inside of an anchor or none."""
        found = self._element(around)
        while self.next() == ",":
            self.at += 1
            if not self.next():
                raise self.malformed("a comma stands at its end")
            found += self._element(around)
        return found

    def next(self) -> str:
        """Give the next character that is no space, empty at the end."""
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip())
        return self.text[self.at : self.at + 1]

    def malformed(self, why: str, at: int | None = None) -> LiftError:
        remedy = 'write passes with commas between: name,name{option=value},name{option="text"},func.func(name)'
        return refuse("TL590", f"not a pipeline: {why}", self._place(self.at if at is None else at), remedy)

    def _place(self, at: int) -> Location:
        before = self.text[:at]
        column = len(before[before.rfind("\n") + 1 :].encode()) + 1
        return Location(PIPELINE, before.count("\n") + 1, column)

    def _element(self, around: str) -> list[RaisingPass]:
        """Read one pass, or an anchor with what is inside."""
        self.next()
        start, word = self.at, _WORD.match(self.text, self.at)
        assert word is not None
        if not word[0]:
            raise self.malformed("the name of a pass is missing")
        self.at = word.end()
        if self.next() == "(":
            return self._nested(word[0], start, around)
        return [self._pass(word[0], start, around)]

    def _nested(self, anchor: str, start: int, around: str) -> list[RaisingPass]:
        accepted = _INSIDE.get(around, ())
        if anchor not in accepted:
            where = f"inside of {around}( )" if around else "here"
            remedy = f"use {' or '.join(accepted)}" if accepted else f"write its passes in {around}( ) themselves"
            raise refuse("TL591", f"passes cannot run on '{anchor}' {where}", self._place(start), remedy)
        opened = self.at
        self.at += 1
        found = [] if self.next() == ")" else self.passes(anchor)
        if not self.next():
            raise self.malformed("the bracket is not closed", opened)
        if self.next() != ")":
            raise self.malformed("a comma is missing")
        self.at += 1
        return found

    def _pass(self, name: str, start: int, around: str) -> RaisingPass:
        place = self._place(start)
        found = known_pass(name, place)
        if around == _FUNCTION and not found.is_nestable:
            remedy = f"write it outside of {_FUNCTION}( )"
            raise refuse("TL591", f"'{name}' adds functions to the module, and cannot run on one", place, remedy)
        options = ""
        if self.next() == "{":
            read = _OPTIONS.match(self.text, self.at)
            if read is None:
                raise self.malformed("the brace is not closed")
            start, options = read.start(1), read[1]
            self.at = read.end()
        return self._with_options(found, options, start)

    def _with_options(self, found: type[RaisingPass], options: str, start: int) -> RaisingPass:
        """Give a pass its options, whose text starts at a place."""
        opened = f"{found.name}{{"
        try:
            spec = parse_spec(f"{opened}{options}}}" if options else found.name)
        except ArgSpecParseError as error:
            at, why = _COLUMN.search(str(error)), str(error).splitlines()[-1].strip(" ^")
            assert at is not None
            raise self.malformed(why, start + int(at[1]) - 1 - len(opened)) from None
        known = [field.name.replace("_", "-") for field in fields(found) if field.init]
        remedy = f"use one of: {', '.join(known)}" if known else "leave it out: the pass has no options"
        for name in spec.parameters:
            if name.replace("_", "-") not in known:
                place = self._place(self.text.index(name, start))
                raise refuse("TL591", f"'{found.name}' has no option '{name}'", place, remedy)
        try:
            return found.from_spec(spec)
        except ValueError as error:
            raise refuse("TL591", f"'{spec}' is no use of a pass: {error}", self._place(start), remedy) from None
