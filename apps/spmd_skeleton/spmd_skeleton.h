/* spmd_skeleton.h: a program of which every process knows the whole schedule (SPMD).
 *
 * One master and nWorkers workers pass through the same rounds; nobody decides anything while they
 * run.  spmd_skeleton.c reads the command line and starts the processes, spmd_master.c and
 * spmd_worker.c are the two sides of the loop.
 */
#ifndef SPMD_SKELETON_H
#define SPMD_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the command line says, which all processes know as well. */
struct spmd_settings {
  int trace;            /* lines of what was sent and computed go there; -1: nowhere */
  size_t dying;         /* this worker ends itself by SIGKILL; SIZE_MAX: nobody does */
  uint64_t dying_round; /* before it receives the units of this round */
};

struct spmd_worker {
  pid_t pid;   /* 0: it has ended, and somebody knows */
  int channel; /* the master's end */
};

/* What a worker says in the end. */
struct spmd_result {
  uint64_t units, points;
};

/* Adds a line to the trace, if there is one; false: it cannot be written, which has been said. */
bool spmd_trace(const struct spmd_settings *settings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The exit status of the worker at this position. */
int spmd_work(const struct spmd_settings *settings, size_t position, int channel);
/* Sends all rounds, adds up the results. 0; or an exit status, after saying why. */
int spmd_lead(const struct spmd_settings *settings, struct spmd_worker *workers,
              struct spmd_result *sum);

#endif
