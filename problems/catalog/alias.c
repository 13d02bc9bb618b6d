/* Names that people give to one and the same model: owner in front, precision
 * and tuning behind. */
#include "catalog/alias.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
}

bool rn_name_same(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        ++a;
        ++b;
    }
    return lower(*a) == lower(*b);
}

/* A word at the end of a name that leaves the shape as it is. */
static bool idle_word(const char *word)
{
    static const char *const words[] = {"instruct",
                                        "thinking",
                                        "base",
                                        "chat",
                                        "it",
                                        "hf",
                                        "fp8",
                                        "fp4",
                                        "nvfp4",
                                        "mxfp4",
                                        "mxfp8",
                                        "bf16",
                                        "fp16",
                                        "int8",
                                        "int4",
                                        "awq",
                                        "gptq",
                                        "w4a16",
                                        "w8a8",
                                        "w8a16",
                                        "w4a8",
                                        "w4a4",
                                        "dynamic",
                                        "static",
                                        "block",
                                        "pertensor",
                                        "kv",
                                        "4bit",
                                        "8bit",
                                        "gguf",
                                        "quantized",
                                        "preview",
                                        "quantized.w8a8",
                                        "quantized.w4a16",
                                        "quantized.w8a16"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (rn_name_same(word, words[i])) {
            return true;
        }
    }
    return strlen(word) == 4 && strspn(word, "0123456789") == 4;
}

void rn_alias_reduce(const char *name, char *out)
{
    const char *owner = strrchr(name, '/');
    snprintf(out, RN_ALIAS_BYTES, "%s", owner == NULL ? name : owner + 1);
    for (char *dash = strrchr(out, '-'); dash != NULL && dash != out && idle_word(dash + 1);
         dash = strrchr(out, '-')) {
        *dash = '\0';
    }
}
