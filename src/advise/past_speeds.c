/* past_speeds.c: sweeps between the lengths of units and the speeds of machines. */
#include "advise/past_speeds.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "theory/speeds.h"

/* Further times, and workers in further slots, teach nothing. */
enum { TIMES_MAX = 1 << 20, SLOTS_MAX = 1 << 16, UNITS_LEAST = 3, SWEEPS = 20 };

void ls_past_speeds_close(struct ls_past_speeds *past) {
  free(past->machines);
  free(past->times);
  free(past->slots);
  *past = (struct ls_past_speeds){.status = LS_OK};
}

void ls_past_speeds_begin(struct ls_past_speeds *past) {
  for (size_t i = 0; i < past->slots_count; i++) past->slots[i] = 0;
}

/* 1 + its number; 0: no memory. */
static size_t find_machine(struct ls_past_speeds *past, uint64_t place) {
  void *machines = past->machines;
  for (size_t i = 0; i < past->machines_count; i++)
    if (past->machines[i].place == place) return i + 1;
  past->status = ls_array_reserve(&machines, &past->machines_capacity, past->machines_count + 1,
                                  sizeof *past->machines);
  past->machines = machines;
  if (past->status != LS_OK) return 0;
  past->machines[past->machines_count] = (struct ls_past_machine){.place = place};
  return ++past->machines_count;
}

static void join(struct ls_past_speeds *past, uint32_t slot, uint64_t place) {
  void *slots = past->slots;
  if (slot >= SLOTS_MAX) return;
  past->status =
      ls_array_reserve(&slots, &past->slots_capacity, (size_t)slot + 1, sizeof *past->slots);
  past->slots = slots;
  if (past->status != LS_OK) return;
  while (past->slots_count <= slot) past->slots[past->slots_count++] = 0;
  past->slots[slot] = place != 0 ? find_machine(past, place) : 0;
}

static void note_time(struct ls_past_speeds *past, size_t machine,
                      const struct ls_event_result *result) {
  void *times = past->times;
  double units = (double)result->units.count, seconds = result->seconds / units;
  bool is_usable = result->outcome == LS_OUTCOME_DONE && seconds > 0 && isfinite(seconds);
  if (!is_usable || past->times_count == TIMES_MAX) return;
  past->status =
      ls_array_reserve(&times, &past->times_capacity, past->times_count + 1, sizeof *past->times);
  past->times = times;
  if (past->status != LS_OK) return;
  past->times[past->times_count++] =
      (struct ls_past_time){result->units.first, units, seconds, machine};
  past->machines[machine].units += units;
}

void ls_past_speeds_hear(struct ls_past_speeds *past, const struct ls_event *event) {
  if (past->status != LS_OK) return;
  if (event->kind == LS_EVENT_JOINED) join(past, event->worker, event->joined.place);
  bool is_known = event->worker < past->slots_count && past->slots[event->worker] > 0;
  if (!is_known || past->status != LS_OK) return;
  size_t machine = past->slots[event->worker] - 1;
  if (event->kind == LS_EVENT_HEARTBEAT && event->speed > 0)
    past->machines[machine].benchmark = event->speed;
  if (event->kind == LS_EVENT_RESULT) note_time(past, machine, &event->result);
}

/* ---- the estimate ---- */

/* Logarithms: of the length of each time's unit, of each machine's slowness. */
struct fit {
  const struct ls_past_speeds *past;
  double *lengths, *slowness;
  double *sums, *weights; /* by machine */
};

static int compare_ranges(const struct ls_past_time *a, const struct ls_past_time *b) {
  if (a->unit != b->unit) return a->unit < b->unit ? -1 : 1;
  return a->units < b->units ? -1 : a->units > b->units;
}

static int compare_times(const void *left, const void *right) {
  const struct ls_past_time *a = left, *b = right;
  int order = compare_ranges(a, b);
  if (order != 0) return order;
  return a->seconds < b->seconds ? -1 : a->seconds > b->seconds;
}

/* The mean over the times of a range, each without its machine's slowness. */
static void measure_lengths(struct fit *fit) {
  const struct ls_past_time *times = fit->past->times;
  size_t count = fit->past->times_count;
  for (size_t i = 0, end; i < count; i = end) {
    double sum = 0;
    for (end = i; end < count && compare_ranges(&times[i], &times[end]) == 0; end++)
      sum += log(times[end].seconds) - fit->slowness[times[end].machine];
    for (size_t k = i; k < end; k++) fit->lengths[k] = sum / (double)(end - i);
  }
}

static void measure_slowness(struct fit *fit) {
  const struct ls_past_speeds *past = fit->past;
  for (size_t m = 0; m < past->machines_count; m++) fit->sums[m] = fit->weights[m] = 0;
  for (size_t i = 0; i < past->times_count; i++) {
    const struct ls_past_time *time = &past->times[i];
    fit->sums[time->machine] += time->units * (log(time->seconds) - fit->lengths[i]);
    fit->weights[time->machine] += time->units;
  }
  for (size_t m = 0; m < past->machines_count; m++)
    if (fit->weights[m] > 0) fit->slowness[m] = fit->sums[m] / fit->weights[m];
}

/* By benchmarks if all that did units have one, else by the mean time. */
static void begin_slowness(struct fit *fit) {
  const struct ls_past_speeds *past = fit->past;
  bool have_all = true;
  for (size_t m = 0; m < past->machines_count; m++)
    have_all = have_all && (past->machines[m].benchmark > 0 || !(past->machines[m].units > 0));
  for (size_t i = 0; i < past->times_count; i++) fit->lengths[i] = 0;
  if (!have_all) measure_slowness(fit);
  for (size_t m = 0; m < past->machines_count && have_all; m++)
    if (past->machines[m].units > 0) fit->slowness[m] = -log(past->machines[m].benchmark);
}

/* The ratios of times and lengths, as credible as their number makes them. */
static void sample_ratios(const struct fit *fit, struct ls_speed_sample *samples) {
  const struct ls_past_speeds *past = fit->past;
  for (size_t i = 0; i < past->times_count; i++) {
    const struct ls_past_time *time = &past->times[i];
    if (!(past->machines[time->machine].units >= UNITS_LEAST)) continue;
    struct ls_speed_sample *sample = &samples[time->machine];
    double ratio = time->seconds / exp(fit->lengths[i]);
    sample->units += time->units;
    sample->seconds += time->units * ratio;
    sample->squares += time->units * ratio * ratio;
  }
}

static int compare_hosts(const void *left, const void *right) {
  const struct ls_coordinator_host *a = left, *b = right;
  return a->place < b->place ? -1 : a->place > b->place;
}

static size_t write_hosts(struct ls_past_speeds *past, const struct ls_speed_sample *samples,
                          double *unit_seconds, struct ls_coordinator_host *hosts) {
  size_t count = 0;
  double mean_s = ls_speeds_estimate(samples, past->machines_count, unit_seconds);
  for (size_t m = 0; m < past->machines_count; m++) {
    if (!(samples[m].units > 0)) continue;
    double speed = mean_s / unit_seconds[m];
    past->machines[m].speed = speed;
    hosts[count++] = (struct ls_coordinator_host){past->machines[m].place, speed};
  }
  if (count < 2) return 0;
  qsort(hosts, count, sizeof *hosts, compare_hosts);
  return count;
}

enum ls_status ls_past_speeds_estimate(struct ls_past_speeds *past,
                                       struct ls_coordinator_host **hosts, size_t *hosts_count) {
  size_t machines = past->machines_count;
  *hosts = NULL;
  *hosts_count = 0;
  if (past->status != LS_OK || past->times_count == 0 || machines < 2) return past->status;
  double *numbers = calloc(past->times_count + 4 * machines, sizeof *numbers);
  struct ls_speed_sample *samples = calloc(machines, sizeof *samples);
  *hosts = calloc(machines, sizeof **hosts);
  enum ls_status status = numbers != NULL && samples != NULL && *hosts != NULL ? LS_OK : LS_ENOMEM;
  if (status == LS_OK) {
    double *by_machine = numbers + past->times_count;
    struct fit fit = {past, numbers, by_machine, by_machine + machines, by_machine + 2 * machines};
    qsort(past->times, past->times_count, sizeof *past->times, compare_times);
    begin_slowness(&fit);
    for (int i = 0; i < SWEEPS; i++) {
      measure_lengths(&fit);
      measure_slowness(&fit);
    }
    measure_lengths(&fit);
    sample_ratios(&fit, samples);
    *hosts_count = write_hosts(past, samples, by_machine + 3 * machines, *hosts);
  }
  free(numbers);
  free(samples);
  if (*hosts_count == 0) {
    free(*hosts);
    *hosts = NULL;
  }
  return status;
}

double ls_past_speeds_of(const struct ls_past_speeds *past, struct ls_range units, double seconds) {
  const struct ls_past_time wanted = {units.first, (double)units.count, seconds, 0};
  if (past->times_count == 0) return 1;
  const struct ls_past_time *time =
      bsearch(&wanted, past->times, past->times_count, sizeof wanted, compare_times);
  double speed = time != NULL ? past->machines[time->machine].speed : 0;
  return speed > 0 ? speed : 1;
}
