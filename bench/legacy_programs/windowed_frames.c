// expect: loop-free
// Cut a signal into frames that advance by one sample, and weight them.
void windowed_frames(const float *x, const float *w, float *frames, int count, int width) {
    for (int f = 0; f < count; f++)
        for (int i = 0; i < width; i++)
            frames[f * width + i] = x[f + i] * w[i];
}
