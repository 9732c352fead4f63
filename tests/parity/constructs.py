"""The same constructs in each language that can say them; the function is ``f`` everywhere."""
# ruff: noqa: E501 - programs, a line each

_C = {
    "gather": "void f(int n, int m, const double x[n], const int ix[m], double y[m]) { for (int i = 0; i < m; i++) y[i] = x[ix[i]]; }",
    "gather through a local": "void f(int n, int m, const double x[n], const int ix[m], double y[m]) { for (int i = 0; i < m; i++) { int j = ix[i]; y[i] = 2 * x[j]; } }",
    "scatter": "void f(int n, int m, double x[n], const int ix[m]) { for (int i = 0; i < m; i++) x[ix[i]] = 1; }",
    "`return` at the first hit": "int f(int n, const double x[n]) { for (int i = 0; i < n; i++) if (x[i] < 0) return i; return n; }",
    "`break` at the first hit": "int f(int n, const double x[n]) { int k = -1; for (int i = 0; i < n; i++) if (x[i] < 0) { k = i; break; } return k; }",
    "a condition on data ends the loop": "int f(int n, const double x[n]) { int i = 0; while (i < n && x[i] > 0) i++; return i; }",
    "`return` from a nest": "int f(int n, int m, double a[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (a[i][j] < 0) return 1; return 0; }",
    "`break` between stores": "void f(int n, double x[n]) { for (int i = 0; i < n; i++) { if (x[i] < 0) break; x[i] = 0; } }",
    "place of the greatest": "int f(int n, const double x[n]) { int k = 0; for (int i = 1; i < n; i++) if (x[i] > x[k]) k = i; return k; }",
    "flag": "int f(int n, const double x[n]) { int found = 0; for (int i = 0; i < n; i++) if (x[i] < 0) found = 1; return found; }",
    "`continue`": "void f(int n, double x[n]) { for (int i = 0; i < n; i++) { if (x[i] < 0) continue; x[i] = 0; } }",
    "`continue` in an arm": "void f(int n, double x[n], double y[n]) { for (int i = 0; i < n; i++) { if (x[i] > 0) { if (y[i] > 1) continue; y[i] = 1; } y[i] += 1; } }",
    "`while` that counts": "void f(int n, double x[n]) { int i = 0; while (i < n) { x[i] *= 2; i++; } }",
    "`do` that counts": "void f(int n, double x[n]) { int i = 0; do { x[i] *= 2; i++; } while (i < n); }",
    "a loop that counts down": "void f(int n, double x[n]) { for (int i = n; i-- > 0;) x[i] += i; }",
    "walking pointer": "void f(int n, double *x) { for (double *p = x; p != x + n; p++) *p *= 2; }",
    "an endless loop that `break` ends": "void f(int n, double x[n]) { int i = 0; while (1) { if (i >= n) break; x[i] = 0; i++; } }",
    "`goto` further on": "void f(int n, double x[n]) { for (int i = 0; i < n; i++) { if (x[i] < 0) goto next; x[i] = 0; next:; } }",
    "`goto` out of a nest": "int f(int n, int m, double a[n][m]) { int r = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (a[i][j] < 0) { r = 1; goto out; } out: return r; }",
    "`switch`": "void f(int n, const int k[n], double x[n]) { for (int i = 0; i < n; i++) switch (k[i]) { case 0: x[i] = 1; break; case 1: x[i] += 2; break; default: x[i] = 0; } }",
    "`switch` that falls through": "void f(int n, const int k[n], double x[n]) { for (int i = 0; i < n; i++) switch (k[i]) { case 0: x[i] = 1; case 1: x[i] += 2; break; default: x[i] = 0; } }",
    "flat index": "void f(int n, int m, double x[n * m], const double s[m]) { for (int i = 0; i < n * m; i++) x[i] *= s[i % m]; }",
    "`?:` between places": "double f(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i > 0 ? i - 1 : 0]; return s; }",
}  # fmt: skip

_CPP = {
    "gather": "void f(const std::vector<double> &x, const std::vector<int> &ix, std::vector<double> &y) { for (std::size_t i = 0; i < ix.size(); ++i) y[i] = x[ix[i]]; }",
    "gather through a local": "void f(const std::vector<double> &x, const std::vector<int> &ix, std::vector<double> &y) { for (std::size_t i = 0; i < ix.size(); ++i) { const int j = ix[i]; y[i] = 2 * x[j]; } }",
    "scatter": "void f(std::vector<double> &x, const std::vector<int> &ix) { for (int j : ix) x[j] = 1; }",
    "`return` at the first hit": "int f(const std::vector<double> &x) { for (std::size_t i = 0; i < x.size(); ++i) if (x[i] < 0) return static_cast<int>(i); return -1; }",
    "`break` at the first hit": "int f(const std::vector<double> &x) { int k = -1; for (int i = 0; i < static_cast<int>(x.size()); ++i) if (x[i] < 0) { k = i; break; } return k; }",
    "a condition on data ends the loop": "int f(int n, const double *x) { int i = 0; while (i < n && x[i] > 0) ++i; return i; }",
    "`return` from a nest": "bool f(int n, int m, const double *a) { for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) if (a[i * m + j] < 0) return true; return false; }",
    "`break` between stores": "void f(std::vector<double> &x) { for (double &v : x) { if (v < 0) break; v = 0; } }",
    "place of the greatest": "int f(const std::vector<double> &x) { int k = 0; for (int i = 1; i < static_cast<int>(x.size()); ++i) if (x[i] > x[k]) k = i; return k; }",
    "flag": "bool f(const std::vector<double> &x) { bool found = false; for (double v : x) if (v < 0) found = true; return found; }",
    "`continue`": "void f(std::vector<double> &x) { for (double &v : x) { if (v < 0) continue; v = 0; } }",
    "`continue` in an arm": "void f(int n, const double *x, double *y) { for (int i = 0; i < n; ++i) { if (x[i] > 0) { if (y[i] > 1) continue; y[i] = 1; } y[i] += 1; } }",
    "`while` that counts": "void f(std::vector<double> &x) { std::size_t i = 0; while (i < x.size()) { x[i] *= 2; ++i; } }",
    "`do` that counts": "void f(int n, double *x) { int i = 0; do { x[i] *= 2; ++i; } while (i < n); }",
    "a loop that counts down": "void f(int n, double *x) { for (int i = n; i-- > 0;) x[i] += i; }",
    "walking pointer": "void f(int n, double *x) { for (double *p = x; p != x + n; ++p) *p *= 2; }",
    "an endless loop that `break` ends": "void f(std::vector<double> &x) { std::size_t i = 0; while (true) { if (i >= x.size()) break; x[i] = 0; ++i; } }",
    "`goto` further on": "void f(int n, double *x) { for (int i = 0; i < n; ++i) { if (x[i] < 0) goto next; x[i] = 0; next:; } }",
    "`goto` out of a nest": "int f(int n, int m, const double *a) { int r = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) if (a[i * m + j] < 0) { r = 1; goto out; } out: return r; }",
    "`switch`": "void f(int n, const int *k, double *x) { for (int i = 0; i < n; ++i) switch (k[i]) { case 0: x[i] = 1; break; case 1: x[i] += 2; break; default: x[i] = 0; } }",
    "`switch` that falls through": "void f(int n, const int *k, double *x) { for (int i = 0; i < n; ++i) switch (k[i]) { case 0: x[i] = 1; case 1: x[i] += 2; break; default: x[i] = 0; } }",
    "flat index": "void f(int n, int m, double *x, const double *s) { for (int i = 0; i < n * m; ++i) x[i] *= s[i % m]; }",
    "`?:` between places": "double f(int n, const double *x) { double s = 0; for (int i = 0; i < n; ++i) s += x[i > 0 ? i - 1 : 0]; return s; }",
}  # fmt: skip

_FORTRAN = {
    "gather": "subroutine f(x, ix, y)\nreal(8), intent(in) :: x(:)\ninteger, intent(in) :: ix(:)\nreal(8), intent(inout) :: y(:)\ninteger :: i\ndo i = 1, size(ix)\ny(i) = x(ix(i))\nend do\nend\n",
    "gather through a local": "subroutine f(x, ix, y)\nreal(8), intent(in) :: x(:)\ninteger, intent(in) :: ix(:)\nreal(8), intent(inout) :: y(:)\ninteger :: i, j\ndo i = 1, size(ix)\nj = ix(i)\ny(i) = 2*x(j)\nend do\nend\n",
    "scatter": "subroutine f(x, ix)\nreal(8), intent(inout) :: x(:)\ninteger, intent(in) :: ix(:)\ninteger :: i\ndo i = 1, size(ix)\nx(ix(i)) = 1\nend do\nend\n",
    "`return` at the first hit": "integer function f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\ninteger :: i\ndo i = 1, n\nif (x(i) < 0) then\nf = i\nreturn\nend if\nend do\nf = 0\nend\n",
    "`break` at the first hit": "integer function f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\ninteger :: i\nf = 0\ndo i = 1, n\nif (x(i) < 0) then\nf = i\nexit\nend if\nend do\nend\n",
    "a condition on data ends the loop": "integer function f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\nf = 1\ndo while (f <= n)\nif (x(f) <= 0) exit\nf = f + 1\nend do\nend\n",
    "`return` from a nest": "logical function f(a)\nreal(8), intent(in) :: a(:,:)\ninteger :: i, j\nf = .true.\ndo j = 1, size(a, 2)\ndo i = 1, size(a, 1)\nif (a(i,j) < 0) return\nend do\nend do\nf = .false.\nend\n",
    "`break` between stores": "subroutine f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\ninteger :: i\ndo i = 1, n\nif (x(i) < 0) exit\nx(i) = 0\nend do\nend\n",
    "place of the greatest": "integer function f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\ninteger :: i\nf = 1\ndo i = 2, n\nif (x(i) > x(f)) f = i\nend do\nend\n",
    "flag": "logical function f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\ninteger :: i\nf = .false.\ndo i = 1, n\nif (x(i) < 0) f = .true.\nend do\nend\n",
    "`continue`": "subroutine f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\ninteger :: i\ndo i = 1, n\nif (x(i) < 0) cycle\nx(i) = 0\nend do\nend\n",
    "`continue` in an arm": "subroutine f(n, x, y)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n), y(n)\ninteger :: i\ndo i = 1, n\nif (x(i) > 0) then\nif (y(i) > 1) cycle\ny(i) = 1\nend if\ny(i) = y(i) + 1\nend do\nend\n",
    "`while` that counts": "subroutine f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\ninteger :: i\ni = 1\ndo while (i <= n)\nx(i) = 2*x(i)\ni = i + 1\nend do\nend\n",
    "a loop that counts down": "subroutine f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\ninteger :: i\ndo i = n, 1, -1\nx(i) = x(i) + i\nend do\nend\n",
    "an endless loop that `break` ends": "subroutine f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\ninteger :: i\ni = 1\ndo\nif (i > n) exit\nx(i) = 0\ni = i + 1\nend do\nend\n",
    "`goto` further on": "subroutine f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\ninteger :: i\ndo i = 1, n\nif (x(i) < 0) goto 10\nx(i) = 0\n10 continue\nend do\nend\n",
    "`goto` out of a nest": "logical function f(a)\nreal(8), intent(in) :: a(:,:)\ninteger :: i, j\nf = .false.\ndo j = 1, size(a, 2)\ndo i = 1, size(a, 1)\nif (a(i,j) < 0) then\nf = .true.\ngoto 10\nend if\nend do\nend do\n10 continue\nend\n",
    "`switch`": "subroutine f(n, k, x)\ninteger, intent(in) :: n, k(n)\nreal(8), intent(inout) :: x(n)\ninteger :: i\ndo i = 1, n\nselect case (k(i))\ncase (0)\nx(i) = 1\ncase (1)\nx(i) = x(i) + 2\ncase default\nx(i) = 0\nend select\nend do\nend\n",
    "flat index": "subroutine f(n, m, x, s)\ninteger, intent(in) :: n, m\nreal(8), intent(inout) :: x(n*m)\nreal(8), intent(in) :: s(m)\ninteger :: i\ndo i = 1, n*m\nx(i) = x(i)*s(mod(i - 1, m) + 1)\nend do\nend\n",
    "`?:` between places": "real(8) function f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\ninteger :: i\nf = 0\ndo i = 1, n\nf = f + x(merge(i - 1, 1, i > 1))\nend do\nend\n",
}  # fmt: skip

_PYTHON = {
    "gather": "def f(x: 'float64[:]', ix: 'int64[:]', y: 'float64[:]'):\n    for i in range(len(ix)):\n        y[i] = x[ix[i]]\n",
    "gather through a local": "def f(x: 'float64[:]', ix: 'int64[:]', y: 'float64[:]'):\n    for i in range(len(ix)):\n        j = ix[i]\n        y[i] = 2 * x[j]\n",
    "scatter": "def f(x: 'float64[:]', ix: 'int64[:]'):\n    for j in ix:\n        x[j] = 1\n",
    "`return` at the first hit": "def f(x: 'float64[:]'):\n    for i in range(len(x)):\n        if x[i] < 0:\n            return i\n    return -1\n",
    "`break` at the first hit": "def f(x: 'float64[:]'):\n    k = -1\n    for i, v in enumerate(x):\n        if v < 0:\n            k = i\n            break\n    return k\n",
    "a condition on data ends the loop": "def f(x: 'float64[:]'):\n    i = 0\n    while i < len(x) and x[i] > 0:\n        i += 1\n    return i\n",
    "`return` from a nest": "def f(a: 'float64[:, :]'):\n    for i in range(a.shape[0]):\n        for j in range(a.shape[1]):\n            if a[i, j] < 0:\n                return 1\n    return 0\n",
    "`break` between stores": "def f(x: 'float64[:]'):\n    for i in range(len(x)):\n        if x[i] < 0:\n            break\n        x[i] = 0\n",
    "place of the greatest": "def f(x: 'float64[:]'):\n    k = 0\n    for i in range(1, len(x)):\n        if x[i] > x[k]:\n            k = i\n    return k\n",
    "flag": "def f(x: 'float64[:]'):\n    found = False\n    for v in x:\n        if v < 0:\n            found = True\n    return found\n",
    "`continue`": "def f(x: 'float64[:]'):\n    for i in range(len(x)):\n        if x[i] < 0:\n            continue\n        x[i] = 0\n",
    "`continue` in an arm": "def f(x: 'float64[:]', y: 'float64[:]'):\n    for i in range(len(x)):\n        if x[i] > 0:\n            if y[i] > 1:\n                continue\n            y[i] = 1\n        y[i] += 1\n",
    "`while` that counts": "def f(x: 'float64[:]'):\n    i = 0\n    while i < len(x):\n        x[i] *= 2\n        i += 1\n",
    "a loop that counts down": "def f(x: 'float64[:]'):\n    for i in range(len(x) - 1, -1, -1):\n        x[i] += i\n",
    "an endless loop that `break` ends": "def f(x: 'float64[:]'):\n    i = 0\n    while True:\n        if i >= len(x):\n            break\n        x[i] = 0\n        i += 1\n",
    "flat index": "def f(n: int, m: int, x: 'float64[:]', s: 'float64[:]'):\n    for i in range(n * m):\n        x[i] *= s[i % m]\n",
    "`?:` between places": "def f(x: 'float64[:]'):\n    s = 0.0\n    for i in range(len(x)):\n        s += x[i - 1 if i > 0 else 0]\n    return s\n",
}  # fmt: skip

_LOOP = "%c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %n = memref.dim %x, %c0 : memref<?xf64>\n  %z = arith.constant 0.0 : f64\n"

_MLIR = {
    "gather": "func.func @f(%x: memref<?xf64>, %ix: memref<?xi32>, %y: memref<?xf64>) {\n  %c0 = arith.constant 0 : index\n  %n = memref.dim %ix, %c0 : memref<?xi32>\n  affine.for %i = 0 to %n {\n    %k = affine.load %ix[%i] : memref<?xi32>\n    %j = arith.index_cast %k : i32 to index\n    %v = memref.load %x[%j] : memref<?xf64>\n    affine.store %v, %y[%i] : memref<?xf64>\n  }\n  func.return\n}\n",
    "scatter": "func.func @f(%x: memref<?xf64>, %ix: memref<?xi32>) {\n  %c0 = arith.constant 0 : index\n  %one = arith.constant 1.0 : f64\n  %n = memref.dim %ix, %c0 : memref<?xi32>\n  affine.for %i = 0 to %n {\n    %k = affine.load %ix[%i] : memref<?xi32>\n    %j = arith.index_cast %k : i32 to index\n    memref.store %one, %x[%j] : memref<?xf64>\n  }\n  func.return\n}\n",
    "a condition on data ends the loop": f"func.func @f(%x: memref<?xf64>) -> index {{\n  {_LOOP}  %r = scf.while (%i = %c0) : (index) -> index {{\n    %in = arith.cmpi ult, %i, %n : index\n    %go = scf.if %in -> (i1) {{\n      %v = memref.load %x[%i] : memref<?xf64>\n      %p = arith.cmpf ogt, %v, %z : f64\n      scf.yield %p : i1\n    }} else {{\n      scf.yield %in : i1\n    }}\n    scf.condition(%go) %i : index\n  }} do {{\n  ^bb0(%i: index):\n    %k = arith.addi %i, %c1 : index\n    scf.yield %k : index\n  }}\n  func.return %r : index\n}}\n",
    "place of the greatest": f"func.func @f(%x: memref<?xf64>) -> index {{\n  {_LOOP}  %r = scf.for %i = %c1 to %n step %c1 iter_args(%k = %c0) -> (index) {{\n    %a = memref.load %x[%i] : memref<?xf64>\n    %b = memref.load %x[%k] : memref<?xf64>\n    %p = arith.cmpf ogt, %a, %b : f64\n    %m = arith.select %p, %i, %k : index\n    scf.yield %m : index\n  }}\n  func.return %r : index\n}}\n",
    "flag": f"func.func @f(%x: memref<?xf64>) -> i1 {{\n  {_LOOP}  %no = arith.constant false\n  %r = scf.for %i = %c0 to %n step %c1 iter_args(%found = %no) -> (i1) {{\n    %a = memref.load %x[%i] : memref<?xf64>\n    %p = arith.cmpf olt, %a, %z : f64\n    %m = arith.ori %found, %p : i1\n    scf.yield %m : i1\n  }}\n  func.return %r : i1\n}}\n",
    "`while` that counts": f"func.func @f(%x: memref<?xf64>) {{\n  {_LOOP}  %r = scf.while (%i = %c0) : (index) -> index {{\n    %in = arith.cmpi slt, %i, %n : index\n    scf.condition(%in) %i : index\n  }} do {{\n  ^bb0(%i: index):\n    memref.store %z, %x[%i] : memref<?xf64>\n    %k = arith.addi %i, %c1 : index\n    scf.yield %k : index\n  }}\n  func.return\n}}\n",
    "flat index": "func.func @f(%n: index, %m: index, %x: memref<?xf64>, %s: memref<?xf64>) {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %e = arith.muli %n, %m : index\n  scf.for %i = %c0 to %e step %c1 {\n    %j = arith.remui %i, %m : index\n    %a = memref.load %x[%i] : memref<?xf64>\n    %b = memref.load %s[%j] : memref<?xf64>\n    %v = arith.mulf %a, %b : f64\n    memref.store %v, %x[%i] : memref<?xf64>\n  }\n  func.return\n}\n",
}  # fmt: skip

LANGUAGES = {"C": ".c", "C++": ".cpp", "Fortran": ".f90", "Python": ".py", "MLIR": ".mlir"}
CONSTRUCTS = {
    "C": _C,
    "C++": {name: f"#include <vector>\n{text}" for name, text in _CPP.items()},
    "Fortran": _FORTRAN,
    "Python": _PYTHON,
    "MLIR": _MLIR,
}
