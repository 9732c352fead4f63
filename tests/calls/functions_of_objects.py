"""Methods, and functions of objects, to lift."""

# mypy: ignore-errors

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tensorlift import lift


class Grid(NamedTuple):
    dx: float
    dt: float


@dataclass
class Rod:
    """A state with arrays, numbers, and an object in it."""

    u: Any
    grid: Grid
    time: float = 0.0
    steps: int = 0
    weights: Any = None

    @lift(cache=False)
    def step(self) -> None:
        v = self.u.copy()
        for i in range(1, len(v) - 1):
            self.u[i] = v[i] + self.grid.dt / self.grid.dx**2 * (v[i - 1] - 2 * v[i] + v[i + 1])
        self.time += self.grid.dt
        self.steps += 1

    @lift(cache=False)
    def later(self, dt: float):
        self.time = self.time + dt
        return self.u.sum(), self.steps

    @lift(cache=False)
    def total(self):
        if self.weights is None:
            return self.u.sum()
        return (self.u * self.weights).sum()

    @property
    def end(self) -> float:
        return self.time

    @lift(cache=False)
    def grown(self):
        self.u = self.u * 2

    @lift(cache=False)
    def early(self, dt: float):
        if dt > 1:
            return 0.0
        self.time = dt
        return dt

    @lift(cache=False)
    def asks_a_property(self, x):
        return x * self.end

    @lift(cache=False)
    def calls_a_method(self):
        return self.total()

    @lift(cache=False)
    def passes_itself(self):
        return energy(self, self.u)

    @lift(cache=False)
    def asks_for_nothing(self):
        return self.u * self.missing


@lift(cache=False)
def energy(p, v):
    return 0.5 * p.mass * (v * v).sum()


@lift(cache=False)
def moved(one, other):
    one.x += 1
    return other.x


def kicked(p: Any, dt: float) -> None:
    p.v -= dt * p.x
    p.x += dt * p.v
    p.t += dt


def dense(x, layers, scale=(1.0, 2.0)):
    h = x
    for place, (w, b) in enumerate(layers):
        h = h @ w + b
        if place < len(layers) - 1:
            h = np.maximum(h, 0)
    low, high = scale
    return {"h": low * h + high * scale[-1], "norm": sum(np.sum(w * w) for w, _ in layers)}


def trained(p, x, rate):
    y = x @ p["w"] + p["b"]
    p["w"] -= rate * (x.T @ y)
    p["steps"] += 1
    return {"loss": (y * y).mean()}
