/* study.h: the published experiments, one command each: `loadstar study NAME`.
 *
 * A study is a function that computes figures and tells a report which of them are published and
 * how near ours must come.  One file per study (or family of figures of one paper), one line in
 * list.h.  The report collects text and figures; the command line prints and writes them.
 */
#ifndef LS_STUDIES_STUDY_H
#define LS_STUDIES_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/parameter.h"
#include "base/status.h"

struct ls_study_options {
  uint64_t sample; /* how many cases of a grid; 0: all (or the study's own number) */
  uint64_t seed;
  size_t processes;              /* >= 1; the result does not depend on it */
  struct ls_arguments arguments; /* by the study's own parameters */
};

struct ls_study_report;

struct ls_study {
  const char *name;                      /* "umr-table2" */
  const char *summary;                   /* one line */
  const char *reference;                 /* key in docs/references.bib, with table or figure */
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none */
  enum ls_status (*run)(const struct ls_study_options *options, struct ls_study_report *report,
                        struct ls_error *err);
};

extern const struct ls_study *const ls_studies[]; /* NULL-terminated; list.h */
const struct ls_study *ls_study_find(const char *name);

/* ---- the report: filled by a study, read by the command line ---- */

/* A published value beside ours. NAN in `published`: there is none, for information only; NAN in
 * `tolerance`: shown, not judged. */
struct ls_study_figure {
  char *name;
  double published, ours, tolerance; /* absolute */
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
/* Adds a figure; whether it is within the tolerance (true where nothing is judged). */
bool ls_study_compare(struct ls_study_report *report, const char *name, double published,
                      double ours, double tolerance);
/* Takes over the bytes of a drawing. */
void ls_study_draw(struct ls_study_report *report, const char *name, struct ls_bytes *svg);
bool ls_study_figure_is_judged(const struct ls_study_figure *figure);
/* Within its tolerance? A value of ours that is no number never is. */
bool ls_study_figure_is_met(const struct ls_study_figure *figure);
/* How many judged figures miss their tolerance. */
size_t ls_study_missed(const struct ls_study_report *report);

#endif
