// expect: loop-free
// Sum the gradients of each filter over batch and pixels.
void backward_bias(float *bias_updates, const float *delta, int batch, int n, int size) {
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < n; ++i) {
            float sum = 0;
            for (int k = 0; k < size; ++k)
                sum += delta[k + size * (i + b * n)];
            bias_updates[i] += sum;
        }
}
