/* convolve.c - convolution and correlation of whole sequences. */
#include "dsp.h"

void conv_f32(const float32_t *pSrcA, uint32_t srcALen, const float32_t *pSrcB, uint32_t srcBLen, float32_t *pDst)
{
    uint32_t i, j;

    for (i = 0; i < srcALen + srcBLen - 1U; i++) {
        float32_t sum = 0.0f;
        for (j = 0; j <= i; j++) {
            if ((i - j) < srcBLen && j < srcALen)
                sum += pSrcA[j] * pSrcB[i - j];
        }
        pDst[i] = sum;
    }
}

dsp_status conv_partial_f32(const float32_t *pSrcA, uint32_t srcALen, const float32_t *pSrcB, uint32_t srcBLen, float32_t *pDst, uint32_t first, uint32_t count)
{
    uint32_t i, j;

    if (first + count > srcALen + srcBLen - 1U)
        return DSP_ARGUMENT_ERROR;
    for (i = first; i < first + count; i++) {
        float32_t sum = 0.0f;
        uint32_t low = i + 1U > srcBLen ? i + 1U - srcBLen : 0U;
        uint32_t high = DSP_MIN(i + 1U, srcALen);
        for (j = low; j < high; j++)
            sum += pSrcA[j] * pSrcB[i - j];
        pDst[i - first] = sum;
    }
    return DSP_SUCCESS;
}

void correlate_f32(const float32_t *pSrcA, uint32_t srcALen, const float32_t *pSrcB, uint32_t srcBLen, float32_t *pDst)
{
    int32_t i, j;
    int32_t lenA = (int32_t)srcALen, lenB = (int32_t)srcBLen;

    for (i = 0; i < lenA + lenB - 1; i++) {
        int32_t lag = i - (lenB - 1);
        int32_t from = DSP_MAX(0, lag), to = DSP_MIN(lenA, lag + lenB);
        float32_t sum = 0.0f;
        for (j = from; j < to; j++)
            sum += pSrcA[j] * pSrcB[j - lag];
        pDst[i] = sum;
    }
}

void autocorrelate_f32(const float32_t *pSrc, uint32_t length, float32_t *pDst, uint32_t lags)
{
    uint32_t lag, i;

    for (lag = 0; lag < lags; lag++) {
        float32_t sum = 0.0f;
        for (i = 0; i + lag < length; i++)
            sum += pSrc[i] * pSrc[i + lag];
        pDst[lag] = sum / (float32_t)length;
    }
}

void conv_q15(const q15_t *pSrcA, uint32_t srcALen, const q15_t *pSrcB, uint32_t srcBLen, q15_t *pDst)
{
    uint32_t i, j;
    q63_t sum;

    for (i = 0; i < srcALen + srcBLen - 1U; i++) {
        sum = 0;
        for (j = 0; j <= i; j++) {
            if ((i - j) < srcBLen && j < srcALen)
                sum += (q31_t)pSrcA[j] * pSrcB[i - j];
        }
        pDst[i] = (q15_t)__SSAT((sum >> 15U), 16U);
    }
}
