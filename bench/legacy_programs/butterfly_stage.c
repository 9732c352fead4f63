// expect: loop-free
// One stage of a radix-2 FFT on split complex data.
void butterfly_stage(int half, const float *wr, const float *wi, float *re, float *im) {
    for (int k = 0; k < half; k++) {
        float tr = wr[k] * re[k + half] - wi[k] * im[k + half];
        float ti = wr[k] * im[k + half] + wi[k] * re[k + half];
        re[k + half] = re[k] - tr;
        im[k + half] = im[k] - ti;
        re[k] = re[k] + tr;
        im[k] = im[k] + ti;
    }
}
