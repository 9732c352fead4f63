// expect: loop-free
// The halves of a block come from the low and the high bits of its bytes.
#define BLOCK 32

typedef struct {
    float scale;
    unsigned char bytes[BLOCK / 2];
} block;

void unpack_nibbles(const block *x, float *y, int n) {
    const int blocks = n / BLOCK;
    for (int i = 0; i < blocks; i++) {
        for (int j = 0; j < BLOCK / 2; j++) {
            const int low = (x[i].bytes[j] & 0x0F) - 8;
            const int high = (x[i].bytes[j] >> 4) - 8;
            y[i * BLOCK + j] = low * x[i].scale;
            y[i * BLOCK + j + BLOCK / 2] = high * x[i].scale;
        }
    }
}
