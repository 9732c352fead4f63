"""Programs of the cases of a function put together: one that asks which case it is.

Its certificate is made of theirs.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from textwrap import indent
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.ir.literal_function import Flag
from tensorlift.proofs.certificate import CERTIFICATE_VERSION, seal_of
from tensorlift.proofs.failure import CERTIFICATE, CheckFailure
from tensorlift.report.program import entry_function, join_programs
from tensorlift.targets.c.chained import chained
from tensorlift.targets.python_text.text import safe_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Json = Any
_SHARED = "function", "source_sha256", "target", "level", "numerics"  # what all certificates of a function say
Flags = dict[str, Flag]  # what the flags are in a case, by their names


class Letter(int):
    """The number of a character, which is spelled by it."""

    def __str__(self) -> str:
        """Spell as Python does, ``ord("N")``."""
        return f'ord("{chr(self)}")'


class Case(NamedTuple):
    """A case of a function, with its certificate as JSON values."""

    flags: Flags
    certificate: Mapping[str, Json]

    @property
    def conditions(self) -> list[str]:
        """What the program of the case demands, but that it is the case."""
        given = {text for name, flag in self.flags.items() for text in _spellings(name, flag.number)}
        return [text for text in self.certificate["preconditions"] if text not in given]

    @property
    def is_asserted(self) -> bool:
        """Whether the certificate is for what the flags are."""
        stated = {*self.certificate["preconditions"]}
        return all(not stated.isdisjoint(_spellings(name, flag.number)) for name, flag in self.flags.items())


def _spellings(name: str, number: int) -> list[str]:
    """List how a condition may spell that a flag is a number, which its type may bound on one side."""
    return [f"{name} {relation} {int(number)}" for relation in ("==", "<=", ">=")]


def joined_certificate(parameters: Sequence[str], cases: Sequence[Case]) -> dict[str, Json]:
    """Put the certificates of cases together; ``parameters`` are those of the program that asks."""
    first = cases[0].certificate
    content = {
        "certificate": CERTIFICATE_VERSION,
        **{key: first[key] for key in _SHARED},
        "preconditions": [*joined_conditions(cases)],
        "entry": first["entry"],
        "parameters": [*parameters],
        "program": joined_program(parameters, cases),
        "parts": [[{name: _json(flag) for name, flag in flags.items()}, its] for flags, its in cases],
    }
    return {**content, "seal": seal_of(content)}


def _json(flag: Flag) -> list[Json]:
    others = [_told(number) for number in sorted(flag.others)]
    return [_told(flag.number), *([others, [*map(list, flag.bounds)]] if flag.others else [])]


def _told(number: int) -> int | str:
    return chr(number) if isinstance(number, Letter) else number


def flag_of(number: int | str, others: Iterable[int | str] = (), bounds: Iterable[tuple[str, int]] = ()) -> Flag:
    """Read what a flag is in a case from the JSON values of a certificate."""
    numbers = [Letter(ord(one)) if isinstance(one, str) else one for one in (number, *others)]
    return Flag(numbers[0], frozenset(numbers[1:]), tuple((relation, end) for relation, end in bounds))


def cases_in(certificate: Mapping[str, Json]) -> list[tuple[tuple[tuple[str, int], ...], Mapping[str, Json]]]:
    """List the cases that a certificate is made of: a number for each flag, and the certificate of the case."""
    return [
        (tuple((name, flag_of(*data).number) for name, data in flags.items()), its)
        for flags, its in certificate.get("parts", ())
    ]


def verify_parts(certificate: Mapping[str, Json], verify: Callable[[Mapping[str, Json]], None]) -> None:
    """Decide a certificate; where it is made of those of cases, each of them, and that it is made of them.

    Raises:
        CheckFailure: where one does not hold, or another program is made of them.

    """
    if "parts" not in certificate:
        verify(certificate)
        return
    try:
        listed = [
            Case({name: flag_of(*data) for name, data in flags.items()}, its) for flags, its in certificate["parts"]
        ]
        again = joined_certificate(certificate["parameters"], listed)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, SyntaxError) as error:
        raise CheckFailure(CERTIFICATE, f"the certificate is damaged: {error}") from None
    for case in listed:
        verify(case.certificate)
        if any(case.certificate[key] != again[key] for key in _SHARED):
            raise CheckFailure(CERTIFICATE, "the cases are not of one function")
        if not case.is_asserted:
            raise CheckFailure(CERTIFICATE, f"a case is proved for other flags than {when([case.flags])}")
    if again != certificate:
        raise CheckFailure(CERTIFICATE, "the program is not made of those of the cases")


def joined_program(parameters: Sequence[str], cases: Sequence[Case]) -> str:
    """Write the program that asks which case it is, and does what the program of that does.

    In C the program of each case asks whether it is that, as it checks what else it needs.

    Raises:
        ValueError: where names of the cases clash.

    """
    first = cases[0].certificate
    if first["target"] == "c":
        return chained(first["function"], [(case.certificate["program"], case.flags) for case in cases])
    spelled = spelled_flags(name for case in cases for name in case.flags)
    programs: dict[str, list[Flags]] = defaultdict(list)
    for case in cases:
        programs[case.certificate["program"]].append({spelled[name]: flag for name, flag in case.flags.items()})
    heads, bodies = zip(*(_split(first["entry"], text) for text in programs), strict=True)
    listed, is_all = [*programs.values()], covers([case.flags for case in cases])
    left = [
        [flags for later in listed[position:] for flags in later] if is_all else [] for position in range(len(listed))
    ]
    blocks = [
        f"if {when(flags, among)}:\n{indent(body, '    ')}"
        for flags, among, body in zip(listed, left, bodies, strict=True)
    ]
    names = [*spelled.values()]
    if is_all:
        integers = (
            f"{', '.join(names)} = {', '.join(f'int({name})' for name in names)}"  # nothing else is an "other" one
        )
        blocks = [*([integers] if len(blocks) > 1 else []), *blocks[:-1], bodies[-1]]
    else:
        blocks.append(f'raise ValueError(f"no case that is lifted: {", ".join(f"{{{name}=}}" for name in names)}")')
    body = "\n".join(blocks)
    header = f"def {first['entry']}({', '.join(parameters)}):"
    head = join_programs([*dict.fromkeys(filter(None, heads))], first["target"])
    defined = [*_defined(head), *parameters]
    if len(defined) != len(set(defined)):
        raise ValueError("different things have one name")
    return join_programs([f"{head}\n\n\n{header}\n{indent(body, '    ')}\n"], first["target"])


def spelled_flags(names: Iterable[str]) -> dict[str, str]:
    """Spell flags as Python can, ``dir_`` for ``dir``."""
    return safe_names(names, ())


def _defined(head: str) -> Iterator[str]:
    """Yield the names that imports and helpers define."""
    for node in ast.parse(head).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def _split(entry: str, program: str) -> tuple[str, str]:
    """Split a program into what stands around its function, and the body of that, without indentation."""
    lines = program.splitlines()
    function = entry_function(entry, program)
    start = next(k for k in range(function.lineno, len(lines)) if lines[k - 1].endswith(":"))
    body = [line.removeprefix("    ") for line in lines[start : function.end_lineno]]
    around = [*lines[: function.lineno - 1], *lines[function.end_lineno :]]
    return "\n".join(around).strip(), "\n".join(body)


def joined_conditions(cases: Sequence[Case]) -> dict[str, str]:
    """Give what callers must guarantee: conditions of the cases, by how they are spelled with the cases they are of.

    That it is one of the cases is spelled too, as a condition of none, unless that is so for all integers.
    """
    of = defaultdict[str, list[Flags]](list)
    for case in cases:
        for text in case.conditions:
            of[text].append(case.flags)
    all_flags = [case.flags for case in cases]
    known = {} if covers(all_flags) else {when(all_flags): ""}
    return known | {_where(text, flags, all_flags): text for text, flags in of.items()}


def _where(text: str, flags: Sequence[Flags], all_flags: Sequence[Flags]) -> str:
    """Spell a condition of some cases, by those or by the others, whichever is shorter."""
    others = [case for case in all_flags if case not in flags]
    if not others:
        return text
    return min(f"where {when(flags, all_flags)}: {text}", f"unless {when(others, all_flags)}: {text}", key=len)


def covers(cases: Sequence[Flags]) -> bool:
    """Tell whether integers are always those of one of the cases."""
    if not cases or not all(cases):
        return bool(cases)
    name = next(iter(cases[0]))
    if any(name not in case for case in cases):
        return False
    parts: dict[Flag, list[Flags]] = defaultdict(list)
    for case in cases:
        parts[case[name]].append({key: flag for key, flag in case.items() if key != name})
    others = [flag.others for flag in parts if flag.others and not flag.bounds]
    return others == [frozenset(flag.number for flag in parts if not flag.others)] and all(map(covers, parts.values()))


def when(cases: Sequence[Flags], among: Sequence[Flags] = ()) -> str:
    """Spell in Python that it is one of some cases, where it is known to be one among some.

    What is told of a flag by itself comes first, then what is told of the others together.
    """
    free: list[str] = []
    left = _distinct(cases)
    known = {name: {case.get(name) for case in among} for case in among for name in case}
    for name in [*left[0]] if all(case.keys() == left[0].keys() for case in left) else ():
        values = dict.fromkeys(case[name] for case in left)
        rest = _distinct(_without(case, name) for case in left)
        if len(values) * len(rest) == len(left):
            free += [] if values.keys() == known.get(name) else [_one_of(name, [*values])]
            left = rest
    names = [*left[0]]
    if any(case.keys() != left[0].keys() or any(flag.others for flag in case.values()) for case in left):
        each = (" and ".join(_one_of(name, [flag]) for name, flag in case.items()) for case in left)
        listed = " or ".join(f"({one})" for one in each)
        free.append(f"({listed})" if free else listed)
    elif names:
        numbers = (f"({', '.join(str(case[name].number) for name in names)})" for case in left)
        free.append(f"({', '.join(names)}) in ({', '.join(numbers)})")
    return " and ".join(free)


def _distinct(cases: Iterable[Flags]) -> list[Flags]:
    return [*{tuple(case.items()): case for case in cases}.values()]


def _without(case: Flags, name: str) -> Flags:
    return {key: flag for key, flag in case.items() if key != name}


def _one_of(name: str, flags: Sequence[Flag]) -> str:
    """Spell that a flag is one of those that it is in some cases."""
    numbers = sorted(flag.number for flag in flags if not flag.others)
    for flag in (flag for flag in flags if flag.others):
        if flag.bounds and numbers:
            return f"({_one_of(name, [Flag(number) for number in numbers])} or {_one_of(name, [flag])})"
        among = _among(name, sorted(flag.others - {*numbers}), ("!=", "not in"))
        return " and ".join([*(f"{name} {relation} {end}" for relation, end in flag.bounds), among])
    return _among(name, numbers, ("==", "in"))


def _among(name: str, numbers: Sequence[int], spelled: tuple[str, str]) -> str:
    one, several = spelled
    return f"{name} {one} {numbers[0]}" if len(numbers) == 1 else f"{name} {several} ({', '.join(map(str, numbers))})"
