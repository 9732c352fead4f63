/* complexmath.c - vectors of complex numbers, real and imaginary part in turns. */
#include "dsp.h"

void cmplx_conj_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples)
{
    uint32_t blkCnt = numSamples;

    while (blkCnt > 0U) {
        *pDst++ = *pSrc++;
        *pDst++ = -*pSrc++;
        blkCnt--;
    }
}

void cmplx_dot_prod_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t numSamples, float32_t *realResult, float32_t *imagResult)
{
    uint32_t blkCnt = numSamples;
    float32_t real_sum = 0.0f, imag_sum = 0.0f;
    float32_t a0, b0, c0, d0;

    while (blkCnt > 0U) {
        a0 = *pSrcA++;
        b0 = *pSrcA++;
        c0 = *pSrcB++;
        d0 = *pSrcB++;
        real_sum += a0 * c0;
        imag_sum += a0 * d0;
        real_sum -= b0 * d0;
        imag_sum += b0 * c0;
        blkCnt--;
    }
    *realResult = real_sum;
    *imagResult = imag_sum;
}

void cmplx_mag_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples)
{
    float32_t real, imag;

    while (numSamples > 0U) {
        real = *pSrc++;
        imag = *pSrc++;
        *pDst++ = sqrtf(real * real + imag * imag);
        numSamples--;
    }
}

void cmplx_mag_squared_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples)
{
    for (uint32_t i = 0; i < numSamples; i++)
        pDst[i] = pSrc[2 * i] * pSrc[2 * i] + pSrc[2 * i + 1] * pSrc[2 * i + 1];
}

void cmplx_mult_cmplx_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t numSamples)
{
    float32_t a, b, c, d;

    for (uint32_t i = 0; i < numSamples; i++) {
        a = pSrcA[2 * i];
        b = pSrcA[2 * i + 1];
        c = pSrcB[2 * i];
        d = pSrcB[2 * i + 1];
        pDst[2 * i] = a * c - b * d;
        pDst[2 * i + 1] = a * d + b * c;
    }
}

void cmplx_mult_real_f32(const float32_t *pSrcCmplx, const float32_t *pSrcReal, float32_t *pCmplxDst, uint32_t numSamples)
{
    uint32_t blkCnt = numSamples;
    float32_t in;

    while (blkCnt > 0U) {
        in = *pSrcReal++;
        *pCmplxDst++ = *pSrcCmplx++ * in;
        *pCmplxDst++ = *pSrcCmplx++ * in;
        blkCnt--;
    }
}
