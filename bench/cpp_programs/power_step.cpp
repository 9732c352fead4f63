// expect: loop-free
// A helper of the file on rows, and a normalisation.
#include <cmath>
#include <vector>

using Vec = std::vector<double>;

static double dot(const Vec &a, const Vec &b) {
    double sum = 0.0;
    for (auto i = 0u; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

Vec power_step(const std::vector<Vec> &a, const Vec &v) {
    Vec w;
    for (const Vec &row : a) w.push_back(dot(row, v));
    const double norm = std::sqrt(dot(w, w));
    for (double &x : w) x /= norm;
    return w;
}
