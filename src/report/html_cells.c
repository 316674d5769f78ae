/* html_cells.c: the cells of the page's tables; every text in them is escaped. */
#include "report/page_private.h"
#include "report/text_private.h"

void ls_page_cell(const struct ls_page *page, const char *text) {
  ls_bytes_append_text(page->out, "<td>");
  ls_report_xml(text, page->out);
  ls_bytes_append_text(page->out, "</td>");
}

void ls_page_number(const struct ls_page *page, double number) {
  ls_bytes_printf(page->out, "<td data-s=\"%.17g\">", number);
  ls_report_number(number, page->out);
  ls_bytes_append_text(page->out, "</td>");
}
