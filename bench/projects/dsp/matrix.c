/* matrix.c - matrices with their sizes, and a status for those that do not go together. */
#include "dsp.h"

void mat_init_f32(matrix_instance_f32 *S, uint16_t nRows, uint16_t nColumns, float32_t *pData)
{
    S->numRows = nRows;
    S->numCols = nColumns;
    S->pData = pData;
}

dsp_status mat_add_f32(const matrix_instance_f32 *pSrcA, const matrix_instance_f32 *pSrcB, matrix_instance_f32 *pDst)
{
    float32_t *pInA = pSrcA->pData;
    float32_t *pInB = pSrcB->pData;
    float32_t *pOut = pDst->pData;
    uint32_t numSamples, blkCnt;

    if ((pSrcA->numRows != pSrcB->numRows) || (pSrcA->numCols != pSrcB->numCols) || (pSrcA->numRows != pDst->numRows)
        || (pSrcA->numCols != pDst->numCols))
        return DSP_SIZE_MISMATCH;
    numSamples = (uint32_t)pSrcA->numRows * pSrcA->numCols;
    blkCnt = numSamples;
    while (blkCnt > 0U) {
        *pOut++ = *pInA++ + *pInB++;
        blkCnt--;
    }
    return DSP_SUCCESS;
}

dsp_status mat_sub_f32(const matrix_instance_f32 *pSrcA, const matrix_instance_f32 *pSrcB, matrix_instance_f32 *pDst)
{
    const float32_t *pInA = pSrcA->pData;
    const float32_t *pInB = pSrcB->pData;
    float32_t *pOut = pDst->pData;
    uint32_t numSamples = (uint32_t)pSrcA->numRows * pSrcA->numCols;

    for (uint32_t i = 0; i < numSamples; i++)
        pOut[i] = pInA[i] - pInB[i];
    return DSP_SUCCESS;
}

dsp_status mat_scale_f32(const matrix_instance_f32 *pSrc, float32_t scale, matrix_instance_f32 *pDst)
{
    float32_t *pIn = pSrc->pData;
    float32_t *pOut = pDst->pData;
    uint32_t rows = pSrc->numRows, cols = pSrc->numCols;
    uint32_t i, j;

    if (rows != pDst->numRows || cols != pDst->numCols)
        return DSP_SIZE_MISMATCH;
    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++)
            pOut[i * cols + j] = pIn[i * cols + j] * scale;
    return DSP_SUCCESS;
}

dsp_status mat_trans_f32(const matrix_instance_f32 *pSrc, matrix_instance_f32 *pDst)
{
    float32_t *pIn = pSrc->pData;
    float32_t *pOut = pDst->pData;
    float32_t *px;
    uint16_t nRows = pSrc->numRows;
    uint16_t nCols = pSrc->numCols;
    uint32_t col, i = 0U, row = nRows;

    if ((pSrc->numRows != pDst->numCols) || (pSrc->numCols != pDst->numRows))
        return DSP_SIZE_MISMATCH;
    do {
        px = pOut + i;
        col = nCols;
        while (col > 0U) {
            *px = *pIn++;
            px += nRows;
            col--;
        }
        i++;
        row--;
    } while (row > 0U);
    return DSP_SUCCESS;
}

dsp_status mat_mult_f32(const matrix_instance_f32 *pSrcA, const matrix_instance_f32 *pSrcB, matrix_instance_f32 *pDst)
{
    const float32_t *pInA = pSrcA->pData;
    const float32_t *pInB = pSrcB->pData;
    float32_t *pOut = pDst->pData;
    int numRowsA = pSrcA->numRows;
    int numColsB = pSrcB->numCols;
    int numColsA = pSrcA->numCols;
    int i, j, k;

    if ((pSrcA->numCols != pSrcB->numRows) || (pSrcA->numRows != pDst->numRows) || (pSrcB->numCols != pDst->numCols))
        return DSP_SIZE_MISMATCH;
    for (i = 0; i < numRowsA; i++) {
        for (j = 0; j < numColsB; j++) {
            float32_t sum = 0.0f;
            for (k = 0; k < numColsA; k++)
                sum += pInA[i * numColsA + k] * pInB[k * numColsB + j];
            pOut[i * numColsB + j] = sum;
        }
    }
    return DSP_SUCCESS;
}

dsp_status mat_vec_mult_f32(const matrix_instance_f32 *pSrcMat, const float32_t *pVec, float32_t *pDst)
{
    int numRows = pSrcMat->numRows;
    int numCols = pSrcMat->numCols;
    const float32_t *pSrcA = pSrcMat->pData;
    int row, col;

    for (row = 0; row < numRows; row++) {
        float32_t sum = 0.0f;
        for (col = 0; col < numCols; col++)
            sum += pSrcA[row * numCols + col] * pVec[col];
        pDst[row] = sum;
    }
    return DSP_SUCCESS;
}

/* By Gauss and Jordan, with partial pivoting; the source is overwritten. */
dsp_status mat_inverse_f32(matrix_instance_f32 *pSrc, matrix_instance_f32 *pDst)
{
    float32_t *a = pSrc->pData, *b = pDst->pData;
    int n = pSrc->numRows;
    int i, j, k;

    if (pSrc->numRows != pSrc->numCols || pDst->numRows != pDst->numCols || pSrc->numRows != pDst->numRows)
        return DSP_SIZE_MISMATCH;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            b[i * n + j] = i == j ? 1.0f : 0.0f;

    for (k = 0; k < n; k++) {
        int pivot = k;
        float32_t largest = fabsf(a[k * n + k]);
        float32_t inverse;
        for (i = k + 1; i < n; i++) {
            if (fabsf(a[i * n + k]) > largest) {
                largest = fabsf(a[i * n + k]);
                pivot = i;
            }
        }
        if (largest == 0.0f)
            return DSP_SINGULAR;
        if (pivot != k) {
            for (j = 0; j < n; j++) {
                float32_t t = a[k * n + j];
                a[k * n + j] = a[pivot * n + j];
                a[pivot * n + j] = t;
                t = b[k * n + j];
                b[k * n + j] = b[pivot * n + j];
                b[pivot * n + j] = t;
            }
        }
        inverse = 1.0f / a[k * n + k];
        for (j = 0; j < n; j++) {
            a[k * n + j] *= inverse;
            b[k * n + j] *= inverse;
        }
        for (i = 0; i < n; i++) {
            float32_t factor = a[i * n + k];
            if (i == k)
                continue;
            for (j = 0; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
                b[i * n + j] -= factor * b[k * n + j];
            }
        }
    }
    return DSP_SUCCESS;
}

dsp_status mat_cholesky_f32(const matrix_instance_f32 *pSrc, matrix_instance_f32 *pDst)
{
    const float32_t *pA = pSrc->pData;
    float32_t *pG = pDst->pData;
    int n = pSrc->numRows;
    int i, j, k;
    float32_t invSqrtVj;

    if (pSrc->numRows != pSrc->numCols || pDst->numRows != pSrc->numRows || pDst->numCols != pSrc->numCols)
        return DSP_SIZE_MISMATCH;
    for (i = 0; i < n; i++) {
        for (j = i; j < n; j++) {
            pG[j * n + i] = pA[j * n + i];
            for (k = 0; k < i; k++)
                pG[j * n + i] = pG[j * n + i] - pG[i * n + k] * pG[j * n + k];
        }
        if (pG[i * n + i] <= 0.0f)
            return DSP_SINGULAR;
        invSqrtVj = 1.0f / sqrtf(pG[i * n + i]);
        for (j = i; j < n; j++)
            pG[j * n + i] = pG[j * n + i] * invSqrtVj;
    }
    return DSP_SUCCESS;
}

dsp_status mat_solve_lower_f32(const matrix_instance_f32 *lt, const float32_t *pB, float32_t *pX)
{
    const float32_t *pLT = lt->pData;
    int n = lt->numRows;
    int i, k;

    for (i = 0; i < n; i++) {
        float32_t tmp = pB[i];
        for (k = 0; k < i; k++)
            tmp -= pLT[i * n + k] * pX[k];
        if (pLT[i * n + i] == 0.0f)
            return DSP_SINGULAR;
        pX[i] = tmp / pLT[i * n + i];
    }
    return DSP_SUCCESS;
}
