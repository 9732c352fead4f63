"""Objects among the arguments of a call, as ``self``, dataclasses, tuples and dicts are: what they hold by name."""

from __future__ import annotations

import ast
import inspect
from functools import reduce
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from tensorlift.calls.kinds import is_traced
from tensorlift.calls.program import ARRAY, LIST
from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.calls.program import LiftedProgram
    from tensorlift.diagnostics import Location

_PLAIN = (int, float, complex, str, bytes, list, dict, set, type, ModuleType, FunctionType, type(None))
_ARRAYS = ("__array__", "__dlpack__", "__array_namespace__", "dtype")
_NOTHING = object()


class Field(Protocol):
    """A field of an argument, by attributes of attributes, and items, which are as ``['w']``, and its ``name``.

    ``is_bound`` where the function binds it, ``is_augmented`` where by ``+=`` and the like alone.
    """

    @property
    def owner(self) -> str: ...  # noqa: D102 - as the class says
    @property
    def path(self) -> tuple[str, ...]: ...  # noqa: D102 - as the class says
    @property
    def name(self) -> str: ...  # noqa: D102 - as the class says
    @property
    def is_bound(self) -> bool: ...  # noqa: D102 - as the class says
    @property
    def is_augmented(self) -> bool: ...  # noqa: D102 - as the class says


def is_object(value: Any) -> bool:
    """Whether a value is neither a number nor an array, and holds others by name."""
    kind = type(value)
    if kind in (tuple, dict):
        return True
    if issubclass(kind, _PLAIN) or any(hasattr(kind, name) for name in _ARRAYS):
        return False
    return hasattr(value, "__dict__") or hasattr(kind, "__slots__") or hasattr(kind, "_fields")


def fields_of(value: Any, path: Sequence[str], spelled: str, place: Location) -> list[tuple[str, ...]]:
    """Give the first part of a path that leads to a number or an array, or those to all that a tuple at its end holds.

    Raises LiftError TL526 for what is no plain field, as a property is none, and for an object at the end of the path.
    """
    for length, step in enumerate(path, 1):
        value = _plain_field(value, step, spelled, place)
        spelled = _followed(spelled, step)
        if not is_object(value):
            return [tuple(path[:length])]
    if isinstance(value, tuple):
        steps = [f"[{number}]" for number in range(len(value))]
        return [(*path, *rest) for step in steps for rest in fields_of(value, (step,), spelled, place)]
    if not path:
        return []  # which is refused where it stands
    raise refuse("TL526", f"`{spelled}` is an object", place, "use numbers and arrays that it holds")


def _plain_field(value: Any, step: str, spelled: str, place: Location) -> Any:
    named = _followed(spelled, step)
    if step.startswith("["):
        try:
            return _held(value, step)
        except (LookupError, TypeError):
            raise refuse("TL526", f"`{named}` is no item", place, "pass an object that has it") from None
    held = inspect.getattr_static(value, step, _NOTHING)
    if held is _NOTHING:
        raise refuse("TL526", f"`{named}` is no attribute", place, "bind it in the constructor")
    is_slot = isinstance(held, MemberDescriptorType) or step in getattr(type(value), "_fields", ())
    if (hasattr(type(held), "__get__") and not is_slot) or isinstance(held, GetSetDescriptorType):
        what = "a method" if callable(held) else "computed where it is asked for"
        remedy = "call a function outside of the class" if callable(held) else "pass its value"
        raise refuse("TL526", f"`{named}` is {what}", place, remedy)
    return getattr(value, step)


def _followed(spelled: str, step: str) -> str:
    return f"{spelled}{step}" if step.startswith("[") else f"{spelled}.{step}"


def _held(value: Any, step: str) -> Any:
    return value[ast.literal_eval(step)[0]] if step.startswith("[") else getattr(value, step)


def held_by(values: Mapping[str, Any], owner: str, path: Sequence[str]) -> Any:
    """Give what an object among arguments holds."""
    return reduce(_held, path, values[owner])


def is_kept(values: Mapping[str, Any], field: Field) -> bool:
    """Whether a field stays what it is where the function binds it, as an array does that changes in place."""
    return field.is_augmented and hasattr(type(held_by(values, field.owner, field.path)), "__isub__")


def check_apart(values: Mapping[str, Any], fields: Sequence[Field], place: Location) -> None:
    """Refuse a field that is bound, and is read by another name too: each is a number of its own to the program."""
    named: dict[tuple[int, str], Field] = {}
    for field in fields:
        key = id(held_by(values, field.owner, field.path[:-1])), field.path[-1]
        other = named.setdefault(key, field)
        if other is not field and (field.is_bound or other.is_bound):
            one, two = (reduce(_followed, each.path, each.owner) for each in (other, field))
            said = f"`{one}` and `{two}` are one attribute, which is bound"
            raise refuse("TL526", said, place, "pass another object")


def check_bound(fields: Sequence[Field], program: LiftedProgram) -> None:
    """Refuse to bind a field to an array, of which something else may have a name."""
    bound = [field for field in fields if field.is_bound]
    for field, (_, kind) in zip(reversed(bound), reversed(program.interface.returns), strict=False):
        if kind in (ARRAY, LIST):
            named = reduce(_followed, field.path, field.owner)
            remedy = f"store into the array that it has, as in `{named}[:] = ...`"
            raise refuse("TL526", f"`{named}` is bound to an array", program.record.location, remedy)


def bind(values: Mapping[str, Any], field: Field, value: Any, kind: str) -> None:
    """Bind an attribute of an object among arguments to a number of a kind; one that is traced stays so."""
    if not is_traced(value) and kind in {"python", "truth"} and not isinstance(value, bool | int | float):
        value = value.item()
    holder, step = held_by(values, field.owner, field.path[:-1]), field.path[-1]
    if step.startswith("["):
        holder[ast.literal_eval(step)[0]] = value
    else:
        setattr(holder, step, value)


_OPENED = """
    try:
        {steps}
    except (AttributeError, LookupError):
        return {otherwise}"""


class Opened:
    """How a quick way names what objects among its arguments hold, where they are of the types that they were.

    ``values`` are those that names in the text stand for, ``owners`` the arguments.
    """

    def __init__(self, objects: Mapping[str, Any], fields: Sequence[Field]) -> None:
        """Take the objects of one call."""
        self.values: dict[str, Any] = {}
        self.owners = {field.owner for field in fields}
        self._objects, self._fields = objects, fields
        self._holders: dict[tuple[str, tuple[str, ...]], str] = {}
        self._steps: list[str] = []
        for field in fields:
            self._steps.append(f"{field.name} = {self.spelled(field)}")

    def text(self, otherwise: str) -> str:
        """Write the statements; what they do not find goes the other way."""
        return _OPENED.format(steps="\n        ".join(self._steps), otherwise=otherwise) if self._steps else ""

    def spelled(self, field: Field) -> str:
        """Spell a field, to be read or bound."""
        return _followed(self._holder(field.owner, tuple(field.path[:-1])), field.path[-1])

    def are_apart(self) -> list[str]:
        """Test what `check_apart` checks: a field that is bound is read by no other name."""
        pairs = [(one, other) for one in self._fields if one.is_bound for other in self._fields]
        holders = {
            (self._holder(one.owner, tuple(one.path[:-1])), self._holder(other.owner, tuple(other.path[:-1])))
            for one, other in pairs
            if one is not other and one.path[-1] == other.path[-1]
        }
        return [f"{one} is not {other}" for one, other in sorted(holders)]

    def _holder(self, owner: str, path: tuple[str, ...]) -> str:
        """Name the object at the end of a path, which is tested once."""
        known = self._holders.get((owner, path))
        if known is not None:
            return known
        name, value = owner, held_by(self._objects, owner, path)
        if path:
            name, inner = f"_held{len(self._holders)}", self._holder(owner, path[:-1])
            self._steps.append(f"{name} = {_followed(inner, path[-1])}")
        self.values[f"_of_{name}"] = type(value)
        length = f" or len({name}) != {len(value)}" if isinstance(value, tuple) else ""
        self._steps += [f"if type({name}) is not _of_{name}{length}:", "    raise LookupError"]
        self._holders[owner, path] = name
        return name
