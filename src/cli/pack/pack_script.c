/* pack_script.c: an array of Slurm's jobs, each of which runs one shard. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pack/pack_files.h"
#include "cli/run/quote.h"
#include "runtime/os/process.h"

/* The expected length of the longest part with its margin, in whole minutes. */
static double minutes_of(const struct ls_pack_options *options,
                         const struct ls_pack_division *division) {
  double longest_s = division->has_spread ? division->spread.high_s : division->makespan_s;
  longest_s = fmax(longest_s, division->makespan_s) + options->start_s;
  return fmax(1, ceil(longest_s * options->time_margin / 60));
}

/* The path, quoted, with the number of the job's element for {}. */
static void write_path(const char *pattern, struct ls_bytes *out) {
  const char *mark = strstr(pattern, "{}");
  struct ls_bytes part = {0};
  ls_bytes_append(&part, pattern, (size_t)(mark - pattern));
  ls_quote_word(ls_bytes_text(&part), out);
  ls_bytes_append_text(out, "\"$SLURM_ARRAY_TASK_ID\"");
  if (mark[2] != '\0') ls_quote_word(mark + 2, out);
  out->failed = out->failed || part.failed;
  ls_bytes_close(&part);
}

/* By its name where that finds it, else by its path: a job has the PATH of whoever submits it. */
static void write_program(struct ls_bytes *out) {
  char own[PATH_MAX], named[PATH_MAX];
  char *found = ls_process_find("loadstar");
  bool is_named = found != NULL && realpath(found, named) != NULL;
  bool is_known = realpath("/proc/self/exe", own) != NULL;
  free(found);
  ls_quote_word(is_known && !(is_named && strcmp(own, named) == 0) ? own : "loadstar", out);
}

void ls_pack_script_write(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                          const struct ls_pack_division *division, const char *pattern,
                          struct ls_bytes *out) {
  ls_bytes_printf(out, "#!/bin/sh\n#SBATCH --job-name=pack\n#SBATCH --array=0-%zu\n",
                  division->count - 1);
  if (tasks->has_times)
    ls_bytes_printf(out, "#SBATCH --time=%.0f\n", minutes_of(options, division));
  ls_bytes_printf(out, "# %zu tasks in %zu parts", tasks->count, division->count);
  if (tasks->has_times)
    ls_bytes_printf(out, "; the longest is expected to last %.6g s, the limit is %g times that",
                    options->start_s + division->makespan_s, options->time_margin);
  ls_bytes_append_text(out, ".\n");
  if (options->speeds_count > 0 && division->mode == LS_PACK_SHARDS)
    for (size_t k = 0; k < division->count; k++)
      ls_bytes_printf(out, "# Part %zu is for a worker of speed %g.\n", k,
                      division->parts[k].speed);
  ls_bytes_append_text(out, "part=");
  write_path(pattern, out);
  ls_bytes_append_text(out, "\nexec ");
  write_program(out);
  ls_bytes_append_text(out, " run -j 1 --arg-file \"$part\"");
  if (options->command_count > 0) {
    ls_bytes_append_text(out, " --");
    for (size_t i = 0; i < options->command_count; i++) {
      ls_bytes_append_char(out, ' ');
      ls_quote_word(options->command[i], out);
    }
  }
  ls_bytes_append_char(out, '\n');
}
