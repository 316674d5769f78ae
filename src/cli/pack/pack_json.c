/* pack_json.c: a division as JSON. */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "cli/pack/pack_text.h"

static const char *const modes[] = {
    [LS_PACK_SHARDS] = "shards", [LS_PACK_JOBS] = "jobs", [LS_PACK_BAGS] = "bags"};

static void write_tasks(const struct ls_pack_tasks *tasks, struct ls_bytes *out) {
  ls_bytes_printf(out,
                  "  \"tasks\": {\"count\": %zu, \"known\": %zu, \"repeated\": %zu, \"by_size\": "
                  "%zu, \"unlisted\": %zu, \"failed\": %" PRIu64,
                  tasks->count, tasks->known, tasks->repeated, tasks->by_size, tasks->unlisted,
                  tasks->failed);
  ls_json_write_field(out, ", ", "unknown_takes", tasks->fill_s);
  ls_json_write_field(out, ", ", "variation", tasks->variation);
  ls_bytes_printf(out, ", \"unit\": \"%s\"},\n",
                  tasks->has_times     ? "s"
                  : tasks->by_size > 0 ? "size"
                                       : "tasks");
}

static void write_result(const struct ls_pack_options *options,
                         const struct ls_pack_division *division, struct ls_bytes *out) {
  double start_s = options->start_s;
  ls_bytes_printf(out, "  \"mode\": \"%s\", \"count\": %zu, \"algorithm\": \"%s\"",
                  modes[division->mode], division->count, division->algorithm);
  if (division->mode == LS_PACK_BAGS) {
    ls_json_write_field(out, ", ", "worst_ratio", division->ratio);
    ls_json_write_field(out, ", ", "sand_ratio", division->sand_ratio);
    if (division->machine_of != NULL) {
      ls_json_write_field(out, ", ", "makespan", division->machines_s);
      ls_json_write_field(out, ", ", "bound", division->bound_s);
    }
  } else {
    ls_json_write_field(out, ", ", "makespan", start_s + division->makespan_s);
    ls_bytes_printf(out, ", \"optimal\": %s", division->is_optimal ? "true" : "false");
    ls_json_write_field(out, ", ", "machine", division->machine_s);
    if (division->mode == LS_PACK_SHARDS) {
      ls_json_write_field(out, ", ", "bound", start_s + division->bound_s);
      ls_json_write_field(out, ", ", "gap", division->gap);
    } else {
      ls_bytes_printf(out, ", \"jobs_least\": %zu, \"too_long\": %zu", division->jobs_least,
                      division->too_long);
    }
  }
  ls_bytes_append_text(out, ",\n");
}

static void write_spread(const struct ls_pack_options *options,
                         const struct ls_pack_division *division, struct ls_bytes *out) {
  const struct ls_pack_spread *spread = &division->spread;
  ls_bytes_append_text(out, "  \"expected\": ");
  if (!division->has_spread) {
    ls_bytes_append_text(out, "null,\n");
    return;
  }
  ls_json_write_field(out, "{", "mean", options->start_s + spread->expected_s);
  ls_json_write_field(out, ", ", "low", options->start_s + spread->low_s);
  ls_json_write_field(out, ", ", "high", options->start_s + spread->high_s);
  ls_bytes_printf(out, ", \"share\": 0.8, \"draws\": %zu, \"seed\": %" PRIu64 "},\n", spread->draws,
                  options->seed);
}

static void write_neighbours(const struct ls_pack_division *division, struct ls_bytes *out) {
  ls_bytes_append_text(out, "  \"neighbours\": [");
  for (size_t i = 0; i < division->neighbours_count; i++) {
    const struct ls_pack_neighbour *item = &division->neighbours[i];
    ls_bytes_printf(out, "%s{\"count\": %zu", i == 0 ? "" : ", ", item->parts);
    if (division->mode == LS_PACK_BAGS) {
      ls_json_write_field(out, ", ", "worst_ratio", item->ratio);
      ls_json_write_field(out, ", ", "sand_ratio", item->sand_ratio);
    } else {
      ls_json_write_field(out, ", ", "makespan", item->makespan_s);
      ls_json_write_field(out, ", ", "machine", item->machine_s);
    }
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "],\n");
}

/* The tasks of each part stand one behind the other in `order`. */
static void write_parts(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                        const struct ls_pack_division *division, struct ls_bytes *out) {
  ls_bytes_append_text(out, "  \"parts\": [");
  size_t at = 0;
  for (size_t k = 0; k < division->count; k++) {
    const struct ls_pack_part *part = &division->parts[k];
    double length = part->tasks == 0 ? 0 : options->start_s + part->seconds / part->speed;
    ls_bytes_append_text(out, k == 0 ? "\n" : ",\n");
    ls_json_write_field(out, "    {", "length", length);
    ls_json_write_field(out, ", ", "speed", part->speed);
    if (division->machine_of != NULL)
      ls_bytes_printf(out, ", \"machine\": %u", division->machine_of[k] + 1);
    ls_bytes_append_text(out, ", \"tasks\": [");
    for (size_t i = 0; i < part->tasks; i++, at++) {
      if (i > 0) ls_bytes_append_text(out, ", ");
      ls_json_write_string(out, tasks->names[division->order[at]]);
    }
    ls_bytes_append_text(out, "]}");
  }
  ls_bytes_append_text(out, "\n  ]\n");
}

void ls_pack_json_write(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                        const struct ls_pack_division *division, struct ls_bytes *out) {
  ls_bytes_append_text(out, "{\n");
  write_tasks(tasks, out);
  write_result(options, division, out);
  write_spread(options, division, out);
  write_neighbours(division, out);
  write_parts(options, tasks, division, out);
  ls_bytes_append_text(out, "}\n");
}
