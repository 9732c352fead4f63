/* rates.c - changes of the rate, gains that follow the signal, delays, channels. */
#include "dsp.h"

void resampler_init_f32(resampler_instance_f32 *S, float32_t step)
{
    S->step = step;
    S->phase = 0.0f;
    S->last = 0.0f;
}

/* Returns how many samples came out; the phase goes on with the next call. */
uint32_t resampler_f32(resampler_instance_f32 *S, const float32_t *pSrc, uint32_t srcLen, float32_t *pDst, uint32_t dstLen)
{
    uint32_t in = 0U, out = 0U;
    float32_t phase = S->phase, last = S->last;

    while (in < srcLen && out < dstLen) {
        if (phase < 1.0f) {
            pDst[out++] = last + phase * (pSrc[in] - last);
            phase += S->step;
        } else {
            phase -= 1.0f;
            last = pSrc[in++];
        }
    }
    S->phase = phase;
    S->last = last;
    return out;
}

void linear_interp_f32(const float32_t *pTable, uint32_t tableLen, const float32_t *pPos, float32_t *pDst, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t k = (int32_t)pPos[i];
        if (k < 0)
            pDst[i] = pTable[0];
        else if (k >= (int32_t)tableLen - 1)
            pDst[i] = pTable[tableLen - 1U];
        else
            pDst[i] = pTable[k] + (pPos[i] - (float32_t)k) * (pTable[k + 1] - pTable[k]);
    }
}

void compressor_init_f32(compressor_instance_f32 *S, float32_t threshold, float32_t ratio, float32_t attack, float32_t release)
{
    S->threshold = threshold;
    S->ratio = ratio;
    S->attack = attack;
    S->release = release;
    S->level = 0.0f;
}

void compressor_f32(compressor_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    float32_t level = S->level;

    for (uint32_t i = 0; i < blockSize; i++) {
        float32_t in = fabsf(pSrc[i]);
        float32_t gain = 1.0f;
        if (in > level)
            level += S->attack * (in - level);
        else
            level += S->release * (in - level);
        if (level > S->threshold)
            gain = (S->threshold + (level - S->threshold) / S->ratio) / level;
        pDst[i] = pSrc[i] * gain;
    }
    S->level = level;
}

void delay_init_f32(delay_instance_f32 *S, float32_t *pLine, uint32_t length, float32_t feedback)
{
    S->length = length;
    S->position = 0U;
    S->feedback = feedback;
    S->pLine = pLine;
    for (uint32_t i = 0; i < length; i++)
        pLine[i] = 0.0f;
}

void delay_f32(delay_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    uint32_t position = S->position;

    for (uint32_t i = 0; i < blockSize; i++) {
        float32_t out = S->pLine[position];
        S->pLine[position] = pSrc[i] + S->feedback * out;
        pDst[i] = out;
        position++;
        if (position >= S->length)
            position = 0U;
    }
    S->position = position;
}

/* Channels after each other are added with a gain each. */
void mix_f32(const float32_t *pSrc, uint32_t channels, uint32_t blockSize, const float32_t *pGains, float32_t *pDst)
{
    uint32_t c, i;

    for (i = 0; i < blockSize; i++)
        pDst[i] = 0.0f;
    for (c = 0; c < channels; c++)
        for (i = 0; i < blockSize; i++)
            pDst[i] += pGains[c] * pSrc[c * blockSize + i];
}

void deinterleave_f32(const float32_t *pSrc, float32_t *pLeft, float32_t *pRight, uint32_t frames)
{
    while (frames--) {
        *pLeft++ = *pSrc++;
        *pRight++ = *pSrc++;
    }
}

void moving_average_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize, uint32_t width)
{
    uint32_t i, j;

    for (i = 0; i + width <= blockSize; i++) {
        float32_t sum = 0.0f;
        for (j = 0; j < width; j++)
            sum += pSrc[i + j];
        pDst[i] = sum / (float32_t)width;
    }
}

void median3_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize)
{
    if (blockSize == 0U)
        return;
    pDst[0] = pSrc[0];
    for (uint32_t i = 1; i + 1 < blockSize; i++) {
        float32_t a = pSrc[i - 1], b = pSrc[i], c = pSrc[i + 1];
        float32_t low = a < b ? a : b;
        float32_t high = a < b ? b : a;
        pDst[i] = c < low ? low : (c > high ? high : c);
    }
    pDst[blockSize - 1] = pSrc[blockSize - 1];
}

void preemphasis_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize, float32_t factor)
{
    if (blockSize == 0U)
        return;
    pDst[0] = pSrc[0];
    for (uint32_t i = 1; i < blockSize; i++)
        pDst[i] = pSrc[i] - factor * pSrc[i - 1];
}
