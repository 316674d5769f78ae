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

struct ls_records ls_block_edges_records(struct ls_block_edges *edges) {
  if (edges->edge != NULL) return (struct ls_records){.find = find_edge, .context = edges};
  return (struct ls_records){.end = ls_bytes_text(&edges->end),
                             .end_length = edges->end.length,
                             .start = ls_bytes_text(&edges->start),
                             .start_length = edges->start.length};
}

/* The first match of one kind at `from` or behind it. */
static enum ls_status find_match(struct ls_pattern *pattern, const struct ls_bytes *text,
                                 struct ls_subject subject, size_t from, struct ls_match *match,
                                 struct ls_error *err) {
  *match = (struct ls_match){.is_found = false};
  if (pattern != NULL) {
    enum ls_status status = ls_pattern_find(pattern, subject, from, match, err);
    while (status == LS_OK && match->is_found && match->end == match->begin)
      status = ls_pattern_find_next(pattern, subject, match, err);
    return status;
  }
  if (text->length == 0) return LS_OK;
  const char *found = memmem(subject.data + from, subject.length - from, text->data, text->length);
  if (found == NULL) return LS_OK;
  size_t begin = (size_t)(found - subject.data);
  *match = (struct ls_match){.is_found = true, .begin = begin, .end = begin + text->length};
  return LS_OK;
}

enum ls_status ls_block_edges_remove(struct ls_block_edges *edges, const char *data, size_t length,
                                     struct ls_bytes *out, struct ls_error *err) {
  const struct ls_subject subject = {data, length};
  struct ls_pattern *const patterns[] = {edges->end_match, edges->start_match};
  const struct ls_bytes *const texts[] = {&edges->end, &edges->start};
  struct ls_match next[2] = {{.is_found = true}, {.is_found = true}};
  size_t at = 0;
  while (at < length) {
    for (int i = 0; i < 2; i++) {
      if (!next[i].is_found || (next[i].begin >= at && next[i].end > 0)) continue;
      enum ls_status status = find_match(patterns[i], texts[i], subject, at, &next[i], err);
      if (status != LS_OK) return status;
    }
    bool is_first = next[0].is_found && (!next[1].is_found || next[0].begin <= next[1].begin);
    const struct ls_match *match = is_first ? &next[0] : &next[1];
    size_t stop = match->is_found ? match->begin : length;
    ls_bytes_append(out, data + at, stop - at);
    at = match->is_found ? match->end : length;
  }
  return out->failed ? ls_fail(err, LS_ENOMEM, "out of memory for --rrs") : LS_OK;
}

void ls_block_edges_close(struct ls_block_edges *edges) {
  ls_pattern_close(edges->edge);
  ls_pattern_close(edges->end_match);
  ls_pattern_close(edges->start_match);
  ls_bytes_close(&edges->end);
  ls_bytes_close(&edges->start);
  *edges = (struct ls_block_edges){0};
}
