"""What the literal reader of C refuses, function by function, with the message and its place."""

from __future__ import annotations

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.readers.clang import read_literally

# Source of a function, and how its diagnostic begins.
REFUSED = {
    "union": (
        "union u { int x; float y; }; int f(union u *p) { return p->x; }",
        "1:60: error TL140: this use of a structure or union is not lifted: the member `x`",
    ),
    "bit-field": (
        "struct s { int x : 3; }; int f(struct s *p) { return p->x; }",
        "1:57: error TL140: this use of a structure or union is not lifted: the member `x`",
    ),
    "pointer to a structure in one that is set": (
        "struct s { int x; struct s *next; }; int f(struct s *p) { p->next = p; return p->next->x; }",
        "1:62: error TL140: the member `next` points to another structure",
    ),
    "pointer to a member of one of an array that moves": (
        "struct s { double x, y; }; double f(struct s *p, int n) { double *q = &p[n].x; q++; return *q; }",
        "1:80: error TL140: a pointer into an array of structures is moved or handed on",
    ),
    "pointer to a structure in each of an array": (
        "struct s { int x; struct s *next; }; int f(struct s *p, int i) { return p[i].next->x; }",
        "1:78: error TL140: the member `next` points to another structure",
    ),
    "structure in bytes": (
        "#include <string.h>\nstruct s { int x; }; void f(struct s *p, size_t n) { memset(p, 0, n); }",
        "2:67: error TL158: a number of bytes that may be no whole structures is not lifted",
    ),
    "structure taken for a number": (
        "struct s { int x; }; int f(struct s *p) { return *(int *)p; }",
        "1:58: error TL140: this use of a structure or union is not lifted: `p`",
    ),
    "structure taken for another": (
        "struct s { int x; }; struct t { int x; }; int f(struct s *p) { return ((struct t *)p)->x; }",
        "1:84: error TL140: this use of a structure or union is not lifted: `p`",
    ),
    "pointer to one of two structures": (
        "struct s { int x; }; int f(struct s *p, struct s *q, int k) {\nstruct s *r = p; if (k) r = q; return r->x; }",
        "2:25: error TL140: a pointer is set to several structures",
    ),
    "pointer to a structure that is set after its use": (
        "struct s { int x; }; int f(struct s *p) { struct s *q; int y = q->x; q = p; return y + q->x; }",
        "1:64: error TL140: a pointer to a structure is set after it was used",
    ),
    "moved pointer to a structure in one": (
        "struct s { int x; }; struct t { struct s s; }; int f(struct t *p) { struct s *q = &p->s; q++; return q->x; }",
        "1:90: error TL140: this use of a structure or union is not lifted: `+` on a pointer to one",
    ),
    "pointers to different structures that are compared": (
        "struct s { int x; }; int f(struct s *p, struct s *q) { return p == q; }",
        "1:63: error TL136: pointers to structures that may be apart are compared",
    ),
    "copy of what cannot be used": (
        "struct s { int x; struct s *next; }; void f(struct s *p, struct s *q) { *p = *q; }",
        "1:73: error TL140: this use of a structure or union is not lifted: the member `next`",
    ),
    "pointer in a structure that is written": (
        "struct s { int *x; }; void f(struct s *p, int *x) { p->x = x; }",
        "1:56: error TL140: this use of a structure or union is not lifted: the member `x`",
    ),
    "designator at file scope": (
        "static const struct { int n; } s = {.n = 4}; int f(void) { return s.n; }",
        "1:36: error TL149: this initialiser is not lifted: a designator",
    ),
    "pointer at file scope that changes": (
        "double *g; double f(void) { return *g++; }",
        "1:37: error TL146: this use of the global variable `g` is not lifted",
    ),
    "address of a member": (
        "struct s { int x; }; int f(struct s t) { int *p = &t.x; return *p; }",
        "1:54: error TL139: the address of `x` is taken",
    ),
    "designator of a member": (
        "struct s { int x; }; int f(void) { struct s t = {.x = 1}; return t.x; }",
        "1:50: error TL149: this initialiser",
    ),
    "row that is assigned": (
        "void f(double **a) { double *t = a[0]; a[0] = a[1]; a[1] = t; }",
        "1:40: error TL138: `a` is a pointer to pointers",
    ),
    "moved table": ("double f(double **a) { a++; return a[0][0]; }", "1:24: error TL138: `a` is a pointer to pointers"),
    "table in a variable": (
        "double f(double **a) { double **b = a + 1; return b[0][0]; }",
        "1:33: error TL138: `b` is a pointer to pointers",
    ),
    "table taken for an array": (
        "double f(double **a) { return ((double *)a)[0]; }",
        "1:42: error TL138: `a` is a pointer to pointers",
    ),
    "array taken for a table": (
        "double f(double (*a)[4]) { return ((double **)a)[0][0]; }",
        "1:47: error TL138: `a` is a pointer to pointers",
    ),
    "table of tables": (
        "double f(double ***a) { return a[0][0][0]; }",
        "1:20: error TL138: `a` is a pointer to pointers",
    ),
    "volatile": ("int f(volatile int *a) { return *a; }", "1:21: error TL144: `volatile` objects are not lifted"),
    "static local": ("int f(void) { static int n; return n++; }", "1:26: error TL147: the static variable `n` keeps"),
    "static array": (
        "int f(void) { static int t[2] = {1}; return t[0]++; }",
        "1:26: error TL147: the static variable `t`",
    ),
    "static row": ("int f(void) { static int t[2][2]; int *p = t[1]; return *p; }", "1:26: error TL147: the static"),
    "table of structures": (
        "struct p { int k; }; int f(void) { struct p t[2][2]; t[0][0].k = 1; return t[0][0].k; }",
        "1:45: error TL140: this use of a structure",
    ),
    "some of the structures": (
        "struct p { int k; }; int f(void) { struct p t[2] = {{1}}; return t[1].k; }",
        "1:52: error TL149: this initialiser is not lifted",
    ),
    "function pointer": ("int f(int (*g)(int)) { return g(1); }", "1:13: error TL141: calls through function pointers"),
    "long double": ("double f(long double x) { return x; }", "1:22: error TL142: `long double` is not lifted"),
    "complex integer": (
        "double f(int _Complex x) { return 0; }",
        "1:23: error TL143: this use of complex numbers is not lifted: _Complex int",
    ),
    "long complex": (
        "double f(long double _Complex x) { return 0; }",
        "1:31: error TL143: this use of complex numbers is not lifted: _Complex long double",
    ),
    "complex increment": (
        "void f(double _Complex *x) { x[0]++; }",
        "1:30: error TL143: this use of complex numbers is not lifted: `++`",
    ),
    "angle of a complex number": (
        "#include <complex.h>\ndouble f(double complex x) { return carg(x); }",
        "2:37: error TL150: `carg` is not known",
    ),
    "complex power": (
        "#include <complex.h>\ndouble f(double complex x) { return creal(cpow(x, x)); }",
        "2:43: error TL150: `cpow` is not known",
    ),
    "variadic": ("int f(int n, ...) { return n; }", "1:5: error TL153: `f` takes a variable number of arguments"),
    "assembly": ('void f(void) { __asm__("nop"); }', "1:16: error TL154: inline assembly is not lifted"),
    "statement in an expression": (
        "int f(int n) { return ({ n++; n; }); }",
        "1:23: error TL156: a statement in an expression is not lifted",
    ),
    "address": ("int f(int *a) { int **p = &a; return **p; }", "1:28: error TL139: the address of `a` is taken"),
    "two arrays": (
        "int f(int *a, int *b) { return a < b; }",
        "1:32: error TL136: pointers into different arrays are compared",
    ),
    "distance of two arrays": (
        "long f(int *a, int *b) { while (a[0]) { a = b; } return a - b; }",
        "1:57: error TL136: pointers into different arrays are compared",
    ),
    "null": ("int f(int **a) { return a[0] ? 1 : 0; }", "1:25: error TL136: a pointer is compared with null"),
    "pun": (
        "int f(float *a) { return *(int *)a; }",
        "1:34: error TL136: a pointer is converted to `int *`, whose elements are of another type",
    ),
    "void pointer": ("int f(void *a) { return 0; }", "1:13: error TL145: the type `void *` is not lifted"),
    "string in an array": (
        'int f(void) { const char s[2] = {"x"}; return s[0]; }',
        "1:34: error TL148: this string literal is not lifted",
    ),
    "designator": ("int f(void) { int a[3] = {[1] = 2}; return a[1]; }", "1:27: error TL149: this initialiser"),
    "braces left out": (
        "int f(void) { int a[2][2] = {1, 2, 3}; return a[0][1]; }",
        "1:30: error TL149: this initialiser",
    ),
    "compound literal": ("int f(void) { return ((int[]){1, 2})[0]; }", "1:23: error TL156: a compound literal"),
    "range of cases": (
        "int f(int n) { switch (n) { case 1 ... 3: n = 0; } return n; }",
        "1:29: error TL115: this `case` is not one integer constant",
    ),
    "computed goto": (
        "void f(void) { void *p = &&x; goto *p; x:; }",
        "1:22: error TL145: the type `void *` is not lifted",
    ),
    "sizeof of a variable extent": (
        "int f(int n) { int a[n]; return sizeof a; }",
        "1:33: error TL156: `sizeof` of a variable extent is not lifted",
    ),
    "unknown call": ("int g(int); int f(int n) { return g(n); }", "1:35: error TL150: `g` is not known"),
    "output": ("int puts(const char *); void f(void) { puts(0); }", "1:40: error TL152: `puts` is input or output"),
    "realloc": (
        "#include <stdlib.h>\nvoid f(int *a) { a = realloc(a, 4); }",
        "2:22: error TL151: `realloc` manages heap memory",
    ),
    "unsequenced": (
        "int f(int n) { return n++ + n++; }",
        "1:24: error TL155: multiple unsequenced modifications to 'n'",
    ),
    "depth": ("int f(int n) { return " + "(" * 150 + "n" + ")" * 150 + "; }", "1:140: error TL119: the code is nested"),
    "called": (
        "static int g(int n) { static int k; return k += n; }\nint f(int n) { return g(n); }",
        "1:34: error TL147: the static variable `k` keeps its value between calls",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_function_is_refused_with_its_reason(name: str) -> None:
    source, expected = REFUSED[name]
    module = read_literally(source, "f.c")
    (function,) = [function for function in module.functions if function.name == "f"]
    assert function.operation is None
    assert str(function.diagnostics[0]).startswith(f"f.c:{expected}")
    module.module.verify()


def test_a_caller_is_refused_with_a_note_where_it_calls() -> None:
    source, _ = REFUSED["called"]
    function = read_literally(source, "f.c").functions[1]
    assert [str(note.location) for note in function.diagnostics[0].notes] == ["f.c:2:23"]


def test_other_functions_of_the_file_are_read() -> None:
    source = "double f(double ***a) { return 0; } int g(int n) { return n; } int h(int n) { return n + }"
    functions = {f.name: f for f in read_literally(source.replace(" int h", "\nint h"), "f.c").functions}
    assert functions["f"].operation is None
    assert functions["g"].operation is not None
    assert str(functions["h"].diagnostics[0]).startswith("f.c:2:27: error TL101: the source does not parse")


def test_what_the_parser_misses_elsewhere_is_a_warning() -> None:
    (function,) = read_literally('#include "none.h"\nint f(void) { return 0; }', "f.c").functions
    assert function.operation is not None
    assert str(function.diagnostics[0]).startswith("f.c:1:10: warning TL102")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", "f.c:1:1: error TL104: the file is empty"),
        ("int f( {", "f.c:1:8: error TL101: the source does not parse"),
    ],
)
def test_a_file_is_refused_as_a_whole(source: str, expected: str) -> None:
    with pytest.raises(LiftError) as raised:
        read_literally(source, "f.c")
    assert str(raised.value).startswith(expected)
