/* chain.c - runs all of the library over generated signals, and prints figures of what comes out. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dsp.h"

#define SAMPLES 48000
#define BLOCK 480
#define TAPS 64
#define FFT 1024
#define BANDS 26
#define ROWS 160

static float32_t signal[SAMPLES], noise[SAMPLES], work[SAMPLES], other[SAMPLES], errors[SAMPLES];
static float32_t coeffs[TAPS], weights[TAPS], state[TAPS + SAMPLES];
static float32_t spectrum[2 * FFT], power[FFT], window[FFT], twiddle[2 * FFT], bank[BANDS * FFT / 2], bands[BANDS];
static uint16_t reversal[FFT];
static q15_t fixed_a[SAMPLES], fixed_b[SAMPLES], fixed_c[SAMPLES], fixed_state[TAPS + SAMPLES], fixed_coeffs[TAPS];
static q31_t wide_a[SAMPLES], wide_b[SAMPLES], wide_c[SAMPLES];
static float32_t mat_a[ROWS * ROWS], mat_b[ROWS * ROWS], mat_c[ROWS * ROWS], mat_d[ROWS * ROWS];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t seed = 12345U;

static float32_t uniform(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (float32_t)(seed >> 8) / 8388608.0f - 1.0f;
}

static void check(dsp_status status, const char *what)
{
    if (status != DSP_SUCCESS) {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
        exit(EXIT_FAILURE);
    }
}

static void show(const char *what, const float32_t *x, uint32_t n)
{
    float32_t mean, rms, largest;
    uint32_t where;

    mean_f32(x, n, &mean);
    rms_f32(x, n, &rms);
    max_f32(x, n, &largest, &where);
    printf("%-14s rms %.3g max %.3g\n", what, (double)rms, (double)largest);
    if (fabsf(mean) > 1.0e6f)
        printf("%-14s is far off\n", what);
}

static void generate(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        float32_t t = (float32_t)i / 48000.0f;
        noise[i] = 0.1f * uniform();
        signal[i] = 0.5f * sinf(2.0f * PI * 440.0f * t) + 0.25f * sinf(2.0f * PI * 3000.0f * t) + noise[i];
    }
}

static void filters(void)
{
    fir_instance_f32 fir;
    fir_decimate_instance_f32 decimate;
    fir_interpolate_instance_f32 interpolate;
    biquad_casd_df1_inst_f32 df1;
    biquad_cascade_df2T_instance_f32 df2;
    float32_t stages[15], stage_state[12], response[64];

    fir_lowpass_design_f32(coeffs, TAPS, 0.05f);
    check(fir_init_f32(&fir, TAPS, coeffs, state, BLOCK), "fir");
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < SAMPLES; i += BLOCK)
            fir_f32(&fir, signal + i, work + i, BLOCK);
    show("fir", work, SAMPLES);

    check(fir_decimate_init_f32(&decimate, TAPS, 4, coeffs, state, BLOCK), "decimate");
    for (int i = 0; i < SAMPLES; i += BLOCK)
        fir_decimate_f32(&decimate, signal + i, work + i / 4, BLOCK);
    show("decimate", work, SAMPLES / 4);

    check(fir_interpolate_init_f32(&interpolate, 4, TAPS, coeffs, state, BLOCK), "interpolate");
    for (int i = 0; i < SAMPLES / 4; i += BLOCK)
        fir_interpolate_f32(&interpolate, work + i, other + 4 * i, BLOCK);
    show("interpolate", other, SAMPLES);

    for (int s = 0; s < 3; s++)
        biquad_lowpass_f32(stages + 5 * s, 0.1f + 0.05f * (float32_t)s, 0.7f);
    biquad_cascade_df1_init_f32(&df1, 3, stages, stage_state);
    biquad_cascade_df2T_init_f32(&df2, 3, stages, state);
    for (int i = 0; i < SAMPLES; i += BLOCK) {
        biquad_cascade_df1_f32(&df1, signal + i, work + i, BLOCK);
        biquad_cascade_df2T_f32(&df2, signal + i, other + i, BLOCK);
    }
    show("biquads", work, SAMPLES);
    show("transposed", other, SAMPLES);
    biquad_response_f32(stages, 3, response, 64);
    show("response", response, 64);
}

static void learning(void)
{
    lms_instance_f32 lms;
    lms_norm_instance_f32 norm;
    float32_t lags[TAPS + 1], lpc[TAPS];

    fill_f32(0.0f, weights, TAPS);
    lms_init_f32(&lms, TAPS, weights, state, 0.01f, BLOCK);
    for (int i = 0; i < SAMPLES; i += BLOCK)
        lms_f32(&lms, noise + i, signal + i, work + i, errors + i, BLOCK);
    show("lms", errors, SAMPLES);

    fill_f32(0.0f, weights, TAPS);
    lms_norm_init_f32(&norm, TAPS, weights, state, 0.05f, BLOCK);
    for (int i = 0; i < SAMPLES; i += BLOCK)
        lms_norm_f32(&norm, noise + i, signal + i, work + i, errors + i, BLOCK);
    show("lms_norm", errors, SAMPLES);

    autocorrelate_f32(signal, SAMPLES, lags, TAPS / 4 + 1);
    printf("%-14s %.3g\n", "prediction", (double)levinson_durbin_f32(lags, lpc, TAPS / 4));
}

static void sequences(void)
{
    conv_f32(signal, 4000, coeffs, TAPS, work);
    show("conv", work, 4000 + TAPS - 1);
    check(conv_partial_f32(signal, 20000, signal, 500, work, 100, 20000), "conv_partial");
    show("conv_partial", work, 20000);
    correlate_f32(signal, 8000, noise, 2000, work);
    show("correlate", work, 8000 + 2000 - 1);
    moving_average_f32(signal, work, SAMPLES, 32);
    show("average", work, SAMPLES - 31);
    median3_f32(signal, work, SAMPLES);
    show("median", work, SAMPLES);
    preemphasis_f32(signal, work, SAMPLES, 0.97f);
    show("preemphasis", work, SAMPLES);
}

static void spectra(void)
{
    cfft_instance_f32 fft;
    dct4_instance_f32 dct;

    check(cfft_init_f32(&fft, FFT, twiddle, reversal), "cfft");
    mel_filterbank_init_f32(bank, BANDS, FFT / 2);
    hanning_f32(window, FFT);
    fill_f32(0.0f, other, BANDS);
    for (int i = 0; i + FFT <= SAMPLES; i += FFT / 4) {
        mult_f32(signal + i, window, power, FFT);
        for (int k = 0; k < FFT; k++) {
            spectrum[2 * k] = power[k];
            spectrum[2 * k + 1] = 0.0f;
        }
        cfft_f32(&fft, spectrum, 0);
        power_spectrum_f32(spectrum, power, FFT / 2, 1.0f / FFT);
        mel_filterbank_f32(power, FFT / 2, bank, bands, BANDS);
        add_f32(other, bands, other, BANDS);
    }
    show("mel", other, BANDS);
    cfft_f32(&fft, spectrum, 1);
    cmplx_mag_f32(spectrum, power, FFT);
    show("inverse", power, FFT);

    dct4_init_f32(&dct, ROWS, mat_a);
    for (int i = 0; i + ROWS <= SAMPLES; i += ROWS)
        dct4_f32(&dct, signal + i, work + i);
    show("dct4", work, SAMPLES);
    hamming_f32(window, FFT);
    show("hamming", window, FFT);
    blackman_harris_92db_f32(window, FFT);
    show("harris", window, FFT);
    bartlett_f32(window, FFT);
    show("bartlett", window, FFT);
}

static void complex_vectors(void)
{
    float32_t re, im;
    uint32_t half = SAMPLES / 2;

    for (int round = 0; round < 200; round++) {
        cmplx_mult_cmplx_f32(signal, noise, work, half);
        cmplx_conj_f32(work, other, half);
        cmplx_mult_real_f32(other, signal, work, half);
        cmplx_mag_squared_f32(work, errors, half);
    }
    cmplx_dot_prod_f32(signal, noise, half, &re, &im);
    show("complex", errors, half);
    printf("%-14s %.3g\n", "dot", (double)hypotf(re, im));
}

static void matrices(void)
{
    matrix_instance_f32 a, b, c, d;

    mat_init_f32(&a, ROWS, ROWS, mat_a);
    mat_init_f32(&b, ROWS, ROWS, mat_b);
    mat_init_f32(&c, ROWS, ROWS, mat_c);
    mat_init_f32(&d, ROWS, ROWS, mat_d);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            mat_a[i * ROWS + j] = 0.1f * uniform() + (i == j ? 2.0f : 0.0f);
    check(mat_trans_f32(&a, &b), "trans");
    for (int round = 0; round < 8; round++)
        check(mat_mult_f32(&a, &b, &c), "mult");
    show("mult", mat_c, ROWS * ROWS);
    check(mat_cholesky_f32(&c, &d), "cholesky");
    check(mat_solve_lower_f32(&d, signal, work), "solve");
    show("solve", work, ROWS);
    check(mat_vec_mult_f32(&c, signal, other), "vec");
    show("vec", other, ROWS);
    check(mat_scale_f32(&c, 0.5f, &d), "scale");
    check(mat_add_f32(&d, &d, &b), "add");
    check(mat_sub_f32(&b, &a, &d), "sub");
    show("sub", mat_d, ROWS * ROWS);
    check(mat_inverse_f32(&a, &d), "inverse");
    show("inverse", mat_d, ROWS * ROWS);
}

static void fixed_point(void)
{
    fir_instance_q15 fir;
    q63_t dot = 0, dot31 = 0, power15;
    q15_t mean, largest;
    uint32_t where;

    float_to_q15(coeffs, fixed_coeffs, TAPS);
    float_to_q15(signal, fixed_a, SAMPLES);
    float_to_q15(noise, fixed_b, SAMPLES);
    float_to_q31(signal, wide_a, SAMPLES);
    float_to_q31(noise, wide_b, SAMPLES);
    for (int round = 0; round < 40; round++) {
        add_q15(fixed_a, fixed_b, fixed_c, SAMPLES);
        sub_q15(fixed_c, fixed_b, fixed_c, SAMPLES);
        mult_q15(fixed_a, fixed_c, fixed_c, SAMPLES);
        abs_q15(fixed_c, fixed_c, SAMPLES);
        negate_q15(fixed_c, fixed_c, SAMPLES);
        shift_q15(fixed_c, 1, fixed_c, SAMPLES);
        scale_q15(fixed_c, 20000, 0, fixed_c, SAMPLES);
        dot_prod_q15(fixed_a, fixed_c, SAMPLES, &dot);
        add_q31(wide_a, wide_b, wide_c, SAMPLES);
        mult_q31(wide_c, wide_b, wide_c, SAMPLES);
        dot_prod_q31(wide_a, wide_c, SAMPLES, &dot31);
    }
    power_q15(fixed_c, SAMPLES, &power15);
    mean_q15(fixed_a, SAMPLES, &mean);
    max_q15(fixed_a, SAMPLES, &largest, &where);
    printf("%-14s %.3g %.3g %.3g %d %d %u\n", "fixed", (double)dot, (double)dot31, (double)power15, mean / 100, largest, where);
    check(fir_init_q15(&fir, TAPS, fixed_coeffs, fixed_state, BLOCK), "fir_q15");
    for (int i = 0; i < SAMPLES; i += BLOCK)
        fir_q15(&fir, fixed_a + i, fixed_c + i, BLOCK);
    q15_to_float(fixed_c, work, SAMPLES);
    show("fir_q15", work, SAMPLES);
    conv_q15(fixed_a, 2000, fixed_coeffs, TAPS, fixed_c);
    q31_to_q15(wide_c, fixed_b, SAMPLES);
    dot_prod_q15(fixed_b, fixed_c, 2000, &dot);
    printf("%-14s %.3g\n", "conv_q15", (double)dot);
}

static void figures(void)
{
    float32_t x, y, z, total;
    uint32_t bins[16], where, most = 0U;

    for (int round = 0; round < 20; round++) {
        mse_f32(signal, noise, SAMPLES, &x);
        var_f32(signal, SAMPLES, &y);
        min_f32(signal, SAMPLES, &z, &where);
        dot_prod_f32(signal, noise, SAMPLES, &total);
    }
    printf("%-14s %.3g %.3g %.3g %u %.3g\n", "figures", (double)x, (double)y, (double)z, where, (double)total);
    absmax_no_idx_f32(signal, SAMPLES, &x);
    printf("%-14s %.3g %.3g %.3g %.3g\n", "distances", (double)x, (double)euclidean_distance_f32(signal, noise, SAMPLES),
           (double)cosine_distance_f32(signal, noise, SAMPLES), (double)chebyshev_distance_f32(signal, noise, SAMPLES));
    histogram_f32(signal, SAMPLES, bins, 16, -1.0f, 1.0f);
    for (int k = 0; k < 16; k++)
        most = DSP_MAX(most, bins[k]);
    printf("%-14s %u %u\n", "counts", most, zero_crossings_f32(signal, SAMPLES));
    abs_f32(signal, work, SAMPLES);
    offset_f32(work, 0.01f, work, SAMPLES);
    power_f32(work, SAMPLES, &total);
    scale_f32(work, 1.0f / SAMPLES, work, SAMPLES);
    printf("%-14s %.3g %.3g\n", "entropy", (double)entropy_f32(work, SAMPLES), (double)logsumexp_f32(signal, SAMPLES));
}

static void effects(void)
{
    resampler_instance_f32 resampler;
    compressor_instance_f32 compressor;
    delay_instance_f32 delay;
    const float32_t gains[2] = {0.75f, 0.25f};
    static float32_t line[4410];
    uint32_t count;

    resampler_init_f32(&resampler, 48.0f / 44.1f);
    count = resampler_f32(&resampler, signal, SAMPLES, work, SAMPLES);
    show("resampler", work, count);
    compressor_init_f32(&compressor, 0.2f, 4.0f, 0.1f, 0.001f);
    compressor_f32(&compressor, signal, work, SAMPLES);
    show("compressor", work, SAMPLES);
    delay_init_f32(&delay, line, 4410, 0.4f);
    delay_f32(&delay, signal, work, SAMPLES);
    show("delay", work, SAMPLES);
    deinterleave_f32(signal, work, work + SAMPLES / 2, SAMPLES / 2);
    for (int round = 0; round < 200; round++)
        mix_f32(work, 2, SAMPLES / 2, gains, other);
    show("mix", other, SAMPLES / 2);
    sub_f32(signal, noise, other, SAMPLES);
    negate_f32(other, other, SAMPLES);
    clip_f32(other, other, -0.5f, 0.5f, SAMPLES);
    for (int i = 0; i < SAMPLES; i++)
        errors[i] = 0.5f * (float32_t)i;
    linear_interp_f32(other, SAMPLES, errors, work, SAMPLES);
    copy_f32(work, other, SAMPLES);
    show("interpolation", other, SAMPLES);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"filters", filters},   {"learning", learning}, {"sequences", sequences}, {"spectra", spectra},
        {"complex", complex_vectors}, {"matrices", matrices}, {"fixed point", fixed_point}, {"figures", figures},
        {"effects", effects},
    };

    generate();
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        double start = now();
        parts[p].run();
        fprintf(stderr, "time: %s %.6f\n", parts[p].name, now() - start);
    }
    return 0;
}
