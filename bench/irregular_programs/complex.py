"""Complex numbers: complex128, and pairs stored interleaved."""

import numpy as np


# expect: numpy refused TL179, jax refused TL179, torch refused TL179, stablehlo refused TL179, linalg refused TL179, c refused TL179
def scale(a: complex, x: np.ndarray) -> None:
    for i in range(len(x)):
        x[i] = a * x[i]


# expect: numpy refused TL179, jax refused TL179, torch refused TL179, stablehlo refused TL179, linalg refused TL179, c refused TL179
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
