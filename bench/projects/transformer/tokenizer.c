/* Byte-pair encoding: the best-scored pair of neighbours is merged until none is left. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static const char *const syllables[] = {
    "th", "he", "in", "er", "an", "re", "on", "at", "en", "nd", "the", "ing", "and", "ion", "ent", "ati",
    "for", "her", "ter", "hat", "tha", "ere", "ate", "his", "con", "res", "ver", "all", "ons", "nce", " t", " a",
    " the", " of", " and", " to", " in", " that", " is", " was", "with", "tion", "once", "upon", "time", " time",
};
enum { N_SYLLABLES = sizeof syllables / sizeof syllables[0] };

static int compare_tokens(const void *a, const void *b)
{
    return strcmp(((const TokenIndex *)a)->str, ((const TokenIndex *)b)->str);
}

static char *duplicate(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

int tokenizer_build(Tokenizer *t, int vocab_size)
{
    char piece[16];

    t->vocab_size = vocab_size;
    t->max_token_length = 0;
    t->sorted_vocab = NULL; /* made when it is needed */
    t->vocab = malloc(vocab_size * sizeof(char *));
    t->vocab_scores = malloc(vocab_size * sizeof(float));
    if (!t->vocab || !t->vocab_scores)
        return -1;
    for (int i = 0; i < vocab_size; i++) {
        if (i < 128)
            snprintf(piece, sizeof piece, "%c", isprint(i) ? i : '?');
        else if (i < 128 + N_SYLLABLES)
            snprintf(piece, sizeof piece, "%s", syllables[i - 128]);
        else
            snprintf(piece, sizeof piece, "<%d>", i);
        t->vocab[i] = duplicate(piece);
        if (!t->vocab[i])
            return -1;
        t->vocab_scores[i] = i < 128 ? -1e10f : -(float)i;
        if (strlen(piece) > t->max_token_length)
            t->max_token_length = strlen(piece);
    }
    return 0;
}

void tokenizer_free(Tokenizer *t)
{
    for (int i = 0; i < t->vocab_size; i++)
        free(t->vocab[i]);
    free(t->vocab);
    free(t->vocab_scores);
    free(t->sorted_vocab);
}

const char *decode(const Tokenizer *t, int token)
{
    if (token < 0 || token >= t->vocab_size)
        return "";
    return t->vocab[token];
}

static int str_lookup(const char *str, const TokenIndex *sorted_vocab, int vocab_size)
{
    int low = 0, high = vocab_size - 1;

    while (low <= high) {
        int mid = low + (high - low) / 2;
        int order = strcmp(str, sorted_vocab[mid].str);
        if (order == 0)
            return sorted_vocab[mid].id;
        if (order < 0)
            high = mid - 1;
        else
            low = mid + 1;
    }
    return -1;
}

int encode(Tokenizer *t, const char *text, int *tokens, int max_tokens)
{
    char buffer[64];
    int n_tokens = 0;

    if (t->sorted_vocab == NULL) {
        t->sorted_vocab = malloc(t->vocab_size * sizeof(TokenIndex));
        if (!t->sorted_vocab)
            die("no memory for a sorted vocabulary");
        for (int i = 0; i < t->vocab_size; i++) {
            t->sorted_vocab[i].str = t->vocab[i];
            t->sorted_vocab[i].id = i;
        }
        qsort(t->sorted_vocab, t->vocab_size, sizeof(TokenIndex), compare_tokens);
    }

    for (const char *c = text; *c != '\0' && n_tokens < max_tokens; c++)
        tokens[n_tokens++] = (unsigned char)*c & 127;

    /* merge the best consecutive pair each iteration */
    while (1) {
        float best_score = -1e9f;
        int best_id = -1;
        int best_idx = -1;

        for (int i = 0; i < n_tokens - 1; i++) {
            snprintf(buffer, sizeof buffer, "%s%s", t->vocab[tokens[i]], t->vocab[tokens[i + 1]]);
            int id = str_lookup(buffer, t->sorted_vocab, t->vocab_size);
            if (id != -1 && t->vocab_scores[id] > best_score) {
                best_score = t->vocab_scores[id];
                best_id = id;
                best_idx = i;
            }
        }
        if (best_idx == -1)
            break; /* we couldn't find any more pairs to merge */

        tokens[best_idx] = best_id;
        /* delete token at position best_idx+1, shift the entire sequence back 1 */
        for (int i = best_idx + 1; i < n_tokens - 1; i++)
            tokens[i] = tokens[i + 1];
        n_tokens--;
    }
    return n_tokens;
}
