/* pack_gap: how near divisions of real tasks come to what no division can beat, and how long a
 * million tasks take.
 *
 * Usage: pack_gap FILE.csv ...
 * Each file holds measured durations of real tasks (bench/durations/README.md says of which), each
 * divided among 2 to 64 workers, equal and unequal. Exit 1 when a gap is above 0.1 % and the
 * division is not proven optimal, or a million tasks take a second of the processor or more, their
 * order included.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "formats/task_times_text.h"
#include "planners/pack/pack_choice.h"
#include "processor_time.h"

enum { SHARDS_MAX = 64, MANY = 1000000, TEXT_BYTES = 1 << 24 };
#define GAP_MOST     0.001
#define SECONDS_MOST 1.0

/* The speeds of one kind, the fastest first: all equal; 1, 1/2, 1/4 in turn; from 1 down to 1/3. */
static const char *const kinds[] = {"equal", "1, 1/2, 1/4", "1 to 1/3"};

static void make_speeds(size_t kind, size_t shards, double *speeds) {
  for (size_t k = 0; k < shards; k++) {
    if (kind == 0) speeds[k] = 1;
    if (kind == 1) speeds[k] = k < (shards + 2) / 3 ? 1 : k < 2 * (shards + 1) / 3 ? 0.5 : 0.25;
    if (kind == 2) speeds[k] = 1 - 2.0 / 3 * (double)k / (double)(shards > 1 ? shards - 1 : 1);
  }
}

/* The longest first. */
struct tasks {
  double *seconds;
  size_t count;
  double arranged_in; /* so many seconds */
};

/* Divides and shows; false: it misses what is to be reached. */
static bool measure(const char *name, const struct tasks *tasks, size_t kind, size_t shards) {
  double *speeds = calloc(shards, sizeof *speeds);
  struct ls_pack_result result;
  struct ls_error err = {0};
  if (speeds == NULL) abort();
  make_speeds(kind, shards, speeds);
  struct ls_pack_problem problem = {tasks->seconds, tasks->count, speeds, shards};
  double begin = read_clock();
  if (ls_pack_choose(&problem, NULL, &result, &err) != LS_OK) abort();
  double took = tasks->arranged_in + read_clock() - begin, gap = ls_pack_gap(&result);
  bool is_good =
      (result.is_optimal || gap <= GAP_MOST) && (tasks->count < MANY || took < SECONDS_MOST);
  printf("  %-16s %7zu %6zu  %-12s %12.6g %9.5f %% %-8s %-12s %6.3f s  %s\n", name, tasks->count,
         shards, kinds[kind], result.packing.makespan_s, 100 * gap,
         result.is_optimal ? "optimal" : "", result.algorithm, took,
         is_good ? "reached" : "MISSED");
  ls_pack_result_close(&result);
  free(speeds);
  return is_good;
}

static bool measure_all(const char *name, const double *numbers, size_t count) {
  uint32_t *places = calloc(count, sizeof *places);
  struct tasks tasks = {calloc(count, sizeof(double)), count, 0};
  bool is_good = true;
  if (places == NULL || tasks.seconds == NULL || count == 0) abort();
  double begin = read_clock();
  if (ls_pack_arrange(numbers, NULL, count, places) != LS_OK) abort();
  for (size_t i = 0; i < count; i++) tasks.seconds[i] = numbers[places[i]];
  tasks.arranged_in = read_clock() - begin;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (size_t shards = 2; shards <= SHARDS_MAX; shards *= 2)
      is_good = measure(name, &tasks, kind, shards) && is_good;
  free(places);
  free(tasks.seconds);
  return is_good;
}

static bool measure_file(const char *path) {
  static char text[TEXT_BYTES];
  struct ls_task_times times = {.same_names = LS_SAME_NAMES_EACH};
  struct ls_error err = {0};
  FILE *file = fopen(path, "rb");
  size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
  if (file == NULL || length == sizeof text ||
      ls_task_times_read_csv(&times, (struct ls_text){text, length, path}, &err) != LS_OK) {
    fprintf(stderr, "pack_gap: %s: %s\n", path, err.text);
    exit(2);
  }
  (void)fclose(file);
  double *numbers = calloc(times.count + 1, sizeof *numbers);
  if (numbers == NULL) abort();
  for (size_t i = 0; i < times.count; i++) numbers[i] = times.items[i].mean_s;
  const char *name = path;
  for (const char *at = path; *at != '\0'; at++)
    if (*at == '/') name = at + 1;
  bool is_good = measure_all(name, numbers, times.count);
  free(numbers);
  ls_task_times_close(&times);
  return is_good;
}

/* Times as those of many test suites are: most are short, few long. */
static bool measure_many(void) {
  struct ls_random random;
  double *numbers = calloc(MANY, sizeof *numbers);
  if (numbers == NULL) abort();
  ls_random_init(&random, 1, "times");
  for (size_t i = 0; i < MANY; i++) numbers[i] = -log(1 - ls_random_real(&random));
  bool is_good = measure_all("exponential", numbers, MANY);
  free(numbers);
  return is_good;
}

int main(int argc, char **argv) {
  bool is_good = argc > 1;
  if (argc < 2)
    fprintf(stderr, "pack_gap: expected files of durations, such as bench/durations/*.csv\n");
  printf("  file               tasks shards  speeds         makespan s       gap\n");
  for (int i = 1; i < argc; i++) is_good = measure_file(argv[i]) && is_good;
  return measure_many() && is_good ? 0 : argc > 1 ? 1 : 2;
}
