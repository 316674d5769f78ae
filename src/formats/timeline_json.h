/* timeline_json.h: a timeline as JSON, for machines. */
#ifndef LS_FORMATS_TIMELINE_JSON_H
#define LS_FORMATS_TIMELINE_JSON_H

#include "base/bytes.h"
#include "base/linkage.h"
#include "model/account.h"
#include "model/places.h"
#include "model/sizing_course.h"
#include "model/timeline.h"
#include "model/usage.h"

LS_C_BEGIN

struct ls_waits;

/* What is written beside chunks, makespan, efficiency and workers. */
struct ls_timeline_extras {
  bool has_spans, has_notes;
  const struct ls_account *account;       /* NULL: none */
  const struct ls_waits *waits;           /* NULL: none */
  const struct ls_comparison *prediction; /* NULL: none */
  const struct ls_places *places;         /* sorted; NULL: none */
  const struct ls_sizing_course *sizing;  /* NULL: none */
  const struct ls_usage *usage;           /* of all commands; NULL: not known */
};

void ls_timeline_write(const struct ls_timeline *timeline, const struct ls_timeline_extras *extras,
                       struct ls_bytes *out);

LS_C_END

#endif
