/* Signals and progress: the two ways in which a run and the person at the terminal see each other.
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* Handlers can reach nothing else; written by handlers only (and `save` is reset by the run). */
static volatile sig_atomic_t stop_asked;
static volatile sig_atomic_t save_asked;

typedef struct watch_line {
    bool drawn;
    int64_t next_us;
} watch_line;

static watch_line line;

static void on_stop(int signal_number)
{
    if (stop_asked != 0) {
        _exit(128 + signal_number); /* asked twice: leave at once */
    }
    stop_asked = 1;
}

static void on_save(int signal_number)
{
    (void)signal_number;
    save_asked = 1;
}

static void install(int signal_number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static void draw(void *context, const ration_progress *progress)
{
    enum { DRAW_EVERY_US = 200000 };
    const ration_program *program = context;
    (void)program;
    if (progress->elapsed_us < line.next_us) {
        return;
    }
    line.next_us = progress->elapsed_us + DRAW_EVERY_US;
    assert(progress->epoch >= 0 && progress->violation >= 0);
    const double seconds = (double)progress->elapsed_us / 1e6;
    const double rate = seconds > 0.0 ? (double)progress->moves / seconds / 1e6 : 0.0;
    fprintf(stderr, "\repoch %lld  best %lld%s", (long long)progress->epoch,
            (long long)progress->best, progress->violation > 0 ? " (not feasible yet)" : "");
    if (progress->bounded && progress->violation == 0) {
        const double cost = progress->best < 0 ? -(double)progress->best : (double)progress->best;
        const double gap = (double)progress->best - (double)progress->bound;
        fprintf(stderr, "  gap %.3f %%", 100.0 * gap / (cost > 1.0 ? cost : 1.0));
    }
    fprintf(stderr, "  %.1f M moves/s", rate);
    if (progress->left_us >= 0) {
        fprintf(stderr, "  %.1f s left", (double)progress->left_us / 1e6);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
    line.drawn = true;
}

static void note(void *context, const char *sentence)
{
    (void)context;
    cli_watch_end();
    fprintf(stderr, "ration: %s\n", sentence);
}

void cli_watch(const cli_options *options, ration_run *run)
{
    install(SIGINT, on_stop);
    install(SIGTERM, on_stop);
    install(SIGUSR1, on_stop);
    install(SIGUSR2, on_save);
    run->stop = &stop_asked;
    run->save = &save_asked;
    run->notice = options->quiet ? NULL : note;
    run->progress = !options->quiet && isatty(STDERR_FILENO) ? draw : NULL;
}

void cli_watch_end(void)
{
    if (line.drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        line.drawn = false;
    }
}
