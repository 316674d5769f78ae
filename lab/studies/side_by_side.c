#include "lab/studies/side_by_side.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMN_BYTES = 16, MEASURED_BYTES = LS_STUDY_BESIDE_NAME_BYTES + 16 };

enum ls_status ls_study_beside_read(const struct ls_json *place, struct ls_study_beside *rows,
                                    size_t count, struct ls_error *err) {
  const char *names[LS_STUDY_BESIDE_MOST + 1] = {NULL};
  assert(count <= LS_STUDY_BESIDE_MOST);
  for (size_t i = 0; i < count; i++) {
    names[i] = rows[i].name;
    rows[i].measured = (double)NAN;
  }
  if (place == NULL) return LS_OK;
  enum ls_status status = ls_json_object(place, names, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json member = ls_json_member(place, rows[i].name);
    if (member.value == NULL) continue;
    status = ls_json_real(&member, -DBL_MAX, DBL_MAX, &rows[i].measured, err);
  }
  return status;
}

static void write_column(double value, char text[COLUMN_BYTES]) {
  (void)snprintf(text, COLUMN_BYTES, isnan(value) ? "-" : "%.4g", value);
}

static void print_rows(const struct ls_study_beside *rows, size_t count,
                       struct ls_study_report *report) {
  int widest = 0;
  for (size_t i = 0; i < count; i++) {
    int length = (int)strlen(rows[i].name);
    if (length > widest) widest = length;
  }
  ls_study_print(report, "%-*s %9s %9s %9s\n", widest, "", "printed", "expected", "measured");
  for (size_t i = 0; i < count; i++) {
    char printed[COLUMN_BYTES], expected[COLUMN_BYTES], measured[COLUMN_BYTES];
    write_column(rows[i].printed, printed);
    write_column(rows[i].expected, expected);
    write_column(rows[i].measured, measured);
    ls_study_print(report, "%-*s %9s %9s %9s\n", widest, rows[i].name, printed, expected, measured);
  }
}

void ls_study_beside_report(const struct ls_study_beside *rows, size_t count, const char *why_not,
                            struct ls_study_report *report) {
  print_rows(rows, count, report);
  for (size_t i = 0; i < count; i++) {
    const struct ls_study_beside *row = &rows[i];
    char name[MEASURED_BYTES];
    if (isnan(row->specified) && isnan(row->printed))
      ls_study_show(report, row->name, row->expected);
    if (!isnan(row->specified))
      ls_study_compare(report, row->name,
                       ls_study_near(LS_STUDY_SPECIFIED, row->specified, row->near), row->expected);
    if (!isnan(row->printed))
      ls_study_compare(report, row->name,
                       ls_study_unjudged(LS_STUDY_PRINTED, row->printed, why_not), row->expected);
    if (isnan(row->measured) || isnan(row->tolerance)) continue;
    (void)snprintf(name, sizeof name, "%s, measured", row->name);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_RECOMPUTED, row->expected, row->tolerance),
                     row->measured);
  }
}
