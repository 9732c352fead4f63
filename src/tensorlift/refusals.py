"""What is refused of C, and of the literal IR of any language: one row for each reason.

A row has a code, the wording, and the smallest edit that helps.  The other languages have tables of their own beside.
Messages and helps may hold ``{detail}``, filled where the refusal is raised.
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
    "no-function": Refusal("TL104", "{detail}", "give a file that defines a function, with its body"),
    "unknown-function": Refusal("TL105", "{detail}", "choose one of the functions that the file defines"),
    "too-large": Refusal("TL106", "{detail}", "split the file"),
    # Control flow.
    "while": Refusal(
        "TL110", "this `{detail}` loop does not count", "count its iterations, as in `for (int i = 0; i < n; i++)`"
    ),
    "goto": Refusal("TL111", "`goto` and labels are not lifted", "write a loop or an `if` instead of the jump"),
    "ends-early": Refusal(
        "TL112", "the loop ends where data say", "run the loop to its bound, and put the body under a condition"
    ),
    "break": Refusal(
        "TL112", "`break` leaves the loop early", "run the loop to its bound, and put the body under a condition"
    ),
    "continue": Refusal("TL113", "`continue` skips the rest of the body", "put the rest of the body under an `if`"),
    "return-in-loop": Refusal(
        "TL114", "`return` leaves the loop early", "assign the result to a variable, and return it after the loop"
    ),
    "switch": Refusal(
        "TL115", "this `case` is not one integer constant", "write a `case` for each value, or `if` and `else if`"
    ),
    "ending": Refusal(
        "TL116",
        "`{detail}` may end the run here, and no precondition on sizes says when",
        "move the check of data to the caller",
    ),
    "ending-check": Refusal(
        "TL116", "no precondition on sizes rules out {detail}", "let sizes and loop variables alone say what is reached"
    ),
    "ending-assert": Refusal(
        "TL116",
        "`assert` may end the run here, and no precondition on sizes says when",
        "move the check of data to the caller, or pass -D NDEBUG to leave it out",
    ),
    "no-return": Refusal("TL117", "the function may end without returning a value", "return a value on every path"),
    "recursion": Refusal("TL118", "`{detail}` calls itself", "write the recursion as a loop"),
    "depth": Refusal("TL119", "the code is nested too deeply", "move inner parts into functions of their own"),
    # Loops.
    "loop-condition": Refusal(
        "TL120", "the loop condition {detail}", "compare one loop variable with a bound, as in `i < n`"
    ),
    "loop-step": Refusal("TL121", "the loop step {detail}", "step the loop variable by a constant, as in `i += 2`"),
    "loop-data": Refusal(
        "TL122",
        "the loop bound depends on {detail}",
        "pass the bound as a parameter",
    ),
    "loop-affine": Refusal(
        "TL123",
        "the loop bound `{detail}` is not affine",
        "bound the loop by a sum of sizes and outer loop variables",
    ),
    "loop-wrap": Refusal(
        "TL124",
        "the unsigned loop counter `{detail}` may wrap around",
        "declare `{detail}` with a signed type",
    ),
    "loop-forever": Refusal("TL125", "the loop {detail}", "move the loop variable towards a bound"),
    "closed-form": Refusal(
        "TL126",
        "`{detail}` is no closed form of loop variables and sizes here",
        "compute `{detail}` from loop variables and sizes",
    ),
    # Subscripts and pointers.
    "subscript-data": Refusal(
        "TL130", "the subscript depends on {detail}", "address the array by loop variables and sizes only"
    ),
    "extent-data": Refusal(
        "TL130", "the extent of an array depends on data", "declare the array with a sum of sizes as its extent"
    ),
    "subscript-affine": Refusal(
        "TL131", "the subscript `{detail}` is not affine", "use a sum of loop variables times sizes, as in `A[i*n + j]`"
    ),
    "delinearise": Refusal(
        "TL132",
        "the accesses to `{detail}` do not agree on one row-major shape",
        "use one row length in all subscripts of `{detail}`, as in `A[i*n + j]`",
    ),
    "negative": Refusal(
        "TL133", "the access {detail} lies before the start of the array", "start the loop where the subscript is zero"
    ),
    "outside": Refusal("TL134", "the access {detail}", "shorten the loop, or enlarge the array"),
    "extent": Refusal(
        "TL135", "the extent of `{detail}` is no sum of sizes", "declare `{detail}` with a sum of sizes as its extent"
    ),
    "pointer": Refusal("TL136", "`{detail}` points to no numbers", "pass an array of numbers"),
    "pointer-null": Refusal("TL136", "{detail}", "pass a number that says whether there is an array"),
    "pointer-choice": Refusal("TL136", "{detail}", "choose by `if` and `else`, and name one array in each"),
    "pointer-compared": Refusal("TL136", "{detail}", "compare integers, such as subscripts, instead of pointers"),
    "pointer-value": Refusal("TL136", "{detail}", "use a subscript of the array instead of the pointer"),
    "pointer-type": Refusal("TL136", "{detail}", "point to the array by the type of its elements"),
    "pointer-walk": Refusal(
        "TL137",
        "the pointer `{detail}` moves in no closed form here",
        "use subscripts of the array instead of moving `{detail}`",
    ),
    "row-pointers": Refusal(
        "TL138",
        "`{detail}` is a pointer to pointers whose rows are not only read and written",
        "access the elements of each row where they are, as in `A[i][j]`",
    ),
    "address": Refusal(
        "TL139", "the address of `{detail}` is taken", "return the value instead of writing through a pointer"
    ),
    # Types and objects.
    "struct": Refusal(
        "TL140", "this use of a structure or union is not lifted: {detail}", "pass the members as separate parameters"
    ),
    "struct-result": Refusal(
        "TL140", "the function returns `{detail}`", "pass a pointer to the structure, and assign its members"
    ),
    "struct-link": Refusal(
        "TL140", "the member `{detail}` points to another structure", "pass the structures in an array"
    ),
    "struct-opaque": Refusal(
        "TL140", "the members of `{detail}` are not declared in this file", "include the declaration of the structure"
    ),
    "struct-pointer": Refusal("TL140", "{detail}", "use one pointer for each structure"),
    "struct-part": Refusal(
        "TL140",
        "a pointer into an array of structures is moved or handed on",
        "point to the structure, and use its member there",
    ),
    "function-pointer": Refusal(
        "TL141", "calls through function pointers are not lifted", "call the function by its name"
    ),
    "long-double": Refusal("TL142", "`long double` is not lifted", "use `double`"),
    "complex": Refusal(
        "TL143", "this use of complex numbers is not lifted: {detail}", "compute with the real and the imaginary part"
    ),
    "volatile": Refusal("TL144", "`volatile` objects are not lifted", "remove `volatile`"),
    "type": Refusal("TL145", "the type `{detail}` is not lifted", "use an integer type, `float` or `double`"),
    "excess": Refusal(
        "TL145",
        "compilers differ in whether this `_Float16` is rounded before it is used",
        "store it in a variable of type `_Float16` first, or convert its operands to `float`",
    ),
    "global": Refusal(
        "TL146", "this use of the global variable `{detail}` is not lifted", "pass `{detail}` as a parameter"
    ),
    "global-steers": Refusal(
        "TL165",
        "the function writes the global variable `{detail}`, and loops or subscripts depend on it",
        "pass `{detail}` as a parameter",
    ),
    "static-local": Refusal(
        "TL147", "the static variable `{detail}` keeps its value between calls", "pass `{detail}` as a parameter"
    ),
    "string": Refusal("TL148", "this string literal is not lifted", "list the characters as numbers"),
    "initialiser": Refusal(
        "TL149", "this initialiser is not lifted: {detail}", "assign the elements in statements of their own"
    ),
    "text": Refusal("TL149", "an array is initialised by a string", "list its characters, as in `{'a', 'b', 0}`"),
    "large-initialiser": Refusal("TL149", "{detail}", "shorten the array, or pass it as a parameter"),
    # Calls and expressions.
    "call": Refusal(
        "TL150",
        "`{detail}` is not known",
        "define `{detail}` in this file, or give the file that does after FILE",
    ),
    "tells": Refusal(
        "TL150",
        "`{detail}` tells of an error where data say so",
        "test these data in the caller, and leave the call out",
    ),
    "elsewhere": Refusal("TL100", "{detail}", "define it once in the project, as it is declared"),
    "heap": Refusal("TL151", "`{detail}` manages heap memory", "use a local array, or pass an array"),
    "output": Refusal("TL152", "`{detail}` is input or output", "move input and output to the caller"),
    "variadic": Refusal(
        "TL153", "`{detail}` takes a variable number of arguments", "declare a fixed number of parameters"
    ),
    "asm": Refusal("TL154", "inline assembly is not lifted", "write the statement in C"),
    "unsequenced": Refusal("TL155", "{detail}", "give each side effect a statement of its own"),
    "expression": Refusal("TL156", "{detail} is not lifted", "write it with plain operators"),
    "statement-expression": Refusal(
        "TL156", "a statement in an expression is not lifted", "write the statement before the expression"
    ),
    "compound-literal": Refusal("TL156", "a compound literal is not lifted", "declare a variable that holds it"),
    "variable-sizeof": Refusal(
        "TL156",
        "`sizeof` of a variable extent is not lifted",
        "multiply the extents by the size of an element, as in `n * sizeof(double)`",
    ),
    "overflow": Refusal(
        "TL157",
        "the index arithmetic may leave its type where `{detail}` is negative",
        "run the loops only where `{detail}` is at least zero",
    ),
    "overflow-of-data": Refusal(
        "TL157", "the index arithmetic may leave its type, as data say", "count in `long` or `size_t`"
    ),
    "memory-call": Refusal("TL158", "{detail} is not lifted", "assign the elements in a loop"),
    "uninitialised": Refusal("TL160", "`{detail}` has no value here", "initialise `{detail}` where it is declared"),
    "declaration": Refusal("TL161", "this declaration is not lifted: {detail}", "declare plain variables and arrays"),
    "statement": Refusal("TL162", "this statement is not lifted: {detail}", "use loops, `if` and assignments"),
    "step-limit": Refusal("TL164", "{detail}", "shorten the function"),
    # Statements that are to be replaced where they stand.
    "outline-pointer": Refusal(
        "TL570", "the statements move the pointer `{detail}`, which is used after them", "use subscripts instead"
    ),
    "outline-sizeof": Refusal(
        "TL571",
        "`sizeof` of `{detail}` would be that of a pointer in a function of its own",
        "write the extent of `{detail}` instead",
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
        "TL575", "`#pragma {detail}` may change what the statements compute", "remove the pragma"
    ),
    "outline-conditional": Refusal(
        "TL576",
        "a preprocessor line stands between these statements: `{detail}`",
        "move it before the loop",
    ),
    "outline-elsewhere": Refusal(
        "TL576", "statements of this function stand in `{detail}`", "put its text in the place of the `#include`"
    ),
    "outline-text": Refusal(
        "TL577",
        "the statements mean something else in a function of their own: {detail}",
        "expand the macros there, and declare the types outside of the function",
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
    return refuse(row.code, row.message.format(detail=detail), location, row.remedy.replace("{detail}", detail), notes)
