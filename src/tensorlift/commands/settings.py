"""Settings of a project: ``[tool.tensorlift]`` of the nearest pyproject.toml holds defaults of options.

A key is the name of an option without its dashes: in ``[tool.tensorlift]`` for all commands that have the option, in
``[tool.tensorlift.lift]`` for one.  What a command line gives comes first.  Files are named from the folder of the
pyproject.toml.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

from tensorlift.commands.options import FileName
from tensorlift.diagnostics import LiftError, Location, refuse

_TABLE = re.compile(r"^\s*\[\s*tool\s*\.\s*tensorlift\b", re.MULTILINE)
_FILE = "pyproject.toml"


def project_settings(group: click.Group) -> dict[str, Any]:
    """Return the defaults that a project gives to the options of commands, as click's ``default_map`` takes them.

    Raises:
        LiftError: TL514, where a setting is none of an option, or no value of it.

    """
    for folder in (here := Path.cwd(), *here.parents):
        file = folder / _FILE
        if file.is_file() and _TABLE.search(text := file.read_text(encoding="utf-8", errors="replace")):
            return _Settings(file, text).defaults(group)
    return {}


class _Settings:
    """One file of settings."""

    def __init__(self, file: Path, text: str) -> None:
        self.file = file
        self.text = text

    def defaults(self, group: click.Group) -> dict[str, Any]:
        table = self._table()
        commands = {name: command for name, command in group.commands.items() if not isinstance(command, click.Group)}
        shared = {key: value for key, value in table.items() if not isinstance(value, dict)}
        found: dict[str, dict[str, Any]] = {name: {} for name in commands}
        for key, value in shared.items():
            taken = [name for name, command in commands.items() if _option(command, key) is not None]
            if not taken:
                raise self._wrong(key, f"no command has an option '{key}'", "see 'tensorlift COMMAND --help'")
            for name in taken:
                found[name] |= self._default(commands[name], key, value)
        for name, own in table.items():
            if isinstance(own, dict):
                if name not in commands:
                    raise self._wrong(name, f"there is no command '{name}'", f"accepted: {', '.join(commands)}")
                for key, value in own.items():
                    found[name] |= self._default(commands[name], key, value)
        return found

    def _table(self) -> dict[str, Any]:
        import tomllib

        try:
            table = tomllib.loads(self.text)["tool"]["tensorlift"]
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"line (\d+), column (\d+)", str(error))
            line, column = (int(at[1]), int(at[2])) if at else (self.text.count("\n") + 1, 1)
            place = Location(os.path.relpath(self.file), line, column)
            raise refuse("TL514", f"this is not TOML: {error}", place, "correct the line") from None
        if not isinstance(table, dict):
            raise self._wrong("tensorlift", "'tool.tensorlift' is no table", "write [tool.tensorlift]")
        return table

    def _default(self, command: click.Command, key: str, value: object) -> dict[str, Any]:
        """Check the value of an option as a command line's would be, and name it as click does."""
        option = _option(command, key)
        if option is None:
            message = f"'{command.name}' has no option '{key}'"
            raise self._wrong(key, message, f"see 'tensorlift {command.name} --help'")
        is_list = isinstance(value, list)
        if isinstance(value, dict) or is_list is not option.multiple:
            wanted = "a list" if option.multiple else "one value"
            raise self._wrong(
                key, f"'{key}' takes {wanted}", f'write {key} = ["..", ".."]' if option.multiple else "write one value"
            )
        value = self._placed(option, value)
        try:
            option.type_cast_value(click.Context(command), value)
        except click.BadParameter as error:
            raise self._wrong(key, f"'{key}': {error.message}", f"see 'tensorlift {command.name} --help'") from None
        assert option.name is not None
        return {option.name: value}

    def _placed(self, option: click.Option, value: Any) -> Any:
        """Name files from the folder of the settings."""
        if not isinstance(option.type, FileName):
            return value
        return [str(self.file.parent / one) for one in value] if option.multiple else str(self.file.parent / value)

    def _wrong(self, key: str, message: str, remedy: str) -> LiftError:
        """Refuse a setting, at the line that has its key."""
        start = _TABLE.search(self.text)
        found = re.compile(rf"(?<![\w-]){re.escape(key)}(?![\w-])").search(self.text, start.start() if start else 0)
        before = self.text[: found.start()] if found else ""
        place = Location(os.path.relpath(self.file), before.count("\n") + 1, len(before) - before.rfind("\n"))
        return refuse("TL514", message, place, remedy)


def _option(command: click.Command, key: str) -> click.Option | None:
    """Find the option of a command that a key names."""
    options = (one for one in command.params if isinstance(one, click.Option))
    return next((one for one in options if key in {name.lstrip("-") for name in one.opts}), None)
