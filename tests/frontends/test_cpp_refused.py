"""What the C++ front end refuses: the code, the place, the message and a remedy."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tensorlift.diagnostics import LiftError, Location, Severity
from tensorlift.languages.cpp import read_cpp


class Case(NamedTuple):
    """A program whose function ``f`` is refused, and the diagnostic that says so."""

    name: str
    code: str
    line: int
    column: int
    message: str
    source: str


CASES = [
    Case(
        "no_instance",
        "TL107",
        2,
        3,
        "the template `f` is instantiated nowhere in this file",
        "template <typename T>\nT f(T x) { return x; }\n",
    ),
    Case(
        "throws",
        "TL116",
        3,
        7,
        "`throw` may end the run here, and no precondition on sizes says when",
        '#include <stdexcept>\ndouble f(double x) {\n  if (x < 0) throw std::invalid_argument("x");\n  return x;\n}\n',
    ),
    Case(
        "tries",
        "TL108",
        2,
        3,
        "`try` is not lifted: exceptions leave the function early",
        "int f(int x) {\n  try {\n    x++;\n  } catch (...) {\n  }\n  return x;\n}\n",
    ),
    Case(
        "destructor",
        "TL109",
        3,
        21,
        "`S<double>` has a destructor",
        "template <class T> struct S { T *p; ~S() { p[0] = 7; } };\n"
        "void f(int n, double *x) {\n          S<double> s = {x};\n  for (int i = 0; i < n; i++) s.p[i] = 1;\n}\n",
    ),
    Case(
        "copy_constructor",
        "TL109",
        2,
        9,
        "`S` has a copy constructor",
        "struct S { int n; S(const S &o) : n(o.n + 1) {} };\nint f(S s) { return s.n; }\n",
    ),
    Case(
        "virtual",
        "TL109",
        5,
        16,
        "the member function `g` is virtual",
        "struct S {\n  virtual int g() const { return 1; }\n  int k;\n};\nint f(const S &s) {\n  return s.g();\n}\n",
    ),
    Case(
        "base",
        "TL109",
        3,
        16,
        "`S` has a base class",
        "struct B { int k; };\nstruct S : B { int m; };\nint f(const S &s) {\n  return s.m;\n}\n",
    ),
    Case(
        "map",
        "TL127",
        2,
        39,
        "the type `std::map<int, double>` is not lifted",
        "#include <map>\ndouble f(const std::map<int, double> &m) {\n  return m.at(3);\n}\n",
    ),
    Case(
        "string",
        "TL127",
        2,
        26,
        "the type `std::string` is not lifted",
        "#include <string>\nint f(const std::string &s) {\n  return s.size();\n}\n",
    ),
    Case(
        "local_set",
        "TL127",
        3,
        17,
        "the type `std::set<int>` is not lifted",
        "#include <set>\nint f(int n) {\n  std::set<int> s;\n  s.insert(n);\n  return 1;\n}\n",
    ),
    Case(
        "vector_of_bool",
        "TL127",
        2,
        32,
        "the type `std::vector<bool>` is not lifted",
        "#include <vector>\nint f(const std::vector<bool> &v) {\n  return v[0];\n}\n",
    ),
    Case(
        "new",
        "TL151",
        2,
        15,
        "`new` manages heap memory",
        "double f(int n) {\n  double *a = new double[n];\n  return a[0];\n}\n",
    ),
    Case(
        "delete",
        "TL151",
        2,
        3,
        "`delete` manages heap memory",
        "void f(double *a) {\n  delete[] a;\n}\n",
    ),
    Case(
        "cout",
        "TL152",
        3,
        3,
        "`std::cout << n` is input or output",
        "#include <iostream>\nint f(int n) {\n  std::cout << n;\n  return n;\n}\n",
    ),
    Case(
        "printf",
        "TL152",
        3,
        3,
        "`printf` is input or output",
        '#include <cstdio>\nint f(int n) {\n  printf("%d", n);\n  return n;\n}\n',
    ),
    Case(
        "conditional_push",
        "TL130",
        6,
        3,
        "the extent of an array depends on data",
        "#include <vector>\n"
        "std::vector<int> f(const std::vector<int> &v) {\n"
        "  std::vector<int> o;\n"
        "  for (int x : v)\n"
        "    if (x > 0) o.push_back(x);\n"
        "  return o;\n"
        "}\n",
    ),
    Case(
        "push_to_caller",
        "TL128",
        3,
        3,
        "the size of `v`, which belongs to the caller, changes",
        "#include <vector>\nvoid f(std::vector<int> &v) {\n  v.push_back(1);\n}\n",
    ),
    Case(
        "sort",
        "TL150",
        4,
        3,
        "`std::sort` is not known",
        "#include <algorithm>\n#include <vector>\nvoid f(std::vector<int> &v) {\n  std::sort(v.begin(), v.end());\n}\n",
    ),
    Case(
        "reserved_only",
        "TL134",
        5,
        31,
        "the access `o[i]` lies beyond the extent 0 of the array",
        "#include <vector>\n"
        "std::vector<int> f(int n) {\n"
        "  std::vector<int> o;\n"
        "  o.reserve(n);\n"
        "  for (int i = 0; i < n; i++) o[i] = i;\n"
        "  return o;\n"
        "}\n",
    ),
    Case(
        "triangle",
        "TL135",
        5,
        24,
        "the extent of `r` is no sum of sizes",
        "#include <vector>\n"
        "std::vector<std::vector<int>> f(int n) {\n"
        "  std::vector<std::vector<int>> o;\n"
        "  for (int i = 0; i < n; i++) {\n"
        "    std::vector<int> r(i + 1, 0);\n"
        "    o.push_back(r);\n"
        "  }\n"
        "  return o;\n"
        "}\n",
    ),
    Case(
        "rvalue_reference",
        "TL129",
        2,
        26,
        "`v` is a reference to a temporary object",
        "#include <vector>\nint f(std::vector<int> &&v) {\n  return v[0];\n}\n",
    ),
    Case(
        "returns_reference",
        "TL129",
        2,
        6,
        "`f` returns a reference",
        "#include <vector>\nint &f(std::vector<int> &v) {\n  return v[0];\n}\n",
    ),
    Case(
        "nullptr",
        "TL160",
        3,
        10,
        "`null` has no value here",
        "int f(int *p) {\n  p = nullptr;\n  return *p;\n}\n",
    ),
    Case(
        "std_function",
        "TL127",
        2,
        31,
        "the type `std::function<int (int)>` is not lifted",
        "#include <functional>\nint f(std::function<int(int)> g) {\n  return g(3);\n}\n",
    ),
    Case(
        "recursion",
        "TL118",
        2,
        22,
        "`f` calls itself",
        "int f(int n) {\n  return n < 2 ? n : f(n - 1) + f(n - 2);\n}\n",
    ),
    Case(
        "unknown",
        "TL150",
        4,
        10,
        "`g` is not known",
        "#include <vector>\ndouble g(double);\ndouble f(const std::vector<double> &v) {\n  return g(v[0]);\n}\n",
    ),
    Case(
        "unique_ptr",
        "TL127",
        2,
        37,
        "the type `std::unique_ptr<int[]>` is not lifted",
        "#include <memory>\nint f(const std::unique_ptr<int[]> &p) {\n  return p[0];\n}\n",
    ),
    Case(
        "member_changed",
        "TL109",
        2,
        14,
        "the function changes `s.n`",
        "struct S { int n; double *a; };\nvoid f(S &s) {\n  s.n = 3;\n}\n",
    ),
    Case(
        "static_local",
        "TL147",
        2,
        14,
        "the static variable `k` keeps its value between calls",
        "int f(int n) {\n  static int k = 0;\n  k += n;\n  return k;\n}\n",
    ),
    Case(
        "abs_of_float",
        "TL130",
        3,
        10,
        "`abs` of a floating-point number is an integer in some libraries",
        "#include <cstdlib>\nint f(double x) {\n  return abs(x);\n}\n",
    ),
    Case(
        "complex",
        "TL143",
        3,
        10,
        "this use of complex numbers is not lifted: `std::arg`",
        "#include <complex>\ndouble f(const std::complex<double> &z) {\n  return std::arg(z);\n}\n",
    ),
    Case(
        "reinterpret",
        "TL129",
        2,
        11,
        "`reinterpret_cast` reads memory as another type",
        "int f(float *p) {\n  return *reinterpret_cast<int *>(p);\n}\n",
    ),
    Case(
        "goto",
        "TL111",
        2,
        1,
        "`goto` and labels are not lifted",
        "int f(int n) {\nagain:\n  if (n > 3) goto again;\n  return n;\n}\n",
    ),
    Case(
        "goes_backwards",
        "TL127",
        3,
        8,
        "the type `std::reverse_iterator<int>` is not lifted",
        "#include <vector>\nint f(std::vector<int> &v) {\n  auto it = v.rbegin();\n  return *it;\n}\n",
    ),
    Case(
        "list",
        "TL127",
        2,
        23,
        "the type `std::list<int>` is not lifted",
        "#include <list>\nint f(std::list<int> &l) {\n  l.push_back(1);\n  return 1;\n}\n",
    ),
    Case(
        "insert",
        "TL128",
        4,
        3,
        "`insert` on `a` is not lifted",
        "#include <vector>\n"
        "std::vector<int> f(int n) {\n"
        "  std::vector<int> a(n, 1);\n"
        "  a.insert(a.begin(), 3);\n"
        "  return a;\n"
        "}\n",
    ),
    Case(
        "union",
        "TL109",
        2,
        16,
        "`U` is a union",
        "union U { int a; float b; };\nint f(const U &u) {\n  return u.a;\n}\n",
    ),
    Case(
        "assigned_object",
        "TL109",
        2,
        26,
        "the function changes `a.k`",
        "struct S { int k; };\nvoid f(S &a, const S &b) {\n  a = b;\n}\n",
    ),
    Case(
        "long_double",
        "TL142",
        1,
        13,
        "`long double` is not lifted",
        "long double f(long double x) {\n  return x;\n}\n",
    ),
    Case(
        "volatile",
        "TL144",
        1,
        21,
        "`volatile` objects are not lifted",
        "int f(volatile int *p) {\n  return p[0];\n}\n",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_is_refused(case: Case) -> None:
    (function,) = read_cpp(case.source, "k.cpp", function="f")
    assert function.module is None
    diagnostic = function.diagnostics[0]
    assert (diagnostic.code, diagnostic.message) == (case.code, case.message)
    assert diagnostic.location == Location("k.cpp", case.line, case.column)
    assert diagnostic.severity is Severity.ERROR
    assert len(diagnostic.remedy) > 10


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", "TL104"),
        ("int f(int n) { return n }", "TL101"),
        ("int f() { return 1; }\0", "TL103"),
        ("struct S { int k; };", "TL104"),
        ("int g() { return 1; }", "TL105"),
    ],
)
def test_a_file_is_refused_as_a_whole(source: str, code: str) -> None:
    with pytest.raises(LiftError) as refused:
        read_cpp(source, "k.cpp", function="f" if code == "TL105" else None)
    assert refused.value.diagnostics[0].code == code


def test_a_refusal_in_a_function_that_is_called_names_the_call() -> None:
    source = "static int g(int x) {\n  throw x;\n}\nint f(int n) {\n  return g(n);\n}\n"
    (function,) = read_cpp(source, "k.cpp", function="f")
    (diagnostic,) = function.diagnostics
    assert diagnostic.location == Location("k.cpp", 2, 3)
    assert [(note.message, note.location) for note in diagnostic.notes] == [
        ("in `g`, called from here", Location("k.cpp", 5, 10))
    ]


def test_what_the_library_does_is_refused_where_it_is_called() -> None:
    source = (
        "#include <algorithm>\n#include <vector>\ndouble f(const std::vector<double> &v) {\n  double s = 0;\n"
        "  std::for_each(v.begin(), v.end(), [&](double x) { s += x > 0 ? throw 1 : x; });\n  return s;\n}\n"
    )
    (function,) = read_cpp(source, "k.cpp", function="f")
    (diagnostic,) = function.diagnostics
    assert diagnostic.location == Location("k.cpp", 5, 66)
    assert [(note.message, note.location) for note in diagnostic.notes] == [
        ("in `the lambda`, called from here", Location("k.cpp", 5, 3)),
        ("in `for_each`, called from here", Location("k.cpp", 5, 3)),
    ]
