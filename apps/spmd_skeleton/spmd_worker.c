/* spmd_worker.c: the worker's side of the loop: receive the round's inputs, compute them; in the
 * end, one result.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "circle.h"
#include "schedule.h"
#include "spmd_skeleton.h"

static int lose_master(size_t position, const char *doing) {
  fprintf(stderr, "spmd_skeleton: worker %llu: %s while %s\n", schedule_number(position),
          errno == 0 ? "the master is gone" : strerror(errno), doing);
  return 3;
}

static bool compute(const struct spmd_settings *settings, size_t position, const uint64_t *rows,
                    uint64_t units, struct spmd_result *result) {
  for (uint64_t i = 0; i < units; i++) {
    result->points += circle_count_row(schedule_load(), rows[i]);
    if (!spmd_trace(settings, "computed %llu %llu\n", schedule_number(position),
                    (unsigned long long)rows[i]))
      return false;
  }
  result->units += units;
  return true;
}

int spmd_work(const struct spmd_settings *settings, size_t position, int channel) {
  struct spmd_result result = {0, 0};
  uint64_t *rows = calloc(schedule_units_most() + 1, sizeof *rows);
  if (rows == NULL) return 3;
  for (uint64_t round = 0; round < schedule_rounds(); round++) {
    uint64_t units = schedule_units(round, position);
    if (settings->dying == position && settings->dying_round == round) raise(SIGKILL);
    if (units == 0) continue;
    if (!channel_receive(channel, rows, units * sizeof *rows)) {
      free(rows);
      return lose_master(position, "it waits for units");
    }
    if (!compute(settings, position, rows, units, &result)) {
      free(rows);
      return 3;
    }
  }
  free(rows);
  return channel_send(channel, &result, sizeof result)
             ? 0
             : lose_master(position, "it returns its result");
}
