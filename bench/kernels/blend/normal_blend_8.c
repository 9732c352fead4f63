// normal_blend_8: out'(i) = opacity * active(i) + (32 - opacity) * base(i).
// Plain C form of a kernel on std::vector.
void normal_blend_8(int *base, int *active, int opacity, int *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = opacity * active[i] + (32 - opacity) * base[i];
    }
}
