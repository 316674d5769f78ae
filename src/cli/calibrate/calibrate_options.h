/* calibrate_options.h: the command line of `loadstar calibrate`. */
#ifndef LS_CLI_CALIBRATE_OPTIONS_H
#define LS_CLI_CALIBRATE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "calibrate/calibration.h"
#include "cli/calibrate/calibrate_probe.h"
#include "cli/calibrate/calibrate_source.h"
#include "cli/platform_source.h"

enum { LS_CALIBRATE_FILES_MAX = 1024, LS_CALIBRATE_CHECKS_MAX = 64 };

/* Filled by ls_calibrate_options_argp: its input. Starts as ls_calibrate_options_default. Borrows
 * the words of the command line. */
struct ls_calibrate_options {
  const char *files[LS_CALIBRATE_FILES_MAX]; /* with --probe: the words of the command */
  const char *checks[LS_CALIBRATE_CHECKS_MAX];
  size_t files_count, checks_count;
  enum ls_calibrate_form form;
  struct ls_calibration_options calibration;
  struct ls_platform_source platform; /* to check without measurements */
  struct ls_probe_setup probe;        /* but for the command */
  const char *measuring;              /* an option that --probe needs; NULL: none is given */
  bool skips_bad;                     /* lines of job logs */
  bool wants_probe, wants_json, wants_makespans;
  size_t window; /* for the platform, from 1; 0: none is named */
  const char *output, *plot;
};

struct ls_calibrate_options ls_calibrate_options_default(void);
extern const struct argp ls_calibrate_options_argp;

#endif
