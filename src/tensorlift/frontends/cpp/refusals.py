"""What the C++ front end refuses: one row for each reason; what C refuses as well stands in the table of C."""

from __future__ import annotations

from functools import partial

from tensorlift.refusals import Refusal
from tensorlift.refusals import refusal as shared_refusal

REFUSALS: dict[str, Refusal] = {
    "template": Refusal(
        "TL107",
        "the template `{detail}` is instantiated nowhere in this file",
        "instantiate `{detail}`, as in `template double {detail}<double>(double);`",
    ),
    "exception": Refusal(
        "TL108", "{detail} is not lifted: exceptions leave the function early", "move the `try` to the caller"
    ),
    "class": Refusal(
        "TL109",
        "this use of a class is not lifted: {detail}",
        "use a class of numbers and vectors with plain member functions",
    ),
    "base": Refusal("TL109", "`{detail}` has a base class", "declare the members of the base class in `{detail}`"),
    "virtual": Refusal("TL109", "the member function `{detail}` is virtual", "declare `{detail}` without `virtual`"),
    "destructor": Refusal("TL109", "`{detail}` has a destructor", "move its statements to where the object is used"),
    "copy": Refusal("TL109", "`{detail}` has a copy constructor", "let the compiler copy the members of `{detail}`"),
    "union": Refusal("TL109", "`{detail}` is a union", "declare `{detail}` as a `struct`"),
    "member": Refusal("TL109", "the function changes `{detail}`", "return the new value of `{detail}`"),
    "container": Refusal(
        "TL127", "the type `{detail}` is not lifted", "use a `std::vector` or `std::array` of numbers"
    ),
    "function-object": Refusal("TL127", "the type `{detail}` is not lifted", "call a function or a lambda by its name"),
    "vector": Refusal("TL128", "{detail}", "give the vector its size where it is declared, or only append to it"),
    "size-of-caller": Refusal(
        "TL128",
        "the size of `{detail}`, which belongs to the caller, changes",
        "copy `{detail}` to a vector of its own, and return that",
    ),
    "reference": Refusal("TL129", "{detail}", "refer to a variable, an element or a row by its name"),
    "temporary": Refusal("TL129", "`{detail}` is a reference to a temporary object", "declare `{detail}` with one `&`"),
    "reference-result": Refusal("TL129", "`{detail}` returns a reference", "return the value"),
    "declared-in-test": Refusal(
        "TL129", "{detail} that declares a variable is not lifted", "declare the variable before"
    ),
    "reinterpreted": Refusal(
        "TL129", "`reinterpret_cast` reads memory as another type", "declare the memory with the type of its elements"
    ),
    "parse": Refusal(
        "TL101", "the source does not parse: {detail}", "correct the line; a C++ compiler must accept the file"
    ),
    "heap": Refusal("TL151", "`{detail}` manages heap memory", "use a `std::vector`"),
    "output": Refusal("TL152", "`{detail}` is input or output", "move input and output to the caller"),
    "call": Refusal(
        "TL150",
        "`{detail}` is not known",
        "write its loops, or include the header that declares it",
    ),
    "callable": Refusal("TL141", "{detail} is not lifted", "call a function or a lambda by its name"),
    "abs": Refusal(
        "TL130",
        "`{detail}` of a floating-point number is an integer in some libraries",
        "write `std::abs`",
    ),
    "return": Refusal("TL128", "one of several objects is returned", "return one object at the end of the function"),
    "result": Refusal("TL128", "`{detail}` returns a pointer", "return a number or a `std::vector`"),
    "range": Refusal(
        "TL129", "a `for` over {detail} is not lifted", "loop over a `std::vector`, a `std::array` or an array"
    ),
}


refusal = partial(shared_refusal, rows=REFUSALS)
