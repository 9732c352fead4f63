// deriche: second-order recursive smoothing, forward plus backward along rows, then along columns of the result.
#include <math.h>

void kernel_deriche(int w, int h, float alpha, float imgIn[w][h], float imgOut[w][h], float y1[w][h], float y2[w][h]) {
    int i, j;
    float xm1, xp1, xp2, ym1, ym2, yp1, yp2;
    float k = (1.0f - expf(-alpha)) * (1.0f - expf(-alpha)) / (1.0f + 2.0f * alpha * expf(-alpha) - expf(2.0f * alpha));
    float a1 = k, a5 = k;
    float a2 = k * expf(-alpha) * (alpha - 1.0f), a6 = a2;
    float a3 = k * expf(-alpha) * (alpha + 1.0f), a7 = a3;
    float a4 = -k * expf(-2.0f * alpha), a8 = a4;
    float b1 = powf(2.0f, -alpha);
    float b2 = -expf(-2.0f * alpha);
    for (i = 0; i < w; i++) {
        ym1 = 0.0f;
        ym2 = 0.0f;
        xm1 = 0.0f;
        for (j = 0; j < h; j++) {
            y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = imgIn[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (i = 0; i < w; i++) {
        yp1 = 0.0f;
        yp2 = 0.0f;
        xp1 = 0.0f;
        xp2 = 0.0f;
        for (j = h - 1; j >= 0; j--) {
            y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = imgIn[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (i = 0; i < w; i++)
        for (j = 0; j < h; j++)
            imgOut[i][j] = y1[i][j] + y2[i][j];
    for (j = 0; j < h; j++) {
        xm1 = 0.0f;
        ym1 = 0.0f;
        ym2 = 0.0f;
        for (i = 0; i < w; i++) {
            y1[i][j] = a5 * imgOut[i][j] + a6 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = imgOut[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (j = 0; j < h; j++) {
        xp1 = 0.0f;
        xp2 = 0.0f;
        yp1 = 0.0f;
        yp2 = 0.0f;
        for (i = w - 1; i >= 0; i--) {
            y2[i][j] = a7 * xp1 + a8 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = imgOut[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (i = 0; i < w; i++)
        for (j = 0; j < h; j++)
            imgOut[i][j] = y1[i][j] + y2[i][j];
}
