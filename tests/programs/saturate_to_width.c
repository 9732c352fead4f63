// expect: loop-free
// F31: returns from an if and its else, in a function that clips to a width.
int saturate_to_width(int value, unsigned width) {
    if ((width >= 1U) && (width <= 32U)) {
        const int most = (int)((1U << (width - 1U)) - 1U);
        const int least = -1 - most;
        if (value > most)
            return most;
        else if (value < least)
            return least;
    }
    return value;
}
