"""Changes of texts in C and MLIR, by tokens and by lines."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.targets.c.scalars import C_FUNCTIONS, C_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from tensorlift.targets.target import Target

    Changes = dict[str, list[Callable[[], str | None]]]
    Edit = tuple[str, int, int, str]  # its kind, the part of the text that goes, what comes

_TOKEN = re.compile(
    r"(?P<name>%[\w$]+(?:#\d+)?)|(?P<by>(?<=[?\d])x(?=[?\d]|(?:[fiu]|ui)\d|index))|(?P<word>[A-Za-z_][\w.]*)"
    r"|(?P<number>\d+\.\d*(?:[eE][+-]?\d+)?f?|\d+(?:UL|U|L)?)"
    r"|(?P<sign><<|>>|&&|\|\||\+\+|--|->|[-+*/%&|^<>=!]=|[-+*/%&|^<>=!~?])"
)
_SIGNS = {
    "+": "-*", "-": "+*", "*": "+/", "/": "*%", "%": "/*", "&": "|^", "|": "&^", "^": "|", "<<": (">>",), ">>": ("<<",),
    "<": ("<=", ">"), "<=": ("<", "=="), ">": (">=", "<"), ">=": (">", "=="), "==": ("!=", "<="), "!=": ("==",),
    "&&": ("||",), "||": ("&&",), "++": ("--",), "--": ("++",), "+=": ("-=", "=", "*="), "-=": ("+=", "="),
    "*=": ("+=", "="), "/=": ("*=",), "=": ("+=",), "?": ("2",), "!": ("~",), "~": ("!", "-"),
}  # fmt: skip
_TYPES = ("f64", "f32", "i64", "i32", "i16", "i8", "i1", "index", "ui8", "ui32")
# Words that stand for each other: each may become any other of its group.
_OF_MLIR = (
    "addf subf mulf divf maximumf maxnumf", "minimumf maximumf minnumf maxnumf", "addi subi muli", "andi ori xori",
    "divsi floordivsi remsi", "maxsi minsi", "shli shrsi", "extsi extui", "sitofp uitofp", "negf absf", "floor ceil",
    "olt ole ogt oge oeq une ult uge", "slt sle sgt sge eq ne ult", "parallel reduction", "d0 d1 d2", "s0 s1 s2",
    "matmul contract", "vecmat matvec", "fill broadcast", "f64 f32 i64 i32", " ".join(_TYPES[2:]),
    "GE GT LE LT EQ NE", "SIGNED UNSIGNED FLOAT TOTALORDER", "true false", "add subtract multiply divide",
    "maximum minimum", "and or xor", "floor ceil round_nearest_even round_nearest_afz", "abs negate not",
    "shift_left shift_right_arithmetic shift_right_logical", "remainder divide", "slice real_dynamic_slice",
    "iota dynamic_iota", "low high interior edge_padding_low edge_padding_high", "ceildiv floordiv mod",
)  # fmt: skip
_OF_C = (
    *(" ".join(sorted(kind)) for kind in ({"int", "long", "short", "float", "double", "ptrdiff_t", "size_t"},)),
    "signed unsigned", "char short int", "floor ceil rint round trunc", "fmin fmax", "fminf fmaxf", "exp exp2 expm1",
    "fmod pow atan2", "fabs sqrt", "if while", "break continue return", "CblasTrans CblasNoTrans",
    "CblasUpper CblasLower", "CblasLeft CblasRight", "CblasUnit CblasNonUnit", "CblasRowMajor CblasColMajor",
    "INFINITY NAN 0", "static extern", "const volatile",
)  # fmt: skip
_IN_FRONT = (
    "(int)",
    "(float)",
    "(long)",
    "(unsigned char)",
    "(signed char)",
    "(unsigned int)",
    "(double)",
    "-",
    "!",
    "~",
)
_ROUTINES = ("dgemm", "dgemv", "dger", "dsyrk", "dtrmm", "dsymm", "ddot", "daxpy", "dscal", "sgemm", "sgemv", "sdot")
_LINES_OF_C = (
    "  break;", "  continue;", "  return;", "  n = n - 1;", "  ;", "static double twice(double x) { return 2 * x; }",
    "#define exp log", '#pragma GCC optimize("fast-math")', "  static int seen = 0;", "__attribute__((constructor))",
    "#pragma omp parallel for", "#include <math.h>", "  int i = 0;",
)  # fmt: skip
_ATTRIBUTES = (" fastmath<fast>", " overflow<nsw>", " {unsigned = true}", " {precision_config = 1 : i32}")
_ILL_TYPED = "types or structure"
_MOST = 4  # names that stand for one


def mlir_changes(text: str, target: Target, rng: Random) -> Changes:
    """List the changes of a program in MLIR by kind; most that would not be well typed are one kind."""
    start = max(text.find("func.func"), 0)
    types = _types_of_names(text)
    edits = [*_operand_edits(text, r"%[\w$]+"), *_line_edits(text, ()), *_operation_edits(text, target, rng)]
    for kind, place, end, new in _token_edits(text, start, _groups(_OF_MLIR), rng):
        old = text[place:end]
        in_type = old in _TYPES or (old.isdigit() and text[place - 1] in "<x" and text[end] == "x")
        if in_type or kind == "sign":
            edits.append((_ILL_TYPED, place, end, new))
        elif kind != "name":
            edits.append((kind, place, end, new))
    for use in re.finditer(r"%[\w$]+", text[start:]):
        place, end, name = start + use.start(), start + use.end(), use[0]
        alike = [one for one, of in types.items() if one != name and of == types.get(name)]
        others = alike or list(types)
        edits += [("name" if alike else _ILL_TYPED, place, end, one) for one in rng.sample(others, min(2, len(others)))]
        edits += _detours(text, place, end, types.get(name, ""), rng)
    edits += [
        (_ILL_TYPED, start + m.start(), start + m.start(), rng.choice(_ATTRIBUTES))
        for m in re.finditer(r" : ", text[start:])
    ]
    return _by_kind(text, [(_ILL_TYPED if "line" in k else k, a, b, new) for k, a, b, new in edits])


def _operation_edits(text: str, target: Target, rng: Random) -> Iterator[Edit]:
    """Put operations of a dialect that take the same operands for each other."""
    for word in re.finditer(r"\b[a-z]+\.\w+", text):
        row = target.rows.get(word[0])
        if row is None:
            continue
        kinds = [p.kind for p in row.parameters]
        alike = [o.spelling for o in target.rows.values() if o is not row and [p.kind for p in o.parameters] == kinds]
        dialect = word[0].partition(".")[0]
        near = [one for one in alike if one.startswith(dialect)]
        if near:
            yield "operation", word.start(), word.end(), rng.choice(near)


def _types_of_names(text: str) -> dict[str, str]:
    """Give the types of the names of a text, as far as their lines tell."""
    found = dict(re.findall(r"(%[\w$]+): ([\w<>?]+)", text))
    for line in text.splitlines():
        defined = re.match(r"\s*(%[\w$]+) = .*(?:->|:) ([\w<>?]+)$", line)
        if defined:
            found[defined[1]] = defined[2]
    return found


def _detours(text: str, start: int, end: int, of: str, rng: Random) -> Iterator[Edit]:
    """Let a value be converted to another type and back, or negated, in front of the line that uses it."""
    line = text.rfind("\n", 0, start) + 1
    element = re.search(r"(ui\d+|[fi]\d+)>?$", of)
    if element is None or "=" not in text[line:start]:
        return
    via = rng.choice([one for one in ("i8", "i16", "i32", "i64", "f32", "f64") if one != element[1]])
    name, other = text[start:end], of.replace(element[1], via)
    if "stablehlo" in text:
        there = (
            f"%put = stablehlo.convert {name} : ({of}) -> {other}\n  %back = stablehlo.convert %put : ({other}) -> {of}"
        )
        twice = f"%put = stablehlo.negate {name} : {of}\n  %back = stablehlo.add %put, {name} : {of}"
    elif "tensor" in of or element[1].startswith("u"):  # a type that a change made
        return
    else:
        there = f"%put = {_conversion(element[1], via, rng)} {name} : {of} to {other}\n  "
        there += f"%back = {_conversion(via, element[1], rng)} %put : {other} to {of}"
        kind = "f" if of[0] == "f" else "i"
        twice = f"%put = arith.add{kind} {name}, {name} : {of}\n  %back = arith.sub{kind} {name}, %put : {of}"
    yield "conversions put in", line, end, f"  {there}\n{text[line:start]}%back"
    yield "operations put in", line, end, f"  {twice}\n{text[line:start]}%back"


def _conversion(one: str, other: str, rng: Random) -> str:
    """Return an operation of MLIR that converts from one type to another."""
    longer = int(other[1:]) > int(one[1:])
    if one[0] == other[0] == "f":
        return "arith.extf" if longer else "arith.truncf"
    if one[0] == other[0]:
        return rng.choice(["arith.extsi", "arith.extui"]) if longer else "arith.trunci"
    return "arith.fptosi" if one[0] == "f" else rng.choice(["arith.sitofp", "arith.uitofp"])


def c_changes(text: str, _target: Target, rng: Random) -> Changes:
    """List the changes of a program in C by kind."""
    edits = [*_token_edits(text, 0, _groups(_OF_C), rng), *_operand_edits(text, r"[\w.\[\]]+")]
    types = "|".join(re.escape(spelled) for spelled in (*C_TYPES.values(), "void *"))
    edits += [("cast left out", m.start(), m.end(), "") for m in re.finditer(rf"\((?:{types})\)", text)]
    words = r"\b(?:restrict|const|static|unsigned|return)\b ?"
    edits += [("word left out", m.start(), m.end(), "") for m in re.finditer(words, text)]
    body = max(text.find("{"), 0)
    for match in re.finditer(r"\b(?:[A-Za-z_]\w*|\d[\d.]*)\b", text[body:]):
        place = body + match.start()
        edits.append(("operator in front", place, place, rng.choice(_IN_FRONT)))
    for match in re.finditer(r"\b\w+(?=\()", text):
        if match[0] in C_FUNCTIONS:
            edits.append(("function", match.start(), match.end(), rng.choice(sorted(C_FUNCTIONS))))
        elif match[0].startswith("cblas_"):
            place = match.start() + len("cblas_")
            edits.append(("function", place, place + 1, "s" if text[place] == "d" else "d"))
            edits.append(
                ("function", match.start(), match.end(), rng.choice(["cblas_dgemm", "cblas_dsyrk", "cblas_dgemv"]))
            )
    edits += [
        ("subscripts", m.start(), m.end(), f"[{m[2]}][{m[1]}]") for m in re.finditer(r"\[([^][]+)\]\[([^][]+)\]", text)
    ]
    return _by_kind(text, [*edits, *_line_edits(text, _LINES_OF_C)])


def _by_kind(text: str, edits: Sequence[Edit]) -> Changes:
    found: Changes = defaultdict(list)
    for kind, start, end, new in edits:
        found[kind].append(partial(_edited, text, start, end, new))
    return found


def _edited(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]


def _groups(lists: Sequence[str]) -> dict[str, list[str]]:
    """Give for each word those that may stand for it."""
    found: dict[str, list[str]] = defaultdict(list)
    for group in map(str.split, lists):
        for word in group:
            found[word] += [other for other in group if other != word]
    return found


def _token_edits(text: str, start: int, words: dict[str, list[str]], rng: Random) -> Iterator[Edit]:
    tokens = list(_TOKEN.finditer(text, start))
    used = [token[0].partition("#")[0] for token in tokens if token["name"] or token["word"]]
    names = [name for name in dict.fromkeys(used) if name not in words and "." not in name]
    for token in tokens:
        dialect, dot, word = token[0].rpartition(".")
        for kind, new in _others(token, word, words, names, rng):
            yield kind, token.start(), token.end(), dialect + dot + new if kind == "word" else new


def _others(
    token: re.Match[str], word: str, words: dict[str, list[str]], names: Sequence[str], rng: Random
) -> Iterator[tuple[str, str]]:
    if token["number"]:
        yield from (("number", new) for new in _numbers(token[0]))
    elif token["sign"]:
        yield from (("sign", new) for new in _SIGNS.get(token[0], ()))
    elif word in words:
        yield from (("word", new) for new in words[word])
    elif (name := token[0].partition("#")[0]) in names:
        place = names.index(name)
        near = [*names[max(place - 2, 0) : place], *names[place + 1 : place + 3]]
        same = [other for other in names if other[0] == name[0]]
        yield from (("name", new) for new in [*near, *rng.sample(same, min(_MOST, len(same)))] if new != name)
        if token[0][-2:] in {"#0", "#1"}:
            yield "result", f"{token[0][:-1]}{1 - int(token[0][-1])}"


def _numbers(text: str) -> list[str]:
    """Return the neighbours of a number, its opposite, and others of another size or type."""
    digits = text.rstrip("fUL")
    rest = text[len(digits) :]
    if "." in digits:
        value = float(digits)
        return [
            f"{value + 1}{rest}",
            f"-{digits}{rest}",
            f"{value * (1 + 1e-7)}{rest}",
            digits if rest else f"{digits}f",
        ]
    whole = int(digits)
    return [str(whole + 1) + rest, *([str(whole - 1) + rest] if whole else []), f"-{text}", "0", str(whole + (1 << 32))]


def _operand_edits(text: str, operand: str) -> Iterator[Edit]:
    for match in re.finditer(rf"({operand}), ({operand})(?=[,)\s])", text):
        yield "operands", match.start(), match.end(), f"{match[2]}, {match[1]}"


def _line_edits(text: str, inserted: Sequence[str]) -> Iterator[Edit]:
    lines, place = text.splitlines(keepends=True), 0
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        end = place + len(line)
        yield "line left out", place, end, ""
        yield "lines swapped", place, end + len(following), following + line
        yield "line twice", place, end, line * 2
        yield from (("line put in", place, place, f"{new}\n") for new in inserted)
        place = end
