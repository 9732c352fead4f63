// expect: loop-free
// FIR filter over a circular buffer whose start is data.
typedef struct {
    int start, length;
    float *samples;
} ring;

float circular_buffer(const ring *r, const float *h) {
    float acc = 0.0f;
    for (int k = 0; k < r->length; k++)
        acc += h[k] * r->samples[(r->start + k) % r->length];
    return acc;
}
