/* dsp.h - a library for signals: types, instances of filters, and all that it offers. */
#ifndef DSP_H
#define DSP_H

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float float32_t;
typedef int16_t q15_t;
typedef int32_t q31_t;
typedef int64_t q63_t;

#ifndef PI
#define PI 3.14159265358979f
#endif

#define DSP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define DSP_MAX(a, b) ((a) > (b) ? (a) : (b))

/* Saturate a value to so many bits, sign included. */
#define __SSAT(value, bits) \
    ((value) > ((1 << ((bits) - 1)) - 1) ? ((1 << ((bits) - 1)) - 1) \
     : (value) < -(1 << ((bits) - 1)) ? -(1 << ((bits) - 1)) : (value))

#define __STATIC_FORCEINLINE static inline __attribute__((always_inline))

typedef enum {
    DSP_SUCCESS = 0,
    DSP_ARGUMENT_ERROR = -1,
    DSP_LENGTH_ERROR = -2,
    DSP_SIZE_MISMATCH = -3,
    DSP_SINGULAR = -5
} dsp_status;

__STATIC_FORCEINLINE q31_t clip_q63_to_q31(q63_t x)
{
    if (x > INT32_MAX)
        return INT32_MAX;
    if (x < INT32_MIN)
        return INT32_MIN;
    return (q31_t)x;
}

/* ---- filters ---- */

typedef struct {
    uint16_t numTaps;
    float32_t *pState;        /* numTaps + blockSize - 1 samples */
    const float32_t *pCoeffs; /* in reverse order */
} fir_instance_f32;

typedef struct {
    uint16_t numTaps;
    q15_t *pState;
    const q15_t *pCoeffs;
} fir_instance_q15;

typedef struct {
    uint8_t M; /* factor */
    uint16_t numTaps;
    const float32_t *pCoeffs;
    float32_t *pState;
} fir_decimate_instance_f32;

typedef struct {
    uint8_t L; /* factor */
    uint16_t phaseLength;
    const float32_t *pCoeffs;
    float32_t *pState;
} fir_interpolate_instance_f32;

typedef struct {
    uint32_t numStages;
    float32_t *pState;        /* 4 for each stage */
    const float32_t *pCoeffs; /* b0 b1 b2 a1 a2 for each stage */
} biquad_casd_df1_inst_f32;

typedef struct {
    uint8_t numStages;
    float32_t *pState; /* 2 for each stage */
    const float32_t *pCoeffs;
} biquad_cascade_df2T_instance_f32;

typedef struct {
    uint16_t numTaps;
    float32_t *pState;
    float32_t *pCoeffs;
    float32_t mu;
} lms_instance_f32;

typedef struct {
    uint16_t numTaps;
    float32_t *pState;
    float32_t *pCoeffs;
    float32_t mu;
    float32_t energy;
    float32_t x0;
} lms_norm_instance_f32;

dsp_status fir_init_f32(fir_instance_f32 *S, uint16_t numTaps, const float32_t *pCoeffs, float32_t *pState, uint32_t blockSize);
void fir_f32(const fir_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
dsp_status fir_init_q15(fir_instance_q15 *S, uint16_t numTaps, const q15_t *pCoeffs, q15_t *pState, uint32_t blockSize);
void fir_q15(const fir_instance_q15 *S, const q15_t *pSrc, q15_t *pDst, uint32_t blockSize);
dsp_status fir_decimate_init_f32(fir_decimate_instance_f32 *S, uint16_t numTaps, uint8_t M, const float32_t *pCoeffs, float32_t *pState, uint32_t blockSize);
void fir_decimate_f32(const fir_decimate_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
dsp_status fir_interpolate_init_f32(fir_interpolate_instance_f32 *S, uint8_t L, uint16_t numTaps, const float32_t *pCoeffs, float32_t *pState, uint32_t blockSize);
void fir_interpolate_f32(const fir_interpolate_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void fir_lowpass_design_f32(float32_t *pCoeffs, uint32_t numTaps, float32_t cutoff);

void biquad_cascade_df1_init_f32(biquad_casd_df1_inst_f32 *S, uint8_t numStages, const float32_t *pCoeffs, float32_t *pState);
void biquad_cascade_df1_f32(const biquad_casd_df1_inst_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void biquad_cascade_df2T_init_f32(biquad_cascade_df2T_instance_f32 *S, uint8_t numStages, const float32_t *pCoeffs, float32_t *pState);
void biquad_cascade_df2T_f32(const biquad_cascade_df2T_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void biquad_lowpass_f32(float32_t *pCoeffs, float32_t cutoff, float32_t quality);
void biquad_response_f32(const float32_t *pCoeffs, uint32_t numStages, float32_t *pMag, uint32_t points);

void lms_init_f32(lms_instance_f32 *S, uint16_t numTaps, float32_t *pCoeffs, float32_t *pState, float32_t mu, uint32_t blockSize);
void lms_f32(const lms_instance_f32 *S, const float32_t *pSrc, const float32_t *pRef, float32_t *pOut, float32_t *pErr, uint32_t blockSize);
void lms_norm_init_f32(lms_norm_instance_f32 *S, uint16_t numTaps, float32_t *pCoeffs, float32_t *pState, float32_t mu, uint32_t blockSize);
void lms_norm_f32(lms_norm_instance_f32 *S, const float32_t *pSrc, const float32_t *pRef, float32_t *pOut, float32_t *pErr, uint32_t blockSize);

void conv_f32(const float32_t *pSrcA, uint32_t srcALen, const float32_t *pSrcB, uint32_t srcBLen, float32_t *pDst);
dsp_status conv_partial_f32(const float32_t *pSrcA, uint32_t srcALen, const float32_t *pSrcB, uint32_t srcBLen, float32_t *pDst, uint32_t first, uint32_t count);
void correlate_f32(const float32_t *pSrcA, uint32_t srcALen, const float32_t *pSrcB, uint32_t srcBLen, float32_t *pDst);
void autocorrelate_f32(const float32_t *pSrc, uint32_t length, float32_t *pDst, uint32_t lags);
void conv_q15(const q15_t *pSrcA, uint32_t srcALen, const q15_t *pSrcB, uint32_t srcBLen, q15_t *pDst);
float32_t levinson_durbin_f32(const float32_t *pAuto, float32_t *pLpc, uint32_t order);

/* ---- vectors ---- */

void abs_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void add_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize);
void sub_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize);
void mult_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t blockSize);
void negate_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void offset_f32(const float32_t *pSrc, float32_t offset, float32_t *pDst, uint32_t blockSize);
void scale_f32(const float32_t *pSrc, float32_t scale, float32_t *pDst, uint32_t blockSize);
void clip_f32(const float32_t *pSrc, float32_t *pDst, float32_t low, float32_t high, uint32_t blockSize);
void copy_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void fill_f32(float32_t value, float32_t *pDst, uint32_t blockSize);
void dot_prod_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t blockSize, float32_t *result);

void abs_q15(const q15_t *pSrc, q15_t *pDst, uint32_t blockSize);
void add_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize);
void sub_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize);
void mult_q15(const q15_t *pSrcA, const q15_t *pSrcB, q15_t *pDst, uint32_t blockSize);
void negate_q15(const q15_t *pSrc, q15_t *pDst, uint32_t blockSize);
void shift_q15(const q15_t *pSrc, int8_t shiftBits, q15_t *pDst, uint32_t blockSize);
void scale_q15(const q15_t *pSrc, q15_t scaleFract, int8_t shift, q15_t *pDst, uint32_t blockSize);
void dot_prod_q15(const q15_t *pSrcA, const q15_t *pSrcB, uint32_t blockSize, q63_t *result);
void add_q31(const q31_t *pSrcA, const q31_t *pSrcB, q31_t *pDst, uint32_t blockSize);
void mult_q31(const q31_t *pSrcA, const q31_t *pSrcB, q31_t *pDst, uint32_t blockSize);
void dot_prod_q31(const q31_t *pSrcA, const q31_t *pSrcB, uint32_t blockSize, q63_t *result);
void float_to_q15(const float32_t *pSrc, q15_t *pDst, uint32_t blockSize);
void q15_to_float(const q15_t *pSrc, float32_t *pDst, uint32_t blockSize);
void float_to_q31(const float32_t *pSrc, q31_t *pDst, uint32_t blockSize);
void q31_to_q15(const q31_t *pSrc, q15_t *pDst, uint32_t blockSize);

/* ---- complex numbers: real and imaginary part in turns ---- */

void cmplx_conj_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples);
void cmplx_dot_prod_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t numSamples, float32_t *realResult, float32_t *imagResult);
void cmplx_mag_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples);
void cmplx_mag_squared_f32(const float32_t *pSrc, float32_t *pDst, uint32_t numSamples);
void cmplx_mult_cmplx_f32(const float32_t *pSrcA, const float32_t *pSrcB, float32_t *pDst, uint32_t numSamples);
void cmplx_mult_real_f32(const float32_t *pSrcCmplx, const float32_t *pSrcReal, float32_t *pCmplxDst, uint32_t numSamples);

/* ---- matrices ---- */

typedef struct {
    uint16_t numRows;
    uint16_t numCols;
    float32_t *pData;
} matrix_instance_f32;

void mat_init_f32(matrix_instance_f32 *S, uint16_t nRows, uint16_t nColumns, float32_t *pData);
dsp_status mat_add_f32(const matrix_instance_f32 *pSrcA, const matrix_instance_f32 *pSrcB, matrix_instance_f32 *pDst);
dsp_status mat_sub_f32(const matrix_instance_f32 *pSrcA, const matrix_instance_f32 *pSrcB, matrix_instance_f32 *pDst);
dsp_status mat_scale_f32(const matrix_instance_f32 *pSrc, float32_t scale, matrix_instance_f32 *pDst);
dsp_status mat_trans_f32(const matrix_instance_f32 *pSrc, matrix_instance_f32 *pDst);
dsp_status mat_mult_f32(const matrix_instance_f32 *pSrcA, const matrix_instance_f32 *pSrcB, matrix_instance_f32 *pDst);
dsp_status mat_vec_mult_f32(const matrix_instance_f32 *pSrcMat, const float32_t *pVec, float32_t *pDst);
dsp_status mat_inverse_f32(matrix_instance_f32 *pSrc, matrix_instance_f32 *pDst);
dsp_status mat_cholesky_f32(const matrix_instance_f32 *pSrc, matrix_instance_f32 *pDst);
dsp_status mat_solve_lower_f32(const matrix_instance_f32 *lt, const float32_t *pB, float32_t *pX);

/* ---- transforms and windows ---- */

typedef struct {
    uint16_t fftLen;
    const float32_t *pTwiddle;   /* cosines and sines in turns */
    const uint16_t *pBitRevTable;
} cfft_instance_f32;

typedef struct {
    uint16_t N;
    const float32_t *pCosFactor; /* N times N */
    float32_t normalize;
} dct4_instance_f32;

dsp_status cfft_init_f32(cfft_instance_f32 *S, uint16_t fftLen, float32_t *pTwiddle, uint16_t *pBitRevTable);
void cfft_f32(const cfft_instance_f32 *S, float32_t *pData, uint8_t ifftFlag);
void bitreversal_f32(float32_t *pData, uint16_t fftLen, const uint16_t *pBitRevTable);
void power_spectrum_f32(const float32_t *pSpectrum, float32_t *pPower, uint32_t bins, float32_t scale);
void dct4_init_f32(dct4_instance_f32 *S, uint16_t N, float32_t *pCosFactor);
void dct4_f32(const dct4_instance_f32 *S, const float32_t *pSrc, float32_t *pDst);
void mel_filterbank_f32(const float32_t *pPower, uint32_t bins, const float32_t *pBank, float32_t *pDst, uint32_t bands);
void mel_filterbank_init_f32(float32_t *pBank, uint32_t bands, uint32_t bins);
void hanning_f32(float32_t *pDst, uint32_t blockSize);
void hamming_f32(float32_t *pDst, uint32_t blockSize);
void blackman_harris_92db_f32(float32_t *pDst, uint32_t blockSize);
void bartlett_f32(float32_t *pDst, uint32_t blockSize);

/* ---- statistics ---- */

void mean_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult);
void power_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult);
void rms_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult);
void var_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult);
void max_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult, uint32_t *pIndex);
void min_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult, uint32_t *pIndex);
void absmax_no_idx_f32(const float32_t *pSrc, uint32_t blockSize, float32_t *pResult);
void mse_f32(const float32_t *pSrcA, const float32_t *pSrcB, uint32_t blockSize, float32_t *pResult);
float32_t entropy_f32(const float32_t *pSrcA, uint32_t blockSize);
float32_t logsumexp_f32(const float32_t *in, uint32_t blockSize);
float32_t euclidean_distance_f32(const float32_t *pA, const float32_t *pB, uint32_t blockSize);
float32_t cosine_distance_f32(const float32_t *pA, const float32_t *pB, uint32_t blockSize);
float32_t chebyshev_distance_f32(const float32_t *pA, const float32_t *pB, uint32_t blockSize);
uint32_t zero_crossings_f32(const float32_t *pSrc, uint32_t blockSize);
void histogram_f32(const float32_t *pSrc, uint32_t blockSize, uint32_t *pBins, uint32_t bins, float32_t low, float32_t high);
void mean_q15(const q15_t *pSrc, uint32_t blockSize, q15_t *pResult);
void power_q15(const q15_t *pSrc, uint32_t blockSize, q63_t *pResult);
void max_q15(const q15_t *pSrc, uint32_t blockSize, q15_t *pResult, uint32_t *pIndex);

/* ---- rates, envelopes, gains ---- */

typedef struct {
    float32_t step;
    float32_t phase;
    float32_t last;
} resampler_instance_f32;

typedef struct {
    float32_t attack;
    float32_t release;
    float32_t level;
    float32_t threshold;
    float32_t ratio;
} compressor_instance_f32;

typedef struct {
    uint32_t length;
    uint32_t position;
    float32_t feedback;
    float32_t *pLine;
} delay_instance_f32;

void resampler_init_f32(resampler_instance_f32 *S, float32_t step);
uint32_t resampler_f32(resampler_instance_f32 *S, const float32_t *pSrc, uint32_t srcLen, float32_t *pDst, uint32_t dstLen);
void linear_interp_f32(const float32_t *pTable, uint32_t tableLen, const float32_t *pPos, float32_t *pDst, uint32_t count);
void compressor_init_f32(compressor_instance_f32 *S, float32_t threshold, float32_t ratio, float32_t attack, float32_t release);
void compressor_f32(compressor_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void delay_init_f32(delay_instance_f32 *S, float32_t *pLine, uint32_t length, float32_t feedback);
void delay_f32(delay_instance_f32 *S, const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void mix_f32(const float32_t *pSrc, uint32_t channels, uint32_t blockSize, const float32_t *pGains, float32_t *pDst);
void deinterleave_f32(const float32_t *pSrc, float32_t *pLeft, float32_t *pRight, uint32_t frames);
void moving_average_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize, uint32_t width);
void median3_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize);
void preemphasis_f32(const float32_t *pSrc, float32_t *pDst, uint32_t blockSize, float32_t factor);

#endif
