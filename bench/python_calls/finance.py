"""Finance: returns, risk, bonds, options, indicators."""

import math
from math import exp, log, sqrt

import numpy as np


def log_returns(prices):
    return np.log(prices[1:] / prices[:-1])


def max_drawdown(prices):
    peak = prices[0]
    worst = 0.0
    for p in prices:
        if p > peak:
            peak = p
        drawdown = (peak - p) / peak
        worst = max(worst, drawdown)
    return worst


def net_present_value(rate, cashflows):
    return sum(c / (1 + rate) ** t for t, c in enumerate(cashflows))


def bond_price(face, coupon, rate, years):
    price = 0.0
    for t in range(1, years + 1):
        price += coupon / (1 + rate) ** t
    price += face / (1 + rate) ** years
    return price


def sharpe(returns, risk_free=0.0):
    excess = returns - risk_free
    return np.sqrt(252) * excess.mean() / excess.std()


def black_scholes(S, K, T, r, sigma):
    prices = np.zeros(len(S))
    for i in range(len(S)):
        d1 = (log(S[i] / K) + (r + 0.5 * sigma**2) * T) / (sigma * sqrt(T))
        d2 = d1 - sigma * sqrt(T)
        n1 = 0.5 * (1 + math.erf(d1 / sqrt(2)))
        n2 = 0.5 * (1 + math.erf(d2 / sqrt(2)))
        prices[i] = S[i] * n1 - K * exp(-r * T) * n2
    return prices


def portfolio_variance(weights, cov):
    return np.einsum("i,ij,j->", weights, cov, weights)


def binomial_option(S, K, r, sigma, T, n):
    dt = T / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    disc = math.exp(-r * dt)
    values = np.zeros(n + 1)
    for i in range(n + 1):
        values[i] = max(S * u ** (n - i) * d**i - K, 0.0)
    for step in range(n):
        for i in range(n - step):
            values[i] = disc * (p * values[i] + (1 - p) * values[i + 1])
    return values[0]


def rsi_gains(prices):
    gains = [max(prices[i] - prices[i - 1], 0.0) for i in range(1, len(prices))]
    losses = [max(prices[i - 1] - prices[i], 0.0) for i in range(1, len(prices))]
    avg_gain = sum(gains) / len(gains)
    avg_loss = sum(losses) / len(losses)
    if avg_loss == 0:
        return 100.0
    return 100.0 - 100.0 / (1.0 + avg_gain / avg_loss)


def drawdowns(prices):
    peak = np.maximum.accumulate(prices)
    return ((peak - prices) / peak).max(), np.ptp(prices)


def rolling_volatility(returns, w: int):
    out = np.zeros(len(returns))
    for i in range(w, len(returns)):
        out[i] = returns[i - w : i].std(ddof=1) * np.sqrt(252)
    return out


CASES = {
    "log_returns": lambda r, n: (r.uniform(1, 2, size=n),),
    "max_drawdown": lambda r, n: (r.uniform(1, 2, size=n),),
    "net_present_value": lambda r, n: (0.05, r.normal(size=n)),
    "bond_price": lambda r, n: (100.0, 5.0, 0.03, n),
    "sharpe": lambda r, n: (r.normal(size=n + 1),),
    "black_scholes": lambda r, n: (r.uniform(50, 150, size=n), 100.0, 1.0, 0.02, 0.2),
    "portfolio_variance": lambda r, n: (r.uniform(size=n), r.normal(size=(n, n))),
    "binomial_option": lambda r, n: (100.0, 95.0, 0.02, 0.2, 1.0, n),
    "rsi_gains": lambda r, n: (r.uniform(1, 2, size=n + 1),),
    "drawdowns": lambda r, n: (r.uniform(1, 2, size=n),),
    "rolling_volatility": lambda r, n: (r.normal(size=n), 3),
}
