"""The function around a program in C, read back: it must call the program only where everything that it needs holds.

The text is compared line by line.  Its shape is fixed; what may vary are the declarations, which must be the same for
the original, the conditions, of which none may be missing, and the arguments, which must be those of the source.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.contract.language import AnyOf, Compare, Condition, Distinct, NotNull, Separate, Sum
from tensorlift.contract.notation import parse_condition, parse_sum
from tensorlift.ir.function import base_type
from tensorlift.ir.structures import MEMBER, guarded, is_member, read_structures, structure_of, type_of_place
from tensorlift.ops.dtypes import DType, is_integer
from tensorlift.poly.domain import UNIVERSE, Domain, at_least
from tensorlift.proofs.conditions import on_sizes
from tensorlift.proofs.failure import GUARD, CheckFailure
from tensorlift.proofs.unit import Unit, check_declarations
from tensorlift.targets.c.pragmas import LEAST
from tensorlift.targets.c.scalars import C_FUNCTIONS
from tensorlift.targets.c.signature import by_names, distinct, is_apart, lies_in, notations_of, quotients_of
from tensorlift.targets.c.text import APART, KEYWORDS, ORIGINAL, PROGRAM, THREADED, THREADS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.comprehension.definition import ArrayInfo, Summary
    from tensorlift.ir.structures import Structures
    from tensorlift.proofs.summaries import ReadBack, Strides


_C_NAMES: dict[DType, str] = {
    "f64": "double", "f32": "float", "f16": "_Float16",
    "i8": "signed char", "u8": "unsigned char", "i16": "short",
    "u16": "unsigned short", "i32": "int", "u32": "unsigned int", "i64": "long", "u64": "unsigned long",
    "bool": "_Bool",
}  # fmt: skip
_SAME: dict[DType, tuple[str, ...]] = {
    "i8": ("char",),
    "i64": ("long long",),
    "u64": ("unsigned long long",),
}  # other names of the same types
# Types that a number may be returned as; the source's truth values are bytes of the program that are 0 or 1.
_RESULTS = {_C_NAMES[dtype]: names for dtype, names in {**_SAME, "u8": ("_Bool",)}.items()}
_INTEGERS = {name for dtype, one in _C_NAMES.items() if is_integer(dtype) for name in (one, *_SAME.get(dtype, ()))}
_RESERVED = frozenset({"apart", "on_threads", "calloc", "free", "main", "result", "NULL", "INT_MAX", "uintptr_t"})
_FITS = re.compile(r"(const )?((signed |unsigned )?char|(unsigned )?short|int)\b")  # an int holds all values
_CALL = re.compile(r"(?:const [\w ]+ result = |return )?(\w+)\((.*)\);")
_UNSIGNED = re.compile(r"unsigned\b|size_t$|uint\d+_t$")
_PLAIN = r"[\w ()+*/.>&-]*"  # sums, products and quotients of what C reaches
_APART = re.compile(rf"apart\({_PLAIN}, {_PLAIN}, {_PLAIN}, {_PLAIN}\)")
_CALLED = re.compile(r"\b(?!sizeof\b)\w+ ?\(")
_LEAST = re.compile(rf"{LEAST} > \d+")  # from which sizes on the program is called
_GROUP = re.compile(r"\(([^()]*)\)")
_ALLOCATION = re.compile(rf"\((\w+) = calloc\(\(size_t\)1 \* ({_PLAIN}), sizeof\(([\w ]+)\)({_PLAIN})\)\) != NULL")


@dataclass(frozen=True, slots=True)
class Caller:
    """What the function around a program must be: how C reaches what the program takes, and what that demands."""

    places: Mapping[str, str]
    strides: Mapping[str, Strides]
    preconditions: Sequence[str]
    structures: tuple[str, ...] = ()


def check_entry(unit: Unit, program: ReadBack, summary: Summary, caller: Caller) -> int:
    """Demand that the function with the signature of the source calls a program rightly; return how much it checks.

    Raises:
        CheckFailure: where its shape is not the known one, a condition is missing or an argument is wrong.

    """
    reading = _Reading(unit, program, summary, caller)
    reading.check()
    return len(reading.tests)


class _Reading:
    def __init__(self, unit: Unit, program: ReadBack, summary: Summary, caller: Caller) -> None:
        self.program = program
        self.summary = summary
        self.caller = caller
        self.quotients = quotients_of(summary)
        self.notations = notations_of(summary, self.quotients)
        self.members = {place: name for name, place in caller.places.items() if is_member(place)}
        self.roots: dict[str, str] = {}  # parameters that are or point to structures, with their types
        self.result = unit.result
        self.line = unit.line + 1
        self.lines = list(unit.rest)
        self.tests: list[str] = []
        self.types: dict[str, str] = {}  # what C declares numbers and the elements of arrays as

    def _take(self) -> str:
        if not self.lines:
            raise self._failure("the text ends early")
        self.line += 1
        return self.lines.pop(0)

    def _expect(self, *wanted: str) -> None:
        for line in wanted:
            if self._take() != line:
                raise self._failure(f"'{line.strip()}' is expected here")

    def _failure(self, reason: str) -> CheckFailure:
        return CheckFailure(GUARD, f"the function around the program: {reason}", self.line - 1)

    def check(self) -> None:
        name = self.summary.name
        self._expect("")
        structures = self._structures()
        first = self._take()
        head, bracket, rest = first.partition(f"{name}{ORIGINAL}(")
        if not bracket or not rest.endswith(");"):
            raise self._failure("the original is not declared")
        declared = [part for part in (part.strip() for part in _split(rest[:-2])) if part != "void"]
        names = [_declared_name(part) for part in declared]
        self._check_declared(head, names, declared, structures)
        self._expect("", *APART, "")
        if self.lines[: len(THREADS)] == list(THREADS):
            self._expect(*THREADS, "")
        self._expect(f"{head}{name}({rest[:-1]}", "{")
        scratch = self._scratch()
        self._conditions()
        self._body(names, scratch, returns=head.strip() != "void")
        if self.lines:
            raise self._failure("more than one function around the program")
        self._check_tests(dict(zip(names, declared, strict=True)), scratch)

    def _structures(self) -> Structures:
        """Demand that structures are declared as they are in the source."""
        try:
            found = read_structures(self.caller.structures)
        except ValueError as error:
            raise self._failure(f"'{error}' declares no structure") from None
        taken = {word for name in found for word in name.split()} & {*_RESERVED, *C_FUNCTIONS, *KEYWORDS}
        if taken - {"struct"}:
            raise self._failure(f"{min(taken - {'struct'})} is no name of a structure")
        for text in self.caller.structures:
            self._expect(*guarded(text), "")
        return found

    def _check_declared(self, head: str, names: Sequence[str], declared: Sequence[str], structures: Structures) -> None:
        """Demand that the result and all parameters are of the types that the source has."""
        reserved = {f"{self.summary.name}{part}" for part in (ORIGINAL, PROGRAM)} | _RESERVED
        if not any(" result = " in line for line in self.lines):  # the variable of a number that is returned
            reserved.remove("result")
        known = head.endswith(" ") and head[:-1] in {self.result, *_RESULTS.get(self.result, ())}
        if not known or self.summary.name in _RESERVED | C_FUNCTIONS:
            raise self._failure(f"'{head.strip()}' is not what the program returns, or it has a name of C's own")
        types = {name: declaration[: -len(name)].strip() for name, declaration in zip(names, declared, strict=True)}
        self.roots = {name: ctype for name, ctype in types.items() if structure_of(ctype) in structures}
        plain = [text for name, text in zip(names, declared, strict=True) if name not in self.roots]
        own = check_declarations(plain, self.line - 1) if plain else set()
        if own != set(names) - self.roots.keys() or len(set(names)) != len(names):
            raise self._failure("the parameters are not declared one by one")
        if reserved & set(names):
            raise self._failure(f"{min(reserved & set(names))} is no name of a parameter")
        arrays = self.summary.arrays
        for name, declaration in zip(names, declared, strict=True):
            if name in self.roots:
                self._check_root(name)
                continue
            before = re.split(rf"\b{name}\b", declaration, maxsplit=1)[0]
            base = " ".join(word for word in before.strip(" (*").split() if word != "const")
            is_pointer = "*" in before
            if is_pointer != (name in arrays) and name in {*arrays, *self.summary.scalars, *self.summary.sizes}:
                raise self._failure(f"{name} is no array, or one")
            self._check_type(name, base)
            self.types[name] = base
        self._check_members(structures)

    def _check_type(self, name: str, base: str) -> None:
        """Demand that a number, or the elements of an array, are declared as they are in the source."""
        arrays = self.summary.arrays
        dtype = arrays[name].dtype if name in arrays else self.summary.scalars.get(name)
        is_size = name in self.summary.sizes and base not in _INTEGERS
        if is_size or (dtype is not None and base not in (_C_NAMES[dtype], *_SAME.get(dtype, ()))):
            raise self._failure(f"{name} is of another type in the source")

    def _check_root(self, name: str) -> None:
        if self.roots[name].count("*") > 1 or name in {
            *self.summary.arrays, *self.summary.scalars, *self.summary.sizes,
        }:  # fmt: skip
            raise self._failure(f"{name} is no structure, and points to none")

    def _check_members(self, structures: Structures) -> None:
        """Demand that what C reaches through structures is there, and of the types that the source has."""
        for place, name in self.members.items():
            found = type_of_place(place, self.roots, structures)
            is_array = name in self.summary.arrays
            is_memory = found is not None and (found.is_pointer != place.startswith("&"))
            if found is None or is_memory != is_array or not (is_array or found.is_number):
                raise self._failure(f"{place} is not what {name} is")
            self._check_type(name, found.base)
            self.types[place] = found.base

    # -- the body

    def _scratch(self) -> list[str]:
        found = []
        while (match := re.fullmatch(r"  [\w ]+ \*(\w+) = NULL;", self.lines[0] if self.lines else "")) is not None:
            self._take()
            found.append(match[1])
        return found

    def _conditions(self) -> None:
        line = self._take()
        while True:
            match = re.fullmatch(r"  if (\()(.*)" if not self.tests else r"      (&&?) (.*)", line)
            is_known = match is not None and (match[1] != "&" or (is_apart(self.tests[-1]) and is_apart(match[2])))
            if match is None or not is_known:
                raise self._failure("a condition of unknown form")
            if match[2].endswith(") {"):
                self.tests.append(match[2][:-3])
                return
            self.tests.append(match[2])
            line = self._take()

    def _body(self, names: Sequence[str], scratch: Sequence[str], *, returns: bool) -> None:
        name = self.summary.name
        call = self._take().strip()
        match = _CALL.fullmatch(call)
        if match is None or match[1] != f"{name}{PROGRAM}" or ("=" in call or call.startswith("return ")) != returns:
            raise self._failure("the program is not called")
        self._check_arguments(_split(match[2]) if match[2] else [], scratch)
        kept = "=" in call
        self._expect(*(f"    free({one});" for one in scratch), *(["    return result;"] if kept else []))
        if not kept and scratch and returns:
            raise self._failure("scratch memory is not freed")
        original = f"{'return ' if returns else ''}{name}{ORIGINAL}({', '.join(names)});"
        self._expect("  } else {", *(f"    free({one});" for one in scratch), f"    {original}", "  }", "}")

    def _check_arguments(self, given: Sequence[str], scratch: Sequence[str]) -> None:
        """Demand that each parameter of the program is given what it is in the source, in the program's order."""
        arrays = self.program.summary.arrays
        for parameter, argument in zip(self.program.view.parameters, given, strict=False):
            wanted = self.caller.places.get(parameter.name)
            if wanted is None:
                cast = "(void *)" * (len(parameter.extents or ()) > 1)  # to a pointer to rows
                wanted = f"{cast}{parameter.name}" if parameter.name in scratch else ""
            elif parameter.name in arrays:
                if base_type(parameter.c_type) != self.types.get(wanted):  # C's compilers take those to be apart
                    raise self._failure(f"{parameter.name} is an array of another type in the source")
                wanted = f"(void *){wanted}"
            if argument.strip() != wanted:
                raise self._failure(f"the program's {parameter.name} is given {argument.strip()}")
        if len(given) != len(self.program.view.parameters):
            raise self._failure("the program is given another number of arguments")

    # -- conditions

    def _check_tests(self, declared: Mapping[str, str], scratch: Sequence[str]) -> None:
        conditions = {test: self._condition(test) for test in self.tests}
        known = {str(condition) for condition in conditions.values() if condition is not None}
        for test, condition in conditions.items():
            if condition is None and not self._is_of_memory(test) and self.tests != ["1"]:
                raise self._failure(f"a condition of unknown form, {test}")
        for text in self.caller.preconditions:
            condition = parse_condition(text)
            if isinstance(condition, NotNull):
                missing = f"{self.caller.places[condition.array]} != NULL" not in self.tests
            elif isinstance(condition, Distinct):
                ends = (self.caller.places[name] for name in (condition.array, condition.other))
                missing = distinct(*ends) not in self.tests
            else:
                missing = not isinstance(condition, Separate) and str(condition) not in known
            if missing:
                raise self._failure(f"nothing checks that {text}")
        for size in self.summary.sizes:
            place = self.caller.places[size]
            fits = _FITS.match(self.types[place] if place in self.members else declared.get(place, "")) is not None
            if not fits and f"{place} <= INT_MAX" not in self.tests:
                raise self._failure(f"nothing checks that an int holds {place}")
        self._check_divided(conditions)
        self._check_apart()
        self._check_structures()
        self._check_scratch(scratch)
        late = [k for k, test in enumerate(self.tests) if is_apart(test) or " = calloc(" in test]
        if late and late != list(range(late[0], len(self.tests))):
            raise self._failure("memory is looked at before the sizes")

    def _check_divided(self, conditions: Mapping[str, Condition | None]) -> None:
        """Demand that nothing is divided by a size before it is known to be positive."""
        types = {size: self.types.get(place, "") for size, place in self.caller.places.items()}
        known = Domain.of(*(at_least(size, 0) for size in self.summary.sizes if _UNSIGNED.match(types.get(size, ""))))
        divisors = [at_least(size.divisor, 1) for size in self.summary.derived]
        for test, condition in conditions.items():
            if "/" in test and not known.implies(*divisors):
                raise self._failure(f"nothing checks before that sizes can be divided, {test}")
            if condition is not None:
                known = known & (on_sizes(condition, self.summary) or UNIVERSE)

    def _condition(self, test: str) -> Condition | None:
        """Read a test as a condition on the names of the source; None where it is none."""
        text = self._by_names(test, self.notations)
        if _is_in_parentheses(text):
            text = text[1:-1].replace("&&", "and").replace("||", "or")
        text = text.replace(" * ", "*")
        return None if "&&" in text or "=" not in text or "NULL" in text or "INT_MAX" in text else _parsed(text)

    def _is_of_memory(self, test: str) -> bool:
        """Tell whether a test is one of pointers, of the range or the least of a size, or takes scratch memory."""
        places = {*self.caller.places.values(), *self.roots}
        for ending in (" != NULL", " <= INT_MAX"):
            if test.endswith(ending) and test.removesuffix(ending) in places:
                return True
        if test == THREADED or test in {distinct(*pair) for pair in itertools.permutations(places, 2)}:
            return True
        if _LEAST.fullmatch(test) is not None:
            return set(re.findall(r"[A-Za-z_]\w*", self._by_names(test, {}))) <= {*self.summary.sizes, "double"}
        if _CALLED.search(test.partition("calloc(" if "calloc(" in test else "apart(")[2]):
            return False
        return _APART.fullmatch(test) is not None or _ALLOCATION.fullmatch(test) is not None

    def _check_apart(self) -> None:
        """Demand that each written array is apart from all others."""
        mine, places = self.program.summary, self.caller.places
        written = [name for name, _ in mine.outputs]
        arrays = [name for name, info in mine.arrays.items() if info.is_parameter and name in places]
        for position, name in enumerate(arrays):
            for other in arrays[position + 1 :]:
                if name not in written and other not in written:
                    continue
                if not any(self._is_apart(test, name, other, places) for test in self.tests):
                    raise self._failure(f"nothing checks that {name} and {other} are apart")

    def _check_structures(self) -> None:
        """Demand that pointers are there before anything is reached by them, and that what is read stays as it is.

        The program reads members once, the source wherever it says so.  What is written lies apart from the whole
        structure, or is another member of one of the same type, which is the same structure or apart.
        """
        arrays, places = self.program.summary.arrays, self.caller.places
        written = [name for name, _ in self.program.summary.outputs if arrays[name].is_parameter and name in places]
        starts = {place.partition("->")[0].removeprefix("&") for place in self.members if "->" in place}
        first = next((k for k, test in enumerate(self.tests) if "->" in test), len(self.tests))
        if not {f"{root} != NULL" for root in starts} <= {*self.tests[:first]}:
            raise self._failure(f"nothing checks that {', '.join(sorted(starts))} are there before they are looked at")
        for root in sorted(starts):
            if not any(place.startswith(f"{root}->") for place in self.members):
                continue
            for name in written:
                if lies_in(places[name], root, self.roots):
                    continue
                if not any(self._is_apart_from(test, name, root) for test in self.tests):
                    raise self._failure(f"nothing checks that {name} and the structure {root} are apart")

    def _is_apart_from(self, test: str, name: str, root: str) -> bool:
        parts = [part.strip() for part in _split(test[6:-1])] if is_apart(test) else []
        wanted = [self.caller.places[name], root, f"sizeof(*{root})"]
        return [*parts[:1], *parts[2:]] == wanted and self._covers(parts[1], self.summary.arrays[name], name)

    def _is_apart(self, test: str, name: str, other: str, places: Mapping[str, str]) -> bool:
        if not is_apart(test):
            return False
        parts = [part.strip() for part in _split(test[6:-1])]
        if len(parts) != 4 or [parts[0], parts[2]] != [places[name], places[other]]:  # noqa: PLR2004 - two of each
            return False
        return all(
            self._covers(text, self.summary.arrays[array], array)
            for text, array in ((parts[1], name), (parts[3], other))
        )

    def _covers(self, text: str, info: ArrayInfo, name: str) -> bool:
        """Tell whether a number of bytes is the distance from the first to behind the last element."""
        size = f"sizeof({_C_NAMES[info.dtype]})"
        if not text.startswith(size):
            return False
        strides = self.caller.strides.get(name)
        if strides is None:
            wanted = _product(map(str, info.shape))
        else:
            wanted = Sum.number(1)
            for extent, stride in zip(info.shape, strides, strict=True):
                wanted = wanted + parse_sum(str(extent - 1)) * parse_sum(by_names(stride, self.summary))
        given = self._polynomial(text[len(size) :].removeprefix(" * ") or "1")
        return (given is not None and _same(given, wanted)) or self._at_least_rows(given, info, strides)

    def _at_least_rows(self, given: Sum | None, info: ArrayInfo, strides: Strides | None) -> bool:
        """Tell whether the bytes are those of whole rows, gaps included."""
        if given is None or strides is None or len(strides) != 2 or strides[1] != "1":  # noqa: PLR2004 - a matrix
            return False
        return _same(given, parse_sum(str(info.shape[0])) * parse_sum(by_names(strides[0], self.summary)))

    def _polynomial(self, text: str) -> Sum | None:
        """Evaluate a product of sums over the names of the source, in which C computes in 64 bits or wider."""
        if not _is_wide_product(self._by_names(text, self.quotients, "(wide)")):
            return None
        try:
            return parse_sum(self._by_names(text, self.quotients).replace(" ", ""))
        except (ValueError, SyntaxError):
            return None

    def _by_names(self, text: str, quotients: Mapping[str, str], cast: str = "") -> str:
        """Put the names of the source in place of what C reaches them by, and something in place of conversions."""
        text = MEMBER.sub(lambda found: self.members.get(found[0], found[0]), text)
        for name, place in sorted(quotients.items(), key=lambda entry: -len(entry[1])):
            text = text.replace(place, name)
        return text.replace("(ptrdiff_t)", cast)

    def _check_scratch(self, scratch: Sequence[str]) -> None:
        """Demand that scratch memory is as large as the program says."""
        found = {match[1]: match for test in self.tests if (match := _ALLOCATION.fullmatch(test)) is not None}
        wanted = {p.name for p in self.program.view.parameters if p.name not in self.caller.places}
        if set(found) != set(scratch) or wanted != set(scratch):
            raise self._failure("scratch memory is not what the program takes")
        for name, match in found.items():
            info = self.program.summary.arrays[name]
            given = self._polynomial(f"{match[2]}{match[4]}")
            if given is None or match[3] != _C_NAMES[info.dtype] or not _same(given, _product(map(str, info.shape))):
                raise self._failure(f"{name} is too small")


def _parsed(text: str) -> Condition | None:
    try:
        condition = parse_condition(text)
    except (ValueError, SyntaxError):
        return None
    return condition if isinstance(condition, Compare | AnyOf) else None


def _is_wide_product(text: str) -> bool:
    """Tell whether a text is a product, and every product in parentheses in it has a factor that was widened."""
    while (group := _GROUP.search(text)) is not None:
        inner = group[1]
        terms = re.split(r" [+-] ", inner)
        if any("*" in term and "wide" not in term for term in terms):
            return False
        text = f"{text[: group.start()]} {'wide' if 'wide' in inner else 'group'} {text[group.end() :]}"
    return re.search(r"[+-]", text) is None


def _is_in_parentheses(text: str) -> bool:
    """Tell whether the parenthesis that opens a text closes at its end."""
    depths = itertools.accumulate({"(": 1, ")": -1}.get(character, 0) for character in text)
    return text.startswith("(") and next((k for k, depth in enumerate(depths) if depth == 0), 0) == len(text) - 1


def _product(texts: Iterable[str]) -> Sum:
    total = Sum.number(1)
    for text in texts:
        total = total * parse_sum(text)
    return total


def _same(left: Sum, right: Sum) -> bool:
    return not (left - right).terms


def _declared_name(text: str) -> str:
    """Find the name in a declaration such as ``double (*a)[n]`` or ``const int *x``."""
    pointed = re.search(r"\(\*(\w+)\)", text)
    found = pointed or re.search(r"(\w+)$", text)
    return found[1] if found else ""


def _split(text: str) -> list[str]:
    """Split at the commas outside of parentheses and brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
