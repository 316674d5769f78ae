/* thinning_words.c: the words behind `--`. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "thinning.h"

enum {
  WORD_IMAGE,
  WORD_OUTPUT,
  WORD_PARTS,
  WORD_ALGORITHM,
  WORD_RULE,
  WORD_THRESHOLD,
  WORD_COST,
  WORD_STATISTICS
};

static enum ls_status read_whole(const char *name, const char *text, uint64_t *value,
                                 struct ls_error *err) {
  char *end = NULL;
  errno = 0;
  unsigned long number = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
  if (errno != 0 || end == NULL || *end != '\0' || number < 1 || number > INT32_MAX) {
    return ls_fail(err, LS_EINVAL,
                   "thinning: --%s is '%s', expected a whole number from 1 to %" PRId32, name, text,
                   INT32_MAX);
  }
  *value = number;
  return LS_OK;
}

static enum ls_status read_threshold(const char *text, double *value, struct ls_error *err) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && *value >= 0 && *value <= 1) return LS_OK;
  return ls_fail(err, LS_EINVAL, "thinning: --threshold is '%s', expected a number from 0 to 1",
                 text);
}

static enum ls_status read_algorithm(struct thinning_words *words, const char *text,
                                     struct ls_error *err) {
  struct ls_bytes list = {0};
  words->algorithm = algorithm_find(text);
  if (words->algorithm != NULL) return LS_OK;
  for (const struct algorithm *one = algorithms; one->name != NULL; one++) {
    ls_bytes_printf(&list, "%s'%s'",
                    one == algorithms     ? ""
                    : one[1].name == NULL ? " or "
                                          : ", ",
                    one->name);
  }
  enum ls_status status = ls_fail(err, LS_EINVAL, "thinning: --algorithm is '%s', expected %s",
                                  text, ls_bytes_text(&list));
  ls_bytes_close(&list);
  return status;
}

static enum ls_status read_rule(struct thinning_words *words, const char *text,
                                struct ls_error *err) {
  words->is_own = strcmp(text, "own") == 0;
  if (words->is_own || strcmp(text, "halo") == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "thinning: --rule is '%s', expected 'halo' or 'own'", text);
}

static enum ls_status read_word(void *context, int word, const char *text, struct ls_error *err) {
  struct thinning_words *words = context;
  switch (word) {
    case WORD_IMAGE:
      words->image = text;
      return LS_OK;
    case WORD_OUTPUT:
      words->output = text;
      return LS_OK;
    case WORD_PARTS:
      return read_whole("parts", text, &words->parts, err);
    case WORD_COST:
      return read_whole("cost", text, &words->cost, err);
    case WORD_ALGORITHM:
      return read_algorithm(words, text, err);
    case WORD_RULE:
      return read_rule(words, text, err);
    case WORD_THRESHOLD:
      return read_threshold(text, &words->threshold, err);
    default:
      words->has_statistics = true;
      return LS_OK;
  }
}

enum ls_status thinning_words_read(struct thinning_words *words, int argc, char **argv,
                                   struct ls_error *err) {
  static const struct option options[] = {{"image", required_argument, NULL, WORD_IMAGE},
                                          {"output", required_argument, NULL, WORD_OUTPUT},
                                          {"parts", required_argument, NULL, WORD_PARTS},
                                          {"algorithm", required_argument, NULL, WORD_ALGORITHM},
                                          {"rule", required_argument, NULL, WORD_RULE},
                                          {"threshold", required_argument, NULL, WORD_THRESHOLD},
                                          {"cost", required_argument, NULL, WORD_COST},
                                          {"statistics", no_argument, NULL, WORD_STATISTICS},
                                          {NULL, 0, NULL, 0}};
  struct ls_app_words given = {
      .application = "thinning", .options = options, .read = read_word, .context = words};
  *words = (struct thinning_words){
      .algorithm = algorithms, .parts = 8, .cost = 1, .threshold = THRESHOLD_NONE};
  enum ls_status status = ls_app_words_read(&given, argc, argv, err);
  if (status != LS_OK || words->image != NULL) return status;
  return ls_fail(err, LS_EINVAL, "thinning: --image FILE is missing");
}
