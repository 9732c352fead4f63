// Constructs of C++ over numbers and pointers, which run as compiled where they have a meaning.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace shapes {
constexpr double scale = 0.1;
const int offsets[3] = {3, -1, 2};
} // namespace shapes

static void add_to(double &total, double x) { total += x; }

double references(int n, const double *x) {
    double sum = 0.0, other = 1.0;
    double &alias = sum;
    for (int i = 0; i < n; ++i) add_to(alias, x[i] * shapes::scale);
    add_to(other, sum);
    return sum + other;
}

template <class T> static T larger(const T &a, const T &b) { return a < b ? b : a; }

int templates_and_defaults(int a, int b) { return larger(a, b) * 2 + larger<long>(a, 7) - std::max(a, b) + std::min(b, 3); }

static int twice(int x, int factor = 2) { return x * factor; }

int default_arguments(int a) { return twice(a) + twice(a, 3); }

int overloads(int a) {
    struct Chosen {
        static int of(int x) { return x + 1; }
        static int of(double x) { return static_cast<int>(x) * 2; }
    };
    return Chosen::of(a) + Chosen::of(a * 1.5);
}

int truth_values(int a, int b) {
    bool less = a < b, odd = a & 1;
    bool both = less && odd;
    return less + 2 * both + (!odd ? 8 : 16) + (less == odd);
}

double local_vectors(int n, const double *x) {
    if (n < 1 || n > 100) return -1.0;
    std::vector<double> v(n), w;
    for (int i = 0; i < n; ++i) v[i] = x[i];
    for (double y : v) {
        if (y > 0) w.push_back(y);
    }
    for (double &y : w) y *= 2;
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) sum += w[i];
    return w.empty() ? -2.0 : sum + w.front() - w.back() + static_cast<double>(w.size());
}

int growing(int n) {
    if (n < 0 || n > 50) return -1;
    std::vector<int> v;
    v.reserve(n);
    for (int i = 0; i < n; ++i) v.emplace_back(i * i);
    v.resize(v.size() + 3, 9);
    v.pop_back();
    v.assign(v.size() / 2 + 1, 4);
    v.resize(7);
    int sum = 0;
    for (auto it = v.begin(); it != v.end(); ++it) sum = sum * 3 + *it;
    v.clear();
    return sum + static_cast<int>(v.size());
}

int copies_are_apart(int n) {
    std::vector<int> a = {1, 2, 3}, b = a, c(a);
    a[0] = n;
    b[1] = n + 1;
    std::vector<int> d = std::move(c);
    d[2] = 5;
    std::swap(a, b);
    a = d;
    return a[0] + 10 * a[1] + 100 * a[2] + 1000 * b[0] + 7 * static_cast<int>(c.size());
}

static int by_value(std::vector<int> v, int k) {
    v[0] += k;
    return v[0] + v[1];
}

int passed_by_value(int n) {
    std::vector<int> v{n, 2};
    return by_value(v, 5) * 100 + v[0];
}

static std::vector<int> counted(int n) {
    std::vector<int> made;
    for (int i = 0; i < n; ++i) made.push_back(n - i);
    return made;
}

int returned(int n) {
    if (n < 2 || n > 20) return 0;
    auto first = counted(n);
    auto second = counted(2);
    first[0] = 100;
    return first[0] + first[1] + second[0] + static_cast<int>(first.size() + counted(3).size());
}

static std::vector<int> one_of_two(int n) {
    std::vector<int> a(3, 1), b(3, 2);
    a[1] = n;
    b[1] = -n;
    std::swap(a[0], b[2]);
    return a;
}

int two_live_vectors(int n) {
    std::vector<int> got = one_of_two(n);
    return got[0] + 10 * got[1] + got[2];
}

double arrays(int n, const double *x) {
    std::array<double, 4> a{}, b = {1.0, 2.0};
    std::array<std::array<int, 2>, 2> m = {{{1, 2}, {3, 4}}};
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] + x[i] * n;
    b.fill(3.0);
    return a[0] + a[3] * b[2] + m[1][0] - m[0][1];
}

double rows(int n, const double *x) {
    if (n < 1 || n > 12) return 0;
    std::vector<std::vector<double>> m(n, std::vector<double>(n, 0.5));
    for (int i = 0; i < n; ++i) {
        auto &row = m[i];
        row[i] += x[i];
    }
    double sum = 0;
    for (const auto &row : m) {
        for (double v : row) sum += v;
    }
    auto last = m[n - 1];
    last[0] = 50;
    return sum + m[n - 1][0] + last[0] + static_cast<double>(m[0].size());
}

class Counter {
public:
    explicit Counter(int start, int by = 1) : count_(start), step_(by) { count_ += 1; }
    Counter &step() {
        count_ += step_;
        return *this;
    }
    int &count() { return count_; }
    int count() const { return count_; }
    Counter operator+(const Counter &other) const { return Counter(count_ + other.count_); }
    int operator()(int k) const { return count_ * k; }

private:
    int count_, step_ = 3;
};

int classes(int n) {
    Counter a(n), b(n, 2);
    a.step().step();
    b.count() += 5;
    Counter c = a + b;
    const Counter d = c;
    c.step();
    return a.count() + 10 * b.count() + 100 * c.count() + d(3);
}

struct Counting {
    int n;
    Counting(int k) : n(k) {}
    Counting(const Counting &other) : n(other.n + 1) {}
};

static int by_copy(Counting c) { return c.n; }

int copy_constructors(int n) {
    Counting a(n);
    Counting b = a;
    return by_copy(b) * 10 + b.n;
}

struct Pair {
    double first = 1.5;
    int second;
};

double aggregates(int n) {
    Pair p{2.0, n}, q{}, r = p;
    r.first = q.first + n;
    p = r;
    r.second = 7;
    return p.first + p.second * 10 + q.second + r.second;
}

int lambdas(int n) {
    int base = n, seen = 0;
    auto add = [base, &seen](int x) {
        seen++;
        return x + base;
    };
    base = 100;
    auto again = [&](int x) { return add(add(x)); };
    int found = again(3);
    return found * 10 + seen + base;
}

double algorithms(int n, const double *x) {
    if (n < 1 || n > 60) return 0;
    std::vector<double> v(x, x + n), w(v.size());
    std::transform(v.begin(), v.end(), w.begin(), [](double a) { return a * a; });
    double dot = std::inner_product(v.begin(), v.end(), w.begin(), 1.0);
    std::partial_sum(v.begin(), v.end(), w.begin());
    std::fill(v.begin() + n / 2, v.end(), 0.25);
    const double top = *std::max_element(w.begin(), w.end());
    return std::accumulate(v.begin(), v.end(), dot) + top + std::count_if(w.begin(), w.end(), [](double a) { return a > 1; });
}

unsigned long wrapping(unsigned n) {
    std::size_t i = n;
    std::size_t before = i - 1;
    unsigned narrow = static_cast<unsigned>(before) * 3u;
    return before / 2 + narrow + (i - 2 > 5 ? 1 : 0);
}

int throws(int n) {
    if (n > 3) throw n;
    return n * 2;
}

int checked(int n) {
    std::vector<int> v(4, 3);
    return v.at(n) + v[0];
}

template <int N> static int pick(int x) {
    if constexpr (N > 0) x += 1; else x += 2;
    if constexpr (N > 5) {
        x *= 3;
    }
    return x;
}

int constant_conditions(int x) { return pick<1>(x) + 100 * pick<9>(x) - 7 * pick<-1>(x); }

int early_returns(int n, const int *x) {
    auto find = [&](int wanted) {
        for (int i = 0; i < n && i < 100; ++i) {
            if (x[i] == wanted) return i;
            if (x[i] > 50) break;
        }
        return -1;
    };
    return find(3) * 1000 + find(5) * 10 + find(n);
}

int table_at_file_scope(int n) { return n < 0 || n > 2 ? 0 : shapes::offsets[n] * 2; }

float functions_of_math(float x, int k) {
    return std::sqrt(std::abs(x)) + std::pow(x, 2.0f) + std::abs(k) + std::fmin(x, 1.0f) + std::isnan(x);
}

int switches(int n) {
    enum class Kind { none = 0, some = 2 };
    int sum = 0;
    do {
        switch (n % 4) {
        case 0: sum += static_cast<int>(Kind::some); break;
        case 1: sum += 5;
        default: sum += 7;
        }
    } while (--n > 0);
    return sum;
}
