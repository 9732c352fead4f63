// expect: loop-free
// Number of places that are followed by an equal one.
#include <stddef.h>

size_t short_circuit_reads(size_t n, const short *a) {
    size_t runs = 0;
    for (size_t i = 0; i < n; i++)
        if (i + 1 < n && a[i] == a[i + 1])
            runs++;
    return runs;
}
