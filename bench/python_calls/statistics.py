"""Statistics: moments, histograms, regressions, cleaning."""

import numpy as np


def zscore(data):
    mu = data.mean(axis=0)
    sigma = data.std(axis=0)
    return (data - mu) / sigma


def histogram(values, lo, hi, bins):
    counts = np.zeros(bins, dtype=int)
    width = (hi - lo) / bins
    for v in values:
        b = int((v - lo) / width)
        if b >= 0 and b < bins:
            counts[b] += 1
    return counts


def density(x):
    counts, edges = np.histogram(x, bins=10, range=(0.0, 1.0))
    return counts / counts.sum()


def linear_fit(x, y):
    n = len(x)
    sx, sy, sxx, sxy = 0.0, 0.0, 0.0, 0.0
    for xi, yi in zip(x, y):
        sx += xi
        sy += yi
        sxx += xi * xi
        sxy += xi * yi
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    intercept = (sy - slope * sx) / n
    return slope, intercept


def skewness(x):
    m = np.mean(x)
    d = x - m
    m2 = np.mean(d**2)
    m3 = np.mean(d**3)
    return m3 / m2**1.5


def nan_mean(x):
    total = 0.0
    count = 0
    for value in x:
        if np.isnan(value):
            continue
        total += value
        count += 1
    if count == 0:
        return 0.0
    return total / count


def fill_missing(x):
    y = x.copy()
    y[np.isnan(y)] = 0.0
    return y


def covariance_matrix(X):
    n, p = X.shape
    centred = X - X.mean(axis=0)
    return centred.T @ centred / (n - 1)


def weighted_quantile_index(weights, q):
    cumulative = np.cumsum(weights)
    return np.searchsorted(cumulative, q * cumulative[-1])


def mode(values, k):
    counts = np.bincount(values, minlength=k)
    return np.argmax(counts)


def confusion_matrix(truth, predicted, k):
    assert len(truth) == len(predicted)
    m = np.zeros((k, k), dtype=np.int64)
    for t, p in zip(truth, predicted):
        m[t, p] += 1
    return m


def autocorrelation(x, max_lag):
    n = len(x)
    mean = x.mean()
    c0 = np.sum((x - mean) ** 2)
    return np.array([np.sum((x[: n - k] - mean) * (x[k:] - mean)) / c0 for k in range(max_lag)])


def welch(a, b):
    na, nb = len(a), len(b)
    va, vb = np.var(a, ddof=1), b.var(ddof=1)
    t = (a.mean() - b.mean()) / np.sqrt(va / na + vb / nb)
    df = (va / na + vb / nb) ** 2 / ((va / na) ** 2 / (na - 1) + (vb / nb) ** 2 / (nb - 1))
    return t, df


def observed(x):
    gaps = np.isnan(x)
    rows = ~np.any(gaps, axis=1)
    return np.nanmean(x, axis=0), np.nanmax(x), rows, np.count_nonzero(gaps, axis=1)


def weighted_correlation(x, y, w):
    mx, my = np.average(x, weights=w), np.average(y, weights=w)
    c = np.cov(x, y)
    return np.sum(w * (x - mx) * (y - my)) / np.sum(w), c[0, 1], np.corrcoef(x, y)[0, 1]


CASES = {
    "zscore": lambda r, n: (r.normal(size=(n, 3)),),
    "histogram": lambda r, n: (r.uniform(size=n), 0.0, 1.0, 5),
    "density": lambda r, n: (r.uniform(size=n),),
    "linear_fit": lambda r, n: (r.normal(size=n), r.normal(size=n)),
    "skewness": lambda r, n: (r.normal(size=n),),
    "nan_mean": lambda r, n: (np.where(r.uniform(size=n) < 0.3, np.nan, r.normal(size=n)),),
    "fill_missing": lambda r, n: (np.where(r.uniform(size=n) < 0.3, np.nan, r.normal(size=n)),),
    "covariance_matrix": lambda r, n: (r.normal(size=(n, 3)),),
    "weighted_quantile_index": lambda r, n: (r.uniform(size=n), 0.5),
    "mode": lambda r, n: (r.integers(0, 4, size=n), 4),
    "confusion_matrix": lambda r, n: (r.integers(0, 3, size=n), r.integers(0, 3, size=n), 3),
    "autocorrelation": lambda r, n: (r.normal(size=n + 3), 3),
    "welch": lambda r, n: (r.normal(size=n), r.normal(size=n + 2)),
    "observed": lambda r, n: (np.where(r.uniform(size=(n, 3)) < 0.3, np.nan, r.normal(size=(n, 3))),),
    "weighted_correlation": lambda r, n: (r.normal(size=n), r.normal(size=n), r.uniform(size=n)),
}
