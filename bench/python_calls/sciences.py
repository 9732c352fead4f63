"""What people of different sciences write: astronomy, ecology, chemistry, neuroscience, climate, genomics, engineering."""

import math

import numpy as np

G = 6.674e-11
KERNEL = np.array([1.0, 2.0, 1.0]) / 4


def lotka(prey, pred, a, b, c, d, dt, steps: int):
    xs = np.zeros(steps)
    ys = np.zeros(steps)
    xs[0], ys[0] = prey, pred
    for t in range(1, steps):
        x, y = xs[t - 1], ys[t - 1]
        xs[t] = x + dt * (a * x - b * x * y)
        ys[t] = y + dt * (d * x * y - c * y)
    return xs, ys


def shannon(counts):
    total = counts.sum()
    h = 0.0
    for c in counts:
        if c > 0:
            p = c / total
            h -= p * math.log(p)
    return h


def rarefaction(counts):
    n = sum(counts)
    return [sum(1 - (1 - c / n) ** k for c in counts) for k in range(1, 5)]


def gravity(pos, mass):
    n = len(mass)
    acc = np.zeros_like(pos)
    for i in range(n):
        for j in range(n):
            if i != j:
                r = pos[j] - pos[i]
                acc[i] += G * mass[j] * r / np.linalg.norm(r) ** 3
    return acc


def potential(pos, mass):
    e = 0.0
    for i, (p, m) in enumerate(zip(pos, mass)):
        for q, k in zip(pos[:i], mass[:i]):
            e -= m * k / np.sqrt(((p - q) ** 2).sum())
    return e


def box_least_squares(t, y, period):
    phase = (t % period) / period
    inside = (phase > 0.2) & (phase < 0.4)
    return y[inside].mean() - y[~inside].mean()


def lennard_jones(r, eps=1.0, sigma=1.0):
    sr6 = (sigma / r) ** 6
    return 4 * eps * (sr6**2 - sr6)


def distance_matrix_pbc(x, box):
    n = x.shape[0]
    d = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            dx = x[i] - x[j]
            dx -= box * np.round(dx / box)
            d[i, j] = d[j, i] = np.sqrt(np.dot(dx, dx))
    return d


def arrhenius(T, A, Ea):
    R = 8.314
    return np.array([A * math.exp(-Ea / (R * t)) for t in T])


def rdf(d, nbins: int, rmax):
    hist = np.zeros(nbins)
    n = d.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            if d[i, j] < rmax:
                hist[int(d[i, j] / rmax * nbins)] += 2
    return hist


def integrate_fire(I, dt, tau, vth, vr):
    v = vr
    spikes = 0
    trace = np.empty(len(I))
    for t, current in enumerate(I):
        v += dt * (-(v - vr) + current) / tau
        if v >= vth:
            v = vr
            spikes += 1
        trace[t] = v
    return trace, spikes


def isi_cv(spikes):
    isi = np.diff(spikes)
    return isi.std() / isi.mean()


def cross_correlogram(a, b, maxlag: int):
    out = np.zeros(2 * maxlag + 1)
    n = len(a)
    for lag in range(-maxlag, maxlag + 1):
        for t in range(max(0, -lag), min(n, n - lag)):
            out[lag + maxlag] += a[t] * b[t + lag]
    return out


def anomaly(monthly):
    years = monthly.reshape(-1, 12)
    return years - years.mean(axis=0)


def degree_days(tmin, tmax, base=10.0):
    return sum(max((lo + hi) / 2 - base, 0) for lo, hi in zip(tmin, tmax))


def detrend(y):
    t = np.arange(len(y))
    tm, ym = t.mean(), y.mean()
    slope = ((t - tm) * (y - ym)).sum() / ((t - tm) ** 2).sum()
    return y - (ym + slope * (t - tm))


def running_max(x):
    out = x.copy()
    for i in range(1, len(x)):
        out[i] = max(out[i - 1], x[i])
    return out


def gc_content(seq, w: int):
    is_gc = (seq == 1) | (seq == 2)
    return [is_gc[i : i + w].mean() for i in range(len(seq) - w + 1)]


def needleman(a, b, gap):
    n, m = len(a), len(b)
    S = np.zeros((n + 1, m + 1))
    S[:, 0] = gap * np.arange(n + 1)
    S[0, :] = gap * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            match = 1.0 if a[i - 1] == b[j - 1] else -1.0
            S[i, j] = max(S[i - 1, j - 1] + match, S[i - 1, j] + gap, S[i, j - 1] + gap)
    return S


def allele_freq(g):
    n = g.shape[0]
    p = np.zeros(g.shape[1])
    for j in range(g.shape[1]):
        p[j] = g[:, j].sum() / (2 * n)
    return p


def hamming_matrix(g):
    return (g[:, None, :] != g[None, :, :]).sum(axis=2)


def beam(q, L, E, I, n: int):
    x = np.linspace(0, L, n)
    return q * x * (L**3 - 2 * L * x**2 + x**3) / (24 * E * I)


def thomas(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def simpson(y, h):
    n = len(y)
    s = y[0] + y[-1]
    for i in range(1, n - 1):
        s += 4 * y[i] if i % 2 else 2 * y[i]
    return s * h / 3


def knn_predict(X, y, q):
    d = ((X - q) ** 2).sum(axis=1)
    return y[np.argmin(d)]


def kmeans_step(X, C):
    d = np.zeros((X.shape[0], C.shape[0]))
    for k in range(C.shape[0]):
        d[:, k] = ((X - C[k]) ** 2).sum(axis=1)
    labels = d.argmin(axis=1)
    new = np.zeros_like(C)
    count = np.zeros(C.shape[0])
    for i, l in enumerate(labels):
        new[l] += X[i]
        count[l] += 1
    return new / count[:, None]


def roc_auc(score, label):
    pos = 0
    neg = 0
    wins = 0.0
    for i in range(len(score)):
        if label[i] == 1:
            pos += 1
        else:
            neg += 1
        for j in range(len(score)):
            if label[i] == 1 and label[j] == 0:
                if score[i] > score[j]:
                    wins += 1
                elif score[i] == score[j]:
                    wins += 0.5
    return wins / (pos * neg)


def rope(x, theta):
    n, d = x.shape
    out = np.empty_like(x)
    for t in range(n):
        for i in range(d // 2):
            a = t * theta[i]
            out[t, 2 * i] = x[t, 2 * i] * np.cos(a) - x[t, 2 * i + 1] * np.sin(a)
            out[t, 2 * i + 1] = x[t, 2 * i] * np.sin(a) + x[t, 2 * i + 1] * np.cos(a)
    return out


def gini(x):
    n = len(x)
    s = sum(abs(a - b) for a in x for b in x)
    return s / (2 * n * n * x.mean())


def ewma_vol(r, lam=0.94):
    v = r[0] ** 2
    out = []
    for ret in r:
        v = lam * v + (1 - lam) * ret**2
        out.append(math.sqrt(v))
    return out


def amortise(principal, rate, n: int):
    pay = principal * rate / (1 - (1 + rate) ** -n)
    balance = principal
    rows = np.zeros((n, 3))
    for k in range(n):
        interest = balance * rate
        rows[k] = interest, pay - interest, balance
        balance -= pay - interest
    return rows


def otsu_between(hist, t: int):
    w0 = hist[:t].sum()
    w1 = hist[t:].sum()
    m0 = (np.arange(t) * hist[:t]).sum() / w0
    m1 = (np.arange(t, len(hist)) * hist[t:]).sum() / w1
    return w0 * w1 * (m0 - m1) ** 2


def blur_rows(img):
    out = img.copy()
    for row in out:
        row[1:-1] = KERNEL[0] * row[:-2] + KERNEL[1] * row[1:-1] + KERNEL[2] * row[2:]
    return out


def psnr(a, b):
    mse = ((a - b) ** 2).mean()
    if mse == 0:
        return math.inf
    return 20 * math.log10(255.0 / math.sqrt(mse))


def N(r, n):
    return r.normal(size=n)


def P(r, n):
    return r.uniform(0.5, 2, size=n)


def expectation(psi, H):
    e = 0j
    for i in range(len(psi)):
        for j in range(len(psi)):
            e += psi[i].conjugate() * H[i, j] * psi[j]
    return e.real


def phase_steps(z):
    return np.angle(z[1:] * np.conj(z[:-1]))


CASES = {
    "lotka": lambda r, n: (1.0, 0.5, 1.1, 0.4, 0.4, 0.1, 0.01, n),
    "shannon": lambda r, n: (r.integers(0, 5, size=n) + 1.0,),
    "rarefaction": lambda r, n: ([int(v) for v in r.integers(1, 9, size=n)],),
    "gravity": lambda r, n: (r.normal(size=(n, 3)), P(r, n)),
    "potential": lambda r, n: (r.normal(size=(n, 3)), P(r, n)),
    "box_least_squares": lambda r, n: (np.linspace(0, 10, 8 * n), N(r, 8 * n), 1.3),
    "lennard_jones": lambda r, n: (P(r, n),),
    "distance_matrix_pbc": lambda r, n: (r.normal(size=(n, 3)), 5.0),
    "arrhenius": lambda r, n: (300 * P(r, n), 1e3, 5e3),
    "rdf": lambda r, n: (P(r, (n, n)), 8, 1.5),
    "integrate_fire": lambda r, n: (20 * P(r, n * 3), 0.5, 5.0, 3.0, 0.0),
    "isi_cv": lambda r, n: (np.cumsum(P(r, n)),),
    "cross_correlogram": lambda r, n: (N(r, n), N(r, n), 2),
    "anomaly": lambda r, n: (N(r, 12 * n),),
    "degree_days": lambda r, n: (10 * P(r, n), 15 * P(r, n)),
    "detrend": lambda r, n: (N(r, n),),
    "running_max": lambda r, n: (N(r, n),),
    "gc_content": lambda r, n: (r.integers(0, 4, size=n + 4), 3),
    "needleman": lambda r, n: (r.integers(0, 4, size=n), r.integers(0, 4, size=n + 1), -2.0),
    "allele_freq": lambda r, n: (r.integers(0, 3, size=(n, 4)),),
    "hamming_matrix": lambda r, n: (r.integers(0, 3, size=(n, 4)),),
    "beam": lambda r, n: (1.0, 2.0, 3.0, 4.0, n),
    "thomas": lambda r, n: (N(r, n), 5 + P(r, n), N(r, n), N(r, n)),
    "simpson": lambda r, n: (N(r, 2 * n + 1), 0.1),
    "knn_predict": lambda r, n: (r.normal(size=(n, 3)), N(r, n), N(r, 3)),
    "kmeans_step": lambda r, n: (
        np.concatenate((r.normal(size=(n, 2)), np.array([[0.0, 0], [5, 5]]))),
        np.array([[0.0, 0], [5, 5]]),
    ),
    "roc_auc": lambda r, n: (r.integers(0, 5, size=n) / 4, np.arange(n) % 2),
    "rope": lambda r, n: (r.normal(size=(n, 6)), P(r, 3)),
    "gini": lambda r, n: (P(r, n),),
    "ewma_vol": lambda r, n: (N(r, n),),
    "amortise": lambda r, n: (1000.0, 0.01, n),
    "otsu_between": lambda r, n: (P(r, n + 4), 3),
    "blur_rows": lambda r, n: (r.normal(size=(n, n + 1)),),
    "psnr": lambda r, n: (r.normal(size=(n, n + 1)), r.normal(size=(n, n + 1))),
    "expectation": lambda r, n: (N(r, n) + 1j * N(r, n), r.normal(size=(n, n))),
    "phase_steps": lambda r, n: (N(r, n) + 1j * N(r, n),),
}
