// expect: loop-free
// Scaling with a loop unrolled by four through pointers.
void scale_unrolled_pointers(const float *src, float scale, float *dst, unsigned int n) {
    unsigned int count = n >> 2;
    while (count > 0u) {
        *dst++ = *src++ * scale;
        *dst++ = *src++ * scale;
        *dst++ = *src++ * scale;
        *dst++ = *src++ * scale;
        count--;
    }
    count = n % 4u;
    while (count > 0u) {
        *dst++ = *src++ * scale;
        count--;
    }
}
