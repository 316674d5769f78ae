/* Any data are cut into blocks of whole records, without a byte lost or doubled, whatever separates
 * the records, and how the data arrive changes no block. */
#include <assert.h>
#include <string.h>

#include "base/records.h"
#include "cli/run/block_edges.h"
#include "fuzz.h"

bool fuzz_accepts;

enum { SETTINGS = 7, TEXT_BYTES_MAX = 3, KINDS = 3 };

/* What one input says: settings, the texts between records, and the data. */
struct job {
  struct ls_block_edges edges;
  struct ls_cutter cutter;
  const char *data;
  size_t length, portion;
};

static void read_texts(struct job *job, const uint8_t *data, size_t size) {
  size_t lengths[] = {data[1] % (TEXT_BYTES_MAX + 1), data[2] % (TEXT_BYTES_MAX + 1)};
  struct ls_bytes *texts[] = {&job->edges.end, &job->edges.start};
  size_t at = SETTINGS;
  for (int i = 0; i < 2; i++) {
    size_t length = size - at < lengths[i] ? size - at : lengths[i];
    ls_bytes_append(texts[i], data + at, length);
    at += length;
  }
  job->data = (const char *)data + at;
  job->length = size - at;
}

/* An expression that the input made could take for ever: it chooses one. */
static void choose_expressions(struct job *job, uint8_t choice) {
  static const char *const ends[] = {"\\n", "\\n+", "[;,]x?", "(?<=a)b*", "", "$"};
  static const char *const starts[] = {"", ">", "(?=b)", "[a-c]"};
  const char *end = ends[choice % (sizeof ends / sizeof *ends)];
  ls_bytes_clear(&job->edges.end);
  ls_bytes_clear(&job->edges.start);
  ls_bytes_append_text(&job->edges.end, end);
  ls_bytes_append_text(&job->edges.start, starts[choice / 8 % (sizeof starts / sizeof *starts)]);
  enum ls_status status = ls_block_edges_compile(&job->edges, NULL);
  assert(status == LS_OK);
  (void)status;
}

/* The blocks of what arrives in portions; `other` cuts all of it at once. */
static void compare(struct job *job, struct ls_cutter other) {
  size_t arrived = 0, begin = 0;
  while (begin < job->length) {
    bool is_end = arrived == job->length;
    size_t block = ls_cutter_cut(&job->cutter, job->data + begin, arrived - begin, is_end);
    if (block == 0) {
      assert(!is_end);
      arrived = job->length - arrived < job->portion ? job->length : arrived + job->portion;
      continue;
    }
    assert(block <= arrived - begin);
    size_t expected = ls_cutter_cut(&other, job->data + begin, job->length - begin, true);
    assert(block == expected);
    (void)expected;
    begin += block;
  }
  assert(begin == job->length && job->edges.failure.status == LS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct ls_input_form rows = {.is_csv = true};
  struct job job = {.length = 0};
  fuzz_accepts = size > SETTINGS;
  if (size <= SETTINGS) return 0;
  read_texts(&job, data, size);
  uint8_t kind = data[0] % KINDS;
  if (kind == 1) job.edges.rows = &rows;
  if (kind == 2) choose_expressions(&job, data[1]);
  job.cutter = (struct ls_cutter){.records = ls_block_edges_records(&job.edges),
                                  .group = data[3] % 4,
                                  .records_max = data[4] % 5,
                                  .bytes_max = data[5] % 64};
  if (job.cutter.records_max == 0 && job.cutter.bytes_max == 0) job.cutter.bytes_max = 1;
  job.portion = 1 + data[6] % 32;
  compare(&job, job.cutter);
  ls_block_edges_close(&job.edges);
  return 0;
}
