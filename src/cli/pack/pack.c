/* pack.c: `loadstar pack`: shards and jobs of the right size from measured times. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/pack/pack_division.h"
#include "cli/pack/pack_files.h"
#include "cli/pack/pack_options.h"
#include "cli/pack/pack_source.h"
#include "cli/pack/pack_tasks.h"
#include "cli/pack/pack_text.h"
#include "cli/subcommands.h"

enum { ARRAY_USUAL = 1001 };

static enum ls_status read_all(const struct ls_pack_options *options, struct ls_task_times *times,
                               struct ls_task_times *list, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < options->files_count && status == LS_OK; i++)
    status = ls_pack_source_read(times, options->files[i], options->form, err);
  if (status == LS_OK && options->tasks != NULL)
    status = ls_pack_source_list(list, options->tasks, options->has_sizes, err);
  return status;
}

/* A command that read standard input would find nothing there in a shard. */
static enum ls_status check_shards(const struct ls_pack_options *options,
                                   const struct ls_task_times *times, struct ls_error *err) {
  bool writes_commands = (options->output != NULL || options->index > 0) && options->tasks == NULL;
  if (!writes_commands || times->fed == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%llu tasks of the job logs were sent data (Send), which no shard has: expected "
                 "tasks that can be run from their command alone, or --tasks",
                 (unsigned long long)times->fed);
}

/* Seconds are asked for: sizes, or tasks that count alike, are none. */
static enum ls_status check_seconds(const struct ls_pack_options *options,
                                    const struct ls_pack_tasks *tasks, struct ls_error *err) {
  const char *option = options->job_s > 0     ? "--job-seconds"
                       : options->start_s > 0 ? "--start-cost"
                                              : NULL;
  if (option == NULL || tasks->has_times || tasks->count == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s is %g, but no task has a time: expected files of times",
                 option, options->job_s > 0 ? options->job_s : options->start_s);
}

/* New tests have no time, and nobody has asked for them: they would run nowhere. */
static void warn_of_new(const struct ls_pack_options *options) {
  if (options->index > 0 && options->tasks == NULL)
    fprintf(stderr,
            "%s: without --tasks only tasks that were measured are in any shard: new ones would "
            "run nowhere\n",
            options->name);
}

/* What of the files stands in no shard. */
static void warn_of_left_out(const struct ls_pack_options *options,
                             const struct ls_task_times *times) {
  if (times->skipped > 0)
    fprintf(stderr, "%s: %llu lines of job logs were left out, the first: %s\n", options->name,
            (unsigned long long)times->skipped, times->first_skipped.text);
  if (times->nameless > 0)
    fprintf(stderr, "%s: %llu testcases have no name, and are in no shard\n", options->name,
            (unsigned long long)times->nameless);
}

/* Most tasks have other names in the files: then a division by times is one by numbers. */
static void warn_of_names(const struct ls_pack_options *options,
                          const struct ls_pack_tasks *tasks) {
  if (tasks->untimed == NULL || tasks->left_out == NULL || 2 * tasks->known >= tasks->count) return;
  char here[96], there[96];
  ls_console_show(tasks->untimed, here, sizeof here);
  ls_console_show(tasks->left_out, there, sizeof there);
  fprintf(stderr,
          "%s: %zu of %zu tasks have a time: are the names the same? '%s' is in %s, '%s' in the "
          "files of times%s\n",
          options->name, tasks->known, tasks->count, here, options->tasks, there,
          tasks->known == 0 && tasks->by_size == 0 ? "; all tasks count alike" : "");
}

/* Slurm refuses an array beyond its MaxArraySize, whose default allows elements 0 to 1000. */
static void warn_of_array(const struct ls_pack_options *options,
                          const struct ls_pack_division *division) {
  if (options->slurm == NULL || division->count <= ARRAY_USUAL) return;
  fprintf(stderr,
          "%s: the array has %zu elements: Slurm takes %d unless its MaxArraySize is larger "
          "(scontrol show config)\n",
          options->name, division->count, ARRAY_USUAL);
}

static void warn_of_nothing(const struct ls_pack_options *options) {
  fprintf(stderr,
          "%s: shard %llu of %llu has no tasks: a program that takes none for all would run them "
          "all\n",
          options->name, (unsigned long long)options->index,
          (unsigned long long)options->index_shards);
}

static enum ls_status show(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                           const struct ls_pack_division *division, struct ls_error *err) {
  struct ls_bytes out = {0};
  if (options->index > 0) {
    ls_pack_part_write(tasks, division, (size_t)options->index - 1, &out);
    if (out.length == 0) warn_of_nothing(options);
  } else if (options->wants_json) {
    ls_pack_json_write(options, tasks, division, &out);
  } else {
    ls_pack_text_write(options, tasks, division, &out);
  }
  enum ls_status status = ls_console_write_file("-", &out, err);
  ls_bytes_close(&out);
  return status;
}

int ls_pack_main(int argc, char **argv, const struct ls_app *app) {
  (void)app; /* the files say what the tasks are */
  struct ls_pack_options options;
  struct ls_error err = {0};
  struct ls_pack_tasks tasks = {0};
  struct ls_pack_division division = {0};
  ls_pack_options_read(&options, argc, argv);
  struct ls_task_times times = {.same_names = options.same_names, .skips_bad = options.skips_bad};
  struct ls_task_times list = {.same_names = options.same_names};
  enum ls_status status = read_all(&options, &times, &list, &err);
  if (status == LS_OK)
    status = ls_pack_tasks_make(&times, options.tasks == NULL ? NULL : &list, options.uses_mean,
                                &tasks, &err);
  if (status == LS_OK) status = check_shards(&options, &times, &err);
  if (status == LS_OK) status = check_seconds(&options, &tasks, &err);
  if (status == LS_OK) status = ls_pack_divide(&options, &tasks, &division, &err);
  if (status == LS_OK) warn_of_new(&options);
  if (status == LS_OK) warn_of_names(&options, &tasks);
  if (status == LS_OK) warn_of_left_out(&options, &times);
  if (status == LS_OK) warn_of_array(&options, &division);
  if (status == LS_OK && options.output != NULL)
    status = ls_pack_files_write(&options, &tasks, &division, &err);
  if (status == LS_OK) status = show(&options, &tasks, &division, &err);
  int code = status == LS_OK ? LS_EXIT_OK : ls_console_fail(options.name, &err);
  ls_pack_division_close(&division);
  ls_pack_tasks_close(&tasks);
  ls_task_times_close(&times);
  ls_task_times_close(&list);
  ls_pack_options_close(&options);
  return code;
}
