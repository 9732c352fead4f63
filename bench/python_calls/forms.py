"""Forms of Python that people use: loops over several things, places, masks, shapes, early returns, bounds that are data."""

import numpy as np


def cross_entropy_of_labels(p, y):
    n = p.shape[0]
    return -np.mean(np.log(p[np.arange(n), y]))


def embed(W, tokens):
    return W[tokens]


def bump_at(x, k, v):
    x[k] += v


def plane_at(t, k):
    return t[:, k, 1]


def slice_bound(x, k: int):
    return x[k:] - x[:-k]


def centered(x, h: int):
    out = np.zeros(len(x))
    for i in range(len(x)):
        lo = max(0, i - h)
        hi = min(len(x), i + h + 1)
        out[i] = x[lo:hi].mean()
    return out


def half_slice(x):
    n = len(x) // 2
    return x[:n] + x[n : 2 * n]


def reversed_enumerate(x):
    s = 0.0
    for i, v in reversed(list(enumerate(x))):
        s = s * 0.5 + i * v
    return s


def zip_range(x):
    s = 0.0
    for i, v in zip(range(1, len(x) + 1), x):
        s += i * v
    return s


def walrus(x):
    s = 0.0
    for i in range(len(x)):
        if (v := x[i]) > 0:
            s += v
    return s


def walrus_comp(x):
    return sum(d * d for v in x if (d := v - 0.5) > 0)


def triples(x):
    return x.reshape(-1, 3)


def column(x):
    return x.reshape(-1, 1) * x.reshape(1, -1)


def comp_nested_array(x, y):
    return np.array([[abs(a - b) for b in y] for a in x])


def means_of_windows(m, k: int):
    rows, columns = m.shape
    return np.array([[m[i : i + k, j : j + k].mean() for j in range(columns - k + 1)] for i in range(rows - k + 1)])


def every_other_cell(m):
    rows, columns = m.shape
    return np.array([[m[2 * i, 2 * j] for j in range(columns // 2)] for i in range(rows // 2)])


def weighted_steps(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x[:-1], x[1:]), start=2):
        s = s * 0.5 + i * (a - b)
    return s


def products_of_pairs(x):
    t = 0.0
    for i, j in zip(range(0, len(x), 2), range(1, len(x), 2)):
        t += x[i] * x[j]
    return t


def neighbours_in_rows(m):
    out = np.zeros(m.shape[0])
    for i, row in enumerate(m):
        for a, b in zip(row, row[1:]):
            out[i] += a * b
    return out


def halved_until(x, tol: float):
    y = x
    while (d := y * 0.5) > tol:
        y = d
    return y


def one_of_three_pairs(x, mode: int):
    if mode == 0:
        return x, x * 2
    elif mode == 1:
        return x * 3, x
    else:
        return x - 1, x + 1


def unit_vector(x):
    n = np.sqrt((x**2).sum())
    if n < 1e-12:
        return np.zeros(len(x))
    return x / n


def block_means(img):
    h, w = img.shape
    blocks = img.reshape(h // 2, 2, w // 2, 2)
    return blocks.mean(axis=3).mean(axis=1)


def views_in_a_loop(x):
    s = 0.0
    for i in range(3):
        x[i] = i
        y = x.reshape(-1, 3)
        s += y[0, 0] + y[1, 1]
    return s


def means_around(x, h: int):
    s = 0.0
    for i in range(len(x)):
        part = x[max(0, i - h) : i + h + 1]
        s += part.sum() / len(part)
    return s


def causal_filter(x, w):
    out = np.zeros(len(x))
    for i in range(len(x)):
        lo = max(0, i - len(w) + 1)
        out[i] = np.dot(x[lo : i + 1], w[: i + 1 - lo])
    return out


def bigrams(tokens, v: int):
    m = np.zeros((v, v), dtype=np.int64)
    for a, b in zip(tokens, tokens[1:]):
        m[a, b] += 1
    return m


def edges(pos, e):
    f = np.zeros_like(pos)
    for a, b in e:
        d = pos[b] - pos[a]
        f[a] += d
        f[b] -= d
    return f


def beside_places(x, k):
    return x[k - 1] + x[k + 1]


def laplacian(adj):
    return np.diag(adj.sum(axis=1)) - adj


def preemphasis(x, a=0.97):
    return np.append(x[0], x[1:] - a * x[:-1])


def backwards_while_changed(x):
    for i, v in reversed(list(enumerate(x))):
        if i > 0:
            x[i - 1] += v
    return x


def pairs_while_changed(x, y):
    for a, (i, b) in zip(x, list(enumerate(y))):
        y[i] = a + b + y[0]
    return y


def upsampled(x, factor: int):
    if factor % 2:
        factor += 1
    out = np.zeros(len(x) * factor)
    for i, v in enumerate(x):
        out[i * factor] = v
    return out


def energy_of_frames(x, size=4):
    energy = np.zeros(len(x) // size)
    for f in range(len(energy)):
        energy[f] = np.mean(x[f * size : (f + 1) * size] ** 2)
    return energy


def binned(x, nbins, lo=-2.0, hi=2.0):
    h = np.zeros(nbins, dtype=np.int64)
    width = (hi - lo) / nbins
    for v in x:
        b = int((v - lo) / width)
        if b < 0:
            b = 0
        if b >= nbins:
            b = nbins - 1
        h[b] += 1
    return h


def cloud_in_cell(pos, grid):
    for p in pos:
        k = int(np.floor(p))
        if 0 <= k and k + 1 < len(grid):
            grid[k] += 1 - (p - k)
            grid[k + 1] += p - k


def automaton(cells, rule=30):
    n = len(cells)
    out = np.zeros(n, dtype=cells.dtype)
    for i in range(n):
        out[i] = (rule >> (4 * cells[(i - 1) % n] + 2 * cells[i] + cells[(i + 1) % n])) & 1
    return out


def looked_up(img, table):
    out = np.zeros(img.shape)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = table[min(int(img[i, j]) // 4, len(table) - 1)]
    return out


def stamped(a, b, g, n):
    G = np.zeros((n, n))
    for k in range(len(g)):
        if a[k] != b[k]:
            G[a[k], a[k]] += g[k]
            G[b[k], b[k]] += g[k]
            G[a[k], b[k]] -= g[k]
            G[b[k], a[k]] -= g[k]
    return G


CASES = {
    "stamped": lambda r, n: (r.integers(0, n, size=8), r.integers(0, n, size=8), r.uniform(size=8), n),
    "looked_up": lambda r, n: (r.integers(0, 256, size=(n, n), dtype=np.uint8), r.normal(size=50)),
    "upsampled": lambda r, n: (r.normal(size=n), 2 + n % 2),
    "energy_of_frames": lambda r, n: (r.normal(size=4 * n),),
    "binned": lambda r, n: (r.normal(size=3 * n), 5),
    "cloud_in_cell": lambda r, n: (r.uniform(-1, n, size=2 * n), np.zeros(n)),
    "automaton": lambda r, n: (r.integers(0, 2, size=n),),
    "backwards_while_changed": lambda r, n: (r.normal(size=n),),
    "pairs_while_changed": lambda r, n: (r.normal(size=n), r.normal(size=n)),
    "bigrams": lambda r, n: (r.integers(0, 4, size=n), 4),
    "edges": lambda r, n: (r.normal(size=(n, 2)), r.integers(0, n, size=(5, 2))),
    "beside_places": lambda r, n: (r.normal(size=n), r.integers(1, n - 1, size=5)),
    "laplacian": lambda r, n: (r.normal(size=(n, n)),),
    "preemphasis": lambda r, n: (r.normal(size=n),),
    "cross_entropy_of_labels": lambda r, n: (r.uniform(0.1, 1, size=(n, 3)), r.integers(0, 3, size=n)),
    "embed": lambda r, n: (r.normal(size=(n, 3)), r.integers(0, n, size=(2, 4))),
    "bump_at": lambda r, n: (r.normal(size=n), np.array([1, 1, 0, 2]), r.normal(size=4)),
    "plane_at": lambda r, n: (r.normal(size=(2, n, 3)), r.integers(0, n, size=3)),
    "slice_bound": lambda r, n: (r.normal(size=n), 2),
    "centered": lambda r, n: (r.normal(size=n), 2),
    "half_slice": lambda r, n: (r.normal(size=n),),
    "reversed_enumerate": lambda r, n: (r.normal(size=n),),
    "zip_range": lambda r, n: (r.normal(size=n),),
    "walrus": lambda r, n: (r.normal(size=n),),
    "walrus_comp": lambda r, n: (r.normal(size=n),),
    "triples": lambda r, n: (r.normal(size=3 * n),),
    "column": lambda r, n: (r.normal(size=n),),
    "comp_nested_array": lambda r, n: (r.normal(size=n), r.normal(size=n + 1)),
    "means_of_windows": lambda r, n: (r.normal(size=(n + 2, n + 1)), 2),
    "every_other_cell": lambda r, n: (r.normal(size=(n + 2, n + 1)),),
    "weighted_steps": lambda r, n: (r.normal(size=n),),
    "products_of_pairs": lambda r, n: (r.normal(size=n),),
    "neighbours_in_rows": lambda r, n: (r.normal(size=(n, 4)),),
    "halved_until": lambda r, n: (5.0, 0.01),
    "one_of_three_pairs": lambda r, n: (r.normal(size=n), n % 3),
    "unit_vector": lambda r, n: (r.normal(size=n),),
    "block_means": lambda r, n: (r.normal(size=(2 * n, 4)),),
    "views_in_a_loop": lambda r, n: (r.normal(size=3 * n),),
    "means_around": lambda r, n: (r.normal(size=n), 2),
    "causal_filter": lambda r, n: (r.normal(size=n), r.normal(size=3)),
}
