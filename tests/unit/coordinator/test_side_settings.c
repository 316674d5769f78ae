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
  /* Sums are enough for it. */
  assert_int_equal(ls_side_settings_of(&config).history, 0);
}

static void somebody_listens_where_a_policy_hears_or_tasks_are_learnt(void **state) {
  (void)state;
  struct ls_coordinator_config config = make_config("ss");
  assert_false(ls_side_has_listeners(&config));
  config.replication = ls_replication_find("gain");
  assert_true(ls_side_has_listeners(&config) && ls_side_is_learning(&config));
  config = make_config("af");
  assert_true(ls_side_has_listeners(&config) && !ls_side_is_learning(&config));
  config = make_config("ss");
  struct ls_coordinator_choice choice = {.chunking = ls_chunking_find("af")};
  config.choices = &choice;
  config.choices_count = 1;
  assert_true(ls_side_has_listeners(&config));
}

static void set(struct ls_arguments *arguments, const char *policy, const char *name,
                const char *value) {
  const struct ls_parameter *parameters = ls_chunking_find(policy)->parameters;
  ls_arguments_init(arguments, parameters);
  assert_int_equal(ls_arguments_set(arguments, parameters, name, value, NULL), LS_OK);
}

/* Workers are told once: so they tell as often as any policy wants that advice may change to. */
static void workers_tell_as_often_as_any_choice_wants(void **state) {
  (void)state;
  struct ls_coordinator_config config = make_config("monitor");
  struct ls_coordinator_choice choices[] = {{.chunking = ls_chunking_find("ss")},
                                            {.chunking = ls_chunking_find("monitor")},
                                            {.chunking = ls_chunking_find("monitor")}};
  config.choices = choices;
  config.choices_count = 3;
  set(&config.arguments, "monitor", "report_every", "6");
  set(&choices[1].arguments, "monitor", "report_every", "4");
  set(&choices[2].arguments, "monitor", "report_every", "9");
  assert_int_equal(ls_side_settings_of(&config).report_every, 4);
  set(&choices[1].arguments, "monitor", "report_every", "0");
  assert_int_equal(ls_side_settings_of(&config).report_every, 6);
  config.report_every = 7;
  assert_int_equal(ls_side_settings_of(&config).report_every, 7);
}

/* Whom to recall from depends on how far each is. */
static void recalls_hear_reports_that_no_policy_does(void **state) {
  (void)state;
  struct ls_coordinator_config config = make_config("sc");
  config.report_every = 3;
  assert_int_equal(ls_side_settings_of(&config).report_every, 0);
  config.recalls = true;
  assert_int_equal(ls_side_settings_of(&config).report_every, 3);
  config.report_every = 0;
  assert_int_equal(ls_side_settings_of(&config).report_every, 0);
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
      cmocka_unit_test(somebody_listens_where_a_policy_hears_or_tasks_are_learnt),
      cmocka_unit_test(workers_tell_as_often_as_any_choice_wants),
      cmocka_unit_test(recalls_hear_reports_that_no_policy_does),
      cmocka_unit_test(each_asking_has_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
