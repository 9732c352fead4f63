// Adds the values of a linked list.  Where the next value lies is known only when the one before has been read, so that
// no program over whole arrays says the same: this is refused.
struct item {
    double value;
    const struct item *next;
};

double sum_of_list(const struct item *first) {
    double sum = 0.0;
    for (const struct item *at = first; at; at = at->next)
        sum += at->value;
    return sum;
}
