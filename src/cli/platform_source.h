/* platform_source.h: --platform: a file (JSON, or SimGrid's XML), one line of text, or "-".
 *
 * A word that names no file and holds a bracket is the platform itself, in one line.  The content
 * says what a file is: "{" begins JSON, "<" XML, anything else one line.
 */
#ifndef LS_CLI_PLATFORM_SOURCE_H
#define LS_CLI_PLATFORM_SOURCE_H

#include <argp.h>

#include "base/status.h"
#include "formats/platform_simgrid.h"
#include "model/platform.h"

/* Filled by ls_platform_source_argp, a child parser: its input. Starts as
 * ls_platform_source_default. Borrows the words of the command line. */
struct ls_platform_source {
  const char *text; /* NULL: not given */
  struct ls_simgrid_unit unit;
  uint32_t stage_ahead; /* of the platform, which no file of one tells */
};

struct ls_platform_source ls_platform_source_default(void);
extern const struct argp ls_platform_source_argp;

/* The caller closes the platform. LS_EINVAL: not given, no such file, or a fault in the text. */
LS_CHECKED enum ls_status ls_platform_source_read(const struct ls_platform_source *source,
                                                  struct ls_platform *platform,
                                                  struct ls_error *err);
/* Writes the platform to a file whose name ends in .xml (SimGrid) or not (JSON); "-" is standard
 * output. */
LS_CHECKED enum ls_status ls_platform_source_write(const struct ls_platform *platform,
                                                   const struct ls_simgrid_unit *unit,
                                                   const char *path, struct ls_error *err);

#endif
