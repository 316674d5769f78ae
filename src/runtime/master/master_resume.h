/* master_resume.h: units that earlier sessions settled are restored, not computed again.
 */
#ifndef LS_RUNTIME_MASTER_MASTER_RESUME_H
#define LS_RUNTIME_MASTER_MASTER_RESUME_H

#include "base/status.h"
#include "runtime/master/master_open.h"
#include "runtime/master/master_report.h"
#include "runtime/master/sending/deliveries.h"
#include "runtime/master/units/app_iterations.h"

/* Gives the recorded results of a resumed journal to the coordinator, and to the application those
 * that it has to see again; counts them in the report. */
LS_CHECKED enum ls_status ls_master_restore(const struct ls_master_books *books,
                                            struct ls_iterations *iterations,
                                            struct ls_deliveries *deliveries,
                                            struct ls_master_report *report, struct ls_error *err);

#endif
