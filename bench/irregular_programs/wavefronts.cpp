// Tables in which a cell needs its neighbours above and to the left.
#include <algorithm>
#include <cstddef>
#include <vector>

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void edit_distance(const std::vector<char> &s, const std::vector<char> &t, std::vector<std::vector<int>> &d)
{
    const int m = s.size(), n = t.size();
    for (int i = 0; i <= m; ++i)
        d[i][0] = i;
    for (int j = 0; j <= n; ++j)
        d[0][j] = j;
    for (int i = 1; i <= m; ++i)
        for (int j = 1; j <= n; ++j) {
            const int cost = s[i - 1] == t[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
        }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
int longest_common(const std::vector<int> &a, const std::vector<int> &b)
{
    std::vector<std::vector<int>> length(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            if (a[i - 1] == b[j - 1])
                length[i][j] = length[i - 1][j - 1] + 1;
            else
                length[i][j] = std::max(length[i - 1][j], length[i][j - 1]);
    return length[a.size()][b.size()];
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
template <typename T> void local_alignment(int m, int n, const T *a, const T *b, T gap, std::vector<std::vector<T>> &h)
{
    for (int i = 1; i <= m; ++i)
        for (int j = 1; j <= n; ++j) {
            const T match = h[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? T(2) : T(-1));
            h[i][j] = std::max(T(0), std::max(match, std::max(h[i - 1][j], h[i][j - 1]) - gap));
        }
}

template void local_alignment<float>(int, int, const float *, const float *, float, std::vector<std::vector<float>> &);

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void relax(std::vector<std::vector<double>> &u)
{
    for (std::size_t i = 1; i + 1 < u.size(); ++i)
        for (std::size_t j = 1; j + 1 < u[i].size(); ++j)
            u[i][j] = 0.25 * (u[i - 1][j] + u[i][j - 1] + u[i + 1][j] + u[i][j + 1]);
}
