/* adaptive.c - filters that learn: least mean squares, plain and normalised; linear prediction. */
#include "dsp.h"

void lms_init_f32(lms_instance_f32 *S, uint16_t numTaps, float32_t *pCoeffs, float32_t *pState, float32_t mu, uint32_t blockSize)
{
    S->numTaps = numTaps;
    S->pCoeffs = pCoeffs;
    memset(pState, 0, (numTaps + (blockSize - 1)) * sizeof(float32_t));
    S->pState = pState;
    S->mu = mu;
}

void lms_f32(const lms_instance_f32 *S, const float32_t *pSrc, const float32_t *pRef, float32_t *pOut, float32_t *pErr, uint32_t blockSize)
{
    float32_t *pState = S->pState;
    float32_t *pCoeffs = S->pCoeffs;
    float32_t mu = S->mu;
    float32_t acc, e, w;
    uint32_t numTaps = S->numTaps;
    uint32_t n, i;

    for (n = 0; n < blockSize; n++) {
        pState[numTaps - 1U + n] = pSrc[n];
        acc = 0.0f;
        for (i = 0; i < numTaps; i++)
            acc += pState[n + i] * pCoeffs[i];
        pOut[n] = acc;
        e = pRef[n] - acc;
        pErr[n] = e;
        w = e * mu;
        for (i = 0; i < numTaps; i++)
            pCoeffs[i] += w * pState[n + i];
    }
    for (i = 0; i < numTaps - 1U; i++)
        pState[i] = pState[blockSize + i];
}

void lms_norm_init_f32(lms_norm_instance_f32 *S, uint16_t numTaps, float32_t *pCoeffs, float32_t *pState, float32_t mu, uint32_t blockSize)
{
    S->numTaps = numTaps;
    S->pCoeffs = pCoeffs;
    memset(pState, 0, (numTaps + (blockSize - 1U)) * sizeof(float32_t));
    S->pState = pState;
    S->mu = mu;
    S->energy = 0.0f;
    S->x0 = 0.0f;
}

void lms_norm_f32(lms_norm_instance_f32 *S, const float32_t *pSrc, const float32_t *pRef, float32_t *pOut, float32_t *pErr, uint32_t blockSize)
{
    float32_t *pState = S->pState;
    float32_t *pCoeffs = S->pCoeffs;
    float32_t *pStateCurnt;
    float32_t *px, *pb;
    float32_t mu = S->mu;
    float32_t acc, e, w, in;
    float32_t energy = S->energy, x0 = S->x0;
    uint32_t numTaps = S->numTaps;
    uint32_t tapCnt, blkCnt;

    pStateCurnt = &(S->pState[(numTaps - 1U)]);
    blkCnt = blockSize;
    while (blkCnt > 0U) {
        *pStateCurnt++ = *pSrc;
        px = pState;
        pb = pCoeffs;
        in = *pSrc++;
        energy -= x0 * x0;
        energy += in * in;
        acc = 0.0f;
        tapCnt = numTaps;
        while (tapCnt > 0U) {
            acc += (*px++) * (*pb++);
            tapCnt--;
        }
        *pOut++ = acc;
        e = *pRef++ - acc;
        *pErr++ = e;
        w = (e * mu) / (energy + 0.000000119209289f);
        px = pState;
        pb = pCoeffs;
        tapCnt = numTaps;
        while (tapCnt > 0U) {
            *pb += w * (*px++);
            pb++;
            tapCnt--;
        }
        x0 = *pState;
        pState = pState + 1;
        blkCnt--;
    }
    S->energy = energy;
    S->x0 = x0;

    pStateCurnt = S->pState;
    tapCnt = (numTaps - 1U);
    while (tapCnt > 0U) {
        *pStateCurnt++ = *pState++;
        tapCnt--;
    }
}

/* Coefficients of a linear prediction from an autocorrelation; returns the error that remains. */
float32_t levinson_durbin_f32(const float32_t *pAuto, float32_t *pLpc, uint32_t order)
{
    float32_t e = pAuto[0];
    uint32_t p, k;

    for (k = 0; k < order; k++)
        pLpc[k] = 0.0f;

    for (p = 0; p < order; p++) {
        float32_t reflection = pAuto[p + 1];
        float32_t other, mine;
        uint32_t half = p / 2;
        for (k = 0; k < p; k++)
            reflection -= pLpc[k] * pAuto[p - k];
        reflection /= e;
        for (k = 0; k < half; k++) {
            mine = pLpc[k];
            other = pLpc[p - 1 - k];
            pLpc[k] = mine - reflection * other;
            pLpc[p - 1 - k] = other - reflection * mine;
        }
        if (p & 1)
            pLpc[half] -= reflection * pLpc[half];
        pLpc[p] = reflection;
        e *= 1.0f - reflection * reflection;
    }
    return e;
}
