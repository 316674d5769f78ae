#include "journal_fixture.h"
#include "runtime/journal/journal_private.h"

static void words_come_back_whatever_their_bytes(void **state) {
  struct fixture *fixture = *state;
  static const char *const words[] = {"-j", "2", "", "a\nb", "\xff\xfe", "echo {}"};
  enum { COUNT = sizeof words / sizeof *words };
  struct ls_bytes read = {0};
  size_t count = 9;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  assert_int_equal(ls_journal_read_words(journal, LS_JOURNAL_COMMAND, &read, &count, NULL), LS_OK);
  assert_true(count == 0 && read.length == 0);
  ls_journal_words(journal, LS_JOURNAL_COMMAND, words, 2);
  ls_journal_words(journal, LS_JOURNAL_OPTION, words, 3);
  ls_journal_words(journal, LS_JOURNAL_COMMAND, words, COUNT);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  assert_int_equal(ls_journal_read_words(journal, LS_JOURNAL_COMMAND, &read, &count, NULL), LS_OK);
  assert_int_equal(count, COUNT);
  const char *at = read.data;
  for (size_t i = 0; i < COUNT; i++) {
    assert_string_equal(at, words[i]);
    at += strlen(at) + 1;
  }
  assert_ptr_equal(at, read.data + read.length);
  ls_bytes_close(&read);
  ls_journal_close(journal);
}

/* `source` and the values before these. */
static void put(struct ls_journal *journal, struct ls_range place, bool is_linked, const char *text,
                size_t length) {
  uint64_t count = 0;
  for (size_t i = 0; i < length; i++) count += text[i] == '\0';
  ls_journal_inputs(journal, &(struct ls_journal_inputs){(uint32_t)place.first, is_linked,
                                                         place.count, count, text, length});
}

static enum ls_status write_inputs(void *context, const struct ls_journal_inputs *inputs) {
  struct ls_bytes *out = context;
  ls_bytes_printf(out, "%u%s%u:", (unsigned)inputs->source, inputs->is_linked ? "+" : "*",
                  (unsigned)inputs->count);
  for (size_t i = 0; i < inputs->length; i++)
    ls_bytes_append_char(out, inputs->text[i] == '\0' ? ',' : inputs->text[i]);
  ls_bytes_append_char(out, ' ');
  return LS_OK;
}

static void inputs_come_back_source_by_source(void **state) {
  struct fixture *fixture = *state;
  struct ls_bytes text = {0};
  struct ls_journal_summary summary;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, (struct ls_range){0, 0}, false, "gone", 5);
  ls_journal_forget_inputs(journal);
  put(journal, (struct ls_range){0, 0}, false, "a\0b", 4);
  put(journal, (struct ls_range){1, 0}, true, "x\0", 3);
  put(journal, (struct ls_range){2, 0}, false, NULL, 0);
  put(journal, (struct ls_range){0, 2}, false, "c", 2);
  ls_journal_units(journal, 6, false);
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_each_inputs(journal, write_inputs, &text, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&text), "0*2:a,b, 0*1:c, 1+2:x,, 2*0: ");
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_int_equal(summary.job.units, 6);
  ls_bytes_close(&text);
  ls_journal_close(journal);
}

static enum ls_status note_row(void *context, const struct ls_journal_inputs *inputs) {
  struct ls_bytes *out = context;
  ls_bytes_printf(out, "%u+%u ", (unsigned)inputs->first, (unsigned)inputs->count);
  return LS_OK;
}

/* Rows of 1, 2, ... values: each part of the values is in those rows that have to hold it. */
static void values_are_found_by_their_numbers(void **state) {
  struct fixture *fixture = *state;
  enum { ROWS = 6, VALUES = ROWS * (ROWS + 1) / 2 };
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_journal_inputs_known known;
  assert_int_equal(ls_journal_inputs_known(journal, &known, NULL), LS_OK);
  assert_true(known.sources == 0 && known.values == 0 && !known.is_open);
  for (size_t row = 0, first = 0; row < ROWS; first += ++row)
    put(journal, (struct ls_range){0, first}, false, "\0\0\0\0\0", row + 1);
  ls_journal_units(journal, VALUES, true);
  assert_int_equal(ls_journal_inputs_known(journal, &known, NULL), LS_OK);
  assert_true(known.sources == 1 && known.values == VALUES && known.is_open);
  for (size_t first = 0; first < VALUES; first++)
    for (size_t count = 1; first + count <= VALUES; count++) {
      struct ls_bytes found = {0}, expected = {0};
      for (size_t row = 0, at = 0; row < ROWS; at += ++row)
        if (at < first + count && at + row + 1 > first)
          ls_bytes_printf(&expected, "%zu+%zu ", at, row + 1);
      assert_int_equal(ls_journal_each_inputs_of(journal, (struct ls_range){first, count}, note_row,
                                                 &found, NULL),
                       LS_OK);
      assert_string_equal(ls_bytes_text(&found), ls_bytes_text(&expected));
      ls_bytes_close(&found);
      ls_bytes_close(&expected);
    }
  put(journal, (struct ls_range){1, 0}, false, "a\0b", 4);
  assert_int_equal(ls_journal_inputs_known(journal, &known, NULL), LS_OK);
  assert_true(known.sources == 2 && known.values == 2);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

static void inputs_that_do_not_add_up_are_damage(void **state) {
  struct fixture *fixture = *state;
  static const char *const sql[] = {
      "INSERT INTO inputs (source, linked, count, text) VALUES (0, 0, 2, x'6100')",
      "INSERT INTO inputs (source, linked, count, text) VALUES (0, 0, 1, x'6100' || x'62')"};
  for (size_t i = 0; i < 2; i++) {
    struct ls_bytes text = {0};
    struct ls_error err = {0};
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
    assert_int_equal(ls_journal_execute(journal, "DELETE FROM inputs", NULL), LS_OK);
    assert_int_equal(ls_journal_execute(journal, sql[i], NULL), LS_OK);
    assert_int_equal(ls_journal_each_inputs(journal, write_inputs, &text, &err), LS_ECORRUPT);
    assert_non_null(strstr(err.text, "inputs are damaged"));
    ls_bytes_close(&text);
    ls_journal_close(journal);
    fixture_run_sql(fixture->path, "DELETE FROM inputs");
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(words_come_back_whatever_their_bytes),
      TEST(inputs_come_back_source_by_source),
      TEST(values_are_found_by_their_numbers),
      TEST(inputs_that_do_not_add_up_are_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
