// Softmax of each row, shifted by the row's largest value so that exp never overflows.
#include <math.h>

void softmax_rows(int rows, int cols, const double x[rows][cols], double y[rows][cols]) {
    for (int i = 0; i < rows; i++) {
        double largest = x[i][0];
        for (int j = 1; j < cols; j++) {
            if (x[i][j] > largest) {
                largest = x[i][j];
            }
        }

        double total = 0.0;
        for (int j = 0; j < cols; j++) {
            y[i][j] = exp(x[i][j] - largest);
            total += y[i][j];
        }

        for (int j = 0; j < cols; j++) {
            y[i][j] /= total;
        }
    }
}
