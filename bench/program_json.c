/* The allocation program of a public instance, as JSON on standard output: what other solvers and
 * the independent checker read.
 *
 *   build/bench/program_json FORMAT FILE [min|max|-] [PROBLEM] [START]
 *
 * FORMAT: gap, mkp, qap, vbp, and roadef where it was built. The first key is the digest of the
 * program, `program_digest`, which `ration verify` wants to see in a result; the rest is
 * docs/program-format.md.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gap/gap.h"
#include "mkp/mkp.h"
#include "qap/qap.h"
#include "ration/document.h"
#include "ration/program.h"
#include "vbp/vbp.h"
#if __has_include("roadef/roadef.h")
#include "roadef/roadef.h"
#define HAS_ROADEF 1
#else
#define HAS_ROADEF 0
#endif

typedef ration_status (*program_reader)(const ration_instance *, ration_program **, ration_error *);

typedef struct reader {
    const char *format;
    program_reader read;
} reader;

static const reader readers[] = {
    {"gap", ration_gap_read},       {"mkp", ration_mkp_read},
    {"qap", ration_qap_read},       {"vbp", ration_vbp_read},
#if HAS_ROADEF
    {"roadef", ration_roadef_read},
#endif
};

enum { READERS = (int32_t)(sizeof readers / sizeof readers[0]), PROBLEM_MAX = 1000000 };

static ration_status print_program(const ration_program *program, ration_error *error)
{
    char digest[RATION_DIGEST_TEXT];
    ration_writer *writer = NULL;
    const char *text = NULL;
    size_t bytes = 0;
    ration_status status = ration_writer_create(&writer, error);
    if (status != RATION_OK) {
        return status;
    }
    ration_program_digest(program, digest);
    ration_writer_open_map(writer, NULL);
    ration_writer_text(writer, "program_digest", digest);
    ration_program_write(program, writer);
    ration_writer_close(writer);
    status = ration_writer_finish(writer, &text, &bytes, error);
    if (status == RATION_OK) {
        status = ration_file_write("-", text, bytes, error);
    }
    ration_writer_free(writer);
    return status;
}

static ration_status run(const ration_instance *request, ration_error *error)
{
    ration_program *program = NULL;
    for (int32_t i = 0; i < READERS; i++) {
        if (strcmp(readers[i].format, request->format) == 0) {
            ration_status status = readers[i].read(request, &program, error);
            if (status == RATION_OK) {
                status = print_program(program, error);
            }
            ration_program_free(program);
            return status;
        }
    }
    return ration_error_set(error, RATION_E_INPUT, "format '%.40s' is unknown", request->format);
}

/* Reads [min|max|-] [PROBLEM] [START] into the request; whether they are well formed. */
static bool read_rest(int count, char **words, ration_instance *request)
{
    if (count > 0) {
        request->sense_given = strcmp(words[0], "-") != 0;
        request->sense = strcmp(words[0], "max") == 0 ? RATION_MAXIMISE : RATION_MINIMISE;
        if (request->sense_given && request->sense == RATION_MINIMISE &&
            strcmp(words[0], "min") != 0) {
            return false;
        }
    }
    if (count > 1) {
        char *end = NULL;
        errno = 0;
        const int64_t problem = strtoll(words[1], &end, 10);
        if (errno != 0 || *end != '\0' || problem < 0 || problem > PROBLEM_MAX) {
            return false;
        }
        request->problem = (int32_t)problem;
    }
#if HAS_ROADEF
    request->start = count > 2 ? words[2] : NULL;
#endif
    return count <= 3;
}

int main(int count, char **words)
{
    ration_error error = {RATION_OK, ""};
    ration_instance request = {0};
    if (count < 3 || !read_rest(count - 3, words + 3, &request)) {
        fputs("usage: program_json FORMAT FILE [min|max|-] [PROBLEM] [START]\n", stderr);
        return 2;
    }
    request.format = words[1];
    request.path = words[2];
    if (run(&request, &error) != RATION_OK) {
        fprintf(stderr, "program_json: %s\n", error.text);
        return 2;
    }
    return 0;
}
