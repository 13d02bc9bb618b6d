/* Whether the interpreter knows every construct of some PTX: ptx_check FILE...
 * Prints each file's name; exit 1 with the construct that is not known. */
#include "ptx.h"

#include <cstdio>
#include <exception>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        try {
            if (!ptx_load(argv[i])) {
                fprintf(stderr, "%s cannot be read\n", argv[i]);
                return 2;
            }
        } catch (std::exception &e) {
            fprintf(stderr, "%s: %s\n", argv[i], e.what());
            return 1;
        }
        printf("%s\n", argv[i]);
    }
    return 0;
}
