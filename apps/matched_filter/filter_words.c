/* filter_words.c: the words behind `--`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matched_filter.h"

enum {
  WORD_IMAGE,
  WORD_OUTPUT,
  WORD_RAW,
  WORD_RESPONSE,
  WORD_FORM,
  WORD_EDGE,
  WORD_BLOCK,
  WORD_INPUT,
  WORD_RESULTS,
  WORD_STAGE_SECONDS,
  WORD_SUMMARY,
  WORD_UNIT_SUMS,
  WORD_CHECK
};

/* In the order of the enumerations. */
static const char *const responses[] = {"sum", "rectified", "max", NULL};
static const char *const forms[] = {"auto", "bank", "composite", NULL};
static const char *const edges[] = {"zero", "nearest", NULL};
static const char *const inputs[] = {"read", "send", NULL};
static const char *const results[] = {"return", "write", NULL};

/* Which of the names the word is. */
static enum ls_status choose(const char *word, const char *text, const char *const *names,
                             int *chosen, struct ls_error *err) {
  struct ls_bytes list = {0};
  for (int i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], text) == 0) {
      *chosen = i;
      ls_bytes_close(&list);
      return LS_OK;
    }
    ls_bytes_printf(&list, "%s'%s'", i == 0 ? "" : names[i + 1] == NULL ? " or " : ", ", names[i]);
  }
  enum ls_status status = ls_fail(err, LS_EINVAL, "matched-filter: --%s is '%s', expected %s", word,
                                  text, ls_bytes_text(&list));
  ls_bytes_close(&list);
  return status;
}

/* A whole number from 1 on at the beginning of a text; 0: there is none. */
static size_t read_side(const char *text, const char **end) {
  char *behind = NULL;
  errno = 0;
  unsigned long number = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &behind, 10) : 0;
  *end = behind == NULL ? text : behind;
  return errno == 0 && number <= INT32_MAX ? number : 0;
}

static enum ls_status read_block(struct words *words, const char *text, struct ls_error *err) {
  const char *end;
  words->is_cut = strcmp(text, "auto") == 0;
  if (words->is_cut) {
    words->block_width = words->block_height = INNER_AREA_SIDE;
    return LS_OK;
  }
  size_t width = read_side(text, &end), height = width;
  if (width > 0 && *end == 'x') height = read_side(end + 1, &end);
  if (width == 0 || height == 0 || *end != '\0') {
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: --block is '%s', expected N or WxH, pixels from 1 on, or auto",
                   text);
  }
  words->block_width = width;
  words->block_height = height;
  return LS_OK;
}

static enum ls_status read_stage_seconds(struct words *words, const char *text,
                                         struct ls_error *err) {
  char *end;
  words->stage_s = strtod(text, &end);
  if (end != text && *end == '\0' && words->stage_s >= 0 && isfinite(words->stage_s)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "matched-filter: --stage-seconds is '%s', expected a number from 0 on", text);
}

static enum ls_status read_choice(struct words *words, int word, const char *text,
                                  struct ls_error *err) {
  int chosen = 0;
  enum ls_status status = LS_OK;
  switch (word) {
    case WORD_RESPONSE:
      status = choose("response", text, responses, &chosen, err);
      words->response = (enum response)chosen;
      return status;
    case WORD_FORM:
      status = choose("form", text, forms, &chosen, err);
      words->form = (enum form)chosen;
      return status;
    case WORD_EDGE:
      status = choose("edge", text, edges, &chosen, err);
      words->edge = (enum edge)chosen;
      return status;
    case WORD_INPUT:
      status = choose("input", text, inputs, &chosen, err);
      words->is_sent = chosen == 1;
      return status;
    default:
      status = choose("results", text, results, &chosen, err);
      words->is_written = chosen == 1;
      return status;
  }
}

static enum ls_status read_word(void *context, int word, const char *text, struct ls_error *err) {
  struct words *words = context;
  switch (word) {
    case WORD_IMAGE:
      words->image = text;
      return LS_OK;
    case WORD_OUTPUT:
      words->output = text;
      return LS_OK;
    case WORD_RAW:
      words->raw = text;
      return LS_OK;
    case WORD_BLOCK:
      return read_block(words, text, err);
    case WORD_STAGE_SECONDS:
      return read_stage_seconds(words, text, err);
    case WORD_SUMMARY:
      words->has_summary = true;
      return LS_OK;
    case WORD_UNIT_SUMS:
      words->has_unit_sums = true;
      return LS_OK;
    case WORD_CHECK:
      words->is_checked = true;
      return LS_OK;
    default:
      return read_choice(words, word, text, err);
  }
}

static enum ls_status check_words(const struct words *words, struct ls_error *err) {
  if (words->image == NULL) {
    return ls_fail(err, LS_EINVAL, "matched-filter: --image FILE is missing");
  }
  if (words->is_written && words->output == NULL && words->raw == NULL) {
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: --results is 'write', but there is neither --output nor --raw");
  }
  if (words->has_unit_sums && !words->has_summary) {
    return ls_fail(err, LS_EINVAL, "matched-filter: --unit-sums is a part of --summary");
  }
  return LS_OK;
}

enum ls_status words_read(struct words *words, int argc, char **argv, struct ls_error *err) {
  static const struct option options[] = {
      {"image", required_argument, NULL, WORD_IMAGE},
      {"output", required_argument, NULL, WORD_OUTPUT},
      {"raw", required_argument, NULL, WORD_RAW},
      {"response", required_argument, NULL, WORD_RESPONSE},
      {"form", required_argument, NULL, WORD_FORM},
      {"edge", required_argument, NULL, WORD_EDGE},
      {"block", required_argument, NULL, WORD_BLOCK},
      {"input", required_argument, NULL, WORD_INPUT},
      {"results", required_argument, NULL, WORD_RESULTS},
      {"stage-seconds", required_argument, NULL, WORD_STAGE_SECONDS},
      {"summary", no_argument, NULL, WORD_SUMMARY},
      {"unit-sums", no_argument, NULL, WORD_UNIT_SUMS},
      {"check", no_argument, NULL, WORD_CHECK},
      {NULL, 0, NULL, 0}};
  struct ls_app_words given = {
      .application = "matched-filter", .options = options, .read = read_word, .context = words};
  *words = (struct words){.block_width = 64, .block_height = 64};
  enum ls_status status = ls_app_words_read(&given, argc, argv, err);
  return status == LS_OK ? check_words(words, err) : status;
}

enum ls_status matched_check_files(const struct matched *state, struct ls_error *err) {
  const struct words *words = &state->words;
  const struct {
    const char *name, *path;
  } files[] = {{"--image", words->image},
               {"--output", words->output},
               {"--raw", words->raw},
               {"the responses of --output", state->partial},
               {"the unfinished --output", state->unfinished}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    for (size_t j = i + 1; j < sizeof files / sizeof *files; j++) {
      if (files[i].path == NULL || files[j].path == NULL) continue;
      if (!ls_whole_file_is_same(files[i].path, files[j].path)) continue;
      return ls_fail(err, LS_EINVAL, "matched-filter: %s '%s' and %s '%s' are one file",
                     files[i].name, files[i].path, files[j].name, files[j].path);
    }
  }
  return LS_OK;
}
