/* Replays a corpus without a fuzzer: replay FOLDER.
 *
 * Each file of the folder goes to LLVMFuzzerTestOneInput as it is, cut at up to
 * 64 places, and 256 times with one to four bytes changed; the changes follow
 * from a fixed seed, so a failure repeats. Sanitizers and crashes are the
 * verdict.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 64, CHANGES = 256, FILE_MAX = 1 << 20 };

/* splitmix64, one step. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Hands over an exact copy, so that reading one byte too many is seen. */
static void try_bytes(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));
    if (copy == NULL) {
        exit(2);
    }
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void try_variants(uint8_t *data, size_t size)
{
    static const uint8_t favourites[] = "\"{}[]:,-.0123456789eE\\\n\t \x7f\x80\xff";
    uint64_t state = size;
    try_bytes(data, size);
    for (size_t cut = 0; cut < size; cut += 1 + size / CUTS) {
        try_bytes(data, cut);
    }
    for (int32_t i = 0; i < CHANGES && size > 0; i++) {
        const int32_t changes = 1 + (int32_t)(next(&state) % 4);
        size_t at[4];
        uint8_t was[4];
        for (int32_t c = 0; c < changes; c++) {
            at[c] = (size_t)(next(&state) % size);
            was[c] = data[at[c]];
            data[at[c]] = favourites[next(&state) % sizeof favourites];
        }
        try_bytes(data, size);
        for (int32_t c = changes - 1; c >= 0; c--) {
            data[at[c]] = was[c];
        }
    }
}

/* Returns 1 when the file was read and tried. */
static int try_file(const char *folder, const char *name, uint8_t *buffer)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        return 0;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    const size_t size = fread(buffer, 1, FILE_MAX, file);
    fclose(file);
    try_variants(buffer, size);
    return 1;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    uint8_t *buffer = malloc(FILE_MAX);
    if (folder == NULL || buffer == NULL) {
        fprintf(stderr, "usage: replay FOLDER-OF-INPUTS\n");
        free(buffer);
        return 2;
    }
    int32_t files = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        files += entry->d_name[0] != '.' ? try_file(argv[1], entry->d_name, buffer) : 0;
    }
    closedir(folder);
    free(buffer);
    printf("%d inputs\n", files);
    return files > 0 ? 0 : 1;
}
