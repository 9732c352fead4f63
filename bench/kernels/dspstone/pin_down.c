// Fill with ones through a walking pointer; type and storage class come from macros.
#define STORAGE_CLASS register
#define TYPE int

void pin_down(TYPE *px, int LENGTH) {
    STORAGE_CLASS TYPE i;
    STORAGE_CLASS TYPE *p = px;
    for (i = 0; i < LENGTH; i++)
        *p++ = 1;
}
