// expect: refused
// Pointers as data.
struct node {
    double value;
    struct node *next;
};

double linked_list(struct node *head) {
    double s = 0.0;
    while (head) {
        s += head->value;
        head = head->next;
    }
    return s;
}
