// expect: loop-free
// Forces change the velocities of particles, to which a structure points.
typedef struct {
    double position[3], velocity[3], mass;
    int kind;
} Particle;

typedef struct {
    int count;
    Particle *particles;
    double dt;
} System;

void kick_particles(System *s, const double (*force)[3]) {
    for (int i = 0; i < s->count; i++) {
        Particle *p = &s->particles[i];
        for (int d = 0; d < 3; d++)
            p->velocity[d] += s->dt * force[i][d] / p->mass;
    }
}
