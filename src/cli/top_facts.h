/* top_facts.h: how a run stands, from its journal, look after look: what `loadstar top` draws. */
#ifndef LS_CLI_TOP_FACTS_H
#define LS_CLI_TOP_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/past/history_records.h"

enum { LS_TOP_COURSE = 8, LS_TOP_DECISIONS = 3, LS_TOP_NAME_BYTES = 64 };

struct ls_top_worker {
  char name[LS_TOP_NAME_BYTES];
  bool is_there, is_busy;
  bool is_first;  /* nothing ended there before: its age is counted from when it was sent */
  uint64_t task;  /* at work, from 1 */
  double age_s;   /* of that */
  uint64_t tasks; /* done */
  double seconds; /* on these, and on those that failed */
  double present_s;
  double course[LS_TOP_COURSE]; /* its busy share of late, the last one up to now */
};

/* Starts as {0}; what it knows is kept between looks. */
struct ls_top_facts {
  struct ls_history_records records;
  char command[256], state[24];
  uint64_t units, done, failed, abandoned;
  double now_s, p90_s; /* 9 of 10 tasks took at most so long; 0: not known */
  double rate;         /* done a second of late */
  size_t present, busy;
  struct ls_history_decision latest[LS_TOP_DECISIONS]; /* the last one first */
  size_t latest_count;
  struct ls_top_worker *workers;
  size_t workers_count, workers_capacity;
};

LS_CHECKED enum ls_status ls_top_facts_look(struct ls_top_facts *facts, const char *path,
                                            struct ls_error *err);
void ls_top_facts_close(struct ls_top_facts *facts);

#endif
