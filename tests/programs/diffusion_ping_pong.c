// expect: hybrid
// Two states that change places after each step.
#include <stdlib.h>
#include <string.h>

void diffusion_ping_pong(int n, int steps, double *u) {
    double *now = malloc(n * n * sizeof *now), *next = malloc(n * n * sizeof *next);
    memcpy(now, u, n * n * sizeof *now);
    memcpy(next, u, n * n * sizeof *next);
    for (int step = 0; step < steps; step++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                next[i * n + j] = 0.25 * (now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1]);
        double *swap = now;
        now = next;
        next = swap;
    }
    memcpy(u, now, n * n * sizeof *now);
    free(now);
    free(next);
}
