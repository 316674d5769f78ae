#include "sequences.h"

#include <stdlib.h>
#include <string.h>

#include "../common/input_file.h"
#include "cuts.h"
#include "records.h"

/* Behind the end of a sequence that is shorter than others: no code of a letter. */
static const uint8_t BEHIND = NO_LETTER + 1;

enum ls_status sequences_open(struct sequences *sequences, size_t count, size_t length,
                              struct ls_error *err) {
  *sequences = (struct sequences){.count = count,
                                  .length = length,
                                  .letters = calloc(count, length),
                                  .lengths = calloc(count, sizeof *sequences->lengths),
                                  .origins = calloc(count, sizeof *sequences->origins)};
  if (sequences->letters == NULL || sequences->lengths == NULL || sequences->origins == NULL) {
    sequences_close(sequences);
    return ls_fail(err, LS_ENOMEM, "motif: out of memory for %zu sequences of %zu letters", count,
                   length);
  }
  for (size_t i = 0; i < count; i++) sequences->lengths[i] = length;
  return LS_OK;
}

void sequences_close(struct sequences *sequences) {
  for (size_t i = 0; sequences->origins != NULL && i < sequences->count; i++) {
    free(sequences->origins[i].record);
  }
  free(sequences->letters);
  free(sequences->lengths);
  free(sequences->origins);
  *sequences = (struct sequences){0};
}

void sequences_draw(struct sequences *sequences, uint64_t seed) {
  struct ls_random letters;
  ls_random_init(&letters, seed, "letters");
  for (size_t i = 0; i < sequences->count * sequences->length; i++) {
    sequences->letters[i] = (uint8_t)ls_random_below(&letters, 4);
  }
}

/* ---- FASTA ---- */

static enum ls_status set_origin(struct origin *origin, const struct record *record, size_t offset,
                                 struct ls_error *err) {
  *origin = (struct origin){strdup(record->name), offset};
  return origin->record != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "motif: out of memory");
}

static enum ls_status draw_places(const struct sequences *sequences, const struct ls_bytes *codes,
                                  const struct ls_text *fasta, uint64_t seed, size_t *taken,
                                  struct ls_error *err) {
  enum ls_status status = cuts_draw(codes, sequences->length, seed, taken, sequences->count);
  if (status == LS_ENOMEM) {
    return ls_fail(err, LS_ENOMEM, "motif: out of memory for the places in %s", fasta->source);
  }
  if (status == LS_OK) return LS_OK;
  return ls_fail(err, status,
                 "motif: %s has no room for %zu sequences of %zu letters A, C, G, T "
                 "next to each other",
                 fasta->source, sequences->count, sequences->length);
}

enum ls_status sequences_cut(struct sequences *sequences, const struct ls_text *fasta,
                             uint64_t seed, struct ls_error *err) {
  struct records records;
  size_t *taken = calloc(sequences->count, sizeof *taken);
  enum ls_status status = records_read(&records, fasta, err);
  if (status == LS_OK && taken == NULL) {
    status = ls_fail(err, LS_ENOMEM, "motif: out of memory");
  }
  if (status == LS_OK) status = draw_places(sequences, &records.codes, fasta, seed, taken, err);
  for (size_t i = 0; status == LS_OK && i < sequences->count; i++) {
    const struct record *record = records_find(&records, taken[i]);
    memcpy(sequences->letters + i * sequences->length, records.codes.data + taken[i],
           sequences->length);
    status = set_origin(&sequences->origins[i], record, taken[i] - record->first, err);
  }
  records_close(&records);
  free(taken);
  return status;
}

enum ls_status sequences_read(struct sequences *sequences, const char *path, uint64_t seed,
                              struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = input_file_read("motif", path, false, &text, err);
  if (status == LS_OK) {
    struct ls_text fasta = {text.data, text.length, path};
    status = sequences_cut(sequences, &fasta, seed, err);
  }
  ls_bytes_close(&text);
  return status;
}

/* ---- its records ---- */

static enum ls_status take_records(struct sequences *sequences, const struct records *records,
                                   struct ls_error *err) {
  size_t most = 1;
  for (size_t i = 0; i < records->count; i++) {
    if (records->items[i].count > most) most = records->items[i].count;
  }
  enum ls_status status = sequences_open(sequences, records->count, most, err);
  if (status != LS_OK) return status;
  memset(sequences->letters, BEHIND, records->count * most);
  for (size_t i = 0; i < records->count && status == LS_OK; i++) {
    const struct record *record = &records->items[i];
    sequences->lengths[i] = record->count;
    if (record->count > 0) {
      memcpy(sequences->letters + i * most, records->codes.data + record->first, record->count);
    }
    status = set_origin(&sequences->origins[i], record, 0, err);
  }
  if (status != LS_OK) sequences_close(sequences);
  return status;
}

enum ls_status sequences_read_records(struct sequences *sequences, const char *path,
                                      size_t count_max, struct ls_error *err) {
  struct ls_bytes text = {0};
  struct records records = {0};
  enum ls_status status = input_file_read("motif", path, false, &text, err);
  if (status == LS_OK) {
    struct ls_text fasta = {text.data, text.length, path};
    status = records_read(&records, &fasta, err);
  }
  if (status == LS_OK && (records.count < 2 || records.count > count_max)) {
    status = ls_fail(err, LS_EINVAL, "motif: %s has %zu records, expected 2 to %zu", path,
                     records.count, count_max);
  }
  if (status == LS_OK) status = take_records(sequences, &records, err);
  records_close(&records);
  ls_bytes_close(&text);
  return status;
}

bool sequences_are_plain(const struct sequences *sequences) {
  for (size_t i = 0; i < sequences->count; i++) {
    for (size_t j = 0; j < sequences->lengths[i]; j++) {
      if (sequences_at(sequences, i)[j] >= NO_LETTER) return false;
    }
  }
  return true;
}

/* ---- a planted motif ---- */

/* `mutations` different columns get a letter that they did not have. */
static void mutate(uint8_t *letters, const struct planted *planted, struct ls_random *chance) {
  size_t left = planted->mutations;
  for (size_t column = 0; column < planted->length && left > 0; column++) {
    if (ls_random_below(chance, planted->length - column) >= left) continue;
    letters[column] = (uint8_t)((letters[column] + 1 + ls_random_below(chance, 3)) % 4);
    left--;
  }
}

enum ls_status sequences_plant(struct sequences *sequences, struct planted *planted,
                               uint64_t positions, uint64_t seed, struct ls_error *err) {
  struct ls_random chance;
  planted->letters = calloc(planted->length, 1);
  planted->starts = calloc(sequences->count, sizeof *planted->starts);
  if (planted->letters == NULL || planted->starts == NULL) {
    planted_close(planted);
    return ls_fail(err, LS_ENOMEM, "motif: out of memory for a motif");
  }
  ls_random_init(&chance, seed, "motif");
  for (size_t i = 0; i < planted->length; i++) {
    planted->letters[i] = (uint8_t)ls_random_below(&chance, 4);
  }
  for (size_t i = 0; i < sequences->count; i++) {
    planted->starts[i] = ls_random_below(&chance, positions);
    uint8_t *here = sequences->letters + i * sequences->length + planted->starts[i];
    memcpy(here, planted->letters, planted->length);
    mutate(here, planted, &chance);
  }
  return LS_OK;
}

void planted_close(struct planted *planted) {
  free(planted->letters);
  free(planted->starts);
  planted->letters = NULL;
  planted->starts = NULL;
}
