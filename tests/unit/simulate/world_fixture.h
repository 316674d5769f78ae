/* world_fixture.h: a world from a policy and the text of its arguments. */
#ifndef TESTS_UNIT_SIMULATE_WORLD_FIXTURE_H
#define TESTS_UNIT_SIMULATE_WORLD_FIXTURE_H

#include "support.h"

#include <jansson.h>

#include "simulate/world.h"

struct world_fixture {
  struct ls_platform platform;
  struct ls_world world;
  struct ls_error err;
  enum ls_status status;
};

/* Four workers that need 1, 2, 3, 4 s for a unit; 20 units. `arguments` in JSON. */
static inline void open_world(struct world_fixture *fixture, const char *policy,
                              const char *arguments, uint64_t seed) {
  json_t *document = NULL;
  *fixture = (struct world_fixture){0};
  open_platform(&fixture->platform, 4);
  for (size_t i = 0; i < 4; i++)
    fixture->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = (double)(i + 1);
  if (ls_json_parse((struct ls_text){arguments, strlen(arguments), "arguments"}, &document,
                    &fixture->err) != LS_OK)
    fail_msg("%s", fixture->err.text);
  struct ls_world_request request = {.platform = &fixture->platform,
                                     .units = 20,
                                     .policy = policy,
                                     .arguments = ls_json_top(document, "arguments"),
                                     .has_seed = seed > 0,
                                     .seed = seed};
  fixture->status = ls_world_open(&fixture->world, &request, &fixture->err);
  json_decref(document);
}

static inline void close_world(struct world_fixture *fixture) {
  if (fixture->status == LS_OK) ls_world_close(&fixture->world);
  ls_platform_close(&fixture->platform);
}

static inline void assert_world_refused(const char *policy, const char *arguments,
                                        const char *part) {
  struct world_fixture fixture;
  open_world(&fixture, policy, arguments, 0);
  assert_int_equal(fixture.status, LS_EINVAL);
  if (!strstr(fixture.err.text, part))
    fail_msg("\"%s\" does not contain \"%s\"", fixture.err.text, part);
  close_world(&fixture);
}

#endif
