/* Policies are chosen by name, with arguments behind a colon. */
#include "world_fixture.h"

static double read_parameter(const struct ls_simulation *setup, const char *name) {
  return ls_arguments_get(&setup->config.arguments, setup->config.chunking->parameters, name);
}

static void words_behind_the_colon_are_arguments(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "tss:9,last_units=3,rounding=real", "{}", 0);
  assert_int_equal(fixture.status, LS_OK);
  assert_near(read_parameter(&fixture.world.setup, "first_units"), 9, 0);
  assert_near(read_parameter(&fixture.world.setup, "last_units"), 3, 0);
  close_world(&fixture);
}

static void orders_sizings_and_replications_have_names_too(void **state) {
  (void)state;
  struct world_fixture fixture;
  open_world(&fixture, "ss",
             "{\"order\": \"average\", \"sizing\": \"asp\", \"replication\": \"none\"}", 0);
  assert_int_equal(fixture.status, LS_OK);
  assert_string_equal(fixture.world.setup.config.ordering->name, "average");
  assert_string_equal(fixture.world.setup.config.sizing->name, "asp");
  assert_string_equal(fixture.world.setup.config.replication->name, "none");
  close_world(&fixture);
}

static void unknown_names_and_words_are_refused(void **state) {
  (void)state;
  assert_world_refused("guided", "{}", "policy is 'guided', expected one of: ss");
  assert_world_refused("ss:1", "{}", "policy ss takes no argument");
  assert_world_refused("gss:none", "{}", "policy gss");
  assert_world_refused("gss:least=1", "{}", "least");
  assert_world_refused("ss", "{\"order\": \"backwards\"}", "order is 'backwards'");
  assert_world_refused("ss", "{\"sizing\": \"large\"}", "sizing is 'large'");
  assert_world_refused("ss", "{\"replication\": \"twice\"}", "replication is 'twice'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_behind_the_colon_are_arguments),
      cmocka_unit_test(orders_sizings_and_replications_have_names_too),
      cmocka_unit_test(unknown_names_and_words_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
