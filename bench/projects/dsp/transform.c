/* transform.c - Fourier and cosine transforms, spectra, windows. */
#include "dsp.h"

dsp_status cfft_init_f32(cfft_instance_f32 *S, uint16_t fftLen, float32_t *pTwiddle, uint16_t *pBitRevTable)
{
    uint32_t i, bits = 0U;

    if (fftLen == 0 || (fftLen & (fftLen - 1)) != 0)
        return DSP_ARGUMENT_ERROR;
    while ((1U << bits) < fftLen)
        bits++;
    for (i = 0; i < fftLen; i++) {
        float32_t angle = 2.0f * PI * (float32_t)i / (float32_t)fftLen;
        pTwiddle[2U * i] = cosf(angle);
        pTwiddle[2U * i + 1U] = sinf(angle);
    }
    for (i = 0; i < fftLen; i++) {
        uint32_t reversed = 0U, b;
        for (b = 0; b < bits; b++)
            if (i & (1U << b))
                reversed |= 1U << (bits - 1U - b);
        pBitRevTable[i] = (uint16_t)reversed;
    }
    S->fftLen = fftLen;
    S->pTwiddle = pTwiddle;
    S->pBitRevTable = pBitRevTable;
    return DSP_SUCCESS;
}

void bitreversal_f32(float32_t *pData, uint16_t fftLen, const uint16_t *pBitRevTable)
{
    uint32_t i;

    for (i = 0; i < fftLen; i++) {
        uint32_t j = pBitRevTable[i];
        if (j > i) {
            float32_t re = pData[2U * i], im = pData[2U * i + 1U];
            pData[2U * i] = pData[2U * j];
            pData[2U * i + 1U] = pData[2U * j + 1U];
            pData[2U * j] = re;
            pData[2U * j + 1U] = im;
        }
    }
}

static void radix2_butterflies(float32_t *pSrc, uint32_t fftLen, const float32_t *pCoef)
{
    uint32_t i, j, k, n1, n2, ia;
    float32_t xt, yt, cosVal, sinVal;

    for (k = 1U; k < fftLen; k <<= 1U) {
        n1 = k << 1U;
        n2 = fftLen / n1;
        for (j = 0U; j < k; j++) {
            ia = j * n2;
            cosVal = pCoef[ia * 2U];
            sinVal = pCoef[(ia * 2U) + 1U];
            for (i = j; i < fftLen; i += n1) {
                float32_t *p = pSrc + 2U * i, *q = pSrc + 2U * (i + k);
                xt = q[0] * cosVal + q[1] * sinVal;
                yt = q[1] * cosVal - q[0] * sinVal;
                q[0] = p[0] - xt;
                q[1] = p[1] - yt;
                p[0] += xt;
                p[1] += yt;
            }
        }
    }
}

void cfft_f32(const cfft_instance_f32 *S, float32_t *pData, uint8_t ifftFlag)
{
    uint32_t L = S->fftLen, l;
    float32_t invL;

    if (ifftFlag == 1U) {
        for (l = 0; l < L; l++)
            pData[2U * l + 1U] = -pData[2U * l + 1U];
    }
    bitreversal_f32(pData, S->fftLen, S->pBitRevTable);
    radix2_butterflies(pData, L, S->pTwiddle);
    if (ifftFlag == 1U) {
        invL = 1.0f / (float32_t)L;
        for (l = 0; l < L; l++) {
            pData[2U * l] *= invL;
            pData[2U * l + 1U] = -pData[2U * l + 1U] * invL;
        }
    }
}

void power_spectrum_f32(const float32_t *pSpectrum, float32_t *pPower, uint32_t bins, float32_t scale)
{
    uint32_t k;

    for (k = 0; k < bins; k++) {
        float32_t re = pSpectrum[2U * k], im = pSpectrum[2U * k + 1U];
        pPower[k] = (re * re + im * im) * scale;
    }
}

void dct4_init_f32(dct4_instance_f32 *S, uint16_t N, float32_t *pCosFactor)
{
    int k, n, length = N;

    for (k = 0; k < length; k++)
        for (n = 0; n < length; n++)
            pCosFactor[k * length + n] = cosf(PI / (float32_t)length * ((float32_t)n + 0.5f) * ((float32_t)k + 0.5f));
    S->N = N;
    S->pCosFactor = pCosFactor;
    S->normalize = sqrtf(2.0f / (float32_t)N);
}

void dct4_f32(const dct4_instance_f32 *S, const float32_t *pSrc, float32_t *pDst)
{
    const float32_t *pCos = S->pCosFactor;
    float32_t normalize = S->normalize;
    int length = S->N;
    int k, n;

    for (k = 0; k < length; k++) {
        float32_t sum = 0.0f;
        for (n = 0; n < length; n++)
            sum += pSrc[n] * pCos[k * length + n];
        pDst[k] = sum * normalize;
    }
}

/* Triangles, each from the middle of one to the middle of the next but one. */
void mel_filterbank_init_f32(float32_t *pBank, uint32_t bands, uint32_t bins)
{
    uint32_t b, k;

    for (b = 0; b < bands; b++) {
        float32_t low = (float32_t)bins * (float32_t)(b * b) / (float32_t)((bands + 1U) * (bands + 1U));
        float32_t middle = (float32_t)bins * (float32_t)((b + 1U) * (b + 1U)) / (float32_t)((bands + 1U) * (bands + 1U));
        float32_t high = (float32_t)bins * (float32_t)((b + 2U) * (b + 2U)) / (float32_t)((bands + 1U) * (bands + 1U));
        for (k = 0; k < bins; k++) {
            float32_t x = (float32_t)k, weight = 0.0f;
            if (x > low && x <= middle)
                weight = (x - low) / (middle - low);
            else if (x > middle && x < high)
                weight = (high - x) / (high - middle);
            pBank[b * bins + k] = weight;
        }
    }
}

void mel_filterbank_f32(const float32_t *pPower, uint32_t bins, const float32_t *pBank, float32_t *pDst, uint32_t bands)
{
    uint32_t b, k;

    for (b = 0; b < bands; b++) {
        float32_t sum = 1.0e-10f;
        for (k = 0; k < bins; k++)
            sum += pBank[b * bins + k] * pPower[k];
        pDst[b] = logf(sum);
    }
}

void hanning_f32(float32_t *pDst, uint32_t blockSize)
{
    float32_t k = 2.0f / ((float32_t)blockSize);
    float32_t w;

    for (uint32_t i = 0; i < blockSize; i++) {
        w = PI * i * k;
        w = 0.5f * (1.0f - cosf(w));
        pDst[i] = w;
    }
}

void hamming_f32(float32_t *pDst, uint32_t blockSize)
{
    float32_t k = 2.0f / ((float32_t)blockSize);
    float32_t w;

    for (uint32_t i = 0; i < blockSize; i++) {
        w = PI * i * k;
        w = 0.54f - 0.46f * cosf(w);
        pDst[i] = w;
    }
}

void blackman_harris_92db_f32(float32_t *pDst, uint32_t blockSize)
{
    float32_t k = 2.0f / ((float32_t)blockSize);

    for (uint32_t i = 0; i < blockSize; i++) {
        float32_t w = PI * i * k;
        pDst[i] = 0.35875f - 0.48829f * cosf(w) + 0.14128f * cosf(2.0f * w) - 0.01168f * cosf(3.0f * w);
    }
}

void bartlett_f32(float32_t *pDst, uint32_t blockSize)
{
    float32_t k = 2.0f / ((float32_t)blockSize);
    float32_t w;

    for (uint32_t i = 0; i < blockSize; i++) {
        w = i * k;
        if (w > 1.0f)
            w = 2.0f - w;
        pDst[i] = w;
    }
}
