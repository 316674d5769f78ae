#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/run/output.h"

struct fixture {
  FILE *files[2];
  int prepared;
  struct ls_writer *writer;
  struct ls_delivery *delivery;
  char text[1 << 16];
};

static void count_call(void *context) {
  ++*(int *)context;
}

static void open_fixture(struct fixture *fixture, bool keeps_order) {
  fixture->files[0] = tmpfile();
  fixture->files[1] = tmpfile();
  fixture->prepared = 0;
  assert_int_equal(
      ls_writer_open((const int[2]){fileno(fixture->files[0]), fileno(fixture->files[1])}, false,
                     &fixture->writer, NULL),
      LS_OK);
  struct ls_delivery_setup setup = {.keeps_order = keeps_order,
                                    .writer = fixture->writer,
                                    .prepare = count_call,
                                    .context = &fixture->prepared};
  assert_int_equal(ls_delivery_create(&setup, &fixture->delivery, NULL), LS_OK);
}

static const char *read_stream(struct fixture *fixture, int stream) {
  assert_int_equal(ls_writer_finish(fixture->writer, NULL, NULL), LS_OK);
  ssize_t length =
      pread(fileno(fixture->files[stream]), fixture->text, sizeof fixture->text - 1, 0);
  assert_true(length >= 0);
  fixture->text[length] = '\0';
  return fixture->text;
}

static void close_fixture(struct fixture *fixture) {
  ls_delivery_destroy(fixture->delivery);
  ls_writer_close(fixture->writer);
  fclose(fixture->files[0]);
  fclose(fixture->files[1]);
}

static void add(struct fixture *fixture, uint64_t unit, const char *out, const char *error) {
  struct ls_output output = {out, strlen(out), -1}, error_output = {error, strlen(error), -1};
  assert_int_equal(ls_delivery_add(fixture->delivery, unit, &output, &error_output, NULL), LS_OK);
}

static void outputs_leave_in_order_of_arrival(void **state) {
  (void)state;
  static struct fixture fixture;
  open_fixture(&fixture, false);
  add(&fixture, 2, "c", "C");
  add(&fixture, 0, "a", "");
  add(&fixture, 1, "", "B");
  assert_string_equal(read_stream(&fixture, 0), "ca");
  assert_string_equal(read_stream(&fixture, 1), "CB");
  assert_int_equal(fixture.prepared, 3);
  close_fixture(&fixture);
}

static void kept_order_waits_for_its_turn(void **state) {
  (void)state;
  static struct fixture fixture;
  open_fixture(&fixture, true);
  add(&fixture, 2, "c", "C");
  add(&fixture, 3, "d", "");
  assert_string_equal(read_stream(&fixture, 0), "");
  assert_int_equal(ls_delivery_frontier(fixture.delivery), 0);
  add(&fixture, 0, "a", "");
  assert_string_equal(read_stream(&fixture, 0), "a");
  assert_int_equal(ls_delivery_frontier(fixture.delivery), 1);
  add(&fixture, 1, "", "B");
  assert_string_equal(read_stream(&fixture, 0), "acd");
  assert_string_equal(read_stream(&fixture, 1), "BC");
  assert_int_equal(ls_delivery_frontier(fixture.delivery), 4);
  close_fixture(&fixture);
}

/* Whatever the order of arrival and whatever comes twice. */
static void kept_order_holds_for_every_order_of_arrival(void **state) {
  (void)state;
  enum { UNITS = 300 };
  for (uint64_t seed = 0; seed < 20; seed++) {
    static struct fixture fixture;
    open_fixture(&fixture, true);
    struct ls_random random;
    ls_random_init(&random, seed, "arrival");
    uint64_t units[UNITS];
    for (uint64_t i = 0; i < UNITS; i++) units[i] = i;
    ls_random_shuffle(&random, units, UNITS);
    char expected[UNITS * 5 + 1] = "";
    for (int i = 0; i < UNITS; i++) {
      char text[8];
      snprintf(text, sizeof text, "%d ", i);
      strcat(expected, text);
      snprintf(text, sizeof text, "%d ", (int)units[i]);
      add(&fixture, units[i], text, "");
      add(&fixture, units[ls_random_below(&random, (uint64_t)i + 1)], "twice", "");
    }
    assert_string_equal(read_stream(&fixture, 0), expected);
    close_fixture(&fixture);
  }
}

static void units_of_earlier_sessions_are_not_waited_for(void **state) {
  (void)state;
  static struct fixture fixture;
  open_fixture(&fixture, true);
  add(&fixture, 3, "d", "");
  assert_int_equal(ls_delivery_skip(fixture.delivery, (struct ls_range){0, 2}, NULL), LS_OK);
  add(&fixture, 2, "c", "");
  assert_string_equal(read_stream(&fixture, 0), "cd");
  /* Skipping what is held does not lose it. */
  add(&fixture, 4, "e", "");
  assert_string_equal(read_stream(&fixture, 0), "cde");
  close_fixture(&fixture);
}

static void a_flush_crosses_the_gaps_in_order(void **state) {
  (void)state;
  static struct fixture fixture;
  open_fixture(&fixture, true);
  add(&fixture, 5, "f", "");
  add(&fixture, 2, "c", "");
  add(&fixture, 3, "", "");
  assert_int_equal(ls_delivery_flush(fixture.delivery, NULL), LS_OK);
  assert_string_equal(read_stream(&fixture, 0), "cf");
  assert_int_equal(ls_delivery_flush(fixture.delivery, NULL), LS_OK);
  assert_string_equal(read_stream(&fixture, 0), "cf");
  close_fixture(&fixture);
}

/* Larger than a block, with every byte value, given in a file whose offset is anywhere. */
static void large_outputs_are_copied_from_files(void **state) {
  (void)state;
  enum { BYTES = 200000 };
  static unsigned char bytes[BYTES], read[BYTES + 1];
  for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 31 + i / 256);
  FILE *file = tmpfile();
  assert_int_equal(fwrite(bytes, 1, BYTES, file), BYTES);
  fflush(file);
  for (int keeps_order = 0; keeps_order < 2; keeps_order++) {
    static struct fixture fixture;
    open_fixture(&fixture, keeps_order != 0);
    struct ls_output output = {NULL, BYTES, fileno(file)}, none = {NULL, 0, -1};
    assert_int_equal(ls_delivery_add(fixture.delivery, 1, &output, &none, NULL), LS_OK);
    assert_int_equal(ls_delivery_add(fixture.delivery, 0, &none, &none, NULL), LS_OK);
    assert_int_equal(ls_writer_finish(fixture.writer, NULL, NULL), LS_OK);
    assert_int_equal(pread(fileno(fixture.files[0]), read, sizeof read, 0), BYTES);
    assert_memory_equal(read, bytes, BYTES);
    close_fixture(&fixture);
  }
  fclose(file);
}

/* What cannot be written is told at a later call: the writer learns it by itself. */
static void an_output_that_cannot_be_written_is_an_error(void **state) {
  (void)state;
  static struct fixture fixture;
  struct ls_output output = {"a", 1, -1}, none = {NULL, 0, -1};
  struct ls_error err = {0};
  open_fixture(&fixture, false);
  ls_writer_close(fixture.writer);
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) skip();
  assert_int_equal(
      ls_writer_open((const int[2]){STDOUT_FILENO, full}, false, &fixture.writer, NULL), LS_OK);
  struct ls_delivery_setup setup = {.writer = fixture.writer};
  ls_delivery_destroy(fixture.delivery);
  assert_int_equal(ls_delivery_create(&setup, &fixture.delivery, NULL), LS_OK);
  assert_int_equal(ls_delivery_add(fixture.delivery, 0, &none, &output, NULL), LS_OK);
  assert_int_equal(ls_writer_finish(fixture.writer, NULL, &err), LS_EIO);
  assert_int_equal(ls_delivery_add(fixture.delivery, 1, &output, &none, &err), LS_EIO);
  assert_non_null(strstr(err.text, "standard error"));
  assert_int_equal(ls_delivery_take_left(fixture.delivery).count, 0);
  (void)close(full);
  close_fixture(&fixture);
}

/* The journal keeps an output until this tells it. */
static void units_are_told_once_their_outputs_have_left(void **state) {
  (void)state;
  static struct fixture fixture;
  open_fixture(&fixture, false);
  add(&fixture, 5, "f", "");
  add(&fixture, 6, "g", "");
  add(&fixture, 2, "c", "");
  add(&fixture, 1, "", "");
  assert_int_equal(ls_delivery_take_left(fixture.delivery).count, 0);
  assert_int_equal(ls_writer_finish(fixture.writer, NULL, NULL), LS_OK);
  struct ls_range units = ls_delivery_take_left(fixture.delivery);
  assert_true(units.first == 5 && units.count == 2);
  units = ls_delivery_take_left(fixture.delivery);
  assert_true(units.first == 2 && units.count == 1);
  assert_int_equal(ls_delivery_take_left(fixture.delivery).count, 0);
  close_fixture(&fixture);
}

/* One range for all, however many there are: those between had no outputs. */
static void kept_order_is_told_in_one_range(void **state) {
  (void)state;
  static struct fixture fixture;
  open_fixture(&fixture, true);
  add(&fixture, 4, "e", "");
  add(&fixture, 7, "h", "");
  add(&fixture, 0, "a", "");
  assert_int_equal(ls_delivery_skip(fixture.delivery, (struct ls_range){1, 2}, NULL), LS_OK);
  add(&fixture, 3, "", "");
  assert_int_equal(ls_writer_finish(fixture.writer, NULL, NULL), LS_OK);
  struct ls_range units = ls_delivery_take_left(fixture.delivery);
  assert_true(units.first == 0 && units.count == 5);
  assert_int_equal(ls_delivery_take_left(fixture.delivery).count, 0);
  close_fixture(&fixture);
}

static void a_spool_that_cannot_be_made_is_named(void **state) {
  (void)state;
  static struct fixture fixture;
  open_fixture(&fixture, true);
  setenv("TMPDIR", "/nonexistent/folder", 1);
  struct ls_output output = {"a", 1, -1}, none = {NULL, 0, -1};
  struct ls_error err = {0};
  assert_int_equal(ls_delivery_add(fixture.delivery, 1, &output, &none, &err), LS_EIO);
  assert_non_null(strstr(err.text, "/nonexistent/folder"));
  unsetenv("TMPDIR");
  close_fixture(&fixture);
}

static void more_units_than_memory_are_refused(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_error err = {0};
  struct ls_output output = {.data = "x", .length = 1, .file = -1}, none = {.file = -1};
  open_fixture(&fixture, true);
  assert_int_equal(ls_delivery_add(fixture.delivery, UINT64_MAX / 2, &output, &none, &err),
                   LS_ENOMEM);
  close_fixture(&fixture);
  ls_delivery_destroy(NULL);
}

/* Nobody knows how many units come: each pair of neighbours comes the wrong way round. */
static void units_without_end_are_kept_in_order(void **state) {
  (void)state;
  struct fixture fixture;
  open_fixture(&fixture, true);
  for (uint64_t i = 0; i < 40000; i += 2) {
    add(&fixture, i + 1, "", "");
    assert_int_equal(ls_delivery_frontier(fixture.delivery), i);
    add(&fixture, i, i % 4000 == 0 ? "x" : "", "");
    assert_int_equal(ls_delivery_frontier(fixture.delivery), i + 2);
  }
  add(&fixture, 7, "late", "");
  /* A gap that is wider than all places, closed at once and again. */
  add(&fixture, 90000, "z", "");
  struct ls_range gap = {40000, 50000};
  assert_int_equal(ls_delivery_skip(fixture.delivery, gap, NULL), LS_OK);
  assert_int_equal(ls_delivery_frontier(fixture.delivery), 90001);
  assert_string_equal(read_stream(&fixture, 0), "xxxxxxxxxxz");
  close_fixture(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_leave_in_order_of_arrival),
                                     cmocka_unit_test(kept_order_waits_for_its_turn),
                                     cmocka_unit_test(kept_order_holds_for_every_order_of_arrival),
                                     cmocka_unit_test(units_of_earlier_sessions_are_not_waited_for),
                                     cmocka_unit_test(a_flush_crosses_the_gaps_in_order),
                                     cmocka_unit_test(large_outputs_are_copied_from_files),
                                     cmocka_unit_test(an_output_that_cannot_be_written_is_an_error),
                                     cmocka_unit_test(units_are_told_once_their_outputs_have_left),
                                     cmocka_unit_test(kept_order_is_told_in_one_range),
                                     cmocka_unit_test(a_spool_that_cannot_be_made_is_named),
                                     cmocka_unit_test(units_without_end_are_kept_in_order),
                                     cmocka_unit_test(more_units_than_memory_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
