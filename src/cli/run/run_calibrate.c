#include "cli/run/run_calibrate.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "formats/platform_json.h"
#include "runtime/whole_file.h"

/* ---- the file ---- */

enum ls_status ls_run_calibrate_open(struct ls_run_calibrate *calibrate, const char *path,
                                     struct ls_error *err) {
  struct ls_bytes text = {0};
  *calibrate = (struct ls_run_calibrate){.name = path};
  if (path == NULL) return LS_OK;
  if (strcmp(path, "-") == 0)
    return ls_fail(err, LS_EINVAL, "--calibrate is -, expected the name of a file");
  enum ls_status status = ls_whole_file_check(path, err);
  if (status == LS_OK && access(path, F_OK) == 0) {
    status = ls_console_read(path, &text, err);
    struct ls_text content = {ls_bytes_text(&text), text.length, path};
    if (status == LS_OK) status = ls_platform_read(&calibrate->platform, content, err);
    ls_bytes_close(&text);
    calibrate->has_platform = status == LS_OK;
  }
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--calibrate");
}

/* ---- its content ---- */

static size_t find_worker(const struct ls_platform *platform, const char *name) {
  for (size_t i = 0; i < platform->workers_count; i++)
    if (strcmp(platform->workers[i].name, name) == 0) return i;
  return SIZE_MAX;
}

/* The number of a worker in the run, by its name. */
static size_t find_number(const struct ls_run_course *course, const char *name) {
  for (size_t i = 0; i < course->workers_count; i++)
    if (course->workers[i] != NULL && strcmp(course->workers[i], name) == 0) return i;
  return SIZE_MAX;
}

static void match_workers(const struct ls_platform *platform, const struct ls_run_course *course,
                          const struct ls_platform *measured, size_t *places) {
  bool has_any = false;
  for (size_t i = 0; i < measured->workers_count; i++) {
    places[i] = find_worker(platform, measured->workers[i].name);
    has_any = has_any || places[i] != SIZE_MAX;
  }
  for (size_t i = 0; i < measured->workers_count && !has_any; i++) {
    size_t number = find_number(course, measured->workers[i].name);
    places[i] = number < platform->workers_count ? number : SIZE_MAX;
  }
}

static void describe_window(const struct ls_refined_window *window, struct ls_bytes *words) {
  ls_bytes_printf(words, "; window %g to %g", window->from, window->to);
  if (window->renewed > 0)
    ls_bytes_printf(words, " renewed of %zu worker%s", window->renewed,
                    window->renewed == 1 ? "" : "s");
  if (window->kept > 0)
    ls_bytes_printf(words, "%s kept of %zu worker%s with fewer than %d chunks in it",
                    window->renewed > 0 ? "," : "", window->kept, window->kept == 1 ? "" : "s",
                    LS_REFINED_CHUNKS_LEAST);
}

static void describe(const struct ls_run_calibrate *calibrate, const struct ls_refinement *done,
                     struct ls_bytes *words) {
  if (done->renewed + done->kept == 0) {
    ls_bytes_printf(words, "%s: made, of %zu worker%s", calibrate->name, done->added,
                    done->added == 1 ? "" : "s");
    return;
  }
  ls_bytes_printf(words, "%s: %zu worker%s renewed, %zu added, %zu kept as %s", calibrate->name,
                  done->renewed, done->renewed == 1 ? "" : "s", done->added, done->kept,
                  done->kept == 1 ? "it was" : "they were");
  if (done->scaled > 0)
    ls_bytes_printf(words, "; %zu law%s scaled, since all chunks were of one size", done->scaled,
                    done->scaled == 1 ? "" : "s");
  for (size_t i = 0; i < done->windows_count; i++) describe_window(&done->windows[i], words);
}

/* A new file holds what was measured, in the order of its first results. */
static void make(struct ls_run_calibrate *calibrate, struct ls_platform *measured,
                 struct ls_refinement *done) {
  *done = (struct ls_refinement){.added = measured->workers_count};
  calibrate->platform = *measured;
  calibrate->has_platform = true;
  *measured = (struct ls_platform){.workers_count = 0};
}

/* `renewal` lacks its places. */
static enum ls_status renew(struct ls_run_calibrate *calibrate, const struct ls_run_course *course,
                            struct ls_renewal renewal, struct ls_refinement *done,
                            struct ls_error *err) {
  size_t *places = calloc(renewal.platform->workers_count + 1, sizeof *places);
  if (places == NULL) return ls_fail(err, LS_ENOMEM, "--calibrate: out of memory");
  match_workers(&calibrate->platform, course, renewal.platform, places);
  renewal.places = places;
  enum ls_status status = ls_calibration_refine(&renewal, &calibrate->platform, done, err);
  free(places);
  return status;
}

enum ls_status ls_run_calibrate_finish(struct ls_run_calibrate *calibrate,
                                       const struct ls_run_learnt *learnt, struct ls_bytes *words,
                                       struct ls_error *err) {
  struct ls_platform measured;
  struct ls_refinement done = {0};
  struct ls_error why = {0};
  struct ls_bytes text = {0};
  if (calibrate->name == NULL) return LS_OK;
  /* A new file is what `loadstar calibrate` would write; of a known one the part is renewed that
   * holds what was measured. */
  size_t window = calibrate->has_platform ? LS_CALIBRATED_BEST : LS_CALIBRATED_ALL;
  enum ls_status status = learnt->has_laws
                              ? ls_calibration_platform(&learnt->calibration, &learnt->measurements,
                                                        window, &measured, &why)
                              : LS_EINVAL;
  if (status == LS_EINVAL) {
    ls_bytes_printf(words, "%s: %s; it is as it was", calibrate->name,
                    learnt->has_laws ? why.text : "this run measured nothing");
    return LS_OK;
  }
  if (status != LS_OK) return ls_fail(err, status, "--calibrate: %s", why.text);
  struct ls_renewal renewal = {.measurements = &learnt->measurements,
                               .calibration = &learnt->calibration,
                               .platform = &measured};
  if (!calibrate->has_platform)
    make(calibrate, &measured, &done);
  else
    status = renew(calibrate, &learnt->course, renewal, &done, err);
  ls_platform_close(&measured);
  if (status == LS_OK) ls_platform_write(&calibrate->platform, &text);
  if (status == LS_OK && text.failed)
    status = ls_fail(err, LS_ENOMEM, "--calibrate: out of memory");
  if (status == LS_OK) {
    struct ls_text content = {ls_bytes_text(&text), text.length, NULL};
    status = ls_whole_file_write(calibrate->name, &content, 1, err);
    if (status != LS_OK) (void)ls_fail_while(err, status, "--calibrate");
  }
  if (status == LS_OK) describe(calibrate, &done, words);
  ls_bytes_close(&text);
  return status;
}

void ls_run_calibrate_close(struct ls_run_calibrate *calibrate) {
  if (calibrate->has_platform) ls_platform_close(&calibrate->platform);
  *calibrate = (struct ls_run_calibrate){.name = NULL};
}
