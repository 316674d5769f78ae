/* The digest of a scene covers what it includes from its own folders, and from no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scene.h"
#include "support/test_folder.h"

struct place {
  char folder[TEST_FOLDER_BYTES];
  char path[100]; /* of the name asked for last */
};

static const char *name(struct place *place, const char *file) {
  (void)snprintf(place->path, sizeof place->path, "%s/%s", place->folder, file);
  return place->path;
}

static void put(struct place *place, const char *file, const char *text) {
  FILE *out = fopen(name(place, file), "w");
  assert_non_null(out);
  assert_true(fputs(text, out) >= 0);
  assert_int_equal(fclose(out), 0);
}

static int make_place(void **state) {
  struct place *place = calloc(1, sizeof *place);
  assert_non_null(place);
  test_folder_make(place->folder);
  assert_int_equal(mkdir(name(place, "parts"), 0700), 0);
  put(place, "a.pov", "#include \"a.inc\"\n#include \"colors.inc\"");
  put(place, "a.inc", "#include \"a.pov\" #include \"b.inc\" sphere");
  put(place, "parts/b.inc", "box");
  *state = place;
  return 0;
}

static int remove_place(void **state) {
  struct place *place = *state;
  test_folder_remove(place->folder);
  free(place);
  return 0;
}

static struct render_options with_folder(const char *option) {
  struct render_options options;
  render_options_init(&options);
  if (option != NULL) assert_int_equal(render_options_add(&options, option, NULL), LS_OK);
  return options;
}

static uint64_t digest(struct place *place, const char *option) {
  struct render_options options = with_folder(option);
  struct ls_error err = {0};
  uint64_t number = 0;
  if (scene_digest(name(place, "a.pov"), &options, &number, &err) != LS_OK)
    fail_msg("%s", err.text);
  return number;
}

static void digest_changes_with_every_file(void **state) {
  struct place *place = *state;
  uint64_t alone = digest(place, NULL), before = digest(place, "+Lparts");
  assert_true(digest(place, NULL) == alone);
  assert_true(before != alone); /* b.inc is found by the option */
  put(place, "parts/b.inc", "cone");
  assert_true(digest(place, NULL) == alone);
  uint64_t after = digest(place, "+Lparts");
  assert_true(after != before);
  put(place, "a.inc", "#include \"a.pov\" #include \"b.inc\" torus!");
  assert_true(digest(place, NULL) != alone);
  assert_true(digest(place, "+Lparts") != after);
}

static void folders_may_be_absolute(void **state) {
  struct place *place = *state;
  char option[120];
  (void)snprintf(option, sizeof option, "+L%s/parts", place->folder);
  assert_true(digest(place, option) == digest(place, "+Lparts"));
}

static void includes_are_judged_too(void **state) {
  struct place *place = *state;
  struct render_options options = with_folder("+Lparts");
  struct ls_error err = {0};
  uint64_t number = 77;
  put(place, "parts/b.inc", "box\nphotons");
  assert_int_equal(scene_digest(name(place, "a.pov"), &options, &number, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/parts/b.inc:2: photons"));
  assert_int_equal(number, 77);
}

static void absent_scenes_and_folders_are_refused(void **state) {
  struct place *place = *state;
  struct render_options options = with_folder(NULL);
  struct ls_error err = {0};
  uint64_t number;
  assert_int_equal(scene_digest(name(place, "none.pov"), &options, &number, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "none.pov: No such file"));
  assert_int_equal(scene_digest(place->folder, &options, &number, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is a folder"));
  /* povray would not come to its end either. */
  assert_int_equal(scene_digest("/dev/zero", &options, &number, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/dev/zero: is a device"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(digest_changes_with_every_file, make_place, remove_place),
      cmocka_unit_test_setup_teardown(folders_may_be_absolute, make_place, remove_place),
      cmocka_unit_test_setup_teardown(includes_are_judged_too, make_place, remove_place),
      cmocka_unit_test_setup_teardown(absent_scenes_and_folders_are_refused, make_place,
                                      remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
