/* Evaluated options per second of the search on a one-row program: generalised
 * assignment by the type-D law, one thread.
 *
 *   build/bench/options_per_second [agents] [jobs] [seed] [runs]      default 80 1600 1 5
 *
 * The time is that of the epochs alone. Prints machine, seed, and min, median, max over the runs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ration/program.h"
#include "ration/solve.h"

enum { EPOCHS = 24, RUNS_MOST = 99 };

typedef struct span {
    int64_t first_us;
    int64_t last_us;
    int64_t first_options;
    int64_t last_options;
} span;

static uint64_t state;

/* splitmix64 (S. Vigna, prng.di.unimi.it). Returns 0 .. below-1. */
static int64_t draw(int64_t below)
{
    state += 0x9E3779B97F4A7C15u;
    uint64_t x = state;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (int64_t)((x ^ (x >> 31)) % (uint64_t)below);
}

/* Type D: need 1..100, cost 111 - need + (-10..10), capacity 0.8 of the mean load. */
static ration_status make(int32_t agents, int32_t jobs, ration_program **program,
                          ration_error *error)
{
    ration_program *p = NULL;
    int64_t *need = calloc((size_t)agents * (size_t)jobs, sizeof *need);
    ration_status status = ration_program_create(1, &p, error);
    for (int32_t a = 0; a < agents && status == RATION_OK && need != NULL; a++) {
        int64_t total = 0;
        int32_t made;
        for (int32_t j = 0; j < jobs; j++) {
            need[(int64_t)a * jobs + j] = 1 + draw(100);
            total += need[(int64_t)a * jobs + j];
        }
        status = ration_program_add_row(p, NULL, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                        total * 8 / (10 * agents), &made, error);
        if (status == RATION_OK) {
            status = ration_program_add_place(p, NULL, 0, &made, error);
        }
    }
    for (int32_t j = 0; j < jobs && status == RATION_OK && need != NULL; j++) {
        int32_t made;
        status = ration_program_add_item(p, NULL, &made, error);
        for (int32_t a = 0; a < agents && status == RATION_OK; a++) {
            const ration_use use = {a, need[(int64_t)a * jobs + j]};
            const ration_option option = {
                a, RATION_NONE, RATION_DIMENSION_OTHER, 101 - use.amount + draw(21), 1, &use};
            status = ration_program_add_option(p, j, &option, error);
        }
    }
    free(need);
    if (status == RATION_OK) {
        status = ration_program_freeze(p, error);
    }
    if (status != RATION_OK) {
        ration_program_free(p);
        return status;
    }
    *program = p;
    return RATION_OK;
}

static void on_progress(void *context, const ration_progress *progress)
{
    span *s = context;
    if (progress->epoch == 1) {
        s->first_us = progress->elapsed_us;
        s->first_options = progress->evaluations;
    }
    s->last_us = progress->elapsed_us;
    s->last_options = progress->evaluations;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_machine(void)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *name = strstr(line, "model name");
        if (name != NULL && strchr(name, ':') != NULL) {
            printf("machine: %s", strchr(name, ':') + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static int32_t number(int argc, char **argv, int at, int32_t otherwise)
{
    const int64_t value = at < argc ? strtoll(argv[at], NULL, 10) : otherwise;
    return value > 0 && value < 1000000 ? (int32_t)value : otherwise;
}

int main(int argc, char **argv)
{
    const int32_t agents = number(argc, argv, 1, 80);
    const int32_t jobs = number(argc, argv, 2, 1600);
    const int32_t seed = number(argc, argv, 3, 1);
    const int32_t wanted = number(argc, argv, 4, 5);
    const int32_t runs = wanted < RUNS_MOST ? wanted : RUNS_MOST;
    double rate[RUNS_MOST];
    ration_error error;
    ration_program *program = NULL;
    state = (uint64_t)seed;
    if (make(agents, jobs, &program, &error) != RATION_OK) {
        fprintf(stderr, "options_per_second: %s\n", error.text);
        return 4;
    }
    for (int32_t x = 0; x < runs; x++) {
        span s = {0, 0, 0, 0};
        ration_run run;
        ration_result *result = NULL;
        ration_run_default(&run);
        run.seed = (uint64_t)seed;
        run.epochs = EPOCHS;
        run.threads = 1;
        run.backend = RATION_BACKEND_OPENMP;
        run.progress = on_progress;
        run.context = &s;
        if (ration_solve(program, &run, &result, &error) != RATION_OK) {
            fprintf(stderr, "options_per_second: %s\n", error.text);
            ration_program_free(program);
            return 4;
        }
        rate[x] = (double)(s.last_options - s.first_options) / (double)(s.last_us - s.first_us + 1);
        ration_result_free(result);
    }
    ration_program_free(program);
    qsort(rate, (size_t)runs, sizeof rate[0], by_value);
    print_machine();
    printf("type D, %d agents, %d jobs, seed %d, 1 thread, 16 chains, %d epochs, %d runs\n", agents,
           jobs, seed, EPOCHS, runs);
    printf("million options a second: min %.1f, median %.1f, max %.1f\n", rate[0], rate[runs / 2],
           rate[runs - 1]);
    return 0;
}
