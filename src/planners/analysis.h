/* analysis.h: what a theory says of a platform and a load, without a plan.
 *
 * One file per analysis, one line each in analyses.h.  An analysis writes findings: a name, a value
 * and a word on what it is; people read them as lines, machines as one JSON object.
 */
#ifndef LS_PLANNERS_ANALYSIS_H
#define LS_PLANNERS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "planners/planner.h"

/* Starts as {0}; the caller closes both. A failure to write is kept by the bytes. */
struct ls_findings {
  struct ls_bytes lines; /* "name  value  meaning" */
  struct ls_bytes json;  /* members, without the braces */
};

void ls_findings_close(struct ls_findings *findings);
void ls_findings_number(struct ls_findings *findings, const char *name, double value,
                        const char *meaning);
void ls_findings_flag(struct ls_findings *findings, const char *name, bool flag,
                      const char *meaning);
void ls_findings_text(struct ls_findings *findings, const char *name, const char *text,
                      const char *meaning);
/* Worker numbers in some order. */
void ls_findings_list(struct ls_findings *findings, const char *name, const uint32_t *items,
                      size_t count, const char *meaning);

/* Numbers, by worker or in some order. */
void ls_findings_numbers(struct ls_findings *findings, const char *name, const double *values,
                         size_t count, const char *meaning);
/* What is neither: `json` for machines, `text` for people. */
void ls_findings_json(struct ls_findings *findings, const char *name, const char *json,
                      const char *text, const char *meaning);

struct ls_analysis {
  const char *name;                      /* "bounds" */
  const char *summary;                   /* one line */
  const char *reference;                 /* key in docs/references.bib, with equations */
  const struct ls_parameter *parameters; /* as a planner's; NULL: none */
  bool needs_load;                       /* says nothing without a load */
  bool knows_stage;                      /* covers workers that read their own input */
  /* As a planner's; NULL: always. */
  bool (*applicable)(const struct ls_planner_setup *setup, struct ls_planner_reason *why);
  enum ls_status (*analyse)(const struct ls_planner_setup *setup, struct ls_findings *findings,
                            struct ls_error *err);
};

extern const struct ls_analysis *const ls_analyses[]; /* NULL-terminated; analyses.h */
const struct ls_analysis *ls_analysis_find(const char *name);
/* Analyses a platform and, where the analysis needs one, a load > 0. A theory that does not cover
 * them is told in `why`, whose text is else empty. LS_EINVAL: the platform or the load is wrong. */
LS_CHECKED enum ls_status ls_analysis_run(const struct ls_analysis *analysis,
                                          const struct ls_planner_setup *setup,
                                          struct ls_findings *findings,
                                          struct ls_planner_reason *why, struct ls_error *err);

#endif
