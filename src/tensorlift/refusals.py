"""What is refused of C, and of the literal IR of any language: one row for each reason.

A row has a code, the wording, and the smallest edit that helps.  The other languages have tables of their own beside.
Messages may hold ``{detail}``, filled where the refusal is raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, Location, Note, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason to refuse code."""

    code: str
    message: str
    remedy: str


REFUSALS: dict[str, Refusal] = {
    # Whole files.
    "parse": Refusal(
        "TL101", "the source does not parse: {detail}", "correct the line; a C compiler must accept the file"
    ),
    "header": Refusal("TL102", "{detail}", "pass the directory of the header with -I, or remove the #include"),
    "binary": Refusal("TL103", "this is not C source text: {detail}", "give a C source file in UTF-8"),
    "no-function": Refusal(
        "TL104", "{detail}", "give a file that defines a function with loops, or another function name"
    ),
    "unknown-function": Refusal("TL105", "{detail}", "choose one of the functions that the file defines"),
    "too-large": Refusal("TL106", "{detail}", "split the function, or lift its loop nests one by one"),
    # Control flow.
    "while": Refusal("TL110", "this `{detail}` loop does not count", "write it as `for (i = lo; i < hi; i++)`"),
    "goto": Refusal("TL111", "`goto` and labels are not lifted", "use loops and `if` instead of jumps"),
    "break": Refusal(
        "TL112", "`break` leaves the loop early", "let the loop run to its bound and guard the body with a condition"
    ),
    "continue": Refusal("TL113", "`continue` skips the rest of the body", "put the rest of the body under an `if`"),
    "return-in-loop": Refusal(
        "TL114", "`return` inside a loop leaves it early", "assign to a variable and return it after the loop"
    ),
    "switch": Refusal(
        "TL115", "this `switch` is no plain choice", "end every case with `break`, or write `if` and `else if`"
    ),
    "ending": Refusal(
        "TL116",
        "`{detail}` may end the run here, and no precondition on sizes says when",
        "check it before the call, or pass -D NDEBUG where an `assert` is not meant to be checked",
    ),
    "no-return": Refusal("TL117", "the function may end without returning a value", "return a value on every path"),
    "recursion": Refusal("TL118", "`{detail}` calls itself", "write the recursion as a loop"),
    "depth": Refusal("TL119", "the code is nested too deeply", "move inner parts into functions of their own"),
    # Loops.
    "loop-condition": Refusal(
        "TL120", "the loop condition {detail}", "compare a loop variable with a bound, as in `i < n`"
    ),
    "loop-step": Refusal("TL121", "the loop step {detail}", "step the loop variable by a constant"),
    "loop-data": Refusal(
        "TL122",
        "the loop bound depends on {detail}",
        "compute the bound before the loop from the function's parameters",
    ),
    "loop-affine": Refusal(
        "TL123", "the loop bound `{detail}` is not affine", "bound the loop by a sum of sizes and outer loop variables"
    ),
    "loop-wrap": Refusal(
        "TL124",
        "the unsigned loop counter `{detail}` may wrap around",
        "count with a signed type, or upwards, or down by one while above zero",
    ),
    "loop-forever": Refusal("TL125", "the loop {detail}", "let the loop variable move towards its bound"),
    "closed-form": Refusal(
        "TL126",
        "the value of `{detail}` is not a closed form of loop variables and sizes here",
        "compute it from the loop variables where it is used",
    ),
    # Subscripts and pointers.
    "subscript-data": Refusal(
        "TL130", "the subscript depends on {detail}", "address the array by loop variables and sizes only"
    ),
    "subscript-affine": Refusal(
        "TL131", "the subscript `{detail}` is not affine", "use sums of loop variables times sizes, as in `A[i*n + j]`"
    ),
    "delinearise": Refusal(
        "TL132",
        "the accesses to `{detail}` do not agree on one row-major shape",
        "address the array with one leading dimension, or declare its parameter as `A[n][m]`",
    ),
    "negative": Refusal("TL133", "the access {detail} lies before the start of the array", "start the loop later"),
    "outside": Refusal("TL134", "the access {detail}", "shorten the loop or enlarge the array"),
    "extent": Refusal(
        "TL135", "the extent of `{detail}` is not one affine expression", "declare the extents in the parameter"
    ),
    "pointer": Refusal("TL136", "{detail}", "use subscripts on the array itself"),
    "pointer-walk": Refusal(
        "TL137",
        "the pointer `{detail}` is not moved by a closed form here",
        "use subscripts instead of moving the pointer",
    ),
    "row-pointers": Refusal(
        "TL138",
        "`{detail}` is a pointer to pointers whose rows are not only read and written",
        "address it as `A[i][j]`, or pass one contiguous array, as in `double A[n][m]`",
    ),
    "address": Refusal(
        "TL139", "the address of `{detail}` is taken", "return the value instead of writing through a pointer"
    ),
    # Types and objects.
    "struct": Refusal(
        "TL140", "this use of a structure or union is not lifted: {detail}", "pass the members as separate parameters"
    ),
    "function-pointer": Refusal(
        "TL141", "calls through function pointers are not lifted", "call the function by its name"
    ),
    "long-double": Refusal("TL142", "`long double` is not lifted", "use `double`"),
    "complex": Refusal(
        "TL143", "this use of complex numbers is not lifted: {detail}", "compute with real and imaginary parts"
    ),
    "volatile": Refusal("TL144", "`volatile` objects are not lifted", "remove `volatile`"),
    "type": Refusal("TL145", "the type `{detail}` is not lifted", "use integer types, `float` or `double`"),
    "global": Refusal(
        "TL146", "the global variable `{detail}` is not lifted where it is used so", "pass it as a parameter"
    ),
    "global-steers": Refusal(
        "TL165",
        "the function writes the global variable `{detail}`, and loops or subscripts depend on it",
        "copy it to a local variable before the loops",
    ),
    "static-local": Refusal(
        "TL147", "the static variable `{detail}` keeps its value between calls", "pass it as a parameter"
    ),
    "string": Refusal("TL148", "string literals are not lifted", "remove output and error messages from the function"),
    "initialiser": Refusal("TL149", "this initialiser is not lifted: {detail}", "assign the elements in a loop"),
    # Calls and expressions.
    "call": Refusal(
        "TL150",
        "`{detail}` is not known",
        "give the files of the project, by -p or after FILE, or use a function of <math.h>",
    ),
    "elsewhere": Refusal("TL100", "{detail}", "define it once in the project, as it is declared, or in the same file"),
    "heap": Refusal("TL151", "`{detail}` manages heap memory", "use a parameter or a local array"),
    "output": Refusal("TL152", "`{detail}` is input or output", "keep input and output out of the function"),
    "variadic": Refusal("TL153", "variadic functions are not lifted: {detail}", "pass a fixed number of arguments"),
    "asm": Refusal("TL154", "inline assembly is not lifted", "write the statement in C"),
    "unsequenced": Refusal("TL155", "{detail}", "split the statement so that each effect has a statement of its own"),
    "expression": Refusal("TL156", "{detail} is not lifted", "write it with plain operators"),
    "overflow": Refusal("TL157", "the index arithmetic {detail}", "count with `long` or `size_t` and rising loops"),
    "memory-call": Refusal("TL158", "{detail} is not lifted", "write the loop that it stands for"),
    "conditional-effect": Refusal(
        "TL159", "a side effect under `?:`, `&&` or `||`", "use an `if` statement for the side effect"
    ),
    "uninitialised": Refusal("TL160", "`{detail}` has no value here", "initialise the variable where it is declared"),
    "declaration": Refusal("TL161", "this declaration is not lifted: {detail}", "declare plain variables and arrays"),
    "statement": Refusal("TL162", "this statement is not lifted: {detail}", "use loops, `if` and assignments"),
    "no-parameters": Refusal(
        "TL163", "{detail}", "give the parameters in the definition, as in `void f(int n, double *a)`"
    ),
    "step-limit": Refusal("TL164", "{detail}", "shorten the function"),
    # Statements that are to be replaced where they stand.
    "outline-pointer": Refusal(
        "TL570", "the statements move the pointer `{detail}`, which is used behind them", "use subscripts instead"
    ),
    "outline-sizeof": Refusal(
        "TL571", "`sizeof` of `{detail}` would be that of a pointer in a function of its own", "name the extent"
    ),
    "outline-alias": Refusal(
        "TL572", "the statements cannot work on a copy of {detail}", "copy it to a local variable before the loop"
    ),
    "outline-extent": Refusal(
        "TL573",
        "the extents of `{detail}` are not plain sums of variables that keep their values",
        "declare it with extents that do not change later",
    ),
    "outline-names": Refusal("TL574", "two variables have one name here", "give each its own name"),
    "outline-pragma": Refusal(
        "TL575", "`#pragma {detail}` stands here, and asks for something else", "remove the pragma, or leave the loop"
    ),
    "outline-conditional": Refusal(
        "TL576",
        "a preprocessor line stands between these statements: `{detail}`",
        "put it before the loop; what is lifted holds for one way of compiling",
    ),
    "outline-text": Refusal(
        "TL577",
        "the statements mean something else in a function of their own: {detail}",
        "write them without macros that hold a part of them, and without types of the function",
    ),
}


_LONGEST_DETAIL = 200


def refusal(
    reason: str,
    location: Location | None,
    detail: str = "",
    notes: tuple[Note, ...] = (),
    rows: Mapping[str, Refusal] = REFUSALS,
) -> LiftError:
    """Build the exception for a row of a table, to be raised by the caller."""
    row = rows[reason]
    if len(detail) > _LONGEST_DETAIL:
        detail = f"{detail[:_LONGEST_DETAIL]}..."
    return refuse(row.code, row.message.format(detail=detail), location, row.remedy, notes)
