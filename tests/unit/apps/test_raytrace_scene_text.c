/* What a scene includes, and the words by which its strips would not fit together: with file and
 * line, and not in comments, strings and longer words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "scene_text.h"

static enum ls_status scan(const char *text, struct ls_bytes *includes, struct ls_error *err) {
  return scene_scan(&(struct ls_text){text, strlen(text), "a.pov"}, includes, err);
}

static void assert_refused(const char *text, const char *words) {
  struct ls_bytes includes = {0};
  struct ls_error err = {0};
  assert_int_equal(scan(text, &includes, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s': %s", text, err.text);
  ls_bytes_close(&includes);
}

/* `names` are those of all includes, each with a comma behind it. */
static void assert_includes(const char *text, const char *names) {
  struct ls_bytes includes = {0};
  struct ls_error err = {0};
  if (scan(text, &includes, &err) != LS_OK) fail_msg("'%s': %s", text, err.text);
  for (size_t i = 0; i < includes.length; i++) {
    if (includes.data[i] == '\0') includes.data[i] = ',';
  }
  assert_string_equal(ls_bytes_text(&includes), names);
  ls_bytes_close(&includes);
}

static void words_are_refused_with_their_line(void **state) {
  (void)state;
  assert_refused("radiosity", "raytrace: a.pov:1: radiosity: its samples depend on");
  assert_refused("global_settings {\n  photons{count 20}\n}", "a.pov:2: photons: ");
  assert_refused("area_light x,z,3,3\r\n\njitter", "a.pov:3: jitter: its random numbers");
  assert_refused("/* one\n * two */ \"three\n\" photons", "a.pov:3: photons");
  assert_refused("#include \"x.inc\"radiosity{", "a.pov:1: radiosity");
}

static void other_words_are_none_of_them(void **state) {
  (void)state;
  assert_includes("// radiosity\n", "");
  assert_includes("/* photons /* jitter */ radiosity */ sphere", "");
  assert_includes("\"radiosity \\\" photons\"", "");
  assert_includes("radiosity_settings my_photons jitters photons2 Radiosity", "");
  assert_includes("/* never ends photons", "");
  assert_includes("\"never ends photons \\", "");
  assert_includes("", "");
}

static void includes_are_found(void **state) {
  (void)state;
  assert_includes("#include \"a.inc\"", "a.inc,");
  assert_includes("#include\"a.inc\" # include /* why */ \"b/c d.inc\"", "a.inc,b/c d.inc,");
  assert_includes("#\ninclude // why\n \"a.inc\"", "a.inc,");
  /* Names that the scene computes, and strings that are no names. */
  assert_includes("#include concat(\"a\", \".inc\")", "");
  assert_includes("include \"a\" #declare X = \"b\"; #include \"\" #include (\"c\")", "");
  assert_includes("#include #\"a\"", "");
  assert_includes("#include \"a", "a,");
}

static void a_name_with_zero_is_none(void **state) {
  (void)state;
  struct ls_bytes includes = {0};
  static const char text[] = "#include \"a\0b\"";
  assert_int_equal(scene_scan(&(struct ls_text){text, sizeof text - 1, "a.pov"}, &includes, NULL),
                   LS_OK);
  assert_int_equal(includes.length, 0);
  ls_bytes_close(&includes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_refused_with_their_line),
      cmocka_unit_test(other_words_are_none_of_them),
      cmocka_unit_test(includes_are_found),
      cmocka_unit_test(a_name_with_zero_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
