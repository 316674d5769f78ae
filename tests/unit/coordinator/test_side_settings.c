/* test_side_settings.c: what workers are told follows from what the coordinator is. */
#include "harness.h"

#include "coordinator/side_settings.h"

static struct ls_coordinator_config make_config(const char *policy) {
  struct ls_coordinator_config config = {.chunking = ls_chunking_find(policy)};
  assert_non_null(config.chunking);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  return config;
}

/* A request for all the room goes with a coordinator that spares newcomers, and only with it. */
static void asking_follows_the_coordinator(void **state) {
  (void)state;
  struct ls_coordinator_config config = make_config("ss");
  assert_int_equal(ls_side_settings_of(&config).asking, LS_ASKING_ONE);
  config.spares_newcomers = true;
  assert_int_equal(ls_side_settings_of(&config).asking, LS_ASKING_ROOM);
  config.chunking = ls_chunking_find("follow-plan");
  assert_int_equal(ls_side_settings_of(&config).asking, LS_ASKING_NOTHING);
}

static void reports_are_for_those_who_listen(void **state) {
  (void)state;
  struct ls_coordinator_config config = make_config("ss");
  config.report_every = 3;
  assert_int_equal(ls_side_settings_of(&config).report_every, 0);
  assert_int_equal(ls_side_settings_of(&config).history, 0);
  config.ordering = ls_ordering_find("average");
  assert_int_equal(ls_side_settings_of(&config).report_every, 3);
  assert_int_equal(ls_side_settings_of(&config).history, UINT64_MAX);
  config = make_config("monitor");
  assert_int_equal(ls_side_settings_of(&config).history, 20);
  config = make_config("ss");
  struct ls_coordinator_choice choice = {.chunking = ls_chunking_find("af")};
  config.choices = &choice;
  config.choices_count = 1;
  assert_true(ls_side_settings_of(&config).history >= 1);
}

static void each_asking_has_its_name(void **state) {
  (void)state;
  assert_string_equal(ls_asking_name(LS_ASKING_ROOM), "room");
  assert_string_equal(ls_asking_name(LS_ASKING_ONE), "one");
  assert_string_equal(ls_asking_name(LS_ASKING_NOTHING), "nothing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asking_follows_the_coordinator),
      cmocka_unit_test(reports_are_for_those_who_listen),
      cmocka_unit_test(each_asking_has_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
