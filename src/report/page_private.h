/* page_private.h: the parts of the page, in their order; each is whole without script.
 *
 * Everything that comes from outside is escaped where it is written: in text by ls_report_xml, in
 * the data by ls_page_string.
 */
#ifndef LS_REPORT_PAGE_PRIVATE_H
#define LS_REPORT_PAGE_PRIVATE_H

#include "report/report.h"

struct ls_page {
  const struct ls_timeline *timeline;
  const struct ls_report_options *options;
  struct ls_bytes *out;
  const char *noun; /* "task" or "unit" */
};

/* html_outcome.c: 1 and 2. */
void ls_page_outcome(const struct ls_page *page);
void ls_page_failures(const struct ls_page *page);
/* html_account.c: 3. */
void ls_page_account(const struct ls_page *page);
/* html_workers.c: 8. */
void ls_page_workers(const struct ls_page *page);
/* html_data.c: what the script draws 4 to 7 of. */
void ls_page_data(const struct ls_page *page);

/* html_cells.c: a cell of text, one of a number with all its digits in an attribute. */
void ls_page_cell(const struct ls_page *page, const char *text);
void ls_page_number(const struct ls_page *page, double number);
/* A string of JSON that cannot end the element that it stands in. */
void ls_page_string(const char *text, size_t bytes_max, struct ls_bytes *out);

#endif
