/* account_text.c: where a makespan went, as a table for people; and a prediction beside it. */
#include <math.h>

#include "report/report.h"

/* Rounding leaves a trace where there is nothing. */
static bool is_nothing(double seconds, double makespan_s) {
  return !(fabs(seconds) > 1e-9 * fmax(1, makespan_s));
}

void ls_report_account(const struct ls_account *account, struct ls_bytes *out) {
  if (!(account->workers > 0) || !(account->makespan_s > 0)) return;
  ls_bytes_printf(out, "where it went, mean over the workers:\n");
  for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) {
    enum ls_account_part part = (enum ls_account_part)i;
    double seconds = account->parts_s[part];
    if (is_nothing(seconds, account->makespan_s)) continue;
    ls_bytes_printf(out, "  %-10s %10.6g s %5.1f %%  %s\n", ls_account_part_label(part), seconds,
                    100 * seconds / account->makespan_s, ls_account_part_meaning(part));
  }
}

static void write_row(const char *label, double predicted, double happened, struct ls_bytes *out) {
  double difference = predicted - happened;
  ls_bytes_printf(out, "  %-10s %11.5g %11.5g %+11.4g", label, predicted, happened,
                  is_nothing(difference, fmax(predicted, happened)) ? 0 : difference);
}

void ls_report_comparison(const struct ls_comparison *comparison, struct ls_bytes *out) {
  const struct ls_account *predicted = &comparison->predicted, *happened = &comparison->happened;
  double most_s = fmax(predicted->makespan_s, happened->makespan_s);
  ls_bytes_printf(out, "%-10s %.6g s by %s", "predicted", predicted->makespan_s, comparison->basis);
  if (!comparison->has_happened) {
    ls_bytes_append_char(out, '\n');
    return;
  }
  ls_bytes_printf(out, "; mean over the workers:\n  %-10s %11s %11s %11s\n", "", "predicted s",
                  "happened s", "difference");
  write_row("makespan", predicted->makespan_s, happened->makespan_s, out);
  if (happened->makespan_s > 0)
    ls_bytes_printf(out, "  %+.1f %%", 100 * (predicted->makespan_s / happened->makespan_s - 1));
  ls_bytes_append_char(out, '\n');
  for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) {
    enum ls_account_part part = (enum ls_account_part)i;
    double before_s = predicted->parts_s[part], after_s = happened->parts_s[part];
    if (is_nothing(before_s, most_s) && is_nothing(after_s, most_s)) continue;
    write_row(ls_account_part_label(part), before_s, after_s, out);
    ls_bytes_printf(out, "  %s\n", ls_account_part_meaning(part));
  }
}
