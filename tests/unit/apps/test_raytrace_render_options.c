/* Which options of povray are taken, and with which of them strips would not fit together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "render_options.h"

static void options_are_taken_by_their_form(void **state) {
  (void)state;
  static const char *const good[] = {
      "+A",  "+A0.3", "+a.5",  "-A",  "-A0.2",  "+AM1",       "+am2",        "+R4",
      "-J",  "+J",    "+J1.0", "+Q5", "+MV3.7", "+MB",        "-MB",         "+MB10",
      "+UL", "-UL",   "+UV",   "-uv", "+Lhere", "+L/a b/c-1", "Declare=N=3", "declare=_n2=-0.5"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct render_options options;
    render_options_init(&options);
    struct ls_error err = {0};
    if (render_options_add(&options, good[i], &err) != LS_OK) fail_msg("%s: %s", good[i], err.text);
    assert_int_equal(options.count, 5);
    assert_string_equal(options.items[4], good[i]);
  }
}

static void other_options_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "A",
                                    "+",
                                    "+O-",
                                    "+Oout.png",
                                    "+FN",
                                    "+W640",
                                    "-H480",
                                    "+SR3",
                                    "+ER4",
                                    "+K0.5",
                                    "+KFF30",
                                    "+Iother",
                                    "scene",
                                    "+WT4",
                                    "-D",
                                    "+AM",
                                    "-AM2",
                                    "+AMx",
                                    "+A0,3",
                                    "+A1x",
                                    "+A.",
                                    "+AG2",
                                    "+R",
                                    "-R3",
                                    "+RP2",
                                    "+Q",
                                    "+L",
                                    "-Lhere",
                                    "+La\"b",
                                    "+UL1",
                                    "+MV",
                                    "Declare",
                                    "Declare=",
                                    "Declare=N",
                                    "Declare=N=",
                                    "Declare=N=x",
                                    "Declare=3=3",
                                    "Declare==3",
                                    "Radiosity=on",
                                    "Output_To_File=off"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct render_options options;
    render_options_init(&options);
    struct ls_error err = {0};
    if (render_options_add(&options, bad[i], &err) != LS_EINVAL) fail_msg("'%s' is taken", bad[i]);
    assert_non_null(strstr(err.text, "--option is '"));
    assert_non_null(strstr(err.text, bad[i]));
    assert_int_equal(options.count, 4);
  }
}

/* The later one of two holds, as in povray. */
static void seams_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *options[3];
    const char *refusal; /* NULL: none */
  } cases[] = {
      {{NULL}, NULL},
      {{"-A"}, NULL},
      {{"+AM1"}, "+AM1"},
      {{"+AM3"}, "+AM1"},
      {{"+AM1", "+AM2"}, NULL},
      {{"+AM1", "-A"}, NULL},
      {{"-A", "+AM1", "+A0.1"}, "+AM1"},
      {{"+J"}, "+J"},
      {{"+J0.5", "-J"}, NULL},
      {{"+J", "-A"}, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct render_options options;
    struct ls_error err = {0};
    render_options_init(&options);
    for (size_t j = 0; j < 3 && cases[i].options[j] != NULL; j++) {
      assert_int_equal(render_options_add(&options, cases[i].options[j], NULL), LS_OK);
    }
    enum ls_status status = render_options_check(&options, &err);
    assert_int_equal(status, cases[i].refusal == NULL ? LS_OK : LS_EINVAL);
    if (cases[i].refusal != NULL) assert_non_null(strstr(err.text, cases[i].refusal));
  }
}

static void there_is_an_end_to_options(void **state) {
  (void)state;
  struct render_options options;
  struct ls_error err = {0};
  render_options_init(&options);
  while (options.count < RENDER_OPTIONS_MAX) {
    assert_int_equal(render_options_add(&options, "+UL", NULL), LS_OK);
  }
  assert_int_equal(render_options_add(&options, "+UV", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "one too many, expected at most 60"));
}

static void folders_are_told(void **state) {
  (void)state;
  assert_string_equal(render_options_folder("+Lhere"), "here");
  assert_string_equal(render_options_folder("+l/there"), "/there");
  assert_null(render_options_folder("+UL"));
  assert_null(render_options_folder("+A0.2"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_are_taken_by_their_form),
      cmocka_unit_test(other_options_are_refused),
      cmocka_unit_test(seams_are_refused),
      cmocka_unit_test(there_is_an_end_to_options),
      cmocka_unit_test(folders_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
