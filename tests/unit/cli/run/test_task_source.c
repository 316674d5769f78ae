#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/task_source.h"

/* All tasks as text: values of a task joined by "-", tasks by " ". */
static char *tell(const struct ls_task_source *source) {
  static char text[4096];
  text[0] = '\0';
  for (uint64_t task = 0; task < source->tasks; task++) {
    const char *values[8];
    assert_int_equal(ls_task_source_values(source, task, values, NULL), LS_OK);
    for (size_t i = 0; i < source->lists_count; i++) {
      strcat(text, i > 0 ? "-" : task > 0 ? " " : "");
      strcat(text, values[i]);
    }
  }
  return text;
}

static enum ls_status read_marked(struct ls_task_source *source, const char *line,
                                  struct ls_error *err) {
  static char copy[512];
  char *words[64];
  size_t count = 0;
  strcpy(copy, line);
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
    words[count++] = word;
  enum ls_status status =
      ls_task_source_add_marked(source, words, count, &(struct ls_source_marks){0}, err);
  return status == LS_OK ? ls_task_source_finish(source, err) : status;
}

static void check(const char *line, bool is_all_linked, const char *expected) {
  struct ls_task_source source = {.is_all_linked = is_all_linked};
  assert_int_equal(read_marked(&source, line, NULL), LS_OK);
  assert_string_equal(tell(&source), expected);
  ls_task_source_close(&source);
}

static char *make_file(const char *content, size_t length) {
  char *path = strdup("/tmp/test-source-XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, content, length), (ssize_t)length);
  close(file);
  return path;
}

static void one_source_gives_its_values(void **state) {
  (void)state;
  check("::: a b c", false, "a b c");
  check("::: a b c", true, "a b c");
}

static void the_last_source_varies_fastest(void **state) {
  (void)state;
  check("::: a b ::: 1 2 3", false, "a-1 a-2 a-3 b-1 b-2 b-3");
  check("::: a b ::: 1 ::: x y", false, "a-1-x a-1-y b-1-x b-1-y");
}

static void linked_sources_go_side_by_side(void **state) {
  (void)state;
  check("::: a b c ::: 1 2 3", true, "a-1 b-2 c-3");
  /* GNU parallel --link starts shorter sources again. */
  check("::: a b c d e ::: 1 2", true, "a-1 b-2 c-1 d-2 e-1");
}

static void a_plus_links_to_the_source_before(void **state) {
  (void)state;
  check("::: a b :::+ 1 2 ::: x y", false, "a-1-x a-1-y b-2-x b-2-y");
  check("::: x y ::: a b :::+ 1 2", false, "x-a-1 x-b-2 y-a-1 y-b-2");
  /* The shortest decides, as in GNU parallel. */
  check("::: a b c :::+ 1 2", false, "a-1 b-2");
}

static void an_empty_source_makes_no_task(void **state) {
  (void)state;
  check("::: a b :::", false, "");
  check("::: a b :::", true, "");
}

static void lines_of_files_are_values(void **state) {
  (void)state;
  static const struct {
    const char *content;
    size_t length;
    bool has_zeros;
    const char *expected;
  } cases[] = {{"a\nb c\n", 6, false, "a b c"},
               {"a\nb", 3, false, "a b"},
               {"", 0, false, ""},
               {"\n\n", 2, false, " "}, /* two empty values */
               {"a\nb\0c\0", 6, true, "a\nb c"},
               {"a\0b", 3, true, "a b"},
               {"\xff\xfe\n", 3, false, "\xff\xfe"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *path = make_file(cases[i].content, cases[i].length);
    static const struct ls_input_form zeros = {.stop_length = 1};
    struct ls_task_source source = {.form = cases[i].has_zeros ? &zeros : NULL};
    assert_int_equal(ls_task_source_add_file(&source, path, false, NULL), LS_OK);
    assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
    assert_string_equal(tell(&source), cases[i].expected);
    ls_task_source_close(&source);
    unlink(path);
    free(path);
  }
}

static void a_zero_byte_in_a_line_is_refused_with_its_place(void **state) {
  (void)state;
  char *path = make_file("a\nb\0c\n", 6);
  struct ls_task_source source = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_task_source_add_file(&source, path, false, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, path));
  assert_non_null(strstr(err.text, "line 2"));
  ls_task_source_close(&source);
  unlink(path);
  free(path);
}

static void bad_marks_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {":::+ a", "::::", "::: a ::::", ":::: /nonexistent/file"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_task_source source = {0};
    struct ls_error err = {0};
    assert_int_equal(read_marked(&source, bad[i], &err), LS_EINVAL);
    assert_true(strlen(err.text) > 0);
    ls_task_source_close(&source);
  }
}

static void standard_input_is_read_once(void **state) {
  (void)state;
  struct ls_task_source source = {.has_read_input = true};
  struct ls_error err = {0};
  assert_int_equal(ls_task_source_add_file(&source, "-", false, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "twice"));
  ls_task_source_close(&source);
}

/* 10 sources of 100 values: more combinations than a unit number can hold. */
static void too_many_combinations_are_refused(void **state) {
  (void)state;
  struct ls_task_source source = {0};
  char *words[100];
  for (int i = 0; i < 100; i++) words[i] = (char *)"x";
  for (int i = 0; i < 10; i++)
    assert_int_equal(ls_task_source_add_words(&source, words, 100, false, NULL), LS_OK);
  struct ls_error err = {0};
  assert_int_equal(ls_task_source_finish(&source, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "10 input sources"));
  /* With an empty source there is nothing to number. */
  assert_int_equal(ls_task_source_add_words(&source, words, 0, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  assert_int_equal(source.tasks, 0);
  ls_task_source_close(&source);
}

static void the_digest_tells_inputs_apart(void **state) {
  (void)state;
  static const char *const lines[] = {"::: a b",       "::: b a",      "::: ab",
                                      "::: a ::: b",   "::: a :::+ b", "::: a b c",
                                      "::: a b ::: c", "::: a ::: b c"};
  enum { LINES = sizeof lines / sizeof *lines };
  uint64_t digests[LINES];
  for (int i = 0; i < LINES; i++) {
    for (int again = 0; again < 2; again++) {
      struct ls_task_source source = {0};
      assert_int_equal(read_marked(&source, lines[i], NULL), LS_OK);
      uint64_t digest = ls_task_source_digest(&source);
      if (again == 1) assert_true(digest == digests[i]);
      digests[i] = digest;
      ls_task_source_close(&source);
    }
    for (int j = 0; j < i; j++) assert_true(digests[i] != digests[j]);
  }
}

/* One offset of 8 bytes each, whose array grows by half, and the lines themselves. */
static void a_million_lines_cost_little_memory(void **state) {
  (void)state;
  char path[] = "/tmp/test-source-XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  assert_non_null(file);
  for (int i = 0; i < 1000000; i++) fprintf(file, "%d\n", i);
  size_t bytes = (size_t)ftell(file);
  fclose(file);
  struct ls_task_source source = {0};
  assert_int_equal(ls_task_source_add_file(&source, path, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  assert_int_equal(source.tasks, 1000000);
  const char *value;
  assert_int_equal(ls_task_source_values(&source, 999999, &value, NULL), LS_OK);
  assert_string_equal(value, "999999");
  assert_true(source.arena.capacity <= bytes * 3 / 2 + 65536);
  assert_true(source.offsets_capacity * sizeof *source.offsets <= 12 * 1000000 + 4096);
  ls_task_source_close(&source);
  unlink(path);
}

static void hosts_get_all_tasks_and_are_not_shown(void **state) {
  (void)state;
  static char a[] = "n1", b[] = "n2";
  char *hosts[] = {a, b};
  struct ls_task_source source = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_task_source_add_words(&source, hosts, 2, false, NULL), LS_OK);
  source.has_hosts = true;
  assert_int_equal(ls_task_source_shown(&source), 0);
  /* Nothing is linked to them. */
  assert_int_equal(read_marked(&source, ":::+ x y", &err), LS_EINVAL);
  assert_int_equal(read_marked(&source, "::: x y ::: 1", NULL), LS_OK);
  assert_int_equal(ls_task_source_shown(&source), 2);
  assert_string_equal(tell(&source), "n1-x-1 n1-y-1 n2-x-1 n2-y-1");
  for (uint64_t task = 0; task < 4; task++)
    assert_int_equal(ls_task_source_sequence(&source, task), task % 2 + 1);
  source.has_hosts = false;
  assert_int_equal(ls_task_source_sequence(&source, 3), 4);
  ls_task_source_close(&source);
}

/* The first file is a source like any other, the others go with it. */
static void files_behind_a_first_plus_are_linked_with_each_other(void **state) {
  (void)state;
  char *one = make_file("a\nb\n", 4), *two = make_file("1\n2\n3\n", 6), line[256];
  snprintf(line, sizeof line, "::::+ %s %s ::: x", one, two);
  check(line, false, "a-1-x b-2-x");
  unlink(one);
  unlink(two);
  free(one);
  free(two);
}

static void other_marks_make_the_usual_ones_text(void **state) {
  (void)state;
  static const struct ls_source_marks marks = {.values = ",,"};
  char *words[] = {
      (char *)",,", (char *)"a", (char *)":::", (char *)",,+", (char *)"1", (char *)"2"};
  struct ls_task_source source = {0};
  assert_true(ls_task_source_is_mark(",,+", &marks) && ls_task_source_is_mark("::::", &marks));
  assert_false(ls_task_source_is_mark(":::", &marks) || ls_task_source_is_mark(",,,", &marks));
  assert_int_equal(ls_task_source_add_marked(&source, words, 6, &marks, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  assert_string_equal(tell(&source), "a-1 :::-2");
  ls_task_source_close(&source);
}

static void forms_cut_end_and_skip_inputs(void **state) {
  (void)state;
  static const struct {
    struct ls_input_form form;
    const char *content, *expected;
  } cases[] = {{{.stop = ", ", .stop_length = 2}, "a, b,c, ", "a b,c"},
               {{.stop = "--", .stop_length = 2}, "a-b--c", "a-b c"},
               {{.last = "EOF"}, "a\nb\nEOF\nc\n", "a b"},
               {{.last = "a"}, "a\nb\n", ""},
               {{.skips_blank = true}, "\na\n \t\nb", "a b"},
               {{.is_csv = true}, "a,\"b\n\"\nc\n", "a,\"b\n\" c"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *path = make_file(cases[i].content, strlen(cases[i].content));
    struct ls_task_source source = {.form = &cases[i].form};
    assert_int_equal(ls_task_source_add_file(&source, path, false, NULL), LS_OK);
    assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
    assert_string_equal(tell(&source), cases[i].expected);
    /* Nothing of what was passed over stays between the values. */
    assert_int_equal(source.arena.length,
                     source.lists[0].count > 0 ? strlen(cases[i].expected) + 1 : 0);
    ls_task_source_close(&source);
    unlink(path);
    free(path);
  }
}

static void headers_are_no_inputs(void **state) {
  (void)state;
  struct ls_task_source source = {.has_header = true};
  assert_int_equal(read_marked(&source, "::: x 1 2 ::: y 3", NULL), LS_OK);
  assert_string_equal(tell(&source), "1-3 2-3");
  assert_string_equal(ls_task_source_header(&source, 0), "x");
  assert_string_equal(ls_task_source_header(&source, 1), "y");
  /* Once, however often tasks are counted. */
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  assert_string_equal(tell(&source), "1-3 2-3");
  ls_task_source_close(&source);
}

static void choose(const char *line, enum ls_choice_rule rule, const char *expected) {
  struct ls_task_source source = {.choice = {.rule = rule}};
  assert_int_equal(read_marked(&source, line, NULL), LS_OK);
  assert_string_equal(tell(&source), expected);
  ls_task_source_close(&source);
}

static void a_choice_leaves_combinations_out(void **state) {
  (void)state;
  choose("::: a b c ::: a b c", LS_CHOICE_ASCENDING, "a-b a-c b-c");
  choose("::: a b ::: a b", LS_CHOICE_UNLIKE, "a-b b-a");
  choose("::: a b :::+ a c ::: b d", LS_CHOICE_UNLIKE, "b-c-d");
  choose("::: a :::", LS_CHOICE_UNLIKE, "");
  choose("::: a ::: a", LS_CHOICE_UNLIKE, "");
}

static void each_host_gets_what_is_chosen(void **state) {
  (void)state;
  char *hosts[] = {(char *)"a", (char *)"b"};
  struct ls_task_source source = {.choice = {.rule = LS_CHOICE_UNLIKE}};
  assert_int_equal(ls_task_source_add_words(&source, hosts, 2, false, NULL), LS_OK);
  source.has_hosts = true;
  assert_int_equal(read_marked(&source, "::: a b ::: a b", NULL), LS_OK);
  assert_string_equal(tell(&source), "a-a-b a-b-a b-a-b b-b-a");
  assert_int_equal(ls_task_source_tasks(&source), 2);
  assert_int_equal(ls_task_source_sequence(&source, 3), 2);
  ls_task_source_close(&source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_behind_a_first_plus_are_linked_with_each_other),
      cmocka_unit_test(other_marks_make_the_usual_ones_text),
      cmocka_unit_test(forms_cut_end_and_skip_inputs),
      cmocka_unit_test(headers_are_no_inputs),
      cmocka_unit_test(a_choice_leaves_combinations_out),
      cmocka_unit_test(each_host_gets_what_is_chosen),
      cmocka_unit_test(hosts_get_all_tasks_and_are_not_shown),
      cmocka_unit_test(one_source_gives_its_values),
      cmocka_unit_test(the_last_source_varies_fastest),
      cmocka_unit_test(linked_sources_go_side_by_side),
      cmocka_unit_test(a_plus_links_to_the_source_before),
      cmocka_unit_test(an_empty_source_makes_no_task),
      cmocka_unit_test(lines_of_files_are_values),
      cmocka_unit_test(a_zero_byte_in_a_line_is_refused_with_its_place),
      cmocka_unit_test(bad_marks_are_refused),
      cmocka_unit_test(standard_input_is_read_once),
      cmocka_unit_test(too_many_combinations_are_refused),
      cmocka_unit_test(the_digest_tells_inputs_apart),
      cmocka_unit_test(a_million_lines_cost_little_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
