/* study.h: the published experiments, one command each: `loadstar-lab study NAME`.
 *
 * A study is a function that computes figures and tells a report which of them are published and
 * how near ours must come.  One file per study (or family of figures of one paper), one line in
 * list.h.  The report collects text and figures; the command line prints and writes them.
 */
#ifndef LS_LAB_STUDY_H
#define LS_LAB_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/parameter.h"
#include "base/status.h"

struct ls_study_options {
  uint64_t sample; /* how many cases of a grid; 0: all (or the study's own number) */
  uint64_t seed;
  size_t processes;               /* >= 1; the result does not depend on it */
  struct ls_arguments arguments;  /* by the study's own parameters */
  const struct ls_json *measured; /* what real runs gave, see side_by_side.h; NULL: not told */
};

struct ls_study_report;

struct ls_study {
  const char *name;                      /* "umr-table2" */
  const char *summary;                   /* one line */
  const char *reference;                 /* key in docs/references.bib, with table or figure */
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none */
  bool takes_measured;                   /* looks at what real runs gave */
  enum ls_status (*run)(const struct ls_study_options *options, struct ls_study_report *report,
                        struct ls_error *err);
};

extern const struct ls_study *const ls_studies[]; /* NULL-terminated; list.h */
const struct ls_study *ls_study_find(const char *name);

/* ---- the report: filled by a study, read by the command line ---- */

/* Whose a value is that stands beside ours. */
enum ls_study_origin {
  LS_STUDY_NOBODYS,    /* there is none: ours is shown alone */
  LS_STUDY_PRINTED,    /* the source prints it, as a number or in words that hold (1) or not (0) */
  LS_STUDY_RECOMPUTED, /* an independent computation by the source's formulas gives it */
  LS_STUDY_SPECIFIED,  /* the project's own specification asks for it */
  LS_STUDY_ORIGINS
};
extern const char *const ls_study_origin_names[LS_STUDY_ORIGINS]; /* "", "printed", ... */

enum ls_study_relation { LS_STUDY_NEAR, LS_STUDY_AT_MOST, LS_STUDY_AT_LEAST };

/* The value that ours is held against; made by the functions below. */
struct ls_study_expected {
  enum ls_study_origin origin;
  enum ls_study_relation relation;
  double value;        /* NAN: there is none */
  double tolerance;    /* absolute */
  const char *why_not; /* borrowed: why the value is shown and not judged; NULL: it is judged */
};

struct ls_study_figure {
  char *name;
  struct ls_study_expected expected;
  double ours;
};

struct ls_study_drawing {
  char *name; /* "umr-fig9.svg" */
  struct ls_bytes svg;
};

struct ls_study_report {
  struct ls_bytes text; /* tables for people */
  struct ls_study_figure *figures;
  size_t figures_count, figures_capacity;
  struct ls_study_drawing *drawings;
  size_t drawings_count, drawings_capacity;
  struct ls_error failure; /* sticky: out of memory */
};

void ls_study_report_close(struct ls_study_report *report);
void ls_study_print(struct ls_study_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Near `value`. A tolerance that is no number, as small samples make it, judges nothing and says
 * so. */
struct ls_study_expected ls_study_near(enum ls_study_origin origin, double value, double tolerance);
struct ls_study_expected ls_study_at_most(enum ls_study_origin origin, double value);
struct ls_study_expected ls_study_at_least(enum ls_study_origin origin, double value);
/* Shown beside ours and not judged; `why_not` outlives the report. */
struct ls_study_expected ls_study_unjudged(enum ls_study_origin origin, double value,
                                           const char *why_not);
/* `expected` where `is_judged`, else shown for the reason that too few cases take part. */
struct ls_study_expected ls_study_judged_if(bool is_judged, struct ls_study_expected expected);
/* Adds a figure; whether it meets what is expected (true where nothing is judged). */
bool ls_study_compare(struct ls_study_report *report, const char *name,
                      struct ls_study_expected expected, double ours);
/* Adds a figure that only we have. */
void ls_study_show(struct ls_study_report *report, const char *name, double ours);
/* Takes over the bytes of a drawing. */
void ls_study_draw(struct ls_study_report *report, const char *name, struct ls_bytes *svg);
bool ls_study_figure_is_judged(const struct ls_study_figure *figure);
/* As near, as small or as large as expected? A value of ours that is no number never is. */
bool ls_study_figure_is_met(const struct ls_study_figure *figure);
/* How many judged figures miss what is expected. */
size_t ls_study_missed(const struct ls_study_report *report);

#endif
