/* The word that a person probably meant.
 *
 * Distance: insertions, deletions, exchanges of a character and of two
 * neighbours (optimal string alignment, the restricted form of Damerau, Comm.
 * ACM 7 (1964) 171-176), case ignored. A word is near when a third of its
 * characters or fewer changed. Where none is, a word that begins with the text
 * (three characters or more) or the reverse will do: "memory" for "memory_gib".
 */
#include <string.h>

#include "ration/document.h"

enum { WORD_MAX = 64 }; /* bytes; longer ones are compared with nothing */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t edit_distance(const char *a, int32_t a_length, const char *b, int32_t b_length)
{
    int32_t rows[3][WORD_MAX + 1];
    for (int32_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (int32_t i = 1; i <= a_length; i++) {
        int32_t *row = rows[i % 3];
        const int32_t *above = rows[(i + 2) % 3];
        const int32_t *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int32_t j = 1; j <= b_length; j++) {
            const char x = lower(a[i - 1]);
            const char y = lower(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x == y ? 0 : 1));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) {
                row[j] = least(row[j], above2[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

static bool begins_alike(const char *a, int32_t a_length, const char *b, int32_t b_length)
{
    const int32_t length = least(a_length, b_length);
    if (length < 3) {
        return false;
    }
    for (int32_t i = 0; i < length; i++) {
        if (lower(a[i]) != lower(b[i])) {
            return false;
        }
    }
    return true;
}

const char *ration_nearest(const char *text, const char *const *words, int32_t count)
{
    enum { FAR = 1000 };
    const size_t bytes = strlen(text);
    if (bytes > WORD_MAX) {
        return NULL;
    }
    const int32_t length = (int32_t)bytes;
    const char *best = NULL;
    int32_t best_distance = 2 * FAR;
    for (int32_t i = 0; i < count; i++) {
        const size_t word_bytes = strlen(words[i]);
        if (word_bytes > WORD_MAX) {
            continue;
        }
        const int32_t word_length = (int32_t)word_bytes;
        int32_t distance = edit_distance(text, length, words[i], word_length);
        if (distance * 3 > (length > word_length ? length : word_length)) {
            distance += begins_alike(text, length, words[i], word_length) ? FAR : 2 * FAR;
        }
        if (distance < best_distance) {
            best = words[i];
            best_distance = distance;
        }
    }
    return best;
}
