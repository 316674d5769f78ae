#include "cli/run/run_size.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/journal/journal_size_advice.h"

/* A unit is played in a microsecond or less. */
static const double SECONDS_LEAST = 1, UNITS_PER_S = 1e4, UNITS_MOST = 1e6;

/* A worker that drew the longest tasks is not thereby slow. Where the coordinator knows speeds,
 * they count, and a worker without one has their mean. Else (0) the times of the tasks tell the
 * speeds, as far as chance does not explain them. */
static double find_usual_speed(const struct ls_master_report *report, bool are_alike) {
  double sum = 0, known = 0;
  for (size_t i = 0; i < report->workers_count; i++) {
    if (!(report->workers[i].speed > 0)) continue;
    sum += report->workers[i].speed;
    known++;
  }
  if (are_alike) return 1;
  return known > 0 ? sum / known : 0;
}

/* The slots of workers that ended something, and the log by their places in the list. */
static struct ls_size_slot *list_slots(struct ls_task_log *tasks,
                                       const struct ls_master_report *report, bool are_alike) {
  uint32_t most = 0;
  double usual = find_usual_speed(report, are_alike);
  for (size_t i = 0; i < report->workers_count; i++)
    if (report->workers[i].number > most) most = report->workers[i].number;
  uint32_t *places = calloc((size_t)most + 1, sizeof *places);
  struct ls_size_slot *slots = calloc(report->workers_count + 1, sizeof *slots);
  for (size_t i = 0; places != NULL && slots != NULL && i < report->workers_count; i++) {
    const struct ls_master_worker *worker = &report->workers[i];
    bool is_known = !are_alike && worker->speed > 0;
    slots[i] = (struct ls_size_slot){.number = worker->slot,
                                     .speed = is_known ? worker->speed : usual,
                                     .price_per_s = worker->price_per_s};
    places[worker->number] = (uint32_t)i;
  }
  if (places == NULL) {
    free(slots);
    return NULL;
  }
  for (size_t i = 0; slots != NULL && i < tasks->count; i++)
    tasks->entries[i].slot = tasks->entries[i].slot <= most ? places[tasks->entries[i].slot] : 0;
  free(places);
  return slots;
}

void ls_run_size_make(struct ls_run_size *size, const struct ls_master_report *report,
                      const struct ls_run_size_facts *facts) {
  const struct ls_coordinator_totals *totals = &report->totals;
  bool has_ended = report->has_begun && !report->was_stopped && totals->waiting + totals->sent == 0;
  if (!has_ended || report->makespan_s < SECONDS_LEAST || size->tasks.units < 2) return;
  struct ls_size_slot *slots = list_slots(&size->tasks, report, facts->are_alike);
  if (slots == NULL) return;
  const struct ls_size_setup setup = {
      .log = &size->tasks,
      .slots = slots,
      .slots_count = report->workers_count,
      .start_up_s = totals->grant_s,
      .loss_rate = totals->loss_rate,
      .seed = facts->seed,
      .units_max = (uint64_t)fmin(UNITS_MOST, UNITS_PER_S * report->makespan_s)};
  if (ls_size_advise(&setup, &size->advice, NULL) != LS_OK) ls_size_advice_close(&size->advice);
  free(slots);
}

void ls_run_size_record(const struct ls_run_size *size, const struct ls_master_report *report,
                        struct ls_journal *journal) {
  struct ls_journal_size_advice kept = {.grant_s = report->totals.grant_s,
                                        .grant_first_s = report->grant_first_s,
                                        .losses = (double)report->totals.losses,
                                        .up_s = report->totals.up_s};
  if (!report->has_begun) return;
  ls_size_advice_describe(&size->advice, &kept.words);
  if (!kept.words.failed) ls_journal_size_advice(journal, &kept);
  ls_bytes_close(&kept.words);
}

void ls_run_size_close(struct ls_run_size *size) {
  ls_task_log_close(&size->tasks);
  ls_size_advice_close(&size->advice);
}
