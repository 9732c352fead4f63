// expect: loop-free
// A maximum is returned and stored, with a count that stays zero added to it.
float maximum_twice(int n, float a[n][n], float *sum) {
    float most = a[0][0];
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[i][j] > most)
                most = a[i][j];
    *sum = most + count;
    return most;
}
