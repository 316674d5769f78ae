/* bundle_options.h: the options of `loadstar run` that put several inputs into one command. */
#ifndef LS_CLI_RUN_BUNDLE_OPTIONS_H
#define LS_CLI_RUN_BUNDLE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/parameter.h"
#include "base/status.h"
#include "cli/run/template.h"
#include "protocol/bundle.h"

struct ls_bundle_options {
  enum ls_many many;  /* LS_MANY_NONE: an input per command */
  uint64_t group;     /* inputs of a command, as the user says; 0: as many as the policy says */
  const char *fills;  /* the option that leaves their number to the policy; NULL: none */
  const char *groups; /* the one that says it; NULL: none */
  const char *clash;  /* another one that does; NULL: none */
  uint64_t records, lines; /* -N, -L, as data in blocks understand them; 0: not given */
  bool has_none;           /* -N 0 */
  bool is_filled;          /* -X fills command lines, whatever the policy */
  bool fills_lines;        /* each command line is as long as it can be */
  bool spreads_rest;       /* but what would be in the last one is shared by the workers */
  /* Inputs of each of those lines, the last number for all that follow; owned. None before the
   * inputs are known. */
  struct ls_argument_list line_units;
  struct ls_bundling tasks; /* units_max 0: tasks are single units */
};

struct ls_run_options;

/* For command lines only; ends in {0}. */
extern const struct argp_option ls_bundle_options_table[];

/* Of other dialects only. */
extern const struct argp_option ls_bundle_dialect_table[];

/* Is it a key of these tables? */
bool ls_bundle_options_has(int key);
/* One option; LS_EINVAL. */
LS_CHECKED enum ls_status ls_bundle_options_read(struct ls_bundle_options *options, int key,
                                                 const char *text, struct ls_error *err);
/* Joins what was said, and takes the policy `given` for lines that are filled, where none was
 * given. LS_EINVAL: an option needs or excludes another one. */
LS_CHECKED enum ls_status ls_bundle_options_check(struct ls_run_options *options,
                                                  struct ls_error *err);
void ls_bundle_options_close(struct ls_bundle_options *options);

#endif
