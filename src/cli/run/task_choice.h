/* task_choice.h: {choose_k} and {uniq}: which combinations of inputs are tasks. */
#ifndef LS_CLI_RUN_TASK_CHOICE_H
#define LS_CLI_RUN_TASK_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_task_source;

enum ls_choice_rule {
  LS_CHOICE_ALL,
  LS_CHOICE_ASCENDING, /* {choose_k}: the values of a task ascend strictly, byte by byte */
  LS_CHOICE_UNLIKE     /* {uniq}: they all differ */
};

/* {0}: all of them. Hosts have no part in it: each gets what is kept. */
struct ls_task_choice {
  enum ls_choice_rule rule;
  uint64_t *kept; /* combinations, of one host; ascending */
  size_t count, capacity;
  uint64_t combinations; /* of one host */
};

/* Sources that go side by side begin at source `first` and end before `*end`: how many values they
 * have. */
uint64_t ls_task_choice_linked(const struct ls_task_source *source, size_t first, size_t *end);
/* Finds the combinations that are kept, of the source's lists, and counts the tasks (of all
 * hosts). LS_ENOMEM. */
LS_CHECKED enum ls_status ls_task_choice_make(struct ls_task_choice *choice,
                                              const struct ls_task_source *source, uint64_t *tasks,
                                              struct ls_error *err);
/* The combination that is task number `task`. */
uint64_t ls_task_choice_find(const struct ls_task_choice *choice, uint64_t task);
void ls_task_choice_close(struct ls_task_choice *choice);

#endif
