/* sizing_text.c: the workers of each iteration, as a table. */
#include "model/sizing_course.h"
#include "report/report.h"

/* Of more iterations a table shows so many, the first, the last, and some in between. */
enum { ROWS_MAX = 25 };

static void write_row(const struct ls_sizing_row *row, struct ls_bytes *out) {
  ls_bytes_printf(out, "  %9u %7llu %7llu %8llu %8.2f %9.4g %6.1f%% %9.4g", row->iteration + 1,
                  (unsigned long long)row->units, (unsigned long long)row->wanted,
                  (unsigned long long)row->granted, row->present, row->seconds,
                  100 * row->efficiency, row->efficiency > 0 ? row->seconds / row->efficiency : 0);
  if (row->asp > 0) ls_bytes_printf(out, " %6.4g", row->asp);
  if (row->asp > 0 && row->ideal_from > 0)
    ls_bytes_printf(out, "  %zu-%zu", row->ideal_from, row->ideal_to);
  ls_bytes_append_char(out, '\n');
}

void ls_report_sizing(const struct ls_sizing_course *course, struct ls_bytes *out) {
  size_t shown = course->count < ROWS_MAX ? course->count : ROWS_MAX;
  ls_bytes_printf(out, "  %9s %7s %7s %8s %8s %9s %7s %9s %6s  %s\n", "iteration", "units",
                  "wanted", "granted", "present", "time s", "effic.", "EER s", "asp", "ideal");
  for (size_t i = 0; i < shown; i++) {
    size_t row = shown > 1 ? i * (course->count - 1) / (shown - 1) : 0;
    write_row(&course->rows[row], out);
  }
  if (shown < course->count)
    ls_bytes_printf(out, "  (%zu of %zu iterations; --json has all)\n", shown, course->count);
}
