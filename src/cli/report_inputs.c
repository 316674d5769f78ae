#include "cli/report_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { SOURCES_MAX = 64 };

static enum ls_status on_inputs(void *context, const struct ls_journal_inputs *rows) {
  struct ls_report_inputs *inputs = context;
  void *sources = inputs->sources;
  if (rows->source >= SOURCES_MAX) return LS_OK;
  enum ls_status status = ls_array_reserve(&sources, &inputs->capacity, (size_t)rows->source + 1,
                                           sizeof *inputs->sources);
  inputs->sources = sources;
  if (status != LS_OK) return status;
  while (inputs->count <= rows->source)
    inputs->sources[inputs->count++] = (struct ls_report_input_source){0};
  struct ls_report_input_source *source = &inputs->sources[rows->source];
  void *begins = source->begins;
  source->is_linked = rows->is_linked;
  status = ls_array_reserve(&begins, &source->capacity, source->count + (size_t)rows->count,
                            sizeof *source->begins);
  source->begins = begins;
  if (status != LS_OK) return status;
  size_t at = 0;
  for (uint64_t i = 0; i < rows->count && at < rows->length; i++) {
    source->begins[source->count++] = source->text.length + at;
    at += strnlen(rows->text + at, rows->length - at) + 1;
  }
  ls_bytes_append(&source->text, rows->text, rows->length);
  return source->text.failed ? LS_ENOMEM : LS_OK;
}

enum ls_status ls_report_inputs_read(struct ls_journal *journal, struct ls_report_inputs *inputs,
                                     struct ls_error *err) {
  struct ls_bytes form = {0};
  size_t count = 0;
  enum ls_status status = ls_journal_read_words(journal, LS_JOURNAL_FORM, &form, &count, err);
  bool is_plain =
      count > 0 && (ls_bytes_text(&form)[0] == '\0' || strcmp(ls_bytes_text(&form), "--link") == 0);
  ls_bytes_close(&form);
  if (status != LS_OK || !is_plain) return status;
  status = ls_journal_each_inputs(journal, on_inputs, inputs, err);
  if (status == LS_ENOMEM) return ls_fail(err, status, "no memory for the inputs");
  return status;
}

/* The last source changes fastest; one that is linked has the place of the one before it. */
void ls_report_inputs_write(const struct ls_report_inputs *inputs, uint64_t task,
                            struct ls_bytes *out) {
  uint64_t left = task - 1, places[SOURCES_MAX];
  if (inputs->count == 0 || task == 0) return;
  for (size_t last = inputs->count; last > 0;) {
    size_t first = last - 1, most = inputs->sources[first].count;
    while (first > 0 && inputs->sources[first].is_linked) {
      first--;
      if (inputs->sources[first].count > most) most = inputs->sources[first].count;
    }
    if (most == 0) return;
    for (size_t i = first; i < last; i++)
      places[i] = inputs->sources[i].count > 0 ? left % most % inputs->sources[i].count : 0;
    left /= most;
    last = first;
  }
  if (left > 0) return;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct ls_report_input_source *source = &inputs->sources[i];
    if (i > 0) ls_bytes_append_char(out, ' ');
    if (source->count > 0)
      ls_bytes_append_text(out, ls_bytes_text(&source->text) + source->begins[places[i]]);
  }
}

void ls_report_inputs_close(struct ls_report_inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++) {
    ls_bytes_close(&inputs->sources[i].text);
    free(inputs->sources[i].begins);
  }
  free(inputs->sources);
  *inputs = (struct ls_report_inputs){0};
}
