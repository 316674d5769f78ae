/* task_times_fixture.h: one of the readers of names and times over a text. */
#ifndef LS_TESTS_UNIT_FORMATS_TASK_TIMES_FIXTURE_H
#define LS_TESTS_UNIT_FORMATS_TASK_TIMES_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/task_times_text.h"

static inline enum ls_status read_text(ls_task_times_reader_fn reader, const char *text,
                                       struct ls_task_times *times, struct ls_error *err) {
  /* The exact length on the heap, so that a sanitizer sees a read of one byte too many. */
  size_t length = strlen(text);
  char *exact = malloc(length + (length == 0));
  assert_non_null(exact);
  memcpy(exact, text, length);
  enum ls_status status = reader(times, (struct ls_text){exact, length, "file"}, err);
  free(exact);
  return status;
}

static inline void take_text(ls_task_times_reader_fn reader, const char *text,
                             struct ls_task_times *times) {
  struct ls_error err = {0};
  if (read_text(reader, text, times, &err) != LS_OK) fail_msg("refused: %s", err.text);
}

/* A task of this name has this mean; NAN: none. */
static inline void expect_time(const struct ls_task_times *times, const char *name, double mean_s) {
  size_t task = ls_task_times_find(times, name, strlen(name));
  if (task == SIZE_MAX) fail_msg("there is no task '%s'", name);
  assert_string_equal(ls_task_times_name(times, task), name);
  assert_int_equal(times->items[task].count == 0, isnan(mean_s));
  if (!isnan(mean_s)) assert_true(fabs(times->items[task].mean_s - mean_s) < 1e-12);
}

/* Each text is refused with the words beside it. */
static inline void expect_words_each(ls_task_times_reader_fn reader, const char *const (*cases)[2],
                                     size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct ls_task_times times = {.items = NULL};
    struct ls_error err = {0};
    assert_int_equal(read_text(reader, cases[i][0], &times, &err), LS_EINVAL);
    if (strstr(err.text, cases[i][1]) == NULL)
      fail_msg("'%s' does not say '%s'", err.text, cases[i][1]);
    ls_task_times_close(&times);
  }
}

#endif
