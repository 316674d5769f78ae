/* command_fixture.h: commands of one word or one script, run by the executor of commands. */
#ifndef LS_TEST_COMMAND_FIXTURE_H
#define LS_TEST_COMMAND_FIXTURE_H

#include "executor_fixture.h"
#include "protocol/command.h"

static const struct ls_executor_kind *const kind = &ls_executor_command;

static inline void add_script(struct ls_bytes *input, const char *text) {
  const char *const argv[] = {"sh", "-c", text};
  ls_command_encode(argv, 3, NULL, input);
}

static inline void start_unit(struct ls_executor *executor, uint64_t unit, struct ls_range packed,
                              const struct ls_bytes *input) {
  struct ls_error err = {0};
  enum ls_status status =
      start_work(kind, executor,
                 make_work((struct ls_range){unit, 1}, packed, input->data, input->length), &err);
  if (status != LS_OK) fail_msg("%s", err.text);
}

static inline struct ls_execution run_unit(struct ls_executor *executor, uint64_t unit,
                                           struct ls_range packed, const struct ls_bytes *input) {
  start_unit(executor, unit, packed, input);
  return await_end(kind, executor);
}

static inline struct ls_execution run_text(struct ls_executor *executor, const char *text) {
  struct ls_bytes input = {0};
  add_script(&input, text);
  struct ls_execution execution = run_unit(executor, 0, (struct ls_range){0, 1}, &input);
  ls_bytes_close(&input);
  return execution;
}

static inline struct ls_executor *make_plain(void) {
  return make_executor(kind, (struct ls_executor_setup){.inline_max = 1000});
}

#endif
