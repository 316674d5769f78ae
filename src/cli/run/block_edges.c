#include "cli/run/block_edges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ls_status compile(const char *field, const char *text, struct ls_pattern **out,
                              struct ls_error *err) {
  const struct ls_pattern_traits traits = {.is_binary = true};
  return text[0] == '\0' ? LS_OK : ls_pattern_compile(field, text, traits, out, err);
}

enum ls_status ls_block_edges_compile(struct ls_block_edges *edges, struct ls_error *err) {
  const char *end = ls_bytes_text(&edges->end), *start = ls_bytes_text(&edges->start);
  enum ls_status status = compile("--recend", end, &edges->end_match, err);
  if (status == LS_OK) status = compile("--recstart", start, &edges->start_match, err);
  if (status != LS_OK || edges->end.length + edges->start.length == 0) return status;
  char *both = NULL;
  int length = edges->end.length == 0     ? asprintf(&both, "(?=%s)", start)
               : edges->start.length == 0 ? asprintf(&both, "(?:%s)", end)
                                          : asprintf(&both, "(?:%s)(?=%s)", end, start);
  if (length < 0) return ls_fail(err, LS_ENOMEM, "out of memory for --regexp");
  status = compile("--recend and --recstart", both, &edges->edge, err);
  free(both);
  return status;
}

/* The end of a match is the edge; one of no bytes at `from` is that of the record before. */
static size_t find_edge(void *context, const char *data, size_t length, size_t from, bool is_end) {
  struct ls_block_edges *edges = context;
  const struct ls_subject subject = {data, length};
  struct ls_match match = {.is_found = false};
  enum ls_status status = ls_pattern_find(edges->edge, subject, from, &match, &edges->failure);
  while (status == LS_OK && match.is_found && match.end <= from)
    status = ls_pattern_find_next(edges->edge, subject, &match, &edges->failure);
  if (status != LS_OK || !match.is_found) return LS_RECORD_NONE;
  bool is_certain = is_end || length - match.end >= LS_BLOCK_EDGE_BYTES;
  return is_certain ? match.end : LS_RECORD_NONE;
}

/* A row of CSV ends at a line end outside of quotes. */
static size_t find_row_end(void *context, const char *data, size_t length, size_t from,
                           bool is_end) {
  const struct ls_block_edges *edges = context;
  struct ls_input_search search = {0};
  size_t row = 0;
  (void)is_end;
  bool is_whole = ls_input_form_cut(edges->rows, data + from, length - from, &search, &row);
  return is_whole ? from + row + 1 : LS_RECORD_NONE;
}

struct ls_records ls_block_edges_records(struct ls_block_edges *edges) {
  if (edges->rows != NULL) return (struct ls_records){.find = find_row_end, .context = edges};
  if (edges->edge != NULL) return (struct ls_records){.find = find_edge, .context = edges};
  return (struct ls_records){.end = ls_bytes_text(&edges->end),
                             .end_length = edges->end.length,
                             .start = ls_bytes_text(&edges->start),
                             .start_length = edges->start.length};
}

/* The matches of one kind, one after the other. */
struct seeker {
  struct ls_pattern *pattern; /* NULL: the text is sought */
  const struct ls_bytes *text;
  struct ls_subject subject;
  struct ls_match match;
};

/* The first match at `from` or behind it; one of no bytes has nothing to remove. */
static enum ls_status seek(struct seeker *seeker, size_t from, struct ls_error *err) {
  const struct ls_subject *subject = &seeker->subject;
  const struct ls_bytes *text = seeker->text;
  struct ls_match *match = &seeker->match;
  *match = (struct ls_match){.is_found = false};
  if (seeker->pattern != NULL) {
    enum ls_status status = ls_pattern_find(seeker->pattern, *subject, from, match, err);
    while (status == LS_OK && match->is_found && match->end == match->begin)
      status = ls_pattern_find_next(seeker->pattern, *subject, match, err);
    return status;
  }
  if (text->length == 0) return LS_OK;
  const char *found =
      memmem(subject->data + from, subject->length - from, text->data, text->length);
  if (found == NULL) return LS_OK;
  match->is_found = true;
  match->begin = (size_t)(found - subject->data);
  match->end = match->begin + text->length;
  return LS_OK;
}

enum ls_status ls_block_edges_remove(struct ls_block_edges *edges, const char *data, size_t length,
                                     struct ls_bytes *out, struct ls_error *err) {
  const struct ls_subject subject = {data, length};
  struct seeker end = {edges->end_match, &edges->end, subject, {.is_found = false}};
  struct seeker start = {edges->start_match, &edges->start, subject, {.is_found = false}};
  enum ls_status status = seek(&end, 0, err);
  if (status == LS_OK) status = seek(&start, 0, err);
  for (size_t at = 0; at < length && status == LS_OK;) {
    const struct ls_match *a = &end.match, *b = &start.match;
    const struct ls_match first = a->is_found && (!b->is_found || a->begin <= b->begin) ? *a : *b;
    ls_bytes_append(out, data + at, (first.is_found ? first.begin : length) - at);
    at = first.is_found ? first.end : length;
    if (a->is_found && a->begin < at) status = seek(&end, at, err);
    if (status == LS_OK && b->is_found && b->begin < at) status = seek(&start, at, err);
  }
  if (status != LS_OK || !out->failed) return status;
  return ls_fail(err, LS_ENOMEM, "out of memory for --rrs");
}

void ls_block_edges_close(struct ls_block_edges *edges) {
  ls_pattern_close(edges->edge);
  ls_pattern_close(edges->end_match);
  ls_pattern_close(edges->start_match);
  ls_bytes_close(&edges->end);
  ls_bytes_close(&edges->start);
  *edges = (struct ls_block_edges){0};
}
