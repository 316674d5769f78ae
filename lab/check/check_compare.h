/* check_compare.h: holds what was got against what a record of a vector file expects.
 *
 * The rules are those of the format loadstar-vectors-1: numbers within a tolerance that is relative
 * and absolute below 1; `at_least` and `at_most` judge the main figure only; a field named in
 * `free` is one choice among equals and need only be feasible; names that end in _of_reference and
 * their kin are information; names that end in _at_least, _at_most and _sum are limits.
 */
#ifndef LS_LAB_CHECK_COMPARE_H
#define LS_LAB_CHECK_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum ls_check_mode { LS_CHECK_EXACT, LS_CHECK_AT_LEAST, LS_CHECK_AT_MOST };

struct ls_check_rules {
  enum ls_check_mode mode;
  double tolerance;
  double load;          /* units; 0: the record has none */
  size_t workers_count; /* 0: the record has no platform */
  const json_t *free;   /* list of names; NULL: none */
};

/* Compares `got` with the object `expect`; appends a sentence to the JSON list `faults` for each
 * field that is not met. False: memory ran out. */
bool ls_check_compare(const struct ls_check_rules *rules, const json_t *expect, const json_t *got,
                      json_t *faults);
/* The field as an evaluator gave it: at the top of `got`, else in its "parameters"; NULL: none. */
const json_t *ls_check_find(const json_t *got, const char *name);

#endif
