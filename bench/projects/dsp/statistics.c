/* statistics.c - figures of vectors: means, powers, extremes, distances. */
#include "dsp.h"

void mean_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult)
{
    uint32_t blkCnt = blockSize;
    float32_t sum = 0.0f;

    while (blkCnt > 0U) {
        sum += *pSrc++;
        blkCnt--;
    }
    *pResult = (sum / blockSize);
}

void power_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult)
{
    uint32_t blkCnt = blockSize;
    float32_t sum = 0.0f;
    float32_t in;

    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += in * in;
        blkCnt--;
    }
    *pResult = sum;
}

void rms_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult)
{
    float32_t sum = 0.0f;

    for (uint32_t i = 0; i < blockSize; i++)
        sum += pSrc[i] * pSrc[i];
    *pResult = sqrtf(sum / (float32_t)blockSize);
}

void var_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult)
{
    float32_t sum = 0.0f, fMean, fSum = 0.0f;
    uint32_t i;

    if (blockSize <= 1U) {
        *pResult = 0;
        return;
    }
    for (i = 0; i < blockSize; i++)
        sum += pSrc[i];
    fMean = sum / (float32_t)blockSize;
    for (i = 0; i < blockSize; i++) {
        float32_t value = pSrc[i] - fMean;
        fSum += value * value;
    }
    *pResult = fSum / (float32_t)(blockSize - 1.0f);
}

void max_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult, uint32_t *pIndex)
{
    float32_t maxVal, out;
    uint32_t blkCnt, outIndex;

    outIndex = 0U;
    out = *pSrc++;
    blkCnt = blockSize - 1U;
    while (blkCnt > 0U) {
        maxVal = *pSrc++;
        if (out < maxVal) {
            out = maxVal;
            outIndex = blockSize - blkCnt;
        }
        blkCnt--;
    }
    *pResult = out;
    *pIndex = outIndex;
}

void min_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult, uint32_t *pIndex)
{
    float32_t out = pSrc[0];
    uint32_t index = 0U;

    for (uint32_t i = 1; i < blockSize; i++) {
        if (pSrc[i] < out) {
            out = pSrc[i];
            index = i;
        }
    }
    *pResult = out;
    *pIndex = index;
}

void absmax_no_idx_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult)
{
    float32_t out = fabsf(pSrc[0]);

    for (uint32_t i = 1; i < blockSize; i++) {
        float32_t now = fabsf(pSrc[i]);
        if (now > out)
            out = now;
    }
    *pResult = out;
}

void mse_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t blockSize, float32_t *pResult)
{
    float32_t sum = 0.0f;
    float32_t inA, inB;
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        inA = *pSrcA++;
        inB = *pSrcB++;
        inA = inA - inB;
        sum += inA * inA;
        blkCnt--;
    }
    *pResult = sum / blockSize;
}

float32_t entropy_f32(const float32_t *pSrcA, uint32_t blockSize)
{
    const float32_t *pIn = pSrcA;
    uint32_t blkCnt = blockSize;
    float32_t accum = 0.0f, p;

    while (blkCnt > 0) {
        p = *pIn++;
        accum += p * logf(p);
        blkCnt--;
    }
    return -accum;
}

float32_t logsumexp_f32(const float32_t *in, uint32_t blockSize)
{
    float32_t maxVal = in[0];
    float32_t accum = 0.0f;

    for (uint32_t i = 1; i < blockSize; i++)
        if (in[i] > maxVal)
            maxVal = in[i];
    for (uint32_t i = 0; i < blockSize; i++)
        accum += expf(in[i] - maxVal);
    return maxVal + logf(accum);
}

float32_t euclidean_distance_f32(const float32_t *pA, const float32_t *pB, uint32_t blockSize)
{
    float32_t accum = 0.0f, tmp;

    while (blockSize > 0) {
        tmp = *pA++ - *pB++;
        accum += tmp * tmp;
        blockSize--;
    }
    return sqrtf(accum);
}

float32_t cosine_distance_f32(const float32_t *pA, const float32_t *pB, uint32_t blockSize)
{
    float32_t pwra, pwrb, dot;

    power_f32(pA, blockSize, &pwra);
    power_f32(pB, blockSize, &pwrb);
    dot_prod_f32(pA, pB, blockSize, &dot);
    return 1.0f - dot / sqrtf(pwra * pwrb);
}

float32_t chebyshev_distance_f32(const float32_t *pA, const float32_t *pB, uint32_t blockSize)
{
    float32_t diff, maxVal = fabsf(pA[0] - pB[0]);

    for (uint32_t i = 1; i < blockSize; i++) {
        diff = fabsf(pA[i] - pB[i]);
        if (diff > maxVal)
            maxVal = diff;
    }
    return maxVal;
}

uint32_t zero_crossings_f32(const float32_t *pSrc, uint32_t blockSize)
{
    uint32_t count = 0U;

    for (uint32_t i = 1; i < blockSize; i++)
        if ((pSrc[i - 1] < 0.0f) != (pSrc[i] < 0.0f))
            count++;
    return count;
}

void histogram_f32(const float32_t *pSrc, uint32_t blockSize, uint32_t *pBins, uint32_t bins, float32_t low, float32_t high)
{
    float32_t scale = (float32_t)bins / (high - low);
    uint32_t i;

    for (i = 0; i < bins; i++)
        pBins[i] = 0U;
    for (i = 0; i < blockSize; i++) {
        int bin = (int)((pSrc[i] - low) * scale);
        if (bin >= 0 && bin < (int)bins)
            pBins[bin]++;
    }
}

void mean_q15(const q15_t *pSrc, uint32_t blockSize, q15_t *pResult)
{
    q31_t sum = 0;

    for (uint32_t i = 0; i < blockSize; i++)
        sum += pSrc[i];
    *pResult = (q15_t)(sum / (int32_t)blockSize);
}

void power_q15(const q15_t *pSrc, uint32_t blockSize, q63_t *pResult)
{
    uint32_t blkCnt = blockSize;
    q63_t sum = 0;
    q15_t in;

    while (blkCnt > 0U) {
        in = *pSrc++;
        sum += ((q31_t)in * in);
        blkCnt--;
    }
    *pResult = sum;
}

void max_q15(const q15_t *pSrc, uint32_t blockSize, q15_t *pResult, uint32_t *pIndex)
{
    q15_t out = pSrc[0];
    uint32_t index = 0U;

    for (uint32_t i = 1; i < blockSize; i++) {
        if (out < pSrc[i]) {
            out = pSrc[i];
            index = i;
        }
    }
    *pResult = out;
    *pIndex = index;
}
