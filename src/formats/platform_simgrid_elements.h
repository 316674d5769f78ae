/* platform_simgrid_elements.h: the parser of SimGrid's XML and what it makes of an element.
 *
 * platform_simgrid_parse.c knows which element may stand where, platform_simgrid_elements.c what
 * each one says.  The first refusal is kept and ends the parsing.
 */
#ifndef LS_FORMATS_PLATFORM_SIMGRID_ELEMENTS_H
#define LS_FORMATS_PLATFORM_SIMGRID_ELEMENTS_H

#include <expat.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "formats/platform_simgrid_private.h"

enum { LS_SIMGRID_DEPTH_MOST = 16 };

enum ls_simgrid_element {
  LS_SIMGRID_NONE,
  LS_SIMGRID_PLATFORM,
  LS_SIMGRID_ZONE,
  LS_SIMGRID_HOST,
  LS_SIMGRID_LINK,
  LS_SIMGRID_ROUTE,
  LS_SIMGRID_LINK_OF_ROUTE,
  LS_SIMGRID_PROPERTY,
  LS_SIMGRID_CONFIG
};

struct ls_simgrid_parsing {
  XML_Parser parser;
  struct ls_simgrid_document *document;
  enum ls_status status;
  struct ls_error *err;
  enum ls_simgrid_element open[LS_SIMGRID_DEPTH_MOST];
  size_t depth;
  bool has_zone, has_sorted_links;
};

/* The line that is parsed. */
size_t ls_simgrid_line(const struct ls_simgrid_parsing *parsing);
/* "SOURCE: line 12: what"; only the first refusal counts. */
void ls_simgrid_refuse(struct ls_simgrid_parsing *parsing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ls_simgrid_lack_memory(struct ls_simgrid_parsing *parsing);

/* Takes an element with its attributes (name, value, ..., NULL) into the document, or refuses;
 * `owner` is the element around it. */
void ls_simgrid_open(struct ls_simgrid_parsing *parsing, enum ls_simgrid_element element,
                     enum ls_simgrid_element owner, const char **given);

#endif
