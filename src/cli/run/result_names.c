#include "cli/run/result_names.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/commands.h"
#include "cli/run/distinct_paths.h"
#include "cli/run/results.h"

enum { SHOWN_BYTES = 200 };

struct names {
  struct ls_commands *commands;
  const char *text;
};

/* What ls_results_write_named makes: the last part of each, in its order. */
static const char *end_of(const char *path, size_t index) {
  static const char *const beside[] = {"", ".err", ".seq"};
  static const char *const inside[] = {"stdout", "stderr", "seq"};
  size_t length = strlen(path);
  return length > 0 && path[length - 1] == '/' ? inside[index] : beside[index];
}

/* Parts that lead upwards. */

static size_t count_ascents(const char *path) {
  size_t count = 0;
  for (size_t length = 0; *path != '\0'; path += length + (path[length] == '/')) {
    length = strcspn(path, "/");
    count += length == 2 && path[0] == '.' && path[1] == '.';
  }
  return count;
}

static enum ls_status check_name(const char *text, const char *path, uint64_t task,
                                 struct ls_error *err) {
  char shown[SHOWN_BYTES];
  bool is_name = ls_results_is_name(path), has_folder = text[0] != '{';
  bool is_outside = has_folder && count_ascents(path) > count_ascents(text);
  if (is_name && !is_outside) return LS_OK;
  ls_console_show(path, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL, "--results of task %llu: '%s' %s", (unsigned long long)task + 1,
                 shown,
                 is_outside ? "leads out of the folder ({#} names by number, {/} by the last part)"
                            : "is too long for names of files ({#} names by number)");
}

static enum ls_status read_name(void *context, uint64_t task, size_t index, struct ls_bytes *out,
                                struct ls_error *err) {
  struct names *names = context;
  struct ls_commands *commands = names->commands;
  enum ls_status status =
      ls_commands_fill_in(commands, commands->results_name, (struct ls_range){task, 1}, 1, err);
  /* As the task itself will name them. */
  if (status == LS_OK && !ls_results_is_name(ls_bytes_text(&commands->text)))
    status = ls_commands_fill_in_first(commands, commands->results_name, task, 1, err);
  if (status != LS_OK) return status;
  const char *path = ls_bytes_text(&commands->text);
  if (index == 0) status = check_name(names->text, path, task, err);
  ls_bytes_append_text(out, path);
  ls_bytes_append_text(out, end_of(path, index));
  return status;
}

enum ls_status ls_result_names_check(struct ls_commands *commands, const char *text, uint64_t tasks,
                                     struct ls_error *err) {
  struct names names = {commands, text};
  const struct ls_distinct_paths paths = {
      .option = "--results", .tasks = tasks, .per_task = 3, .read = read_name, .context = &names};
  if (ls_template_has(commands->results_name, LS_REPLACE_SLOT) || commands->bundling != NULL)
    return LS_OK;
  return ls_distinct_paths_check(&paths, err);
}

/* ---- inputs that come as the run goes on ---- */

enum { PLACES_LEAST = 256 };

/* Its place, or the free one where it would be. */
static uint64_t *find(const struct ls_result_names *names, uint64_t digest) {
  size_t place = (size_t)digest & (names->places - 1);
  while (names->digests[place] != 0 && names->digests[place] != digest)
    place = (place + 1) & (names->places - 1);
  return &names->digests[place];
}

/* Twice as many places as names, at least. */
static bool grow(struct ls_result_names *names) {
  if (2 * (names->count + 1) <= names->places) return true;
  struct ls_result_names grown = *names;
  grown.places = names->places > 0 ? 2 * names->places : PLACES_LEAST;
  grown.digests = calloc(grown.places, sizeof *grown.digests);
  if (grown.digests == NULL) return false;
  for (size_t i = 0; i < names->places; i++)
    if (names->digests[i] != 0) *find(&grown, names->digests[i]) = names->digests[i];
  free(names->digests);
  *names = grown;
  return true;
}

enum ls_status ls_result_names_claim(struct ls_result_names *names, const char *path, uint64_t task,
                                     struct ls_error *err) {
  enum ls_status status = check_name(names->text, path, task, err);
  for (size_t i = 0; i < 3 && status == LS_OK; i++) {
    struct ls_bytes file = {0};
    char shown[SHOWN_BYTES];
    ls_bytes_printf(&file, "%s%s", path, end_of(path, i));
    uint64_t digest = ls_distinct_paths_digest(ls_bytes_text(&file)) | 1;
    ls_console_show(ls_bytes_text(&file), shown, sizeof shown);
    uint64_t *place = grow(names) ? find(names, digest) : NULL;
    if (place == NULL || file.failed)
      status = ls_fail(err, LS_ENOMEM, "out of memory for the names of results");
    else if (*place != 0)
      status = ls_fail(err, LS_EINVAL,
                       "--results: task %llu would overwrite '%s' of a task before it, expected a "
                       "file for each",
                       (unsigned long long)task + 1, shown);
    else
      *place = digest;
    names->count += status == LS_OK;
    ls_bytes_close(&file);
  }
  return status;
}

void ls_result_names_close(struct ls_result_names *names) {
  free(names->digests);
  *names = (struct ls_result_names){0};
}
