#include "words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "alignment.h"

enum { LETTERS_MAX = 1 << 24, SHARES_MAX = 1 << 20, MASTERS_MAX = 256 };

enum {
  WORD_FASTA = 256,
  WORD_RECORDS,
  WORD_RANDOM,
  WORD_SEED,
  WORD_POSITIONS,
  WORD_PLANT,
  WORD_SEARCH,
  WORD_DATA,
  WORD_SHARE,
  WORD_MASTERS,
  WORD_SERIAL,
  WORD_CHECK
};

static const struct option options[] = {{"fasta", required_argument, NULL, WORD_FASTA},
                                        {"records", required_argument, NULL, WORD_RECORDS},
                                        {"random", no_argument, NULL, WORD_RANDOM},
                                        {"seed", required_argument, NULL, WORD_SEED},
                                        {"sequences", required_argument, NULL, 't'},
                                        {"length", required_argument, NULL, 'l'},
                                        {"letters", required_argument, NULL, 'm'},
                                        {"positions", required_argument, NULL, WORD_POSITIONS},
                                        {"plant", required_argument, NULL, WORD_PLANT},
                                        {"search", required_argument, NULL, WORD_SEARCH},
                                        {"data", required_argument, NULL, WORD_DATA},
                                        {"share", required_argument, NULL, WORD_SHARE},
                                        {"masters", required_argument, NULL, WORD_MASTERS},
                                        {"serial", no_argument, NULL, WORD_SERIAL},
                                        {"check", no_argument, NULL, WORD_CHECK},
                                        {NULL, 0, NULL, 0}};

struct limits {
  uint64_t least, most;
};

static bool read_number(const char *text, char **end, uint64_t *number) {
  errno = 0;
  *number = strtoull(text, end, 10);
  return errno == 0 && *end != text && text[0] >= '0' && text[0] <= '9';
}

static enum ls_status read_whole(const char *name, const char *text, struct limits limits,
                                 uint64_t *value, struct ls_error *err) {
  char *end;
  uint64_t number;
  if (!read_number(text, &end, &number) || *end != 0 || number < limits.least ||
      number > limits.most) {
    return ls_fail(err, LS_EINVAL,
                   "motif: --%s is '%s', expected a whole number from %" PRIu64 " to %" PRIu64,
                   name, text, limits.least, limits.most);
  }
  *value = number;
  return LS_OK;
}

static enum ls_status read_size(const char *name, const char *text, struct limits limits,
                                size_t *value, struct ls_error *err) {
  uint64_t number = 0;
  enum ls_status status = read_whole(name, text, limits, &number, err);
  if (status == LS_OK) *value = (size_t)number;
  return status;
}

/* One of two names: the second one? */
static enum ls_status read_name(const char *name, const char *text, const char *const names[2],
                                bool *is_second, struct ls_error *err) {
  *is_second = strcmp(text, names[1]) == 0;
  if (*is_second || strcmp(text, names[0]) == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "motif: --%s is '%s', expected %s or %s", name, text, names[0],
                 names[1]);
}

static enum ls_status read_share(const char *text, struct words *words, struct ls_error *err) {
  char *end;
  bool is_share = read_number(text, &end, &words->share) && *end == '/' &&
                  read_number(end + 1, &end, &words->shares) && *end == 0 && words->share >= 1 &&
                  words->share <= words->shares && words->shares <= SHARES_MAX;
  if (is_share) return LS_OK;
  return ls_fail(err, LS_EINVAL, "motif: --share is '%s', expected K/N with 1 <= K <= N <= %d",
                 text, SHARES_MAX);
}

/* What is made of the words. */
struct reading {
  struct words *words;
  bool is_random;
  const char *made_with; /* a word that is of sequences which are cut or drawn; NULL: none */
};

/* A word that does not go with records. */
static const char *name_making(int word) {
  switch (word) {
    case WORD_SEED:
      return "--seed";
    case 't':
      return "--sequences";
    case 'm':
      return "--letters";
    case WORD_PLANT:
      return "--plant";
    default:
      return NULL;
  }
}

static enum ls_status read_word(void *context, int word, const char *text, struct ls_error *err) {
  struct reading *reading = context;
  struct words *words = reading->words;
  static const char *const positions[] = {"thesis", "all"}, *const searches[] = {"brute", "branch"},
                           *const data[] = {"numbers", "rows"};
  if (name_making(word) != NULL) reading->made_with = name_making(word);
  switch (word) {
    case WORD_FASTA:
      words->fasta = text;
      return LS_OK;
    case WORD_RECORDS:
      words->records = text;
      return LS_OK;
    case WORD_SEED:
      return read_whole("seed", text, (struct limits){0, UINT64_MAX}, &words->seed, err);
    case 't':
      return read_size("sequences", text, (struct limits){SEQUENCES_MIN, SEQUENCES_MAX},
                       &words->sequences, err);
    case 'l':
      return read_size("length", text, (struct limits){1, MOTIF_LENGTH_MAX}, &words->length, err);
    case 'm':
      return read_size("letters", text, (struct limits){1, LETTERS_MAX}, &words->letters, err);
    case WORD_POSITIONS:
      return read_name("positions", text, positions, &words->has_last, err);
    case WORD_PLANT:
      words->has_plant = true;
      return read_size("plant", text, (struct limits){0, MOTIF_LENGTH_MAX}, &words->mutations, err);
    case WORD_SEARCH:
      return read_name("search", text, searches, &words->is_branching, err);
    case WORD_DATA:
      return read_name("data", text, data, &words->sends_rows, err);
    case WORD_SHARE:
      return read_share(text, words, err);
    case WORD_MASTERS:
      return read_whole("masters", text, (struct limits){1, MASTERS_MAX}, &words->masters, err);
    case WORD_RANDOM:
      reading->is_random = true;
      return LS_OK;
    case WORD_SERIAL:
      words->is_serial = true;
      return LS_OK;
    default:
      words->is_checked = true;
      return LS_OK;
  }
}

static enum ls_status check_source(const struct reading *reading, struct ls_error *err) {
  const struct words *words = reading->words;
  int sources = (words->fasta != NULL) + (words->records != NULL) + reading->is_random;
  if (sources > 1) {
    return ls_fail(err, LS_EINVAL, "motif: --fasta, --records and --random exclude each other");
  }
  if (sources == 0) {
    return ls_fail(err, LS_EINVAL, "motif: --fasta FILE, --records FILE or --random is missing");
  }
  if (words->records != NULL && reading->made_with != NULL) {
    return ls_fail(err, LS_EINVAL,
                   "motif: %s goes with --fasta and --random; with --records each record is a "
                   "sequence as it stands",
                   reading->made_with);
  }
  return LS_OK;
}

/* Sequences of the sizes that the words say. */
static enum ls_status check_sizes(const struct words *words, struct ls_error *err) {
  if (words->letters < words->length + !words->has_last) {
    return ls_fail(err, LS_EINVAL,
                   "motif: --letters is %zu, expected at least %zu for a motif of length %zu",
                   words->letters, words->length + !words->has_last, words->length);
  }
  if (words->has_plant && words->mutations > words->length) {
    return ls_fail(err, LS_EINVAL, "motif: --plant is %zu, expected at most the length %zu",
                   words->mutations, words->length);
  }
  uint64_t shares = words->masters > 0 ? words->masters : words->shares;
  return words_check_shares(words, words_positions(words), shares, err);
}

enum ls_status words_check_shares(const struct words *words, uint64_t positions, uint64_t shares,
                                  struct ls_error *err) {
  if (!words->is_branching || shares <= positions) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "motif: --search branch shares out positions of the first sequence: by %" PRIu64
                 " at most, not by %" PRIu64,
                 positions, shares);
}

static enum ls_status check_together(const struct reading *reading, struct ls_error *err) {
  const struct words *words = reading->words;
  enum ls_status status = check_source(reading, err);
  if (status != LS_OK) return status;
  if (words->masters > 0 && words->shares > 1) {
    return ls_fail(err, LS_EINVAL, "motif: --masters and --share exclude each other");
  }
  if (words->is_branching && words->sends_rows) {
    return ls_fail(err, LS_EINVAL, "motif: --data rows goes with --search brute only");
  }
  return words->records == NULL ? check_sizes(words, err) : LS_OK;
}

enum ls_status words_read(struct words *words, int argc, char **argv, struct ls_error *err) {
  *words = (struct words){.seed = 1,
                          .sequences = 6,
                          .length = 8,
                          .letters = 20,
                          .has_last = true,
                          .share = 1,
                          .shares = 1};
  struct reading reading = {.words = words};
  struct ls_app_words given = {.application = "motif",
                               .letters = "t:l:m:",
                               .options = options,
                               .read = read_word,
                               .context = &reading};
  enum ls_status status = ls_app_words_read(&given, argc, argv, err);
  return status == LS_OK ? check_together(&reading, err) : status;
}

uint64_t words_positions(const struct words *words) {
  return words->letters - words->length + (words->has_last ? 1 : 0);
}

/* The quotient first: the product of count and number may be too large. */
static uint64_t end_of(uint64_t count, uint64_t number, uint64_t shares) {
  return count / shares * number + count % shares * number / shares;
}

struct ls_range words_share(uint64_t count, uint64_t number, uint64_t shares) {
  uint64_t first = end_of(count, number - 1, shares);
  return (struct ls_range){first, end_of(count, number, shares) - first};
}
