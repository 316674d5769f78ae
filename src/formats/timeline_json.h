/* timeline_json.h: a timeline as JSON, for machines. */
#ifndef LS_FORMATS_TIMELINE_JSON_H
#define LS_FORMATS_TIMELINE_JSON_H

#include "base/bytes.h"
#include "base/linkage.h"
#include "model/timeline.h"

LS_C_BEGIN

/* Writes chunks, makespan, efficiency, workers; spans and notes only
 * when asked for. */
void ls_timeline_write(const struct ls_timeline *timeline, int with_spans, int with_notes,
                       struct ls_bytes *out);

LS_C_END

#endif
