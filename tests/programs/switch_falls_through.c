// expect: loop-free
// Cost of a level and of all below it, by cases that fall through.
void switch_falls_through(int n, const int *level, float *cost) {
    for (int i = 0; i < n; i++) {
        float c = 0.0f;
        switch (level[i]) {
        case 3: c += 4.0f; /* fall through */
        case 2: c += 2.0f; /* fall through */
        case 1: c += 1.0f; break;
        default: break;
        }
        cost[i] = c;
    }
}
