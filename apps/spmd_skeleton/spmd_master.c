/* spmd_master.c: the master's side of the loop: prepare and send the inputs, round after round; in
 * the end, add up one result of each worker.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "channel.h"
#include "schedule.h"
#include "spmd_skeleton.h"

/* The channel is at its end: says what became of the worker. */
static int lose_worker(struct spmd_worker *worker, size_t position, const char *doing) {
  char how[64];
  int status = 0, error = errno;
  pid_t pid = worker->pid;
  (void)snprintf(how, sizeof how, "%s", strerror(error));
  if (error == 0 && waitpid(worker->pid, &status, 0) == worker->pid) {
    if (WIFSIGNALED(status))
      (void)snprintf(how, sizeof how, "it was ended by signal %d", WTERMSIG(status));
    else
      (void)snprintf(how, sizeof how, "it ended with status %d", WEXITSTATUS(status));
    pid = 0;
  }
  fprintf(stderr,
          "spmd_skeleton: worker %llu (process %ld) is lost before %s: %s; a schedule without "
          "decisions has no other worker for its units\n",
          schedule_number(position), (long)worker->pid, doing, how);
  worker->pid = pid;
  return 3;
}

/* One round of the thesis's loop; `*next` is the first row that was not sent. */
static int send_round(const struct spmd_settings *settings, struct spmd_worker *workers,
                      uint64_t round, uint64_t *rows, uint64_t *next) {
  for (size_t i = 0; i < schedule_workers(); i++) {
    uint64_t units = schedule_units(round, i);
    if (units == 0) continue;
    for (uint64_t k = 0; k < units; k++) rows[k] = *next + k;
    if (!channel_send(workers[i].channel, rows, units * sizeof *rows)) {
      char doing[96];
      int error = errno;
      (void)snprintf(doing, sizeof doing, "it got its %llu units of round %llu",
                     (unsigned long long)units, (unsigned long long)round);
      errno = error;
      return lose_worker(&workers[i], i, doing);
    }
    if (!spmd_trace(settings, "sent %llu %llu %llu\n", schedule_number(i),
                    (unsigned long long)*next, (unsigned long long)units))
      return 3;
    *next += units;
  }
  return 0;
}

int spmd_lead(const struct spmd_settings *settings, struct spmd_worker *workers,
              struct spmd_result *sum) {
  int status = 0;
  uint64_t next = 0, *rows = calloc(schedule_units_most() + 1, sizeof *rows);
  if (rows == NULL) {
    fprintf(stderr, "spmd_skeleton: no memory for %llu units\n",
            (unsigned long long)schedule_units_most());
    return 3;
  }
  for (uint64_t round = 0; round < schedule_rounds() && status == 0; round++)
    status = send_round(settings, workers, round, rows, &next);
  free(rows);
  *sum = (struct spmd_result){0, 0};
  for (size_t i = 0; i < schedule_workers() && status == 0; i++) {
    struct spmd_result result;
    if (!channel_receive(workers[i].channel, &result, sizeof result))
      return lose_worker(&workers[i], i, "it returned its result");
    sum->units += result.units;
    sum->points += result.points;
  }
  return status;
}
