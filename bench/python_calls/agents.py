"""Agents, particles, populations, physics."""

import numpy as np

G = 6.674 * 10.0**-11
DT = 1.0 / 60


def gravity_forces(pos, mass):
    n = len(mass)
    F = np.zeros((n, 3))
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            r = pos[j] - pos[i]
            dist = np.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2) + 0.01
            F[i] += G * mass[i] * mass[j] * r / dist**3
    return F


def euler_step(x, v):
    for i in range(len(x)):
        v[i] -= 9.81 * DT
        x[i] += v[i] * DT
        if x[i] < 0:
            x[i] = -x[i]
            v[i] = -0.9 * v[i]


def wrap_positions(pos, L):
    for i in range(pos.shape[0]):
        for k in range(pos.shape[1]):
            if pos[i, k] < 0:
                pos[i, k] += L
            elif pos[i, k] >= L:
                pos[i, k] -= L
    return pos


def game_of_life(grid):
    n, m = grid.shape
    new = np.zeros((n, m), dtype=grid.dtype)
    for i in range(n):
        for j in range(m):
            neighbours = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di == 0 and dj == 0:
                        continue
                    neighbours += grid[(i + di) % n, (j + dj) % m]
            if grid[i, j] == 1 and (neighbours == 2 or neighbours == 3):
                new[i, j] = 1
            elif grid[i, j] == 0 and neighbours == 3:
                new[i, j] = 1
    return new


def sir_model(s0, i0, r0, beta, gamma, steps):
    S, I, R = s0, i0, r0
    history = np.zeros((steps, 3))
    for t in range(steps):
        new_infections = beta * S * I
        new_recoveries = gamma * I
        S, I, R = S - new_infections, I + new_infections - new_recoveries, R + new_recoveries
        history[t] = [S, I, R]
    return history


def flock_alignment(velocities, neighbours, rate):
    new_v = np.empty_like(velocities)
    n = velocities.shape[0]
    for i in range(n):
        total = np.zeros(2)
        count = 0
        for j in range(n):
            if neighbours[i, j]:
                total += velocities[j]
                count += 1
        if count > 0:
            new_v[i] = velocities[i] + rate * (total / count - velocities[i])
        else:
            new_v[i] = velocities[i]
    return new_v


def kinetic_energy(masses, velocities):
    energy = 0
    for m, v in zip(masses, velocities):
        energy += 0.5 * m * np.dot(v, v)
    return energy


def heat_diffusion(u, alpha, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    return u


def logistic_map(r, x0, n):
    def step(x):
        return r * x * (1 - x)

    xs = np.zeros(n)
    x = x0
    for i in range(n):
        xs[i] = x
        x = step(x)
    return xs


CASES = {
    "gravity_forces": lambda r, n: (r.normal(size=(n, 3)), r.uniform(1, 2, size=n)),
    "euler_step": lambda r, n: (r.uniform(size=n), r.normal(size=n)),
    "wrap_positions": lambda r, n: (r.uniform(-1, 2, size=(n, 2)), 1.0),
    "game_of_life": lambda r, n: (r.integers(0, 2, size=(n + 2, n + 3)),),
    "sir_model": lambda r, n: (0.9, 0.1, 0.0, 0.4, 0.1, n),
    "flock_alignment": lambda r, n: (r.normal(size=(n, 2)), r.integers(0, 2, size=(n, n)), 0.1),
    "kinetic_energy": lambda r, n: (r.uniform(size=n), r.normal(size=(n, 3))),
    "heat_diffusion": lambda r, n: (r.uniform(size=n + 2), 0.1, 3),
    "logistic_map": lambda r, n: (3.7, 0.2, n),
}
