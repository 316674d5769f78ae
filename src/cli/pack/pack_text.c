#include "cli/pack/pack_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* So many parts are shown one by one. */
enum { PARTS_SHOWN = 64 };

static const char *const nouns[][2] = {[LS_PACK_SHARDS] = {"shard", "shards"},
                                       [LS_PACK_JOBS] = {"job", "jobs"},
                                       [LS_PACK_BAGS] = {"bag", "bags"}};

static const char *name_parts(const struct ls_pack_division *division) {
  return nouns[division->mode][division->count != 1];
}

/* What a number of work is: seconds, or what stands for them. */
static const char *unit_of(const struct ls_pack_tasks *tasks) {
  return tasks->has_times ? "s" : tasks->by_size > 0 ? "of size" : "tasks";
}

static void write_tasks(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                        struct ls_bytes *out) {
  size_t without = tasks->count - tasks->known;
  ls_bytes_printf(out, "%-12s %zu: %zu with a time", "tasks", tasks->count, tasks->known);
  if (tasks->repeated > 0) ls_bytes_printf(out, " (%zu measured more than once)", tasks->repeated);
  if (without > 0) ls_bytes_printf(out, ", %zu without", without);
  ls_bytes_append_char(out, '\n');
  if (without > tasks->by_size && tasks->has_times)
    ls_bytes_printf(out, "%-12s %zu tasks take the %s of the known times, %.6g s\n", "unknown",
                    without - tasks->by_size, options->uses_mean ? "mean" : "median",
                    tasks->fill_s);
  if (tasks->by_size > 0)
    ls_bytes_printf(out, "%-12s %zu tasks are taken by their sizes%s\n", "unknown", tasks->by_size,
                    tasks->has_times ? ", at the seconds per size of the known ones" : "");
  if (!tasks->has_times && tasks->by_size == 0)
    ls_bytes_printf(out, "%-12s no task has a time or a size: all count alike\n", "unknown");
  if (tasks->failed > 0)
    ls_bytes_printf(out, "%-12s %" PRIu64 " times of tasks that failed say nothing\n", "failed",
                    tasks->failed);
  if (tasks->unlisted > 0)
    ls_bytes_printf(out, "%-12s %zu tasks have a time and are not in the list: left out\n",
                    "unlisted", tasks->unlisted);
}

static void write_bound(const struct ls_pack_division *division, double start_s, const char *unit,
                        struct ls_bytes *out) {
  ls_bytes_printf(out, "%-12s %.8g %s, %s\n", "makespan", start_s + division->makespan_s, unit,
                  division->is_optimal ? "proven optimal" : "the best that was found");
  ls_bytes_printf(out, "%-12s no division is below %.8g %s: gap %.4f %%\n", "bound",
                  start_s + division->bound_s, unit, 100 * division->gap);
}

static void write_jobs(const struct ls_pack_options *options,
                       const struct ls_pack_division *division, struct ls_bytes *out) {
  ls_bytes_printf(out, "%-12s %zu of at most %.6g s, %s\n", "jobs", division->count, options->job_s,
                  division->is_optimal ? "proven to be the fewest" : "the fewest that were found");
  ls_bytes_printf(out, "%-12s no division has fewer than %zu jobs\n", "bound",
                  division->jobs_least);
  if (division->too_long > 0)
    ls_bytes_printf(out, "%-12s %zu tasks are longer than a job: each is one of its own\n",
                    "too long", division->too_long);
  ls_bytes_printf(out, "%-12s %.8g s, the longest job\n", "makespan",
                  options->start_s + division->makespan_s);
}

static void write_bags(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                       const struct ls_pack_division *division, struct ls_bytes *out) {
  ls_bytes_printf(out, "%-12s %zu for at most %" PRIu64 " machines of unknown speeds, made as %s\n",
                  "bags", division->count, options->machines, division->algorithm);
  ls_bytes_printf(out,
                  "%-12s at most %.6g times as long as if the speeds were known, whatever they "
                  "are\n",
                  "worst ratio", division->ratio);
  ls_bytes_printf(out, "%-12s %.6g for sand, by m^b / (m^b - (m-1)^b)\n", "", division->sand_ratio);
  if (division->machine_of == NULL) return;
  ls_bytes_printf(out, "%-12s %.8g %s on these speeds; with them known, nothing is below %.8g %s\n",
                  "makespan", division->machines_s, unit_of(tasks), division->bound_s,
                  unit_of(tasks));
}

static void write_spread(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                         const struct ls_pack_division *division, struct ls_bytes *out) {
  if (division->mode == LS_PACK_BAGS || !tasks->has_times) return;
  if (!division->has_spread) {
    ls_bytes_printf(out,
                    "%-12s not known how far times vary: no task was measured more than once\n",
                    "expected");
    return;
  }
  const struct ls_pack_spread *spread = &division->spread;
  ls_bytes_printf(out, "%-12s %.6g s, in 80 %% of the runs from %.6g to %.6g s\n", "expected",
                  options->start_s + spread->expected_s, options->start_s + spread->low_s,
                  options->start_s + spread->high_s);
  ls_bytes_printf(out, "%-12s (%zu draws of normal sums, seed %" PRIu64, "", spread->draws,
                  options->seed);
  if (!isnan(tasks->variation))
    ls_bytes_printf(out, "; measured again, a time deviates by %.3g %%", 100 * tasks->variation);
  else
    ls_bytes_append_text(out, "; only times that are not known vary");
  ls_bytes_append_text(out, ")\n");
}

static void write_neighbours(const struct ls_pack_division *division, const char *unit,
                             struct ls_bytes *out) {
  bool is_bags = division->mode == LS_PACK_BAGS;
  if (is_bags)
    ls_bytes_printf(out, "\n%8s  %12s  %12s\n", nouns[division->mode][1], "worst ratio", "sand");
  else
    ls_bytes_printf(out, "\n%8s  %10s %-7s  %10s %-7s\n", nouns[division->mode][1], "makespan",
                    unit, "machine", unit);
  for (size_t i = 0; i < division->neighbours_count; i++) {
    const struct ls_pack_neighbour *item = &division->neighbours[i];
    if (is_bags)
      ls_bytes_printf(out, "%8zu  %12.6g  %12.6g\n", item->parts, item->ratio, item->sand_ratio);
    else
      ls_bytes_printf(out, "%8zu  %18.8g  %18.8g\n", item->parts, item->makespan_s,
                      item->machine_s);
  }
}

static void write_parts(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                        const struct ls_pack_division *division, struct ls_bytes *out) {
  bool has_speeds = division->mode == LS_PACK_SHARDS && options->speeds_count > 0;
  ls_bytes_printf(out, "\n%8s  %8s  %10s %s%s\n", nouns[division->mode][0], "tasks", "length",
                  unit_of(tasks),
                  has_speeds                     ? "  speed"
                  : division->machine_of != NULL ? "  machine"
                                                 : "");
  for (size_t k = 0; k < division->count && k < PARTS_SHOWN; k++) {
    const struct ls_pack_part *part = &division->parts[k];
    double length = part->tasks == 0 ? 0 : options->start_s + part->seconds / part->speed;
    ls_bytes_printf(out, "%8zu  %8zu  %12.6g", k, part->tasks, length);
    if (has_speeds) ls_bytes_printf(out, "  %5.4g", part->speed);
    if (division->machine_of != NULL) ls_bytes_printf(out, "  %7u", division->machine_of[k] + 1);
    ls_bytes_append_char(out, '\n');
  }
  if (division->count > PARTS_SHOWN)
    ls_bytes_printf(out, "%8s  (%zu more; --json shows all)\n", "...",
                    division->count - PARTS_SHOWN);
}

void ls_pack_text_write(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                        const struct ls_pack_division *division, struct ls_bytes *out) {
  const char *unit = unit_of(tasks);
  write_tasks(options, tasks, out);
  if (division->mode == LS_PACK_SHARDS) {
    ls_bytes_printf(out, "%-12s %zu %s, by %s\n", "division", division->count, name_parts(division),
                    division->algorithm);
    write_bound(division, options->start_s, unit, out);
  } else if (division->mode == LS_PACK_JOBS) {
    write_jobs(options, division, out);
  } else {
    write_bags(options, tasks, division, out);
  }
  write_spread(options, tasks, division, out);
  write_neighbours(division, unit, out);
  write_parts(options, tasks, division, out);
}
