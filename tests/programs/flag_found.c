// expect: loop-free
// Whether a key occurs, by a flag that ends the loop.
int flag_found(int n, const unsigned char *a, unsigned char key) {
    int found = 0;
    for (int i = 0; i < n && !found; i++)
        if (a[i] == key)
            found = 1;
    return found;
}
