/* returns_port.h: the best FIFO with one port. */
#ifndef LS_PLANNERS_RETURNS_RETURNS_PORT_H
#define LS_PLANNERS_RETURNS_RETURNS_PORT_H

#include <stdbool.h>

#include "base/status.h"
#include "planners/returns/returns.h"

/* As ls_returns_fifo and ls_returns_fifo_in_order, with one port. */
LS_CHECKED enum ls_status ls_returns_fifo_one_port(const struct ls_returns *returns,
                                                   struct ls_scenario *scenario, bool *is_proven,
                                                   struct ls_error *err);
LS_CHECKED enum ls_status ls_returns_fifo_one_port_in_order(const struct ls_returns *returns,
                                                            struct ls_scenario *scenario,
                                                            struct ls_error *err);

#endif
