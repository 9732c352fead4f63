// expect: loop-free
// FIR filter that keeps its history in a structure.
#include <stdint.h>
struct inst {
    uint16_t numTaps;
    float *pState;
    const float *pCoeffs;
};
void fir_with_state(const struct inst *S, const float *src, float *dst, uint32_t blockSize) {
    float *pState = S->pState;
    const float *pc = S->pCoeffs;
    uint32_t numTaps = S->numTaps, i, k;
    float *cur = &(S->pState[(numTaps - 1U)]);
    for (k = 0; k < blockSize; k++) {
        *cur++ = *src++;
        float acc = 0.0f;
        float *px = pState;
        const float *pb = pc;
        for (i = 0; i < numTaps; i++) acc += *px++ * *pb++;
        *dst++ = acc;
        pState++;
    }
    pState = S->pState + blockSize;
    cur = S->pState;
    for (i = 0; i < numTaps - 1U; i++) *cur++ = *pState++;
}
