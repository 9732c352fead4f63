# The squared distance of each point of one set to each point of another.
import numpy as np


def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    m, d = a.shape
    n = b.shape[0]
    result = np.zeros((m, n))
    for i in range(m):
        for j in range(n):
            for k in range(d):
                result[i, j] += (a[i, k] - b[j, k]) ** 2
    return result
