// expect: loop-free
// An object from the values of its members.
struct Vec3 {
    double x, y, z;
};

Vec3 cross_product(const Vec3 &a, const Vec3 &b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
