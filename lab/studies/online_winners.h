/* online_winners.h: what the policies reach on the grid of scenarios, where which one wins, and the
 * map of the winners.
 *
 * Shared by the files of the study `online-winners`.
 */
#ifndef LS_LAB_ONLINE_WINNERS_H
#define LS_LAB_ONLINE_WINNERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/statistics.h"
#include "lab/studies/study.h"
#include "lab/studies/trial.h"

enum { LS_WINNERS_MACHINES = 2, LS_WINNERS_DRAWS = 5, LS_WINNERS_ENTRIES = 24 };

struct ls_winners_entry {
  const char *label, *policy;
  const char *parameter, *value; /* beyond what the grid says; NULL: none */
  bool knows_speeds;
  double specified; /* mean makespan over bound with 8 workers; NAN: none */
  double regret;    /* specified largest regret; NAN: none */
};

/* Makespan over bound of each entry, mean over the draws of each platform. */
struct ls_winners_part {
  double ratios[LS_WINNERS_MACHINES][LS_WINNERS_ENTRIES];
};

struct ls_winners {
  size_t workers;
  const bool *is_wanted; /* NULL: all scenarios */
  struct ls_winners_part parts[LS_TRIALS];
};

/* Why most of what is specified is shown and not judged. */
extern const char ls_winners_unknown[];
extern const struct ls_winners_entry ls_winners_entries[LS_WINNERS_ENTRIES];

typedef bool (*ls_winners_is_in_fn)(const struct ls_trial_cell *cell);

bool ls_winners_has(const struct ls_winners *winners, size_t number);
/* Mean over the platforms of a scenario. */
double ls_winners_ratio(const struct ls_winners *winners, size_t number, size_t entry);
/* The best entry of a scenario; without speeds: of those that need to be told none. */
size_t ls_winners_best(const struct ls_winners *winners, size_t number, bool knows_speeds);
/* Mean and deviation of an entry over the scenarios that take part and are in (NULL: all); the mean
 * of none is NAN. */
struct ls_moments ls_winners_mean(const struct ls_winners *winners, size_t entry,
                                  ls_winners_is_in_fn is_in);
/* The fixed rule of `auto`, and what docs/theory/online.md, 9, says of situations; most of it is
 * judged only where all scenarios take part. */
void ls_winners_judge_rule(const struct ls_winners *winners, const struct ls_study_options *options,
                           struct ls_study_report *report);
void ls_winners_judge_situations(const struct ls_winners *winners, struct ls_study_report *report);
/* The winner of every scenario, as tables and as a drawing called `file`. */
void ls_winners_map(const struct ls_winners *winners, bool knows_speeds, const char *file,
                    struct ls_study_report *report);

#endif
