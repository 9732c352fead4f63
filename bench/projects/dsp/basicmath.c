/* basicmath.c - vectors of floats and of fixed-point numbers, element by element. */
#include "dsp.h"

void abs_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        *pDst++ = fabsf(*pSrc++);
        blkCnt--;
    }
}

void add_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        *pDst++ = (*pSrcA++) + (*pSrcB++);
        blkCnt--;
    }
}

void sub_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt;

    /* four at a time */
    blkCnt = blockSize >> 2U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrcA++) - (*pSrcB++);
        *pDst++ = (*pSrcA++) - (*pSrcB++);
        *pDst++ = (*pSrcA++) - (*pSrcB++);
        *pDst++ = (*pSrcA++) - (*pSrcB++);
        blkCnt--;
    }
    blkCnt = blockSize % 0x4U;
    while (blkCnt > 0U) {
        *pDst++ = (*pSrcA++) - (*pSrcB++);
        blkCnt--;
    }
}

void mult_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize)
{
    uint32_t i;

    for (i = 0; i < blockSize; i++)
        pDst[i] = pSrcA[i] * pSrcB[i];
}

void negate_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    while (blockSize > 0U) {
        *pDst++ = -*pSrc++;
        blockSize--;
    }
}

void offset_f32(const float32_t *pSrc, float32_t offset, float32_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = pSrc[i] + offset;
}

void scale_f32(const float32_t *pSrc, float32_t scale, float32_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        *pDst++ = (*pSrc++) * scale;
        blkCnt--;
    }
}

void clip_f32(const float32_t *pSrc, float32_t *pDst, float32_t low, float32_t high, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++) {
        if (pSrc[i] > high)
            pDst[i] = high;
        else if (pSrc[i] < low)
            pDst[i] = low;
        else
            pDst[i] = pSrc[i];
    }
}

void copy_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        *pDst++ = *pSrc++;
        blkCnt--;
    }
}

void fill_f32(float32_t value, float32_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        *pDst++ = value;
        blkCnt--;
    }
}

void dot_prod_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t blockSize, float32_t *result)
{
    uint32_t blkCnt = blockSize;
    float32_t sum = 0.0f;

    while (blkCnt > 0U) {
        sum += (*pSrcA++) * (*pSrcB++);
        blkCnt--;
    }
    *result = sum;
}

void abs_q15(const q15_t *pSrc, q15_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;
    q15_t in;

    while (blkCnt > 0U) {
        in = *pSrc++;
        *pDst++ = (in > 0) ? in : ((in == (q15_t)0x8000) ? 0x7fff : (q15_t)-in);
        blkCnt--;
    }
}

void add_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        q31_t sum = (q31_t)*pSrcA++ + *pSrcB++;
        *pDst++ = (q15_t)__SSAT(sum, 16);
        blkCnt--;
    }
}

void sub_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = (q15_t)__SSAT((q31_t)pSrcA[i] - pSrcB[i], 16);
}

void mult_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++) {
        q31_t product = ((q31_t)pSrcA[i] * pSrcB[i]) >> 15;
        pDst[i] = (q15_t)__SSAT(product, 16);
    }
}

void negate_q15(const q15_t *pSrc, q15_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = (pSrc[i] == (q15_t)0x8000) ? 0x7fff : -pSrc[i];
}

void shift_q15(const q15_t *pSrc, int8_t shiftBits, q15_t *pDst, uint32_t blockSize)
{
    uint32_t blkCnt = blockSize;
    uint8_t sign = (shiftBits & 0x80);

    if (sign == 0U) {
        while (blkCnt > 0U) {
            q31_t wide = (q31_t)*pSrc++ * (1 << shiftBits);
            *pDst++ = (q15_t)__SSAT(wide, 16);
            blkCnt--;
        }
    } else {
        while (blkCnt > 0U) {
            *pDst++ = (*pSrc++ >> -shiftBits);
            blkCnt--;
        }
    }
}

void scale_q15(const q15_t *pSrc, q15_t scaleFract, int8_t shift, q15_t *pDst, uint32_t blockSize)
{
    int8_t kShift = 15 - shift;

    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = (q15_t)(__SSAT(((q31_t)pSrc[i] * scaleFract) >> kShift, 16));
}

void dot_prod_q15(const q15_t *pSrcA, const q15_t *pSrcB, uint32_t blockSize, q63_t *result)
{
    q63_t sum = 0;

    for (uint32_t i = 0; i < blockSize; i++)
        sum += (q63_t)((q31_t)pSrcA[i] * pSrcB[i]);
    *result = sum;
}

void add_q31(const q31_t *pSrcA, const q31_t *pSrcB, q31_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = clip_q63_to_q31((q63_t)pSrcA[i] + pSrcB[i]);
}

void mult_q31(const q31_t *pSrcA, const q31_t *pSrcB, q31_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = clip_q63_to_q31(((q63_t)pSrcA[i] * pSrcB[i]) >> 31);
}

void dot_prod_q31(const q31_t *pSrcA, const q31_t *pSrcB, uint32_t blockSize, q63_t *result)
{
    q63_t sum = 0;
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        sum += ((q63_t)*pSrcA++ * *pSrcB++) >> 14U;
        blkCnt--;
    }
    *result = sum;
}

void float_to_q15(const float32_t *pSrc, q15_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++) {
        q31_t wide = (q31_t)(pSrc[i] * 32768.0f);
        pDst[i] = (q15_t)__SSAT(wide, 16);
    }
}

void q15_to_float(const q15_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    const q15_t *pIn = pSrc;
    uint32_t blkCnt = blockSize;

    while (blkCnt > 0U) {
        *pDst++ = ((float32_t)*pIn++ / 32768.0f);
        blkCnt--;
    }
}

void float_to_q31(const float32_t *pSrc, q31_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = clip_q63_to_q31((q63_t)(pSrc[i] * 2147483648.0f));
}

void q31_to_q15(const q31_t *pSrc, q15_t *pDst, uint32_t blockSize)
{
    for (uint32_t i = 0; i < blockSize; i++)
        pDst[i] = (q15_t)(pSrc[i] >> 16);
}
