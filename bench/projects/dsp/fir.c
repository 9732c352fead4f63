/* fir.c - filters of finite response, with their state in the instance. */
#include "dsp.h"

dsp_status fir_init_f32(fir_instance_f32 *S, uint16_t numTaps, const float32_t *pCoeffs, float32_t *pState, uint32_t blockSize)
{
    if (S == NULL || pState == NULL || numTaps == 0)
        return DSP_ARGUMENT_ERROR;
    S->numTaps = numTaps;
    S->pCoeffs = pCoeffs;
    memset(pState, 0, (numTaps + (blockSize - 1U)) * sizeof(float32_t));
    S->pState = pState;
    return DSP_SUCCESS;
}

void fir_f32(const fir_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    float32_t *pState = S->pState;
    const float32_t *pCoeffs = S->pCoeffs;
    uint32_t numTaps = S->numTaps;
    uint32_t n, i;

    /* the new samples go after those of the call before */
    for (n = 0; n < blockSize; n++)
        pState[numTaps - 1U + n] = pSrc[n];

    for (n = 0; n < blockSize; n++) {
        float32_t acc = 0.0f;
        for (i = 0; i < numTaps; i++)
            acc += pState[n + i] * pCoeffs[i];
        pDst[n] = acc;
    }

    /* the last of them go to the front */
    for (i = 0; i < numTaps - 1U; i++)
        pState[i] = pState[blockSize + i];
}

dsp_status fir_init_q15(fir_instance_q15 *S, uint16_t numTaps, const q15_t *pCoeffs, q15_t *pState, uint32_t blockSize)
{
    if (numTaps & 0x1U)
        return DSP_ARGUMENT_ERROR;
    S->numTaps = numTaps;
    S->pCoeffs = pCoeffs;
    memset(pState, 0, (numTaps + blockSize) * sizeof(q15_t));
    S->pState = pState;
    return DSP_SUCCESS;
}

void fir_q15(const fir_instance_q15 *S, const q15_t *pSrc, q15_t *pDst, uint32_t blockSize)
{
    q15_t *pState = S->pState;
    const q15_t *pCoeffs = S->pCoeffs;
    q15_t *pStateCurnt;
    q15_t *px;
    const q15_t *pb;
    q63_t acc;
    uint32_t numTaps = S->numTaps;
    uint32_t tapCnt, blkCnt;

    pStateCurnt = &(S->pState[(numTaps - 1U)]);
    blkCnt = blockSize;
    while (blkCnt > 0U) {
        *pStateCurnt++ = *pSrc++;
        acc = 0;
        px = pState;
        pb = pCoeffs;
        tapCnt = numTaps;
        do {
            acc += (q31_t)*px++ * *pb++;
            tapCnt--;
        } while (tapCnt > 0U);
        *pDst++ = (q15_t)(__SSAT((acc >> 15), 16));
        pState = pState + 1U;
        blkCnt--;
    }

    pStateCurnt = S->pState;
    tapCnt = (numTaps - 1U);
    while (tapCnt > 0U) {
        *pStateCurnt++ = *pState++;
        tapCnt--;
    }
}

dsp_status fir_decimate_init_f32(fir_decimate_instance_f32 *S, uint16_t numTaps, uint8_t M, const float32_t *pCoeffs, float32_t *pState, uint32_t blockSize)
{
    if (M == 0 || (blockSize % M) != 0U)
        return DSP_LENGTH_ERROR;
    S->numTaps = numTaps;
    S->pCoeffs = pCoeffs;
    memset(pState, 0, (numTaps + (blockSize - 1U)) * sizeof(float32_t));
    S->pState = pState;
    S->M = M;
    return DSP_SUCCESS;
}

void fir_decimate_f32(const fir_decimate_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    float32_t *pState = S->pState;
    const float32_t *pCoeffs = S->pCoeffs;
    uint32_t numTaps = S->numTaps;
    uint32_t M = S->M;
    uint32_t outBlockSize = blockSize / M;
    uint32_t n, i;

    memcpy(pState + numTaps - 1U, pSrc, blockSize * sizeof(float32_t));

    for (n = 0; n < outBlockSize; n++) {
        float32_t acc = 0.0f;
        for (i = 0; i < numTaps; i++)
            acc += pCoeffs[i] * pState[n * M + i];
        pDst[n] = acc;
    }

    for (i = 0; i < numTaps - 1U; i++)
        pState[i] = pState[blockSize + i];
}

dsp_status fir_interpolate_init_f32(fir_interpolate_instance_f32 *S, uint8_t L, uint16_t numTaps, const float32_t *pCoeffs, float32_t *pState, uint32_t blockSize)
{
    if (L == 0 || (numTaps % L) != 0U)
        return DSP_LENGTH_ERROR;
    S->pCoeffs = pCoeffs;
    S->L = L;
    S->phaseLength = numTaps / L;
    memset(pState, 0, (blockSize + ((uint32_t)S->phaseLength - 1U)) * sizeof(float32_t));
    S->pState = pState;
    return DSP_SUCCESS;
}

void fir_interpolate_f32(const fir_interpolate_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    float32_t *pState = S->pState;
    const float32_t *pCoeffs = S->pCoeffs;
    uint32_t phaseLen = S->phaseLength;
    uint32_t L = S->L;
    uint32_t n, j, k;

    for (n = 0; n < blockSize; n++)
        pState[phaseLen - 1U + n] = pSrc[n];

    for (n = 0; n < blockSize; n++) {
        for (j = 0; j < L; j++) {
            float32_t sum = 0.0f;
            for (k = 0; k < phaseLen; k++)
                sum += pState[n + k] * pCoeffs[(L - 1U - j) + k * L];
            pDst[n * L + j] = sum;
        }
    }

    for (k = 0; k < phaseLen - 1U; k++)
        pState[k] = pState[blockSize + k];
}

/* A windowed sinc, whose gain at zero is one. */
void fir_lowpass_design_f32(float32_t *pCoeffs, uint32_t numTaps, float32_t cutoff)
{
    float32_t sum = 0.0f;
    float32_t middle = 0.5f * (float32_t)(numTaps - 1U);
    uint32_t i;

    for (i = 0; i < numTaps; i++) {
        float32_t t = (float32_t)i - middle;
        float32_t ideal = t == 0.0f ? 2.0f * cutoff : sinf(2.0f * PI * cutoff * t) / (PI * t);
        float32_t window = 0.54f - 0.46f * cosf(2.0f * PI * (float32_t)i / (float32_t)(numTaps - 1U));
        pCoeffs[i] = ideal * window;
        sum += pCoeffs[i];
    }
    for (i = 0; i < numTaps; i++)
        pCoeffs[i] /= sum;
}
