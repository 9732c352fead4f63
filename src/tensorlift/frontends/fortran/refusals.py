"""What is refused of Fortran: one row for each reason; codes of the C front end stand for the same reasons."""

from __future__ import annotations

from functools import partial

from tensorlift.refusals import Refusal
from tensorlift.refusals import refusal as shared_refusal

REFUSALS: dict[str, Refusal] = {
    "parser": Refusal("TL100", "Fortran is read by fparser, which is not here", "pip install 'tensorlift[fortran]'"),
    "parse": Refusal(
        "TL101", "the source is not valid Fortran: {detail}", "correct the line; a compiler must accept it"
    ),
    "not-ended": Refusal("TL101", "`{detail}` is not ended before this line", "write `end {detail}` here"),
    "unended": Refusal("TL101", "`{detail}` is not ended", "write `end {detail}` after this line"),
    "contains": Refusal("TL101", "a procedure begins among declarations or statements", "write `contains` before it"),
    "extra-end": Refusal("TL101", "`{detail}` ends nothing", "remove the line"),
    "unfinished": Refusal("TL101", "the statement is not finished in its line", "end the line with `&`"),
    "unfinished-fixed": Refusal(
        "TL101", "the statement is not finished in its line", "write `&` into column 6 of the next line"
    ),
    "too-long": Refusal(
        "TL101",
        "the line goes on behind column 72, where fixed form ends",
        "break the line, and write `&` into column 6 of the next one",
    ),
    "free-form": Refusal(
        "TL101",
        "files in fixed form have no statements before column 7",
        "name the file `.f90`, which is read in free form",
    ),
    "fixed-form": Refusal(
        "TL101",
        "this is a line of fixed form, in a file of free form",
        "name the file `.f`, which is read in fixed form",
    ),
    "preprocess": Refusal(
        "TL102", "{detail} is not read by the preprocessor", "preprocess the file: gfortran -E -cpp FILE -o NEW.f90"
    ),
    "include": Refusal("TL102", "there is no file `{detail}` to include", "say where it lies: -I FOLDER"),
    "module": Refusal("TL102", "there is no file with the module `{detail}`", "say where it lies: -I FOLDER"),
    "module-name": Refusal(
        "TL161", "the module gives out nothing that is called `{detail}`", "declare it there, or correct the name"
    ),
    "no-function": Refusal("TL104", "{detail}", "give a file that defines a subroutine or a function"),
    "unknown-function": Refusal("TL105", "{detail}", "choose one of the procedures that the file defines"),
    "too-large": Refusal("TL106", "{detail}", "split the file"),
    "recursion": Refusal("TL118", "`{detail}` calls itself", "write the recursion as a loop"),
    "depth": Refusal("TL119", "the code is nested too deeply", "move inner parts into procedures of their own"),
    "rank": Refusal("TL136", "`{detail}` has another number of dimensions", "give one subscript for each dimension"),
    "association": Refusal(
        "TL159",
        "`{detail}` is passed on as an array of another shape",
        "pass the array or a section of it, to a dummy argument of as many dimensions",
    ),
    "common": Refusal(
        "TL146", "the common block `{detail}` is declared in two ways", "declare it alike wherever it is used"
    ),
    "derived": Refusal("TL140", "`{detail}` has a derived type", "pass the components as separate arguments"),
    "unknown-type": Refusal("TL140", "the type `{detail}` is not known", "define it in this file, or in a module"),
    "procedure": Refusal("TL141", "the procedure `{detail}` is an argument", "call the procedure by its name"),
    "complex": Refusal(
        "TL143",
        "`{detail}` computes with complex numbers what is not lifted",
        "use `+`, `-`, `*`, `/`, `conjg`, `aimag`, `real`, `abs`, `exp`, `log`, or the parts in variables of their own",
    ),
    "text": Refusal("TL145", "`{detail}` is text", "pass a flag of one character, `character :: {detail}`"),
    "character": Refusal(
        "TL145", "`{detail}` is a character", "compare a `character` argument with constants, as in `uplo == 'U'`"
    ),
    "type": Refusal("TL145", "{detail} is not lifted", "use `integer`, `real`, `double precision` or `logical`"),
    "shared": Refusal(
        "TL146",
        "`{detail}` is a variable of the procedure around this one",
        "pass `{detail}` as an argument",
    ),
    "saved": Refusal(
        "TL147",
        "`{detail}` keeps its value between calls, as `save` and an initial value say",
        "assign the value in a statement of its own, or declare it `parameter`",
    ),
    "initialiser": Refusal(
        "TL149", "this initial value of `{detail}` is not lifted", "assign the elements in statements"
    ),
    "call": Refusal("TL150", "`{detail}` is not known", "define `{detail}` in this file"),
    "overridden": Refusal(
        "TL150", "what `{detail}` calls depends on the type of its object", "declare the object by `type`, not `class`"
    ),
    "generic": Refusal(
        "TL150",
        "`{detail}` stands for several procedures, of which none is known to take these arguments",
        "pass what one of them takes, or call it by its own name",
    ),
    "absent": Refusal("TL150", "`{detail}` is not passed here", "ask whether it is there: if (present({detail}))"),
    "arguments": Refusal(
        "TL150", "the arguments of `{detail}` do not match", "pass one argument for each dummy, in order"
    ),
    "allocate": Refusal("TL151", "{detail}", "declare the array with its extents, or allocate it once at the start"),
    "output": Refusal("TL152", "`{detail}` is input or output", "move input and output to the caller"),
    "expression": Refusal("TL156", "`{detail}` is not lifted", "write it with plain operators and intrinsic functions"),
    "shape": Refusal("TL178", "the shapes do not fit: {detail}", "make the operands of equal shape"),
    "undeclared": Refusal("TL161", "`{detail}` is not declared", "declare it, as `implicit none` asks"),
    "declaration": Refusal("TL161", "this declaration is not lifted: `{detail}`", "declare plain variables and arrays"),
    "bounds": Refusal(
        "TL161", "the bounds of `{detail}` are not lifted", "declare it with sums of arguments as bounds"
    ),
    "statement": Refusal("TL162", "`{detail}` is not lifted", "use loops, `if` and assignments"),
    "loop-name": Refusal(
        "TL162", "no loop around this is called `{detail}`", "name the loop, as in `{detail}: do i = 1, n`"
    ),
    "label": Refusal("TL162", "no statement has the label {detail}", "write `{detail} continue` where it goes on"),
    "statement-function": Refusal(
        "TL163", "`{detail}` is assigned like an array, and is none", "declare `{detail}` as an array"
    ),
    "loop-variable": Refusal(
        "TL171", "the loop changes its own variable `{detail}`", "use another name inside of the loop"
    ),
    "loop-control": Refusal("TL120", "the control of this loop, `{detail}`, is not lifted", "loop as in `do i = 1, n`"),
    "directive": Refusal("TL575", "`{detail}` may change what the statements compute", "remove the directive"),
    "step-zero": Refusal("TL121", "the step of this loop is zero", "step by another number than zero"),
}

refusal = partial(shared_refusal, rows=REFUSALS)
