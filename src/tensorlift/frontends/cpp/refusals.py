"""What the C++ front end refuses: one row for each reason; what C refuses as well stands in the table of C."""

from __future__ import annotations

from functools import partial

from tensorlift.refusals import Refusal
from tensorlift.refusals import refusal as shared_refusal

REFUSALS: dict[str, Refusal] = {
    "template": Refusal(
        "TL107",
        "the template `{detail}` is instantiated nowhere in this file",
        "add an explicit instantiation, as in `template double f<double>(const std::vector<double> &);`",
    ),
    "exception": Refusal(
        "TL108", "{detail} is not lifted: exceptions leave the function early", "check arguments before calling it"
    ),
    "class": Refusal(
        "TL109",
        "this use of a class is not lifted: {detail}",
        "use a class of numbers and vectors with plain member functions, without base classes and virtual functions",
    ),
    "container": Refusal(
        "TL127", "the type `{detail}` is not lifted", "use std::vector or std::array of numbers, nested as you like"
    ),
    "vector": Refusal("TL128", "{detail}", "give the vector its size where it is declared, or only append to it"),
    "reference": Refusal("TL129", "{detail}", "refer to a variable, an element or a row by its name"),
    "parse": Refusal(
        "TL101", "the source does not parse: {detail}", "correct the line; a C++ compiler must accept the file"
    ),
    "heap": Refusal("TL151", "`{detail}` manages heap memory", "use a std::vector"),
    "output": Refusal("TL152", "`{detail}` is input or output", "keep input and output out of the function"),
    "call": Refusal(
        "TL150",
        "`{detail}` is not known",
        "define the function in the same file, or use a function of <cmath>, <algorithm> or <numeric> that is listed",
    ),
    "callable": Refusal("TL141", "{detail} is not lifted", "call a function or a lambda by its name"),
    "abs": Refusal(
        "TL130",
        "`{detail}` of a floating-point number converts it to an integer in some libraries, in others not",
        "write `std::abs`, or `std::fabs`",
    ),
    "return": Refusal(
        "TL128", "{detail}", "return one vector at the end of the function, or write to a reference parameter"
    ),
    "range": Refusal(
        "TL129", "a `for` over {detail} is not lifted", "loop over a std::vector, a std::array or an array"
    ),
}


refusal = partial(shared_refusal, rows=REFUSALS)
