/* record.c: durations by worker, and over all. */
#include "coordinator/books/record.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_record_close(struct ls_record *record) {
  struct ls_record_tasks *tasks = &record->tasks;
  for (size_t i = 0; i < record->count; i++) free(record->slots[i].latest);
  free(record->slots);
  ls_task_history_destroy(tasks->history);
  free(tasks->seconds);
  free(tasks->expected);
  free(tasks->actual);
  *record = (struct ls_record){0};
}

enum ls_status ls_record_add_slots(struct ls_record *record, size_t slots) {
  void *items = record->slots;
  if (slots <= record->count) return LS_OK;
  enum ls_status status = ls_array_reserve(&items, &record->capacity, slots, sizeof *record->slots);
  record->slots = items;
  while (status == LS_OK && record->count < slots)
    record->slots[record->count++] = (struct ls_record_slot){0};
  return status;
}

void ls_record_begin(struct ls_record *record, uint32_t slot, double now_s, bool is_new) {
  struct ls_record_slot *at = &record->slots[slot];
  if (is_new) {
    record->departed.units += at->units;
    record->departed.seconds += at->seconds;
    record->departed.squares += at->squares;
    *at = (struct ls_record_slot){.latest = at->latest, .latest_capacity = at->latest_capacity};
  }
  at->report = (struct ls_chunking_report){.worker = slot};
  at->reported_s = now_s;
}

struct ls_record_entry ls_record_cut(const struct ls_record_entry *entry, struct ls_range part) {
  struct ls_record_entry cut = *entry;
  uint64_t end = entry->units.first + entry->units.count, part_end = part.first + part.count;
  uint64_t listed_first = end - entry->latest_count, others = listed_first - entry->units.first;
  double all_s = 0, all_squares = 0, own_s = 0, own_squares = 0;
  assert(entry->latest_count <= entry->units.count && part.count > 0);
  assert(part.first >= entry->units.first && part_end <= end);
  if (part.count == entry->units.count) return cut;
  uint64_t first = part.first > listed_first ? part.first : listed_first;
  cut.units = part;
  cut.latest_count = part_end > first ? (size_t)(part_end - first) : 0;
  cut.latest = cut.latest_count > 0 ? entry->latest + (first - listed_first) : NULL;
  for (uint64_t i = listed_first; i < end; i++) {
    double seconds = entry->latest[i - listed_first];
    bool is_own = i >= first && i < part_end;
    all_s += seconds;
    all_squares += seconds * seconds;
    own_s += is_own ? seconds : 0;
    own_squares += is_own ? seconds * seconds : 0;
  }
  double share = others > 0 ? (double)(part.count - cut.latest_count) / (double)others : 0;
  cut.seconds = own_s + share * fmax(0, entry->seconds - all_s);
  cut.squares = own_squares + share * fmax(0, entry->squares - all_squares);
  return cut;
}

/* The report's list: the last `history` times of all that it covers. */
static void keep_latest(struct ls_record *record, struct ls_record_slot *at,
                        const struct ls_record_entry *entry) {
  size_t added = entry->latest_count < record->history ? entry->latest_count : record->history;
  size_t kept = at->report.latest_count;
  if (added == 0) return;
  if (kept + added > record->history) {
    size_t dropped = kept + added - record->history;
    kept -= dropped;
    memmove(at->latest, at->latest + dropped, kept * sizeof *at->latest);
  }
  memcpy(at->latest + kept, entry->latest + (entry->latest_count - added),
         added * sizeof *at->latest);
  at->report.latest_count = kept + added;
}

enum ls_status ls_record_add(struct ls_record *record, const struct ls_record_entry *entry,
                             double now_s, bool *is_report_due) {
  struct ls_record_slot *at = &record->slots[entry->slot];
  double units = (double)entry->units.count;
  void *latest = at->latest;
  *is_report_due = false;
  if (record->history > 0 &&
      ls_array_reserve(&latest, &at->latest_capacity,
                       at->report.latest_count + entry->latest_count < record->history
                           ? at->report.latest_count + entry->latest_count
                           : record->history,
                       sizeof *at->latest) != LS_OK)
    return LS_ENOMEM;
  at->latest = latest;
  at->result_s = now_s;
  record->working_seconds += entry->seconds;
  record->normal_seconds += entry->seconds * entry->speed;
  record->working_units += units;
  if (entry->is_replica) return LS_OK;
  at->units += units;
  at->seconds += entry->seconds;
  at->squares += entry->squares;
  at->iteration_units += units;
  at->iteration_seconds += entry->seconds;
  record->seen.units += entry->units.count;
  record->seen.seconds += entry->seconds;
  record->seen.squares += entry->squares;
  at->report.units += entry->units.count;
  at->report.seconds += entry->seconds;
  at->report.squares += entry->squares;
  keep_latest(record, at, entry);
  uint64_t before = at->results, every = record->report_every;
  at->results += entry->units.count;
  *is_report_due = every > 0 && before / every < at->results / every;
  return LS_OK;
}

bool ls_record_take_report(struct ls_record *record, uint32_t slot, double now_s,
                           struct ls_chunking_report *report) {
  struct ls_record_slot *at = &record->slots[slot];
  if (at->report.units == 0 && at->report.units_gone == 0) return false;
  *report = at->report;
  report->worker = slot;
  report->elapsed_s = now_s - at->reported_s;
  report->latest = at->latest;
  if (report->units > 0) {
    /* The time between two reports in which a worker did not compute is the cost of asking. */
    double idle_s = report->elapsed_s - report->seconds;
    if (idle_s > 0) record->seen.overhead_s += idle_s;
    record->seen.reports++;
  }
  at->report = (struct ls_chunking_report){0};
  at->reported_s = now_s;
  return true;
}

void ls_record_end_iteration(struct ls_record *record) {
  double weight = record->iterations;
  for (size_t i = 0; i < record->count; i++) {
    struct ls_record_slot *at = &record->slots[i];
    at->earlier.units += weight * at->iteration_units;
    at->earlier.seconds += weight * at->iteration_seconds;
    at->iteration_units = at->iteration_seconds = 0;
  }
}

void ls_record_earlier(const struct ls_record *record, struct ls_chunking_earlier *earlier) {
  double weight = record->iterations;
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_record_slot *at = &record->slots[i];
    earlier[i] = (struct ls_chunking_earlier){
        .units = at->earlier.units + weight * at->iteration_units,
        .seconds = at->earlier.seconds + weight * at->iteration_seconds};
  }
}

double ls_record_rate(const struct ls_record *record, uint32_t slot) {
  const struct ls_record_slot *at = &record->slots[slot];
  return at->units > 0 && at->seconds > 0 ? at->units / at->seconds : 0;
}

/* The speed of a worker of benchmark 1, by those who have both. */
static double find_benchmark_speed(const struct ls_record *record, double units_least,
                                   double mean_speed, const double *weights) {
  double benchmarks = 0, speeds = 0, all = 0, count = 0;
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_record_slot *at = &record->slots[i];
    if (!(at->benchmark > 0)) continue;
    all += at->benchmark;
    count++;
    if (!(at->units >= units_least)) continue;
    benchmarks += at->benchmark;
    speeds += weights[i];
  }
  if (benchmarks > 0) return speeds / benchmarks;
  return all > 0 ? mean_speed * count / all : 0;
}

enum ls_status ls_record_speeds(const struct ls_record *record, size_t slots, double units_least,
                                double *weights) {
  size_t known = record->count;
  struct ls_speed_sample *samples = calloc(known + 1, sizeof *samples);
  if (samples == NULL) return LS_ENOMEM;
  assert(known <= slots);
  for (size_t i = 0; i < known; i++) {
    const struct ls_record_slot *at = &record->slots[i];
    if (at->units >= units_least)
      samples[i] = (struct ls_speed_sample){at->units, at->seconds, at->squares};
  }
  double mean_s = ls_speeds_estimate(samples, known, weights);
  for (size_t i = 0; i < slots; i++) weights[i] = i < known ? 1 / weights[i] : 1 / mean_s;
  double unit = find_benchmark_speed(record, units_least, 1 / mean_s, weights);
  for (size_t i = 0; i < known; i++)
    if (record->slots[i].benchmark > 0 && !(record->slots[i].units >= units_least))
      weights[i] = unit * record->slots[i].benchmark;
  free(samples);
  return LS_OK;
}

void ls_record_compare(struct ls_record *record, const struct ls_record_entry *entry) {
  struct ls_speed_sample *ratios = &record->slots[entry->slot].ratios;
  double expected_s = 0, units = (double)entry->units.count;
  for (uint64_t i = 0; i < entry->units.count; i++)
    expected_s += ls_record_expect(record, entry->units.first + i);
  double ratio = entry->seconds / expected_s;
  if (!(expected_s > 0) || !(ratio > 0) || !isfinite(ratio)) return;
  ratios->units += units;
  ratios->seconds += units * ratio;
  ratios->squares += units * ratio * ratio;
}

/* Benchmarks are measured beside the master, speeds by units beside their mean.  So the worker of
 * speed 1 has the mean benchmark of those who have shown a speed over the mean of these speeds; as
 * long as nobody has, that of all. */
static double find_benchmark_mean(const struct ls_record *record) {
  struct sums {
    double benchmarks, alphas;
  } shown = {0}, all = {0};
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_record_slot *at = &record->slots[i];
    if (!(at->benchmark > 0)) continue;
    all.benchmarks += at->benchmark;
    all.alphas += 1;
    if (!at->is_shown && !(at->past > 0)) continue;
    shown.benchmarks += at->benchmark;
    shown.alphas += at->alpha;
  }
  const struct sums *used = shown.alphas > 0 ? &shown : &all;
  return used->alphas > 0 ? used->benchmarks / used->alphas : 0;
}

static void rate_by_benchmarks(struct ls_record *record) {
  record->benchmark_mean = find_benchmark_mean(record);
  for (size_t i = 0; i < record->count; i++) {
    struct ls_record_slot *at = &record->slots[i];
    if (at->is_shown || at->past > 0 || !(at->benchmark > 0)) continue;
    at->alpha = at->benchmark / record->benchmark_mean;
  }
}

enum ls_status ls_record_renew_alphas(struct ls_record *record, double units_least) {
  struct ls_speed_sample *samples = calloc(record->count + 1, sizeof *samples);
  double *ratios = calloc(record->count + 1, sizeof *ratios);
  enum ls_status status = samples != NULL && ratios != NULL ? LS_OK : LS_ENOMEM;
  for (size_t i = 0; i < record->count && status == LS_OK; i++)
    if (record->slots[i].ratios.units >= units_least) samples[i] = record->slots[i].ratios;
  double mean = status == LS_OK ? ls_speeds_estimate(samples, record->count, ratios) : 1;
  for (size_t i = 0; i < record->count && status == LS_OK; i++) {
    struct ls_record_slot *at = &record->slots[i];
    at->is_shown = samples[i].units > 0;
    at->alpha = at->is_shown ? mean / ratios[i] : at->past;
    record->has_shown = record->has_shown || at->is_shown;
  }
  if (status == LS_OK) rate_by_benchmarks(record);
  free(samples);
  free(ratios);
  return status;
}

void ls_record_take_past(struct ls_record *record, uint32_t slot, double speed) {
  record->slots[slot].past = record->slots[slot].alpha = speed;
}

/* Speeds that units have shown fix the measure up to the next opening; before, all benchmarks do.
 */
void ls_record_hear_benchmark(struct ls_record *record, uint32_t slot, double speed) {
  struct ls_record_slot *at = &record->slots[slot];
  at->benchmark = speed;
  if (!record->has_shown || !(record->benchmark_mean > 0))
    rate_by_benchmarks(record);
  else if (!at->is_shown && !(at->past > 0))
    at->alpha = speed / record->benchmark_mean;
}

/* But for the rounding of sums. */
static bool is_same_sum(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

bool ls_record_is_sound(const struct ls_record *record) {
  struct ls_speed_sample sum = record->departed;
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_record_slot *at = &record->slots[i];
    if (!(at->iteration_units <= at->units) || at->report.latest_count > at->latest_capacity ||
        at->report.latest_count > at->report.units || (double)at->report.units > at->units)
      return false;
    if (at->report.latest_count > record->history) return false;
    sum.units += at->units;
    sum.seconds += at->seconds;
    sum.squares += at->squares;
  }
  return is_same_sum(sum.units, (double)record->seen.units) &&
         is_same_sum(sum.seconds, record->seen.seconds) &&
         is_same_sum(sum.squares, record->seen.squares);
}
