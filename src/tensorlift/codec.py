"""Dataclasses as JSON values and back: a `Codec` is a table of what is written of each class, by its type hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

_PLAIN = {str, int, float, bool, NoneType}


@dataclass(frozen=True)
class Form:
    """How objects of a class are written: as a JSON object, or as a row of its values.

    ``keys`` stand in order: ``key``, or ``key=attribute`` where the attribute has another name.  One that ends in ``!``
    is left out where the value is None, one that ends in ``?`` where it is empty (in a row, only the last may).
    ``key=attribute.attribute`` is null where the first is None, ``key=.`` the object itself; neither is read back.
    ``tag`` tells objects from others that may stand in their place, if need be; ``make`` builds one from what was read.
    """

    keys: str
    tag: str = ""
    is_row: bool = False
    make: Callable[..., Any] | None = None

    @cached_property
    def members(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """What is written: the key, its mark, and where its value is found."""
        pairs = [(key, path or key.rstrip("!?")) for key, _, path in (one.partition("=") for one in self.keys.split())]
        return tuple((key.rstrip("!?"), key[-1], tuple(filter(None, path.split(".")))) for key, path in pairs)


class Via(NamedTuple):
    """How a type is written as JSON values, and made of what is read as ``hint``; with the context of the call."""

    write: Callable[[Any, Any], Any]
    hint: Any = Any
    read: Callable[[Any, Any], Any] = lambda _, data: data


class Codec:
    """Writes objects as JSON values, and reads them back.

    ``forms`` are the classes; ``via`` the types, and the members as pairs of class and key, that are written as
    something else; ``names`` what hints speak of that a module imports for type checkers only.
    Reading raises KeyError, TypeError or ValueError for what was not written so.
    """

    def __init__(self, forms: Mapping[type, Form], via: Mapping[Any, Via] | None = None, **names: Any) -> None:
        self._forms, self._via = forms, via or {}
        self._names = {kind.__name__: kind for kind in (*forms, *self._via, Mapping) if isinstance(kind, type)} | names
        self._hints: dict[type, dict[str, Any]] = {}

    def write(self, value: Any, context: Any = None) -> Any:
        """Give JSON values."""
        kind = type(value)
        if kind in self._via:
            return self._via[kind].write(context, value)
        if kind in _PLAIN:
            return value
        if kind in self._forms:
            return self._written(value, self._forms[kind], context)
        if isinstance(value, tuple | list):
            return [self.write(one, context) for one in value]
        return {key: self.write(one, context) for key, one in value.items()} if isinstance(value, Mapping) else value

    def _written(self, value: Any, form: Form, context: Any) -> Any:
        written = {"is": form.tag} if form.tag else {}
        for key, mark, path in form.members:
            part = value
            for name in path:
                part = None if part is None else getattr(part, name)
            if not (mark in "!?" and part is None) and not (mark == "?" and not part):
                via = self._via.get((type(value), key))
                written[key] = self.write(part, context) if via is None else via.write(context, part)
        return list(written.values()) if form.is_row else written

    def read(self, kind: Any, data: Any, context: Any = None) -> Any:
        """Read as a type what `write` gave."""
        if kind in self._via:
            return self._read_via(self._via[kind], data, context)
        if kind in self._forms:
            return self._object(kind, data, context)
        origin, inner = get_origin(kind) or kind, get_args(kind)
        if origin in (Union, UnionType):
            return None if data is None and NoneType in inner else self._one_of(inner, data, context)
        if origin is Literal:
            return inner[inner.index(data)]
        if origin is Any:
            return data
        wanted = {tuple: list, Mapping: dict}.get(origin, origin)
        if type(data) is not wanted:
            raise TypeError(f"{data!r} is no {wanted.__name__}")
        if wanted is list:
            kinds = inner if inner[-1] is not Ellipsis else inner[:1] * len(data)
            return tuple(self.read(kind, one, context) for kind, one in zip(kinds, data, strict=True))
        return {key: self.read(inner[1], one, context) for key, one in data.items()} if wanted is dict else data

    def _read_via(self, via: Via, data: Any, context: Any) -> Any:
        return via.read(context, self.read(via.hint, data, context))

    def _one_of(self, kinds: tuple[Any, ...], data: Any, context: Any) -> Any:
        """Read what is of one of several types: told by its tag and by its keys."""
        plain = [kind for kind in kinds if kind not in self._forms and kind is not NoneType]
        if plain and not isinstance(data, dict):
            return self.read(plain[0], data, context)
        tag = data[0] if isinstance(data, list) else data.get("is", "")
        found = [kind for kind in kinds if kind in self._forms and self._forms[kind].tag == tag]
        if not found:
            raise ValueError(f"nothing is called '{tag}'")
        nearest = max(found, key=lambda kind: sum(key in data for key, *_ in self._forms[kind].members))
        return self._object(nearest, data, context)

    def _object(self, kind: type, data: Any, context: Any) -> Any:
        form, given = self._forms[kind], {}
        if form.is_row:
            names = ["is"] * bool(form.tag) + [key for key, *_ in form.members]
            is_short = form.members[-1][1] == "?" and len(data) == len(names) - 1
            data = dict(zip(names[:-1] if is_short else names, data, strict=True))
        if kind not in self._hints:
            self._hints[kind] = get_type_hints(kind, localns=self._names)
        for key, mark, path in form.members:
            if len(path) == 1 and (key in data or mark not in "!?"):
                via = self._via.get((kind, key))
                given[path[0]] = (
                    self._read_via(via, data[key], context)
                    if via is not None
                    else self.read(self._hints[kind][path[0]], data[key], context)
                )
        return (form.make or kind)(**given)
