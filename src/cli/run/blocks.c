#include "cli/run/blocks.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/console.h"
#include "runtime/os/content.h"
#include "runtime/os/temporary.h"

/* Without sizes: blocks of a stream; of a file at least so large, and so many that workers of
 * unequal speed end together: the policy gives a command many of them. */
enum { BLOCK_BYTES = 1 << 20, PART_BYTES_LEAST = 1 << 18, PARTS = 512, PARTS_PER_WORKER = 64 };
/* What waits in the master beside the blocks at the workers; so many blocks in any case. */
enum { WAITING_BYTES = 64 << 20, WAITING_LEAST = 2, HEADER_BYTES_MAX = 1 << 20, SUM_DIGITS = 32 };

static uint64_t get_block_bytes(const struct ls_blocks *blocks) {
  return blocks->options->bytes > 0 ? blocks->options->bytes : BLOCK_BYTES;
}

/* In an expression a backslash has its own meaning. */
static enum ls_status read_separator(const struct ls_block_options *options, const char *name,
                                     const char *text, struct ls_bytes *out, struct ls_error *err) {
  if (text == NULL) return LS_OK;
  if (!options->is_pattern) return ls_block_options_decode(name, text, out, err);
  ls_bytes_append_text(out, text);
  return out->failed ? ls_fail(err, LS_ENOMEM, "out of memory for %s", name) : LS_OK;
}

/* Without a text for either, a record is a line. */
static enum ls_status read_separators(struct ls_blocks *blocks, struct ls_error *err) {
  const struct ls_block_options *options = blocks->options;
  struct ls_block_edges *edges = &blocks->edges;
  enum ls_status status = read_separator(options, "--recend", options->end, &edges->end, err);
  if (status == LS_OK)
    status = read_separator(options, "--recstart", options->start, &edges->start, err);
  if (options->csv.is_csv) edges->rows = &options->csv;
  if (options->end == NULL && options->start == NULL) ls_bytes_append_char(&edges->end, '\n');
  if (status == LS_OK && options->is_pattern) status = ls_block_edges_compile(edges, err);
  if (status == LS_OK && options->group_by != NULL)
    status = ls_block_groups_open(&blocks->groups, options, &blocks->header, &edges->failure, err);
  if (status != LS_OK) return status;
  blocks->cutter.records = options->group_by != NULL ? ls_block_groups_records(&blocks->groups)
                                                     : ls_block_edges_records(edges);
  bool limits_bytes = options->bytes > 0 || options->records == 0;
  blocks->cutter.group = options->lines;
  blocks->cutter.records_max = options->records;
  blocks->cutter.bytes_max = limits_bytes ? (size_t)get_block_bytes(blocks) : 0;
  /* A blank line is a line; a text that somebody put between records may stand before the first. */
  bool is_line = edges->end.length == 1 && edges->end.data[0] == '\n';
  blocks->cutter.skips_leading = edges->end.length > 0 && !is_line && options->lines == 0;
  return LS_OK;
}

/* Lines of --header; 0: it is an expression. */
static uint64_t count_header_lines(const char *text) {
  if (strcmp(text, ":") == 0) return 1;
  uint64_t lines = 0;
  struct ls_error err;
  struct ls_whole_range range = {1, 1 << 20};
  return ls_console_whole("--header", text, range, &lines, &err) == LS_OK ? lines : 0;
}

enum ls_status ls_blocks_open(struct ls_blocks *blocks, const struct ls_blocks_setup *setup,
                              struct ls_error *err) {
  const struct ls_block_options *options = setup->options;
  *blocks = (struct ls_blocks){.options = options,
                               .is_remote = setup->is_remote,
                               .has_sums = setup->has_sums,
                               .has_header = options->header == NULL,
                               .parts = {.file = -1}};
  if (options->header != NULL && count_header_lines(options->header) == 0) {
    const struct ls_pattern_traits traits = {.is_binary = true};
    enum ls_status status =
        ls_pattern_compile("--header", options->header, traits, &blocks->header_match, err);
    if (status != LS_OK) return status;
  }
  if (options->form != LS_BLOCK_INPUT) {
    uint64_t chance = 0;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
      return ls_fail(err, LS_EIO, "no random bytes are to be had: %s", strerror(errno));
    /* Another machine may not have the folder of this one. */
    ls_bytes_printf(&blocks->prefix, "%s/loadstar-%016" PRIx64,
                    setup->is_remote ? "/tmp" : ls_temporary_parent(), chance);
    if (blocks->prefix.failed) return ls_fail(err, LS_ENOMEM, "out of memory for names of blocks");
  }
  return read_separators(blocks, err);
}

/* ---- files ---- */

static enum ls_status read_header_of_file(struct ls_blocks *blocks, struct ls_error *err);

static uint64_t choose_stretch(const struct ls_blocks *blocks, uint64_t bytes, size_t workers) {
  const struct ls_block_options *options = blocks->options;
  uint64_t wanted = options->blocks_per_worker * workers;
  if (options->bytes > 0) return options->bytes;
  if (wanted > 0) return bytes / wanted + (bytes % wanted > 0);
  uint64_t parts = PARTS > PARTS_PER_WORKER * workers ? PARTS : PARTS_PER_WORKER * workers;
  return bytes / parts > PART_BYTES_LEAST ? bytes / parts + 1 : PART_BYTES_LEAST;
}

enum ls_status ls_blocks_cut_file(struct ls_blocks *blocks, const char *path, size_t workers,
                                  struct ls_error *err) {
  const struct ls_block_options *options = blocks->options;
  bool is_grouped = options->group_by != NULL;
  enum ls_status status = ls_block_parts_open(&blocks->parts, path, err);
  if (status == LS_OK && !blocks->has_header) status = read_header_of_file(blocks, err);
  if (status != LS_OK) return status;
  uint64_t first = blocks->header.length, bytes = blocks->parts.source.bytes - first;
  const struct ls_block_cut cut = {.records = &blocks->cutter.records,
                                   .first = first,
                                   .stretch = choose_stretch(blocks, bytes, workers),
                                   .rows = is_grouped || options->csv.is_csv ? &options->csv : NULL,
                                   .is_grouped = is_grouped,
                                   .failure = &blocks->edges.failure};
  return bytes > 0 ? ls_block_parts_cut(&blocks->parts, &cut, err) : LS_OK;
}

void ls_blocks_describe_part(const struct ls_blocks *blocks, size_t number, struct ls_bytes *out) {
  const struct ls_block_parts *parts = &blocks->parts;
  ls_bytes_printf(out, "bytes %" PRIu64 "+%" PRIu64, parts->edges[number],
                  parts->edges[number + 1] - parts->edges[number]);
}

/* ---- streams ---- */

/* Behind how many bytes the lines, or rows, end; false: more are needed. */
static bool find_lines_end(const struct ls_blocks *blocks, struct ls_subject data, bool is_end,
                           size_t *used) {
  uint64_t lines = count_header_lines(blocks->options->header);
  const char *at = data.data, *end = at + data.length;
  while (lines > 0 && at < end) {
    struct ls_input_search search = {0};
    size_t length = 0;
    bool is_whole =
        ls_input_form_cut(&blocks->options->csv, at, (size_t)(end - at), &search, &length);
    at = is_whole ? at + length + 1 : end;
    if (is_whole || is_end) lines--;
    if (!is_whole) break;
  }
  *used = (size_t)(at - data.data);
  return lines == 0 || is_end;
}

/* What does not match at the very beginning is no header. */
static enum ls_status find_header_end(struct ls_blocks *blocks, struct ls_subject data,
                                      struct ls_input_cut *cut, struct ls_error *err) {
  struct ls_match match = {.is_found = false};
  if (blocks->header_match == NULL) {
    blocks->has_header = find_lines_end(blocks, data, cut->is_end, &cut->used);
    return LS_OK;
  }
  enum ls_status status = ls_pattern_find(blocks->header_match, data, 0, &match, err);
  cut->used = match.is_found && match.begin == 0 ? match.end : 0;
  blocks->has_header = cut->is_end || data.length - cut->used >= LS_BLOCK_EDGE_BYTES;
  return status;
}

static enum ls_status take_header(struct ls_blocks *blocks, struct ls_subject data,
                                  struct ls_input_cut *cut, struct ls_error *err) {
  enum ls_status status = find_header_end(blocks, data, cut, err);
  if (status != LS_OK) return status;
  bool is_open = !blocks->has_header;
  if (cut->used > HEADER_BYTES_MAX || (is_open && data.length > HEADER_BYTES_MAX))
    return ls_fail(err, LS_EINVAL, "--header %s: is longer than %d bytes", blocks->options->header,
                   (int)HEADER_BYTES_MAX);
  if (is_open) cut->used = 0;
  ls_bytes_append(&blocks->header, data.data, cut->used);
  blocks->offset += cut->used;
  return blocks->header.failed ? ls_fail(err, LS_ENOMEM, "out of memory for --header") : LS_OK;
}

static enum ls_status read_header_of_file(struct ls_blocks *blocks, struct ls_error *err) {
  char *data = malloc(HEADER_BYTES_MAX + 1);
  if (data == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for --header");
  size_t length = 0;
  ssize_t got = 1;
  while (got > 0 && length < HEADER_BYTES_MAX + 1) {
    got = pread(blocks->parts.file, data + length, HEADER_BYTES_MAX + 1 - length, (off_t)length);
    if (got > 0) length += (size_t)got;
  }
  struct ls_input_cut cut = {.is_end = length <= HEADER_BYTES_MAX};
  enum ls_status status =
      got < 0 ? ls_fail(err, LS_EINVAL, "%s: %s", blocks->parts.path, strerror(errno))
              : take_header(blocks, (struct ls_subject){data, length}, &cut, err);
  free(data);
  return status;
}

static void describe(const struct ls_blocks *blocks, const char *data, size_t length,
                     struct ls_bytes *value) {
  ls_bytes_printf(value, "bytes %" PRIu64 "+%zu", blocks->offset - length, length);
  if (!blocks->has_sums) return;
  struct ls_content content;
  unsigned char sum[LS_CONTENT_BYTES];
  char digits[LS_CONTENT_DIGITS + 1];
  ls_content_begin(&content);
  ls_content_add(&content, data, length);
  ls_content_end(&content, sum);
  ls_content_write(sum, digits);
  ls_bytes_printf(value, " %.*s", SUM_DIGITS, digits);
}

/* With --rrs without what separates the records. */
static enum ls_status take_block(struct ls_blocks *blocks, struct ls_subject data,
                                 struct ls_next_block *next, struct ls_error *err) {
  next->is_block = true;
  next->block = data;
  if (!blocks->options->removes) return LS_OK;
  ls_bytes_clear(&blocks->kept);
  enum ls_status status =
      ls_block_edges_remove(&blocks->edges, data.data, data.length, &blocks->kept, err);
  next->block = (struct ls_subject){ls_bytes_text(&blocks->kept), blocks->kept.length};
  return status;
}

/* Behind the header, which may have no bytes, the first block may be had at once. */
enum ls_status ls_blocks_next(struct ls_blocks *blocks, struct ls_subject data,
                              struct ls_next_block *next, struct ls_error *err) {
  if (!blocks->has_header) {
    struct ls_input_cut cut = {.is_end = next->is_end};
    enum ls_status status = take_header(blocks, data, &cut, err);
    next->used = cut.used;
    if (status != LS_OK || cut.used > 0 || !blocks->has_header) return status;
  }
  size_t length = ls_cutter_cut(&blocks->cutter, data.data, data.length, next->is_end);
  if (blocks->edges.failure.status != LS_OK) {
    if (err != NULL) *err = blocks->edges.failure;
    return blocks->edges.failure.status;
  }
  if (length == 0) return LS_OK;
  next->used = length;
  blocks->offset += length;
  return take_block(blocks, (struct ls_subject){data.data, length}, next, err);
}

enum ls_status ls_blocks_cut(void *context, const struct ls_bytes *arrived,
                             struct ls_input_cut *cut, struct ls_error *err) {
  struct ls_blocks *blocks = context;
  const struct ls_subject data = {ls_bytes_text(arrived), arrived->length};
  struct ls_next_block next = {.is_end = cut->is_end};
  enum ls_status status = ls_blocks_next(blocks, data, &next, err);
  if (status != LS_OK) return status;
  cut->used = next.used;
  if (!next.is_block) return LS_OK;
  describe(blocks, data.data, next.used, cut->value);
  return ls_block_store_add(&blocks->store, blocks->offset - next.used, next.block.data,
                            next.block.length, err);
}

enum ls_status ls_blocks_keep_all(struct ls_blocks *blocks, int file, const char *name,
                                  struct ls_error *err) {
  enum ls_status status = ls_block_store_copy(&blocks->store, file, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--tee: %s", name);
}

uint64_t ls_blocks_most(const struct ls_blocks *blocks) {
  uint64_t most = WAITING_BYTES / get_block_bytes(blocks);
  uint64_t mean = blocks->store.count > 0 ? blocks->offset / blocks->store.count + 1 : 1;
  if (WAITING_BYTES / mean < most || blocks->options->records > 0) most = WAITING_BYTES / mean;
  return most > WAITING_LEAST ? most : WAITING_LEAST;
}

/* ---- commands ---- */

bool ls_blocks_has_name(const struct ls_blocks *blocks) {
  return blocks->options->form != LS_BLOCK_INPUT;
}

const char *ls_blocks_name(struct ls_blocks *blocks, uint64_t unit, uint32_t slot) {
  ls_bytes_clear(&blocks->name);
  if (ls_blocks_has_name(blocks))
    ls_bytes_printf(&blocks->name, "%s.%" PRIu64 ".%u", ls_bytes_text(&blocks->prefix), unit + 1,
                    (unsigned)slot);
  return ls_bytes_text(&blocks->name);
}

static void place_part(struct ls_blocks *blocks, uint64_t unit, struct ls_block *block) {
  const struct ls_block_parts *parts = &blocks->parts;
  assert(unit < parts->count);
  block->path = parts->path;
  block->offset = parts->edges[unit];
  block->length = parts->edges[unit + 1] - block->offset;
  block->source = parts->source;
}

/* A worker of this machine opens our descriptor by its name in /proc. */
static enum ls_status place_stored(struct ls_blocks *blocks, uint64_t number,
                                   struct ls_block *block, struct ls_error *err) {
  const struct ls_stored_block *stored = NULL;
  enum ls_status status = ls_block_store_find(&blocks->store, number, &stored, err);
  if (status != LS_OK) return status;
  block->length = stored->length;
  ls_bytes_clear(&blocks->path);
  if (!blocks->is_remote) {
    ls_bytes_printf(&blocks->path, "/proc/%d/fd/%d", (int)getpid(), stored->file);
    block->path = ls_bytes_text(&blocks->path);
    block->is_whole = true;
    return LS_OK;
  }
  ls_bytes_clear(&blocks->data);
  status = ls_block_store_read(&blocks->store, number, &blocks->data, err);
  block->data = blocks->data.data;
  return status;
}

/* The dealer writes the header, too. */
static enum ls_status place_dealt(struct ls_blocks *blocks, uint64_t unit, struct ls_block *block,
                                  struct ls_error *err) {
  block->is_whole = true;
  block->header_length = 0;
  return ls_dealing_hand_out(&blocks->dealing, unit, &block->path, err);
}

enum ls_status ls_blocks_of(struct ls_blocks *blocks, uint64_t unit, uint32_t slot,
                            struct ls_block *block, struct ls_error *err) {
  const struct ls_block_options *options = blocks->options;
  *block = (struct ls_block){.form = options->form,
                             .name = ls_blocks_name(blocks, unit, slot),
                             .header = blocks->header.data,
                             .header_length = blocks->header.length,
                             .path = ""};
  if (options->is_dealt) return place_dealt(blocks, unit, block, err);
  if (!options->is_part) return place_stored(blocks, options->is_shared ? 0 : unit, block, err);
  place_part(blocks, unit, block);
  return LS_OK;
}

uint64_t ls_blocks_measure(const struct ls_blocks *blocks, uint64_t unit, const char *described) {
  const struct ls_block_options *options = blocks->options;
  uint64_t number = options->is_shared ? 0 : unit;
  if (options->is_dealt) return ls_dealing_measure(&blocks->dealing, unit);
  /* With --rrs it is less than the block was. */
  if (number < blocks->store.count) return blocks->store.items[number].length;
  const char *length = strchr(described, '+');
  return length != NULL ? strtoull(length + 1, NULL, 10) : 0;
}

enum ls_status ls_blocks_settle(struct ls_blocks *blocks, struct ls_range units,
                                struct ls_error *err) {
  bool is_stream = blocks->options->is_piped && !blocks->options->is_shared;
  if (blocks->options->is_dealt) {
    ls_dealing_settle(&blocks->dealing, units);
    return LS_OK;
  }
  return is_stream ? ls_block_store_settle(&blocks->store, units, err) : LS_OK;
}

void ls_blocks_close(struct ls_blocks *blocks) {
  ls_dealing_close(&blocks->dealing);
  ls_block_store_close(&blocks->store);
  ls_block_parts_close(&blocks->parts);
  ls_block_edges_close(&blocks->edges);
  ls_block_groups_close(&blocks->groups);
  ls_pattern_close(blocks->header_match);
  ls_bytes_close(&blocks->kept);
  ls_bytes_close(&blocks->header);
  ls_bytes_close(&blocks->prefix);
  ls_bytes_close(&blocks->name);
  ls_bytes_close(&blocks->path);
  ls_bytes_close(&blocks->data);
  *blocks = (struct ls_blocks){.parts = {.file = -1}};
}
