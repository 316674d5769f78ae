/* calibrate.c: `loadstar calibrate FILE...`: from measurements to a platform. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibration.h"
#include "cli/calibrate/calibrate_check.h"
#include "cli/calibrate/calibrate_options.h"
#include "cli/calibrate/calibrate_plot.h"
#include "cli/calibrate/calibrate_roads.h"
#include "cli/calibrate/calibrate_source.h"
#include "cli/calibrate/calibrate_text.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/option_names.h"
#include "cli/platform_source.h"
#include "cli/subcommands.h"
#include "formats/platform_json.h"
#include "runtime/journal/past/journal_course.h"

/* Everything that is written in the end. */
struct work {
  const struct ls_calibrate_options *options;
  struct ls_calibrate_sources sources;
  struct ls_calibration calibration;
  struct ls_platform platform;
  bool has_platform;
  struct ls_error why;    /* there is no platform */
  struct ls_roads roads;  /* of --fit=makespan */
  struct ls_bytes checks; /* as text, or as items of a list */
  struct ls_bytes text;
};

/* An application may be measured without any word. */
static bool has_measurements(const struct ls_calibrate_options *options) {
  return options->wants_probe || options->files_count > 0;
}

static enum ls_status probe(struct work *work, struct ls_error *err) {
  const struct ls_calibrate_options *options = work->options;
  struct ls_probe_setup setup = options->probe;
  setup.words = options->files;
  setup.words_count = options->files_count;
  setup.interrupts = ls_interrupts_start("loadstar calibrate", true);
  enum ls_status status = ls_probe_run(&setup, &work->sources.measurements, err);
  ls_interrupts_end();
  return status;
}

static enum ls_status read_sources(struct work *work, struct ls_error *err) {
  const struct ls_calibrate_options *options = work->options;
  enum ls_status status = LS_OK;
  if (options->wants_probe) return probe(work, err);
  work->sources.skips_bad = options->skips_bad;
  for (size_t i = 0; i < options->files_count && status == LS_OK; i++)
    status = ls_calibrate_source_read(&work->sources, options->files[i], options->form, err);
  if (work->sources.skipped > 0)
    fprintf(stderr, "loadstar calibrate: %llu lines of job logs were left out\n",
            (unsigned long long)work->sources.skipped);
  if (status == LS_OK && work->sources.measurements.count == 0)
    return ls_fail(err, LS_EINVAL, "%s: holds no measurement", options->files[0]);
  if (status == LS_OK && work->sources.measurements.workers_count == 0)
    return ls_fail(err, LS_EINVAL,
                   "%s: holds no measurement of a worker, only of what the master prepares",
                   options->files[0]);
  return status;
}

/* Measurements without a worker that computed are fitted, but make no platform. */
static enum ls_status fit_platform(struct work *work, struct ls_error *err) {
  const struct ls_calibrate_options *options = work->options;
  enum ls_status status =
      ls_calibrate(&work->sources.measurements, &options->calibration, &work->calibration, err);
  if (status != LS_OK) return status;
  /* The search by makespans moves the costs of one law. */
  size_t window =
      options->window > 0 || options->wants_makespans ? options->window : LS_CALIBRATED_ALL;
  status = ls_calibration_platform(&work->calibration, &work->sources.measurements, window,
                                   &work->platform, &work->why);
  work->has_platform = status == LS_OK;
  bool is_needed = options->output != NULL || options->checks_count > 0 ||
                   options->wants_makespans || options->window > 0;
  if (status == LS_OK && options->wants_makespans) {
    struct ls_roads_setup setup = {
        .count = options->files_count, .options = &options->calibration, .window = options->window};
    return ls_calibrate_roads_read(options->files, &setup, &work->platform, &work->roads, err);
  }
  if (status == LS_OK || (status == LS_EINVAL && !is_needed)) return LS_OK;
  return ls_fail(err, status, "%s", work->why.text);
}

static enum ls_status check_run(struct work *work, const char *path, struct ls_error *err) {
  struct ls_run_course course;
  struct ls_prediction prediction;
  enum ls_status status = ls_journal_course_read(path, &course, err);
  if (status != LS_OK) return status;
  status = ls_prediction_make(&course, &work->platform, &prediction, err);
  if (status == LS_OK) {
    if (work->options->wants_json) {
      ls_bytes_append_text(&work->checks, work->checks.length > 0 ? ",\n    " : "\n    ");
      ls_check_write_json(&prediction, &course, path, &work->checks);
    } else {
      ls_check_write_text(&prediction, &course, path, &work->checks);
    }
    ls_prediction_close(&prediction);
  } else {
    status = ls_fail_while(err, status, "--check %s", path);
  }
  ls_run_course_close(&course);
  return status;
}

static enum ls_status write_plot(const struct work *work, const struct ls_calibrate_result *result,
                                 struct ls_error *err) {
  struct ls_bytes drawing = {0};
  enum ls_status status = ls_calibrate_draw(result, &drawing, err);
  if (status == LS_OK) status = ls_console_write_file(work->options->plot, &drawing, err);
  ls_bytes_close(&drawing);
  return status;
}

static void write_model(struct work *work, const struct ls_calibrate_result *result) {
  struct ls_bytes platform = {0};
  if (!work->options->wants_json) {
    ls_calibrate_write_text(result, &work->text);
    if (work->options->wants_makespans)
      ls_roads_write_text(&work->roads, work->options->files, &work->text);
    return;
  }
  struct ls_bytes roads = {0};
  if (work->options->wants_makespans)
    ls_roads_write_json(&work->roads, work->options->files, &roads);
  if (work->has_platform) ls_platform_write(&work->platform, &platform);
  struct ls_calibrate_parts parts = {
      .platform = work->has_platform ? ls_bytes_text(&platform) : NULL,
      .roads = work->options->wants_makespans ? ls_bytes_text(&roads) : NULL,
      .checks = ls_bytes_text(&work->checks)};
  ls_calibrate_write_json(result, &parts, &work->text);
  work->text.failed = work->text.failed || platform.failed || roads.failed;
  ls_bytes_close(&roads);
  ls_bytes_close(&platform);
}

static void write_checks(struct work *work) {
  if (work->options->wants_json)
    ls_bytes_printf(&work->text, "{ \"checks\": [%s] }\n", ls_bytes_text(&work->checks));
  else
    ls_bytes_append_text(&work->text, ls_bytes_text(&work->checks));
  work->text.failed = work->text.failed || work->checks.failed;
}

static enum ls_status write_results(struct work *work, struct ls_error *err) {
  const struct ls_calibrate_options *options = work->options;
  struct ls_calibrate_result result = {.sources = &work->sources,
                                       .files = options->wants_probe ? 0 : options->files_count,
                                       .tolerance = options->calibration.tolerance,
                                       .calibration = &work->calibration,
                                       .no_platform = work->has_platform ? NULL : work->why.text,
                                       .probe = options->wants_probe ? &options->probe : NULL};
  enum ls_status status = LS_OK;
  if (options->output != NULL)
    status =
        ls_platform_source_write(&work->platform, &options->platform.unit, options->output, err);
  if (status == LS_OK && options->plot != NULL) status = write_plot(work, &result, err);
  if (status != LS_OK) return status;
  bool is_model = has_measurements(options);
  if (is_model) write_model(work, &result);
  if (!is_model || !options->wants_json) write_checks(work);
  /* What stands on standard output is one thing only. */
  bool is_taken = (options->output != NULL && strcmp(options->output, "-") == 0) ||
                  (options->plot != NULL && strcmp(options->plot, "-") == 0);
  return is_taken ? LS_OK : ls_console_write_file("-", &work->text, err);
}

static void close_work(struct work *work) {
  ls_calibrate_sources_close(&work->sources);
  ls_calibration_close(&work->calibration);
  if (work->has_platform) ls_platform_close(&work->platform);
  ls_roads_close(&work->roads);
  ls_bytes_close(&work->checks);
  ls_bytes_close(&work->text);
}

int ls_calibrate_main(int argc, char **argv, const struct ls_app *app) {
  struct ls_calibrate_options options = ls_calibrate_options_default();
  options.probe.app = app;
  argp_err_exit_status = LS_EXIT_USAGE;
  if (ls_option_names_parse(&ls_calibrate_options_argp, argc, argv, 0, &options) != 0)
    return LS_EXIT_USAGE;
  struct work work = {.options = &options};
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  if (has_measurements(&options)) {
    status = read_sources(&work, &err);
    if (status == LS_OK) status = fit_platform(&work, &err);
  } else {
    status = ls_platform_source_read(&options.platform, &work.platform, &err);
    work.has_platform = status == LS_OK;
  }
  for (size_t i = 0; i < options.checks_count && status == LS_OK; i++)
    status = check_run(&work, options.checks[i], &err);
  if (status == LS_OK) status = write_results(&work, &err);
  close_work(&work);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(argv[0], &err);
}
