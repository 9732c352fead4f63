// expect: loop-free
// Every second sample, by a reading and a writing counter.
#include <stddef.h>

void while_packs_even(size_t n, const unsigned char *a, unsigned char *out) {
    size_t from = 0, to = 0;
    while (to < n) {
        out[to++] = a[from];
        from += 2;
    }
}
