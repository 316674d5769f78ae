/* One run of povray, played by small programs of a shell: what it is told, what comes of its
 * pictures, and in which words it fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "povray.h"
#include "support/test_folder.h"

struct place {
  char folder[TEST_FOLDER_BYTES];
  char program[80], scene[80];
  struct render_options options;
};

static int make_place(void **state) {
  struct place *place = calloc(1, sizeof *place);
  assert_non_null(place);
  test_folder_make(place->folder);
  (void)snprintf(place->program, sizeof place->program, "%s/povray", place->folder);
  (void)snprintf(place->scene, sizeof place->scene, "%s/a b.pov", place->folder);
  render_options_init(&place->options);
  *state = place;
  return 0;
}

static int remove_place(void **state) {
  struct place *place = *state;
  test_folder_remove(place->folder);
  free(place);
  return 0;
}

/* Renders rows 1 and 2 of 4, of 2 pixels each, by these lines of a shell. */
static enum ls_status render(struct place *place, const char *lines, struct ls_bytes *pixels,
                             struct ls_error *err) {
  FILE *file = fopen(place->program, "w");
  assert_non_null(file);
  assert_true(fprintf(file, "#!/bin/sh\n%s\n", lines) > 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(place->program, 0700), 0);
  struct povray_job job = {.program = place->program,
                           .scene = place->scene,
                           .options = &place->options,
                           .size = {2, 4},
                           .clock = 0.25,
                           .rows = {1, 2}};
  return povray_render(&job, pixels, err);
}

static void rows_are_cut_out(void **state) {
  struct ls_bytes pixels = {0};
  struct ls_error err = {0};
  enum ls_status status =
      render(*state, "printf 'P6\\n# now\\n2 4\\n255\\naaaaaabbbbbbccccccdddddd'", &pixels, &err);
  if (status != LS_OK) fail_msg("%s", err.text);
  assert_string_equal(ls_bytes_text(&pixels), "bbbbbbcccccc");
  ls_bytes_close(&pixels);
}

/* Its folder is the scene's, its input empty; names stand in quotes. */
static void povray_is_told_all(void **state) {
  struct place *place = *state;
  struct ls_bytes pixels = {0};
  struct ls_error err = {0};
  char expected[LS_ERROR_TEXT_BYTES];
  assert_int_equal(render_options_add(&place->options, "+Lin c", NULL), LS_OK);
  enum ls_status status =
      render(place, "cat; shift 4; echo \"$PWD $*\" | cut -c1-250 >&2; exit 3", &pixels, &err);
  assert_int_equal(status, LS_EIO);
  (void)snprintf(expected, sizeof expected,
                 "povray ends with exit status 3: %s +L\"in c\" +I\"a b.pov\" +W2 +H4 +SR2 +ER3 "
                 "+K0.250000000000000 +O- +FP -D -V -P -GD -GR -GS -GW +GF +WT1 -C",
                 place->folder);
  assert_string_equal(err.text, expected);
  ls_bytes_close(&pixels);
}

static void a_whole_frame_has_no_rows(void **state) {
  struct place *place = *state;
  struct ls_bytes pixels = {0};
  assert_int_equal(
      render(place, "case \"$*\" in *+SR*) exit 1; esac; printf 'P6 1 1 255 abc'", &pixels, NULL),
      LS_EIO);
  struct povray_job job = {.program = place->program,
                           .scene = place->scene,
                           .options = &place->options,
                           .size = {1, 1},
                           .rows = {0, 1}};
  assert_int_equal(povray_render(&job, &pixels, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&pixels), "abc");
  ls_bytes_close(&pixels);
}

static void failures_have_words(void **state) {
  static const char *const cases[][2] = {
      {"echo 'Parse Error: x' >&2; echo y >&2; exit 1", "exit status 1: Parse Error: x"},
      {"exit 9", "povray ends with exit status 9: it said nothing"},
      {"kill -TERM $$", "povray was ended by signal 15"},
      {"exit 0", "povray's picture: not a binary picture in colour"},
      {"printf 'P6 2 4 255 aaaaaabbbbbbccccc'", "povray's picture ends within rows 1 to 2"},
      {"printf 'P6 4 2 255 aaaaaabbbbbbccccccdddddd'", "4 x 2 pixels up to 255, expected 2 x 4"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_bytes pixels = {0};
    struct ls_error err = {0};
    assert_int_not_equal(render(*state, cases[i][0], &pixels, &err), LS_OK);
    if (strstr(err.text, cases[i][1]) == NULL) fail_msg("'%s': %s", cases[i][0], err.text);
    ls_bytes_close(&pixels);
  }
}

static void what_cannot_start_says_so(void **state) {
  struct place *place = *state;
  struct ls_bytes pixels = {0};
  struct ls_error err = {0};
  assert_int_equal(render(place, "exit 0", &pixels, NULL), LS_EINVAL);
  (void)snprintf(place->scene, sizeof place->scene, "%s/none/a.pov", place->folder);
  assert_int_equal(render(place, "exit 0", &pixels, &err), LS_EIO);
  assert_non_null(strstr(err.text, "exit status 127: No such file or directory"));
  ls_bytes_close(&pixels);
}

static void programs_are_looked_up(void **state) {
  const struct place *place = *state;
  struct ls_error err = {0};
  char *path = NULL;
  assert_int_equal(povray_find("sh", &path, &err), LS_OK);
  assert_int_equal(path[0], '/');
  free(path);
  assert_int_equal(povray_find("/bin/sh", &path, &err), LS_OK);
  free(path);
  assert_int_equal(povray_find("no-such-program", &path, &err), LS_EIO);
  assert_non_null(strstr(err.text, "no-such-program: no such program; Debian's package povray"));
  assert_int_equal(povray_find(place->folder, &path, &err), LS_EIO);
  assert_int_equal(povray_find("", &path, &err), LS_EIO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_are_cut_out, make_place, remove_place),
      cmocka_unit_test_setup_teardown(povray_is_told_all, make_place, remove_place),
      cmocka_unit_test_setup_teardown(a_whole_frame_has_no_rows, make_place, remove_place),
      cmocka_unit_test_setup_teardown(failures_have_words, make_place, remove_place),
      cmocka_unit_test_setup_teardown(what_cannot_start_says_so, make_place, remove_place),
      cmocka_unit_test_setup_teardown(programs_are_looked_up, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
