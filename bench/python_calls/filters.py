"""Filters of signals and time series."""

import numpy as np

WINDOW = 2 * 3 + 1
EPS = 1e-12


def moving_average(x, w):
    n = len(x)
    out = []
    for i in range(n - w + 1):
        out.append(np.mean(x[i : i + w]))
    return np.array(out)


def exponential_smoothing(x, alpha):
    s = np.zeros_like(x)
    s[0] = x[0]
    for t in range(1, len(x)):
        s[t] = alpha * x[t] + (1 - alpha) * s[t - 1]
    return s


def fir(signal, taps):
    n = len(signal)
    k = len(taps)
    result = np.zeros(n)
    for i in range(n):
        acc = 0.0
        for j in range(k):
            if i - j < 0:
                continue
            acc += signal[i - j] * taps[j]
        result[i] = acc
    return result


def difference_signal(x, lag=1):
    return x[lag:] - x[:-lag]


def zero_crossings(x):
    return np.sum(np.abs(np.diff(np.sign(x))) > 0)


def hann(n):
    k = np.arange(n)
    return 0.5 - 0.5 * np.cos(2 * np.pi * k / (n - 1))


def median_of_three(x):
    y = x.copy()
    for i in range(1, len(x) - 1):
        y[i] = np.median(x[i - 1 : i + 2])
    return y


def normalise(x):
    x = x - np.mean(x)
    x = x / (np.std(x) + EPS)
    return x


def smooth_periodic(x):
    return 0.25 * np.roll(x, 1) + 0.5 * x + 0.25 * np.roll(x, -1)


def boxcar(x):
    half = WINDOW // 2
    padded = np.concatenate((np.zeros(half), x, np.zeros(half)))
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = padded[i : i + WINDOW].sum() / WINDOW
    return y


def least_so_far(x, k):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[max(0, i - k + 1) : i + 1].min()
    return out


def limited(x, low, high):
    out = x.copy()
    for i in range(len(x)):
        if out[i] < low:
            out[i] = low
        elif out[i] > high:
            out[i] = high
    return out


def smoothed(x, window):
    kernel = window / window.sum()
    return np.convolve(x, kernel, mode="same"), np.gradient(x, 0.5), np.trapezoid(x, dx=0.5)


CASES = {
    "moving_average": lambda r, n: (r.normal(size=n + 3), 3),
    "exponential_smoothing": lambda r, n: (r.normal(size=n), 0.3),
    "fir": lambda r, n: (r.normal(size=n), r.normal(size=4)),
    "difference_signal": lambda r, n: (r.normal(size=n), 1),
    "zero_crossings": lambda r, n: (r.normal(size=n),),
    "hann": lambda r, n: (n + 2,),
    "median_of_three": lambda r, n: (r.normal(size=n),),
    "normalise": lambda r, n: (r.normal(size=n),),
    "smooth_periodic": lambda r, n: (r.normal(size=n),),
    "least_so_far": lambda r, n: (r.normal(size=n), 3),
    "limited": lambda r, n: (r.normal(size=n), -0.5, 0.5),
    "boxcar": lambda r, n: (r.normal(size=n),),
    "smoothed": lambda r, n: (r.normal(size=n), np.array([1.0, 2, 1])),
}
