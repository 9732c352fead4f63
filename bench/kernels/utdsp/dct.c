// dct: temp2d'(i,j) = sum_k block(i,k) * cos2(k,j); block'(i,j) = sum_k cos1(i,k) * temp2d'(k,j), summed in float.
void dct(int B, int *block, int *cos1, int *cos2, int *temp2d) {
    int i, j, k;
    float sum;
    for (i = 0; i < B; i++) {
        for (j = 0; j < B; j++) {
            sum = 0.0f;
            for (k = 0; k < B; k++) {
                sum += block[i * B + k] * cos2[k * B + j];
            }
            temp2d[i * B + j] = sum;
        }
    }
    for (i = 0; i < B; i++) {
        for (j = 0; j < B; j++) {
            sum = 0.0f;
            for (k = 0; k < B; k++) {
                sum += cos1[i * B + k] * temp2d[k * B + j];
            }
            block[i * B + j] = sum;
        }
    }
}
