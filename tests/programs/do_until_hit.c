// expect: loop-free
// Place of a key, by a `do` whose condition at the end has both ends of the search.
long do_until_hit(long n, const long *a, long key) {
    long i = -1;
    do {
        i++;
    } while (i < n && a[i] != key);
    return i;
}
