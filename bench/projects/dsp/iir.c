/* iir.c - cascades of biquads: direct form one, and the second transposed. */
#include "dsp.h"

void biquad_cascade_df1_init_f32(biquad_casd_df1_inst_f32 *S, uint8_t numStages, const float32_t *pCoeffs, float32_t *pState)
{
    S->numStages = numStages;
    S->pCoeffs = pCoeffs;
    memset(pState, 0, (4U * (uint32_t)numStages) * sizeof(float32_t));
    S->pState = pState;
}

void biquad_cascade_df1_f32(const biquad_casd_df1_inst_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    const float32_t *pIn = pSrc;
    float32_t *pOut = pDst;
    float32_t *pState = S->pState;
    const float32_t *pCoeffs = S->pCoeffs;
    float32_t acc;
    float32_t b0, b1, b2, a1, a2;
    float32_t Xn1, Xn2, Yn1, Yn2, Xn;
    uint32_t sample, stage = S->numStages;

    do {
        b0 = *pCoeffs++;
        b1 = *pCoeffs++;
        b2 = *pCoeffs++;
        a1 = *pCoeffs++;
        a2 = *pCoeffs++;

        Xn1 = pState[0];
        Xn2 = pState[1];
        Yn1 = pState[2];
        Yn2 = pState[3];

        sample = blockSize;
        while (sample > 0U) {
            Xn = *pIn++;
            acc = (b0 * Xn) + (b1 * Xn1) + (b2 * Xn2) + (a1 * Yn1) + (a2 * Yn2);
            *pOut++ = acc;
            Xn2 = Xn1;
            Xn1 = Xn;
            Yn2 = Yn1;
            Yn1 = acc;
            sample--;
        }

        *pState++ = Xn1;
        *pState++ = Xn2;
        *pState++ = Yn1;
        *pState++ = Yn2;

        /* the first stage goes from source to destination, the others stay there */
        pIn = pDst;
        pOut = pDst;
        stage--;
    } while (stage > 0U);
}

void biquad_cascade_df2T_init_f32(biquad_cascade_df2T_instance_f32 *S, uint8_t numStages, const float32_t *pCoeffs, float32_t *pState)
{
    S->numStages = numStages;
    S->pCoeffs = pCoeffs;
    memset(pState, 0, (2U * (uint32_t)numStages) * sizeof(float32_t));
    S->pState = pState;
}

void biquad_cascade_df2T_f32(const biquad_cascade_df2T_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    float32_t *pState = S->pState;
    const float32_t *pCoeffs = S->pCoeffs;
    uint32_t stages = S->numStages;
    uint32_t s, n;

    for (n = 0; n < blockSize; n++)
        pDst[n] = pSrc[n];

    for (s = 0; s < stages; s++) {
        const float32_t *c = pCoeffs + 5U * s;
        float32_t d1 = pState[2U * s];
        float32_t d2 = pState[2U * s + 1U];
        for (n = 0; n < blockSize; n++) {
            float32_t x = pDst[n];
            float32_t y = c[0] * x + d1;
            d1 = c[1] * x + c[3] * y + d2;
            d2 = c[2] * x + c[4] * y;
            pDst[n] = y;
        }
        pState[2U * s] = d1;
        pState[2U * s + 1U] = d2;
    }
}

/* The feedback coefficients have the sign with which they are added. */
void biquad_lowpass_f32(float32_t *pCoeffs, float32_t cutoff, float32_t quality)
{
    float32_t w = 2.0f * PI * cutoff;
    float32_t alpha = sinf(w) / (2.0f * quality);
    float32_t cosine = cosf(w);
    float32_t a0 = 1.0f + alpha;

    pCoeffs[0] = 0.5f * (1.0f - cosine) / a0;
    pCoeffs[1] = (1.0f - cosine) / a0;
    pCoeffs[2] = 0.5f * (1.0f - cosine) / a0;
    pCoeffs[3] = 2.0f * cosine / a0;
    pCoeffs[4] = (alpha - 1.0f) / a0;
}

void biquad_response_f32(const float32_t *pCoeffs, uint32_t numStages, float32_t *pMag, uint32_t points)
{
    uint32_t p, s;

    for (p = 0; p < points; p++) {
        float32_t w = PI * (float32_t)p / (float32_t)points;
        float32_t c1 = cosf(w), s1 = sinf(w), c2 = cosf(2.0f * w), s2 = sinf(2.0f * w);
        float32_t mag = 1.0f;
        for (s = 0; s < numStages; s++) {
            float32_t b0 = pCoeffs[5 * s], b1 = pCoeffs[5 * s + 1], b2 = pCoeffs[5 * s + 2];
            float32_t a1 = -pCoeffs[5 * s + 3], a2 = -pCoeffs[5 * s + 4];
            float32_t nr = b0 + b1 * c1 + b2 * c2, ni = -(b1 * s1 + b2 * s2);
            float32_t dr = 1.0f + a1 * c1 + a2 * c2, di = -(a1 * s1 + a2 * s2);
            mag *= (nr * nr + ni * ni) / (dr * dr + di * di);
        }
        pMag[p] = sqrtf(mag);
    }
}
