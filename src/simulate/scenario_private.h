/* scenario_private.h: the readers of the arguments of a scenario. */
#ifndef LS_SIMULATE_SCENARIO_PRIVATE_H
#define LS_SIMULATE_SCENARIO_PRIVATE_H

#include "simulate/scenario.h"

/* The number of numbers in setup.task_work: of all iterations. */
uint64_t ls_scenario_tasks(const struct ls_scenario *scenario);

/* scenario_policies.c: by name, with arguments behind a colon. */
enum ls_status ls_scenario_choose_policy(struct ls_scenario *scenario, const char *text,
                                         struct ls_error *err);
enum ls_status ls_scenario_choose_order(struct ls_scenario *scenario, const char *text,
                                        struct ls_error *err);
enum ls_status ls_scenario_choose_sizing(struct ls_scenario *scenario, const char *text,
                                         struct ls_error *err);
enum ls_status ls_scenario_choose_replication(struct ls_scenario *scenario, const char *text,
                                              struct ls_error *err);

/* scenario_world.c: each reads what stands at `place` into the scenario. */
enum ls_status ls_scenario_read_work(struct ls_scenario *scenario, const struct ls_json *place,
                                     struct ls_error *err);
enum ls_status ls_scenario_read_times(struct ls_scenario *scenario, const struct ls_json *place,
                                      struct ls_error *err);
enum ls_status ls_scenario_read_workload(struct ls_scenario *scenario, const struct ls_json *place,
                                         struct ls_error *err);
enum ls_status ls_scenario_read_leave(struct ls_scenario *scenario, const struct ls_json *place,
                                      struct ls_error *err);
enum ls_status ls_scenario_read_join(struct ls_scenario *scenario, const struct ls_json *place,
                                     struct ls_error *err);
enum ls_status ls_scenario_read_pauses(struct ls_scenario *scenario, const struct ls_json *place,
                                       struct ls_error *err);
enum ls_status ls_scenario_read_availability(struct ls_scenario *scenario,
                                             const struct ls_json *place, struct ls_error *err);
enum ls_status ls_scenario_read_pattern(struct ls_scenario *scenario, const struct ls_json *place,
                                        struct ls_error *err);
enum ls_status ls_scenario_read_reclaim(struct ls_scenario *scenario, const struct ls_json *place,
                                        struct ls_error *err);
enum ls_status ls_scenario_read_grant(struct ls_scenario *scenario, const struct ls_json *place,
                                      struct ls_error *err);
/* Reads a word of the list `names` (ended by NULL) into its index. */
enum ls_status ls_scenario_read_word(const struct ls_json *place, const char *const *names,
                                     size_t *index, struct ls_error *err);

#endif
