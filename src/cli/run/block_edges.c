#include "cli/run/block_edges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ls_status compile(const char *field, const char *text, struct ls_pattern **out,
                              struct ls_error *err) {
  const struct ls_pattern_traits traits = {.is_binary = true};
  return text[0] == '\0' ? LS_OK : ls_pattern_compile(field, text, traits, out, err);
}

static enum ls_status compile_parts(const char *const parts[5], struct ls_pattern **out,
                                    struct ls_error *err) {
  char *text = NULL;
  if (asprintf(&text, "%s%s%s%s%s", parts[0], parts[1], parts[2], parts[3], parts[4]) < 0)
    return ls_fail(err, LS_ENOMEM, "out of memory for --regexp");
  enum ls_status status = compile("--recend and --recstart", text, out, err);
  free(text);
  return status;
}

enum ls_status ls_block_edges_compile(struct ls_block_edges *edges, struct ls_error *err) {
  const char *end = ls_bytes_text(&edges->end), *start = ls_bytes_text(&edges->start);
  enum ls_status status = compile("--recend", end, &edges->end_match, err);
  if (status == LS_OK) status = compile("--recstart", start, &edges->start_match, err);
  if (status != LS_OK || edges->end.length + edges->start.length == 0) return status;
  const char *const before[5] = {"(?:", start, ")", "", ""};
  const char *const behind[5] = {"(?:", end, ")", "", ""};
  const char *const between[5] = {"(?:", end, ")(?=", start, ")"};
  const char *const joint[5] = {"(?:", end, ")(?:", start, ")"};
  const char *const first[5] = {"\\A(?:", start, ")", "", ""};
  const char *const last[5] = {"(?:", end, ")\\z", "", ""};
  edges->is_before = edges->end.length == 0;
  if (edges->is_before) return compile_parts(before, &edges->edge, err);
  if (edges->start.length == 0) return compile_parts(behind, &edges->edge, err);
  status = compile_parts(between, &edges->edge, err);
  if (status == LS_OK) status = compile_parts(joint, &edges->joint_match, err);
  if (status == LS_OK) status = compile_parts(first, &edges->first_match, err);
  if (status == LS_OK) status = compile_parts(last, &edges->last_match, err);
  return status;
}

static size_t edge_of(const struct ls_block_edges *edges, const struct ls_match *match) {
  return edges->is_before ? match->begin : match->end;
}

/* The edge is the end of a match, or where it begins if that is a record's start.  What matches at
 * `from` is the edge before: a start is passed over as a whole, since its rest may match, too. */
static size_t find_edge(void *context, const char *data, size_t length, size_t from, bool is_end) {
  struct ls_block_edges *edges = context;
  const struct ls_subject subject = {data, length};
  struct ls_match match = {.is_found = false};
  enum ls_status status = ls_pattern_find(edges->edge, subject, from, &match, &edges->failure);
  while (status == LS_OK && match.is_found && edge_of(edges, &match) <= from)
    status = ls_pattern_find_next(edges->edge, subject, &match, &edges->failure);
  if (status != LS_OK || !match.is_found) return LS_RECORD_NONE;
  bool is_certain = is_end || length - match.end >= LS_BLOCK_EDGE_BYTES;
  return is_certain ? edge_of(edges, &match) : LS_RECORD_NONE;
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

/* What is sought in a block. */
struct sought {
  struct ls_pattern *pattern; /* NULL: the text */
  const char *text;
  size_t length;
};

/* The first match at `from` or behind it; one of no bytes has nothing to remove. */
static enum ls_status seek(const struct sought *sought, struct ls_subject subject, size_t from,
                           struct ls_match *match, struct ls_error *err) {
  *match = (struct ls_match){.is_found = false};
  if (sought->pattern != NULL) {
    enum ls_status status = ls_pattern_find(sought->pattern, subject, from, match, err);
    while (status == LS_OK && match->is_found && match->end == match->begin)
      status = ls_pattern_find_next(sought->pattern, subject, match, err);
    return status;
  }
  if (sought->length == 0) return LS_OK;
  const char *found =
      memmem(subject.data + from, subject.length - from, sought->text, sought->length);
  if (found == NULL) return LS_OK;
  match->is_found = true;
  match->begin = (size_t)(found - subject.data);
  match->end = match->begin + sought->length;
  return LS_OK;
}

static enum ls_status remove_all(const struct sought *sought, struct ls_subject subject,
                                 struct ls_bytes *out, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t at = 0; at < subject.length && status == LS_OK;) {
    struct ls_match match;
    status = seek(sought, subject, at, &match, err);
    if (status != LS_OK) return status;
    ls_bytes_append(out, subject.data + at, (match.is_found ? match.begin : subject.length) - at);
    at = match.is_found ? match.end : subject.length;
  }
  return status;
}

/* A start that the block begins with, and an end that it ends with, are cut off. */
static enum ls_status trim(struct ls_block_edges *edges, struct ls_subject *subject,
                           struct ls_error *err) {
  const struct ls_bytes *start = &edges->start, *end = &edges->end;
  if (edges->first_match != NULL) {
    struct ls_match first = {.is_found = false}, last = {.is_found = false};
    enum ls_status status = ls_pattern_find(edges->first_match, *subject, 0, &first, err);
    size_t from = first.is_found ? first.end : 0;
    if (status == LS_OK) status = ls_pattern_find(edges->last_match, *subject, from, &last, err);
    size_t to = last.is_found ? last.begin : subject->length;
    *subject = (struct ls_subject){subject->data + from, to - from};
    return status;
  }
  if (subject->length >= start->length && memcmp(subject->data, start->data, start->length) == 0)
    *subject = (struct ls_subject){subject->data + start->length, subject->length - start->length};
  if (subject->length >= end->length &&
      memcmp(subject->data + subject->length - end->length, end->data, end->length) == 0)
    subject->length -= end->length;
  return LS_OK;
}

enum ls_status ls_block_edges_remove(struct ls_block_edges *edges, const char *data, size_t length,
                                     struct ls_bytes *out, struct ls_error *err) {
  struct ls_subject subject = {data, length};
  const struct ls_bytes *one = edges->end.length > 0 ? &edges->end : &edges->start;
  struct ls_pattern *one_match = edges->end_match != NULL ? edges->end_match : edges->start_match;
  struct sought sought = {one_match, ls_bytes_text(one), one->length};
  struct ls_bytes joint = {0};
  enum ls_status status = LS_OK;
  if (edges->end.length > 0 && edges->start.length > 0) {
    ls_bytes_append(&joint, edges->end.data, edges->end.length);
    ls_bytes_append(&joint, edges->start.data, edges->start.length);
    sought = (struct sought){edges->joint_match, ls_bytes_text(&joint), joint.length};
    status = trim(edges, &subject, err);
  }
  if (status == LS_OK && !joint.failed) status = remove_all(&sought, subject, out, err);
  bool has_failed = joint.failed || out->failed;
  ls_bytes_close(&joint);
  if (status != LS_OK || !has_failed) return status;
  return ls_fail(err, LS_ENOMEM, "out of memory for --rrs");
}

void ls_block_edges_close(struct ls_block_edges *edges) {
  ls_pattern_close(edges->edge);
  ls_pattern_close(edges->end_match);
  ls_pattern_close(edges->start_match);
  ls_pattern_close(edges->joint_match);
  ls_pattern_close(edges->first_match);
  ls_pattern_close(edges->last_match);
  ls_bytes_close(&edges->end);
  ls_bytes_close(&edges->start);
  *edges = (struct ls_block_edges){0};
}
