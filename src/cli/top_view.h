/* top_view.h: how a run stands, as lines of a terminal: the run above, its workers below. */
#ifndef LS_CLI_TOP_VIEW_H
#define LS_CLI_TOP_VIEW_H

#include <stddef.h>

#include "base/bytes.h"
#include "cli/top_facts.h"

enum ls_top_order { LS_TOP_BY_NUMBER, LS_TOP_BY_AGE, LS_TOP_BY_IDLE, LS_TOP_ORDERS };

struct ls_top_view {
  size_t rows, columns; /* of the terminal; rows 0: as many as it takes */
  size_t first;         /* workers that are scrolled away */
  enum ls_top_order order;
  bool has_colour, is_ascii, wants_help;
};

/* Lines that end in "\n", none wider than the terminal. */
void ls_top_view_write(const struct ls_top_view *view, const struct ls_top_facts *facts,
                       struct ls_bytes *out);
/* One line, for a file. */
void ls_top_view_line(const struct ls_top_facts *facts, struct ls_bytes *out);

#endif
