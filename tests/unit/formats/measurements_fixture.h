/* measurements_fixture.h: one of the readers of measurements over a text. */
#ifndef LS_TESTS_UNIT_FORMATS_MEASUREMENTS_FIXTURE_H
#define LS_TESTS_UNIT_FORMATS_MEASUREMENTS_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "formats/measurements_text.h"

typedef enum ls_status (*measurements_reader_fn)(struct ls_measurements *measurements,
                                                 struct ls_text text,
                                                 struct ls_measurements_read *read,
                                                 struct ls_error *err);

/* What a text holds. */
struct taken {
  struct ls_measurements measurements;
  struct ls_measurements_read read;
};

static inline enum ls_status read_text(measurements_reader_fn reader, const char *text,
                                       struct taken *taken, struct ls_error *err) {
  /* The exact length on the heap, so that a sanitizer sees a read of one byte too many. */
  size_t length = strlen(text);
  char *exact = malloc(length + (length == 0));
  assert_non_null(exact);
  memcpy(exact, text, length);
  *taken = (struct taken){.read = {.lines = 0}};
  enum ls_status status =
      reader(&taken->measurements, (struct ls_text){exact, length, "file"}, &taken->read, err);
  free(exact);
  return status;
}

static inline struct taken take_text(measurements_reader_fn reader, const char *text) {
  struct taken taken;
  struct ls_error err = {0};
  if (read_text(reader, text, &taken, &err) != LS_OK) fail_msg("refused: %s", err.text);
  return taken;
}

/* The text is refused with these words. */
static inline void expect_words(measurements_reader_fn reader, const char *text,
                                const char *words) {
  struct taken taken;
  struct ls_error err = {0};
  assert_int_equal(read_text(reader, text, &taken, &err), LS_EINVAL);
  ls_measurements_close(&taken.measurements);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
}

/* Each text is refused with the words beside it. */
static inline void expect_words_each(measurements_reader_fn reader, const char *const (*cases)[2],
                                     size_t count) {
  for (size_t i = 0; i < count; i++) expect_words(reader, cases[i][0], cases[i][1]);
}

/* So many rows were seen, and so many of them left out; all others are measurements. */
static inline void expect_counts(const struct taken *taken, uint64_t lines, uint64_t failed) {
  assert_int_equal(taken->read.lines, lines);
  assert_int_equal(taken->read.failed, failed);
  assert_int_equal(taken->measurements.count, lines - failed);
}

#endif
