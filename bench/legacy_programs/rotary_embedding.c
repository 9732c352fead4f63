// expect: loop-free
// Rotate pairs of a vector by given angles.
void rotary_embedding(int half, float *v, const float *fcr, const float *fci) {
    for (int i = 0; i < half; i++) {
        float v0 = v[2 * i], v1 = v[2 * i + 1];
        v[2 * i] = v0 * fcr[i] - v1 * fci[i];
        v[2 * i + 1] = v0 * fci[i] + v1 * fcr[i];
    }
}
