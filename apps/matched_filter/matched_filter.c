#include "matched_filter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "picture.h"

/* What a unit may have as its input and as its output (docs/guide/applications.md). */
static const uint64_t input_bytes_max = 32 << 20, output_bytes_max = 64 << 20;

static enum ls_status check_block(const struct matched *state, struct ls_error *err) {
  struct area block = blocks_area(&state->blocks, 0);
  uint64_t samples = (block.width + 2 * BORDER) * (block.height + 2 * BORDER);
  uint64_t input = samples * state->image.pgm.sample_bytes;
  uint64_t output = FACTS_BYTES + block.width * block.height * sizeof *state->values;
  if (state->words.is_sent && input > input_bytes_max) {
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: --block of %zu x %zu pixels: %" PRIu64
                   " bytes would be sent, expected at most %" PRIu64,
                   block.width, block.height, input, input_bytes_max);
  }
  if (!state->words.is_written && output > output_bytes_max) {
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: --block of %zu x %zu pixels: %" PRIu64
                   " bytes would return, expected at most %" PRIu64,
                   block.width, block.height, output, output_bytes_max);
  }
  return LS_OK;
}

static char *join_name(const char *path, const char *ending) {
  struct ls_bytes name = {0};
  ls_bytes_printf(&name, "%s%s", path, ending);
  if (!name.failed) return name.data;
  ls_bytes_close(&name);
  return NULL;
}

static enum ls_status name_files(struct matched *state, struct ls_error *err) {
  const struct words *words = &state->words;
  if (words->output == NULL) return LS_OK;
  state->unfinished = join_name(words->output, ".unfinished");
  if (words->raw == NULL) state->partial = join_name(words->output, ".partial");
  if (state->unfinished != NULL && (words->raw != NULL || state->partial != NULL)) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for names");
}

static void describe_planes(struct matched *state) {
  const struct words *words = &state->words;
  struct area image = image_area(&state->image);
  char header[PICTURE_HEADER_ROOM];
  struct blocks rows;
  blocks_init(&rows, image, image.width, image.height);
  state->responses = (struct plane){.file = -1,
                                    .path = words->raw != NULL ? words->raw : state->partial,
                                    .blocks = words->raw != NULL ? rows : state->blocks,
                                    .value_bytes = sizeof *state->values,
                                    .header_bytes = state->partial != NULL ? PLANE_HEADER_MAX : 0};
  state->picture = (struct plane){.file = -1,
                                  .path = state->unfinished,
                                  .blocks = rows,
                                  .value_bytes = 1,
                                  .header_bytes = picture_write_header(image, header)};
}

static void close_filter(void *context) {
  struct matched *state = context;
  image_close(&state->image);
  plane_close(&state->responses);
  plane_close(&state->picture);
  filter_destroy(state->filter);
  patch_close(&state->patch);
  inner_blocks_close(&state->inner);
  free(state->values);
  free(state->facts);
  free(state->partial);
  free(state->unfinished);
  free(state);
}

/* Of this thread: what others do on its processor does not count. */
static double read_processor_time(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum ls_status prepare(struct matched *state, struct ls_error *err) {
  const struct words *words = &state->words;
  enum ls_status status = name_files(state, err);
  if (status == LS_OK) status = matched_check_files(state, err);
  if (status == LS_OK) status = image_open(&state->image, words->image, err);
  if (status != LS_OK) return status;
  blocks_init(&state->blocks, image_area(&state->image), words->block_width, words->block_height);
  describe_planes(state);
  inner_blocks_init(&state->inner, read_processor_time);
  struct filter_setup setup = {.response = words->response,
                               .form = words->form,
                               .pixel_max = (int32_t)state->image.pgm.maxval};
  status = check_block(state, err);
  if (status == LS_OK) status = filter_create(&setup, &state->filter, err);
  if (status != LS_OK) return status;
  struct area block = blocks_area(&state->blocks, 0);
  state->values = calloc(block.width * block.height, sizeof *state->values);
  if (state->values != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for a block of %zu x %zu pixels",
                 block.width, block.height);
}

static enum ls_status open_filter(int argc, char **argv, void **out, struct ls_error *err) {
  struct matched *state = calloc(1, sizeof *state);
  if (state == NULL) return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory");
  state->image.file = state->responses.file = state->picture.file = -1;
  enum ls_status status = words_read(&state->words, argc, argv, err);
  if (status == LS_OK) status = prepare(state, err);
  if (status == LS_OK) {
    *out = state;
  } else {
    close_filter(state);
  }
  return status;
}

static void sync_filter(void *context) {
  struct matched *state = context;
  state->is_synced = true;
}

static const struct ls_app matched_filter = {
    .name = "matched-filter",
    .summary = "finds vessels in an image by a bank of matched filters",
    .usage =
        "--image FILE [--output FILE] [--raw FILE] [--response sum|rectified|max] "
        "[--form auto|bank|composite] [--edge zero|nearest] [--block N|WxH|auto] "
        "[--input read|send] [--results return|write] [--stage-seconds S] "
        "[--summary [--unit-sums]] [--check]",
    .open = open_filter,
    .sync = sync_filter,
    .close = close_filter,
    .fingerprint = matched_fingerprint,
    .units = matched_units,
    .pack = matched_pack,
    .merge = matched_merge,
    .skip = matched_skip,
    .stage = matched_stage,
    .compute = matched_compute,
};

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, &matched_filter);
}
