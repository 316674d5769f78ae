/* html_account.c: from perfectly even work to the makespan, as a waterfall and as a table. */
#include <math.h>

#include "report/page_private.h"
#include "report/text_private.h"

enum { LABEL_WIDTH = 110, STEP_WIDTH = 640, STEP_HEIGHT = 20 };

static bool is_shown(const struct ls_account *happened, const struct ls_account *predicted,
                     size_t part) {
  double most_s = happened->parts_s[part];
  if (predicted != NULL) most_s = fmax(most_s, predicted->parts_s[part]);
  return most_s > 1e-9 * happened->makespan_s && most_s > 0;
}

static void write_row(const struct ls_page *page, const char *label, const char *meaning,
                      double happened_s, const double *predicted_s) {
  double share = 0;
  if (page->timeline->makespan_s > 0) share = 100 * happened_s / page->timeline->makespan_s;
  ls_bytes_append_text(page->out, "<tr>");
  ls_page_cell(page, label);
  ls_page_number(page, happened_s);
  ls_bytes_printf(page->out, "<td data-s=\"%.17g\">%.1f</td>", share, share);
  if (predicted_s != NULL) {
    ls_page_number(page, *predicted_s);
    ls_bytes_printf(page->out, "<td data-s=\"%.17g\">%+.4g</td>", happened_s - *predicted_s,
                    happened_s - *predicted_s);
  }
  ls_page_cell(page, meaning);
  ls_bytes_append_text(page->out, "</tr>\n");
}

static void write_table(const struct ls_page *page, const struct ls_account *happened,
                        const struct ls_account *predicted) {
  ls_bytes_append_text(page->out, "<table><thead><tr><th></th><th>measured, s</th><th>%</th>");
  if (predicted != NULL)
    ls_bytes_append_text(page->out, "<th>predicted, s</th><th>measured &#8722; predicted</th>");
  ls_bytes_append_text(page->out, "<th></th></tr></thead><tbody>\n");
  for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) {
    enum ls_account_part part = (enum ls_account_part)i;
    if (is_shown(happened, predicted, i))
      write_row(page, ls_account_part_label(part), ls_account_part_meaning(part),
                happened->parts_s[i], predicted != NULL ? &predicted->parts_s[i] : NULL);
  }
  ls_bytes_append_text(page->out, "</tbody><tfoot>\n");
  write_row(page, "makespan", "their sum", happened->makespan_s,
            predicted != NULL ? &predicted->makespan_s : NULL);
  ls_bytes_append_text(page->out, "</tfoot></table>\n");
}

/* A bar of the waterfall. */
struct step {
  size_t row;
  double from_s, seconds;
  const char *label, *fill;
};

static void write_step(const struct ls_page *page, const struct step *step) {
  double scale = STEP_WIDTH / page->timeline->makespan_s;
  double x = LABEL_WIDTH + step->from_s * scale, width = fmax(step->seconds * scale, 1);
  size_t base = step->row * STEP_HEIGHT + 13;
  ls_bytes_printf(page->out,
                  "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%s</text><rect x=\"%.1f\" "
                  "y=\"%zu\" width=\"%.1f\" height=\"14\" fill=\"%s\"/><text x=\"%.1f\" y=\"%zu\">",
                  LABEL_WIDTH - 8, base, step->label, x, step->row * STEP_HEIGHT + 2, width,
                  step->fill, x + width + 5, base);
  ls_report_number(step->seconds, page->out);
  ls_bytes_append_text(page->out, " s</text>\n");
}

static void write_waterfall(const struct ls_page *page, const struct ls_account *account) {
  size_t rows = 1, row = 0;
  double from_s = 0;
  if (!(account->makespan_s > 0)) return;
  for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) rows += is_shown(account, NULL, i);
  ls_bytes_printf(page->out,
                  "<svg class=\"waterfall\" viewBox=\"0 0 860 %zu\" role=\"img\" "
                  "aria-label=\"where the makespan went\" font-size=\"12\">\n",
                  rows * STEP_HEIGHT + 4);
  for (size_t i = 0; i < LS_ACCOUNT_PARTS; i++) {
    if (!is_shown(account, NULL, i)) continue;
    bool is_work = i == LS_ACCOUNT_WORK || i == LS_ACCOUNT_LATENCY;
    write_step(page, &(struct step){row++, from_s, account->parts_s[i],
                                    ls_account_part_label((enum ls_account_part)i),
                                    is_work ? "#0072B2" : "#E69F00"});
    from_s += account->parts_s[i];
  }
  write_step(page, &(struct step){row, 0, account->makespan_s, "makespan", "#888"});
  ls_bytes_append_text(page->out, "</svg>\n");
}

void ls_page_account(const struct ls_page *page) {
  const struct ls_comparison *comparison = page->options->comparison;
  const struct ls_account *account = page->options->account, *predicted = NULL;
  if (comparison != NULL && comparison->has_happened) {
    account = &comparison->happened;
    predicted = &comparison->predicted;
  }
  bool has_account = account != NULL && account->workers > 0 && account->makespan_s > 0;
  if (comparison == NULL && !has_account) return;
  ls_bytes_append_text(page->out,
                       "<section id=\"account\"><h2>Where the time went, mean over the workers"
                       "</h2>\n");
  if (comparison != NULL) {
    ls_bytes_append_text(page->out, "<p>Predicted: ");
    ls_report_number(comparison->predicted.makespan_s, page->out);
    ls_bytes_append_text(page->out, " s by ");
    ls_report_xml(comparison->basis, page->out);
    ls_bytes_append_text(page->out, ".</p>\n");
  }
  if (has_account) {
    write_waterfall(page, account);
    write_table(page, account, predicted);
  }
  ls_bytes_append_text(page->out, "</section>\n");
}
