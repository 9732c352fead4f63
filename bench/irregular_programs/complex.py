"""Complex numbers: complex128, and pairs stored interleaved."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def scale(a: complex, x: np.ndarray) -> None:
    for i in range(len(x)):
        x[i] = a * x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def dotc(x: "np.ndarray[np.complex128]", y: "np.ndarray[np.complex128]") -> complex:
    s = 0j
    for i in range(len(x)):
        s += x[i].conjugate() * y[i]
    return s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def multiply_pairs(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    for i in range(len(a) // 2):
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1]
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def power(re: np.ndarray, im: np.ndarray) -> np.ndarray:
    p = np.zeros(len(re))
    for i in range(len(re)):
        p[i] = re[i] * re[i] + im[i] * im[i]
    return p


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def pairs(z: np.ndarray, w: np.ndarray) -> None:
    for i in range(z.shape[0]):
        w[i, 0] = z[i, 0] * z[i, 0] - z[i, 1] * z[i, 1]
        w[i, 1] = 2.0 * z[i, 0] * z[i, 1]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def axpy(a: complex, x: "complex128[:]", y: "complex128[:]") -> None:
    for i in range(len(x)):
        y[i] += a * x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def matvec(A: "complex128[:, :]", x: "complex128[:]") -> np.ndarray:
    y = np.zeros(A.shape[0], dtype=complex)
    for i in range(A.shape[0]):
        s = 0j
        for j in range(A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s
    return y


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def matmul(A: "complex64[:, :]", B: "complex64[:, :]") -> np.ndarray:
    n, m = A.shape
    p = B.shape[1]
    C = np.zeros((n, p), dtype=np.complex64)
    for i in range(n):
        for j in range(p):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]
    return C


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def adjoint(A: "complex128[:, :]", B: "complex128[:, :]") -> None:
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[j, i] = A[i, j].conjugate()


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def dft(x: "complex128[:]", w: "complex128[:, :]") -> np.ndarray:
    n = len(x)
    X = np.zeros(n, dtype=np.complex128)
    for k in range(n):
        for j in range(n):
            X[k] += w[k, j] * x[j]
    return X


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def mandelbrot_step(z: "complex128[:]", c: "complex128[:]", steps: "int64[:]") -> None:
    for i in range(len(z)):
        if z[i].real ** 2 + z[i].imag ** 2 <= 4.0:
            z[i] = z[i] * z[i] + c[i]
            steps[i] += 1


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
def running_sum(x: "complex128[:]") -> np.ndarray:
    s = np.empty_like(x)
    total = 0j
    for i in range(len(x)):
        total += x[i]
        s[i] = total
    return s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def phases(t: np.ndarray, w: float) -> np.ndarray:
    z = np.empty(len(t), dtype=complex)
    for i in range(len(t)):
        z[i] = np.exp(1j * w * t[i]) / 2
    return z


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def energy(x: "complex128[:]") -> float:
    e = 0.0
    for v in x:
        e += (v * v.conjugate()).real
    return e


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def mixed(a: complex, x: "complex128[:]", y: "complex128[:]") -> None:
    y[:] = a * np.conj(x) + (1 - 2j) * y / 4


# expect: numpy refused TL179, jax refused TL179, torch refused TL179, stablehlo refused TL179, linalg refused TL179, c refused TL179
def angles(x: "complex128[:]", r: np.ndarray) -> None:
    for i in range(len(x)):
        r[i] = np.angle(x[i])
