/* calibrate_text.h: a calibration for people, and for machines. */
#ifndef LS_CLI_CALIBRATE_TEXT_H
#define LS_CLI_CALIBRATE_TEXT_H

#include "base/bytes.h"
#include "calibrate/calibration.h"
#include "cli/calibrate/calibrate_probe.h"
#include "cli/calibrate/calibrate_source.h"

/* What was read and what came of it. Borrowed. */
struct ls_calibrate_result {
  const struct ls_calibrate_sources *sources;
  size_t files;     /* 0: they were measured just now */
  double tolerance; /* NAN: none was given */
  const struct ls_calibration *calibration;
  const char *no_platform;            /* why there is none; NULL: there is one */
  const struct ls_probe_setup *probe; /* by which it was measured just now; NULL: it was not */
};

void ls_calibrate_write_text(const struct ls_calibrate_result *result, struct ls_bytes *out);
/* What stands beside the laws, as JSON text; NULL: there is none. Borrowed. */
struct ls_calibrate_parts {
  const char *platform, *roads; /* objects */
  const char *checks;           /* items of a list */
};
/* An object. */
void ls_calibrate_write_json(const struct ls_calibrate_result *result,
                             const struct ls_calibrate_parts *parts, struct ls_bytes *out);

#endif
