/* Notes are what a person reads with -v. */
#include "harness.h"

static const char *write_note(struct ls_note note, struct ls_bytes *out) {
  ls_bytes_clear(out);
  ls_note_write(&note, "unit", out);
  return ls_bytes_text(out);
}

static void a_loss_reads_as_in_the_style_guide(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_note note = {.kind = LS_NOTE_LOST, .worker = 1, .now_s = 3, .chunk = 7, .units = 40};
  assert_string_equal(write_note(note, &out),
                      "[  3.00] worker 1 lost: chunk 7, 40 units, to be sent again");
  note.units = 0;
  assert_string_equal(write_note(note, &out), "[  3.00] worker 1 lost: it had nothing");
  ls_bytes_close(&out);
}

/* Users count tasks from 1, and call them so. */
static void a_task_has_the_number_that_users_read(void **state) {
  static const struct {
    enum ls_note_kind kind;
    const char *words;
  } cases[] = {
      {LS_NOTE_GIVEN_UP, "worker 1 chunk 7: task 5 abandoned, 2 workers were lost with it"},
      {LS_NOTE_REPLICA, "worker 1 chunk 7: a replica of task 5 of worker 2"},
      {LS_NOTE_OUTLASTED, "worker 1 has no time left: task 5 is stopped so for the 2. time"},
      {LS_NOTE_OUTLASTED_FINALLY,
       "worker 1 has no time left: task 5 is stopped so for the 2. time, and abandoned"},
      {LS_NOTE_NOBODY_LASTS, "no worker has the 2 s left that task 5 needs"}};
  struct ls_bytes out = {0};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_note note = {.kind = cases[i].kind, .worker = 1, .chunk = 7, .units = 4, .extra = 2};
    ls_bytes_clear(&out);
    ls_note_write(&note, "task", &out);
    assert_string_equal(ls_bytes_text(&out) + strlen("[  0.00] "), cases[i].words);
  }
  ls_bytes_close(&out);
}

static void one_is_no_plural(void **state) {
  struct ls_bytes out = {0};
  (void)state;
  for (int i = 0; i < LS_NOTE_COUNT; i++) {
    struct ls_note note = {.kind = (enum ls_note_kind)i, .worker = 1, .units = 1, .extra = 1};
    const char *words = write_note(note, &out);
    assert_null(strstr(words, "1 units"));
    assert_null(strstr(words, "unit are"));
  }
  ls_bytes_close(&out);
}

static void every_kind_has_its_own_words(void **state) {
  (void)state;
  struct ls_bytes out[LS_NOTE_COUNT] = {{0}};
  for (int i = 0; i < LS_NOTE_COUNT; i++) {
    struct ls_note note = {.kind = (enum ls_note_kind)i,
                           .worker = 5,
                           .now_s = 1,
                           .chunk = 6,
                           .units = 7,
                           .extra = LS_LOSS_LEFT};
    const char *words = write_note(note, &out[i]);
    assert_memory_equal(words, "[  1.00] ", 9);
    assert_true(strlen(words) > 12);
    assert_null(strchr(words, '\n'));
    for (int j = 0; j < i; j++) assert_string_not_equal(words, ls_bytes_text(&out[j]));
  }
  for (int i = 0; i < LS_NOTE_COUNT; i++) ls_bytes_close(&out[i]);
}

/* The numbers of a note are those of the decision. */
static void notes_carry_the_numbers_of_the_decision(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 10);
  rig_at(&rig, 2.5, LS_EVENT_READY, 0);
  assert_int_equal(rig.actions.notes_count, 1);
  const struct ls_note *note = &rig.actions.notes[0];
  assert_int_equal(note->kind, LS_NOTE_SENT);
  assert_true(note->now_s > 2.4 && note->now_s < 2.6);
  assert_int_equal(note->units, 4);
  assert_int_equal(note->extra, 6);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loss_reads_as_in_the_style_guide),
      cmocka_unit_test(a_task_has_the_number_that_users_read),
      cmocka_unit_test(one_is_no_plural),
      cmocka_unit_test(every_kind_has_its_own_words),
      cmocka_unit_test(notes_carry_the_numbers_of_the_decision),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
