// expect: loop-free
// A layer whose weights and result are globals.
#define IN 16
#define OUT 8
float weights[OUT][IN];
float hidden[OUT];
static float energy;

void global_state(const float *x) {
    energy = 0.0f;
    for (int o = 0; o < OUT; o++) {
        hidden[o] = 0.0f;
        for (int i = 0; i < IN; i++)
            hidden[o] += weights[o][i] * x[i];
        energy += hidden[o] * hidden[o];
    }
}
