/* account_text.c: where a makespan went, as a table for people; and a prediction beside it. */
#include <math.h>

#include "report/report.h"
#include "report/text_private.h"

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
    ls_bytes_printf(out, "  %-10s %10.4g s %5.1f %%  %s\n", ls_account_part_label(part), seconds,
                    100 * seconds / account->makespan_s, ls_account_part_meaning(part));
  }
}

static void write_row(const char *label, double predicted, double happened, struct ls_bytes *out) {
  double difference = happened - predicted;
  ls_bytes_printf(out, "  %-10s %11.4g %11.4g %+11.4g", label, predicted, happened,
                  is_nothing(difference, fmax(predicted, happened)) ? 0 : difference);
}

void ls_report_comparison(const struct ls_comparison *comparison, struct ls_bytes *out) {
  const struct ls_account *predicted = &comparison->predicted, *happened = &comparison->happened;
  double most_s = fmax(predicted->makespan_s, happened->makespan_s);
  ls_bytes_printf(out, "%-10s ", "predicted");
  ls_report_number(predicted->makespan_s, out);
  ls_bytes_append_text(out, " s by ");
  ls_report_clean(comparison->basis, false, 0, out);
  if (!comparison->has_happened) {
    ls_bytes_append_char(out, '\n');
    return;
  }
  ls_bytes_printf(out, "; mean over the workers:\n  %-10s %11s %11s %11s\n", "", "predicted s",
                  "happened s", "difference");
  write_row("makespan", predicted->makespan_s, happened->makespan_s, out);
  if (predicted->makespan_s > 0)
    ls_bytes_printf(out, "  %+.1f %%", 100 * (happened->makespan_s / predicted->makespan_s - 1));
  ls_bytes_append_char(out, '\n');
  for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) {
    enum ls_account_part part = (enum ls_account_part)i;
    double before_s = predicted->parts_s[part], after_s = happened->parts_s[part];
    if (is_nothing(before_s, most_s) && is_nothing(after_s, most_s)) continue;
    write_row(ls_account_part_label(part), before_s, after_s, out);
    ls_bytes_printf(out, "  %s\n", ls_account_part_meaning(part));
  }
}

/* Waits for inputs are told from this part of the makespan on. */
static const double WAITS_LEAST = 0.01;

static const char *describe_port(enum ls_links links) {
  if (links == LS_LINKS_SHARED) return "inputs of others travelled: the uplink is shared";
  if (links == LS_LINKS_SEPARATE) return "inputs of others travelled, over links of their own";
  return "inputs of others travelled";
}

static void write_wait(const char *label, double seconds, double makespan_s, const char *cause,
                       struct ls_bytes *out) {
  if (is_nothing(seconds, makespan_s)) return;
  ls_bytes_printf(out, "  %-10s %10.4g s %5.1f %%  %s\n", label, seconds,
                  100 * seconds / makespan_s, cause);
}

void ls_report_waits(const struct ls_waits *waits, const struct ls_timeline *timeline,
                     struct ls_bytes *out) {
  double makespan_s = timeline->makespan_s;
  struct ls_bytes own = {0};
  if (!(waits->own_s + waits->port_s >= WAITS_LEAST * makespan_s) || !(makespan_s > 0)) return;
  ls_bytes_append_text(&own, "it travelled");
  if (waits->has_slow) {
    ls_bytes_append_text(&own, "; slow link of ");
    ls_report_clean(timeline->workers[waits->slow].name, false, 0, &own);
    ls_bytes_printf(&own, ": %.2g of the others' rate", waits->slow_rate);
  }
  ls_bytes_append_text(out, "of the start-up and the port waits:\n");
  write_wait("own input", waits->own_s, makespan_s, ls_bytes_text(&own), out);
  write_wait("the port", waits->port_s, makespan_s, describe_port(waits->links), out);
  write_wait("otherwise", waits->other_s, makespan_s, "nothing travelled for it", out);
  out->failed |= own.failed;
  ls_bytes_close(&own);
}
