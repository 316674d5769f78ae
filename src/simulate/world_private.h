/* world_private.h: the readers of the arguments of a world. */
#ifndef LS_SIMULATE_WORLD_PRIVATE_H
#define LS_SIMULATE_WORLD_PRIVATE_H

#include "simulate/world.h"

/* world_policies.c: by name, with arguments behind a colon. */
enum ls_status ls_world_choose_policy(struct ls_world *world, const char *text,
                                      struct ls_error *err);
/* Of an advice; the arguments of `*choice` are to be closed. */
enum ls_status ls_world_choose_advised(const char *text, struct ls_coordinator_choice *choice,
                                       struct ls_error *err);
enum ls_status ls_world_choose_order(struct ls_world *world, const char *text,
                                     struct ls_error *err);
enum ls_status ls_world_choose_sizing(struct ls_world *world, const char *text,
                                      struct ls_error *err);
enum ls_status ls_world_choose_replication(struct ls_world *world, const char *text,
                                           struct ls_error *err);
/* The extra workers of a replication that chooses them, where none are told. */
void ls_world_keep_extra(struct ls_world *world);

/* world_read.c: each reads what stands at `place` into the world. */
enum ls_status ls_world_read_work(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err);
enum ls_status ls_world_read_times(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err);
enum ls_status ls_world_read_workload(struct ls_world *world, const struct ls_json *place,
                                      struct ls_error *err);
enum ls_status ls_world_read_leave(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err);
enum ls_status ls_world_read_depart(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err);
enum ls_status ls_world_read_join(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err);
enum ls_status ls_world_read_pauses(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err);
enum ls_status ls_world_read_availability(struct ls_world *world, const struct ls_json *place,
                                          struct ls_error *err);
enum ls_status ls_world_read_pattern(struct ls_world *world, const struct ls_json *place,
                                     struct ls_error *err);
enum ls_status ls_world_read_reclaim(struct ls_world *world, const struct ls_json *place,
                                     struct ls_error *err);
enum ls_status ls_world_read_grant(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err);
enum ls_status ls_world_read_idle(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err);
/* world_needs.c */
enum ls_status ls_world_read_labels(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err);
enum ls_status ls_world_read_needs(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err);
void ls_world_close_needs(struct ls_world *world);
/* world_outside.c */
enum ls_status ls_world_read_additions(struct ls_world *world, const struct ls_json *place,
                                       struct ls_error *err);
enum ls_status ls_world_read_advice(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err);
enum ls_status ls_world_read_stop(struct ls_world *world, const struct ls_json *place,
                                  struct ls_error *err);
/* Reads a word of the list `names` (ended by NULL) into its index. */
enum ls_status ls_world_read_word(const struct ls_json *place, const char *const *names,
                                  size_t *index, struct ls_error *err);

#endif
