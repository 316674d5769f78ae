/* Any names and values are refused in words, or become arguments within the limits of their
 * parameters: --algorithm NAME:VALUE, --policy, --set NAME=VALUE, --arguments FILE.
 *
 * The input: a line with an algorithm or a policy, lines NAME=VALUE, then the text of a file from
 * the first brace at the start of a line on.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/planner_options.h"
#include "cli/run/run_policy.h"
#include "cli/simulate_policies.h"
#include "fuzz.h"
#include "model/platform.h"
#include "simulate/world.h"

enum { WORKERS = 3, UNITS = 20, LINES_MAX = 12 };

struct input {
  const char *name; /* the first line */
  struct ls_word_list settings;
  const char *lines[LINES_MAX];
  const char *text; /* NULL: no file */
  char file[64];
};

bool fuzz_accepts;

static bool is_read(enum ls_status status, struct ls_error *err) {
  assert(status == LS_OK || (status == LS_EINVAL && err->text[0] != '\0'));
  *err = (struct ls_error){0};
  fuzz_accepts = fuzz_accepts || status == LS_OK;
  return status == LS_OK;
}

static void make_platform(struct ls_platform *platform) {
  enum ls_status status = ls_platform_init(platform, WORKERS, NULL);
  assert(status == LS_OK);
  (void)status;
  for (size_t i = 0; i < WORKERS; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.5, 0.25};
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1.0 + (double)i};
  }
}

static bool is_within(const struct ls_parameter *parameter, double value) {
  return value >= parameter->least && value <= parameter->most;
}

static void check_arguments(const struct ls_parameter *parameters,
                            const struct ls_arguments *arguments) {
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++) {
    const struct ls_parameter *parameter = &parameters[i];
    const struct ls_argument_list *list = &arguments->lists[i];
    double value = arguments->values[i];
    for (size_t k = 0; k < list->count; k++) assert(is_within(parameter, list->items[k]));
    size_t choices = 0;
    while (parameter->choices != NULL && parameter->choices[choices] != NULL) choices++;
    if (parameter->kind == LS_PARAMETER_CHOICE) {
      assert(value >= 0 && value < (double)choices);
    } else if (memcmp(&value, &parameter->otherwise, sizeof value) != 0) {
      bool may_be_auto = parameter->kind == LS_PARAMETER_WHOLE_OR_AUTO;
      assert(is_within(parameter, value) || (may_be_auto && value == LS_ARGUMENT_AUTO));
    }
  }
}

static void cut_input(char *text, struct input *input) {
  input->name = text;
  while ((text = strchr(text, '\n')) != NULL && input->text == NULL) {
    *text++ = '\0';
    if (*text == '{')
      input->text = text;
    else if (*text != '=' && input->settings.count < LINES_MAX)
      input->lines[input->settings.count++] = text;
  }
  size_t sound = 0;
  for (size_t i = 0; i < input->settings.count; i++)
    if (strchr(input->lines[i], '=') != NULL) input->lines[sound++] = input->lines[i];
  input->settings = (struct ls_word_list){input->lines, sound};
}

/* The text in a file without a name; its descriptor, or -1. */
static int make_file(struct input *input) {
  if (input->text == NULL) return -1;
  int file = memfd_create("arguments", MFD_CLOEXEC);
  if (file < 0) abort();
  bool is_written = ls_console_write(file, input->text, strlen(input->text));
  assert(is_written);
  (void)is_written;
  (void)snprintf(input->file, sizeof input->file, "/proc/self/fd/%d", file);
  return file;
}

static void read_for_planner(const struct ls_planner *planner, const struct input *input,
                             const json_t *document, struct ls_error *err) {
  struct ls_planner_setup setup = {0};
  ls_arguments_init(&setup.arguments, planner->parameters);
  for (size_t i = 0; i < input->settings.count; i++) {
    const char *equals = strchr(input->lines[i], '=');
    char *name = strndup(input->lines[i], (size_t)(equals - input->lines[i]));
    if (name == NULL) abort();
    (void)is_read(ls_planner_options_set(planner, &setup, name, equals + 1, err), err);
    free(name);
  }
  if (document != NULL) {
    struct ls_json top = ls_json_top(document, "input");
    (void)is_read(ls_planner_options_read(planner, &setup, &top, err), err);
  }
  check_arguments(planner->parameters, &setup.arguments);
  ls_arguments_close(&setup.arguments);
}

static void read_for_planners(const struct input *input, struct ls_error *err) {
  const struct ls_planner *named = NULL;
  struct ls_planner_setup setup = {0};
  json_t *document = NULL;
  if (is_read(ls_planner_parse(input->name, &named, &setup, err), err)) {
    check_arguments(named->parameters, &setup.arguments);
    ls_arguments_close(&setup.arguments);
  }
  if (input->text != NULL &&
      ls_json_parse((struct ls_text){input->text, strlen(input->text), "input"}, &document, err) !=
          LS_OK)
    assert(err->text[0] != '\0' && document == NULL);
  for (size_t i = 0; ls_planners[i] != NULL; i++)
    read_for_planner(ls_planners[i], input, document, err);
  json_decref(document);
}

static void read_for_run(const struct input *input, struct ls_error *err) {
  struct ls_run_options options = {.order = "fifo",
                                   .workers = WORKERS,
                                   .policy = input->name,
                                   .settings_count = input->settings.count,
                                   .arguments = input->text == NULL ? NULL : input->file};
  struct ls_run_policy policy;
  struct ls_bytes said = {0};
  memcpy(options.settings, input->lines, sizeof input->lines);
  /* An adviser would simulate. */
  if (strncmp(input->name, "auto", strlen("auto")) == 0) return;
  if (!is_read(ls_run_policy_choose(&policy, &options, UNITS, err), err)) return;
  check_arguments(policy.config.chunking->parameters, &policy.config.arguments);
  ls_run_policy_describe(&policy, &said);
  assert(!said.failed && said.length > 0);
  ls_bytes_close(&said);
  ls_run_policy_close(&policy);
}

static void read_for_simulation(const struct input *input, struct ls_error *err) {
  struct ls_platform platform = {0};
  struct ls_policy_options options = {.settings = input->settings,
                                      .processes = 1,
                                      .arguments = input->text == NULL ? NULL : input->file};
  struct ls_policy_run run;
  struct ls_world world;
  make_platform(&platform);
  const struct ls_policy_place place = {.platform = &platform, .name = "here", .load = UNITS};
  if (is_read(ls_policy_run_open(&run, &options, &place, err), err)) {
    struct ls_world_request request = {.platform = &platform,
                                       .units = UNITS,
                                       .policy = input->name,
                                       .arguments = run.grid.arguments,
                                       .has_seed = true,
                                       .seed = run.grid.seed};
    if (is_read(ls_world_open(&world, &request, err), err)) ls_world_close(&world);
    ls_policy_run_close(&run);
  }
  ls_platform_close(&platform);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ls_error err = {0};
  struct input input = {0};
  char *text = strndup((const char *)data, size);
  if (text == NULL) abort();
  fuzz_accepts = false;
  cut_input(text, &input);
  int file = make_file(&input);
  read_for_planners(&input, &err);
  read_for_run(&input, &err);
  read_for_simulation(&input, &err);
  if (file >= 0) close(file);
  free(text);
  return 0;
}
