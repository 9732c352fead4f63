"""Texts as highlighted lines of HTML, the same for the same text: one scan by a regular expression for each language.

Classes are one letter, as pages hold many: keywords `k`, types `t`, called names `f`, strings `s`, numbers `n`,
comments `c`, what goes before the language `m` (preprocessor, decorators), values of MLIR `v`, its symbols `a`.
"""

from __future__ import annotations

import keyword
import re
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER = r"(?P<n>\b(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?)[uUlLfF]*\b)"
_WORD = r"(?P<w>[A-Za-z_]\w*)"
_SHORT = r"\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?"
_C = rf"(?P<c>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<m>^[ \t]*\#[^\n]*)|(?P<s>{_SHORT})|{_NUMBER}|{_WORD}"
_PATTERNS = {
    "c": _C,
    "cpp": _C,
    "fortran": r"(?P<m>![$](?i:omp|acc)[^\n]*)|(?P<c>![^\n]*|^\*[^\n]*|^[cC](?![\w(]|\s*[=(%])[^\n]*)"
    r"|(?P<s>\"[^\"\n]*\"?|'[^'\n]*'?)|(?P<k>\.[A-Za-z]+\.)"
    r"|(?P<n>\b\d+(?:\.(?![A-Za-z]+\.)\d*)?(?:[eEdD][+-]?\d+)?(?:_\w+)?)"
    rf"|{_WORD}",
    "python": rf"(?P<c>\#[^\n]*)|(?P<m>^[ \t]*@[\w.]+)|(?P<s>\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|{_SHORT})"
    rf"|{_NUMBER}|{_WORD}",
    "mlir": rf"(?P<c>//[^\n]*)|(?P<s>\"[^\"\n]*\"?)|(?P<v>%[\w$.-]+)|(?P<a>[@\#!^][\w$.-]+)"
    rf"|(?P<k>\b[a-z_]\w*(?:\.\w+)+)|{_NUMBER}|{_WORD}",
    "json": rf"(?P<k>{_SHORT})(?=\s*:)|(?P<s>{_SHORT})|{_NUMBER}|{_WORD}",
    "definitions": rf"{_NUMBER}|{_WORD}",
}
_OF_C = """alignas auto break case const continue default do else enum extern for goto if inline register restrict
    return sizeof static struct switch typedef union volatile while"""
_KEYWORDS = {
    "c": _OF_C,
    "cpp": f"""{_OF_C} class concept constexpr delete explicit false namespace new noexcept nullptr operator private
    protected public requires template this throw true try catch typename using virtual""",
    "fortran": """allocatable allocate associate block call case concurrent contains continue cycle data deallocate
    dimension do elemental else elseif elsewhere end enddo endif exit forall function goto if implicit in inout
    intent interface intrinsic module none only optional out parameter pointer procedure program pure recursive result
    return save select stop subroutine target then use value where while""",
    "python": " ".join(keyword.kwlist),
    "mlir": "affine_map affine_set ceildiv dense else false floordiv for iter_args loc max min mod module step to true",
    "json": "true false null",
    "definitions": "where if select sum prod max min any all for from to floor ceil",
}
_OF_MACHINES = "bool char double float int long short signed size_t ssize_t unsigned void"
_TYPES = {
    "c": rf"_Bool|u?int\d+_t|{'|'.join(_OF_MACHINES.split())}",
    "fortran": "integer|real|double|precision|logical|complex|character|type",
    "python": "bool|float|int|list|tuple|str",
    "mlir": r"[usi]*i\d+|b?f\d+|index|memref|tensor|vector|none",
    "json": r"(?!)",
    "definitions": r"[iuf]\d+|bool",
}
_TYPES["cpp"] = rf"{_TYPES['c']}|std|vector|array|string|span"
_SCANNERS = {name: re.compile(pattern, re.DOTALL | re.MULTILINE) for name, pattern in _PATTERNS.items()}
_WORDS = {name: frozenset(words.split()) for name, words in _KEYWORDS.items()}
_TYPE_NAMES = {name: re.compile(pattern) for name, pattern in _TYPES.items()}
_CALL = re.compile(r"\s*\(")


def highlighted(text: str, language: str) -> list[str]:
    """Give the lines of a text as HTML; one in a language that is not known is escaped alone."""
    if language not in _SCANNERS:
        return escape(text, quote=False).split("\n")
    lines = [""]
    for kind, part in _tokens(text, language):
        first, *others = (
            f"<span class={kind}>{said}</span>" if kind and said else said
            for said in escape(part, quote=False).split("\n")
        )
        lines[-1] += first
        lines += others
    return lines


def _tokens(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text, each with its class or none."""
    at = 0
    for found in _SCANNERS[language].finditer(text):
        yield "", text[at : found.start()]
        at = found.end()
        kind = found.lastgroup or ""
        yield (_kind_of_word(found[0], language, text, at) if kind == "w" else kind), found[0]
    yield "", text[at:]


def _kind_of_word(word: str, language: str, text: str, end: int) -> str:
    word = word.lower() if language == "fortran" else word
    if word in _WORDS[language]:
        return "k"
    if _TYPE_NAMES[language].fullmatch(word):
        return "t"
    return "f" if _CALL.match(text, end) and language != "definitions" else ""
