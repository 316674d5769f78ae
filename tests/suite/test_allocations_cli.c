/* Whichever allocation fails, the parts of run say so and leave nothing behind. */
#include <fcntl.h>
#include <unistd.h>

#include "cli/run/input_stream.h"
#include "cli/run/joblog.h"
#include "cli/run/run_policy.h"
#include "cli/run/task_source.h"
#include "cli/run/template.h"
#include "scarce_memory.h"

static char folder[] = "/tmp/allocations-cli-XXXXXX";
static char path[64];

static enum ls_status try_sources(const void *context, struct ls_error *err) {
  (void)context;
  char *words[] = {(char *)":::", (char *)"a", (char *)"b", (char *)"::::", path};
  struct ls_task_source source = {0};
  enum ls_status status =
      ls_task_source_add_marked(&source, words, 5, &(struct ls_source_marks){0}, err);
  if (status == LS_OK) status = ls_task_source_finish(&source, err);
  memory_is_plenty();
  if (status == LS_OK) assert_int_equal(source.tasks, 6);
  ls_task_source_close(&source);
  return status;
}

static enum ls_status try_stream(const void *context, struct ls_error *err) {
  (void)context;
  struct ls_task_source source = {0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  enum ls_status status = ls_task_source_add_stream(&source, file, "file", err);
  if (status == LS_OK) status = ls_input_stream_read(source.stream, 100, err);
  memory_is_plenty();
  if (status == LS_OK) assert_int_equal(ls_input_stream_count(source.stream), 3);
  ls_task_source_close(&source);
  return status;
}

static enum ls_status try_template(const void *context, struct ls_error *err) {
  (void)context;
  static const char *const words[] = {"a{1.}b", "{#}", "{2//}", "{= s/c$/d/ =}"};
  const char *values[] = {"x.c", "y/z"};
  struct ls_command_line command = {.words = words, .words_count = 4};
  const struct ls_grammar grammar = {.sources_count = 2};
  struct ls_template compiled = {0};
  struct ls_expansion expansion = {0};
  struct ls_template_task task = {.values = values, .sequence = 7, .slot = 1};
  enum ls_status status = ls_template_init(&compiled, &command, &grammar, err);
  if (status == LS_OK) status = ls_template_expand(&compiled, &task, &expansion, err);
  memory_is_plenty();
  if (status == LS_OK) assert_string_equal(expansion.words[0], "axb");
  ls_expansion_close(&expansion);
  ls_template_close(&compiled);
  return status;
}

static enum ls_status try_joblog(const void *context, struct ls_error *err) {
  char log[64];
  (void)context;
  snprintf(log, sizeof log, "%s/log", folder);
  struct ls_joblog_setup setup = {.path = log, .tasks = 9, .mode = LS_JOBLOG_NEW};
  struct ls_joblog_entry entry = {.sequence = 3, .host = ":", .command = "true"};
  struct ls_joblog *joblog = NULL;
  enum ls_status status = ls_joblog_open(&setup, &joblog, err);
  if (status == LS_OK) status = ls_joblog_add(joblog, &entry, err);
  memory_is_plenty();
  ls_joblog_close(joblog);
  unlink(log);
  return status;
}

static enum ls_status try_policy(const void *context, struct ls_error *err) {
  struct ls_run_policy policy;
  scarce_mark(&policy, sizeof policy);
  enum ls_status status = ls_run_policy_choose(&policy, context, 40, err);
  memory_is_plenty();
  if (status == LS_OK)
    ls_run_policy_close(&policy);
  else
    scarce_require_untouched("ls_run_policy_choose", &policy, sizeof policy);
  return status;
}

static void parts_of_a_run_are_made_or_say_so(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo",
                                   .policy = "wf2",
                                   .workers = 2,
                                   .platform = "2x(compute=1x, room=9)",
                                   .halt = {.reason = LS_HALT_FAIL, .count = 1}};
  scarce_require("sources", try_sources, NULL);
  scarce_require("stream", try_stream, NULL);
  scarce_require("template", try_template, NULL);
  scarce_require("job log", try_joblog, NULL);
  scarce_require("policy", try_policy, &options);
}

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/inputs", folder);
  FILE *file = fopen(path, "w");
  return file == NULL || fputs("x\ny\nz\n", file) < 0 || fclose(file) != 0 ? -1 : 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

int main(void) {
  scarce_open();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_a_run_are_made_or_say_so),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
