#include "sequences.h"

#include <stdlib.h>
#include <string.h>

#include "../common/input_file.h"
#include "cuts.h"

static const char LETTERS[] = "ACGT";

enum { GZIP_FIRST = 0x1f };

char sequences_letter(uint8_t code) {
  return LETTERS[code];
}

enum ls_status sequences_open(struct sequences *sequences, size_t count, size_t length,
                              struct ls_error *err) {
  uint8_t *letters = calloc(count, length);
  if (letters == NULL) {
    return ls_fail(err, LS_ENOMEM, "motif: out of memory for %zu sequences of %zu letters", count,
                   length);
  }
  *sequences = (struct sequences){count, length, letters};
  return LS_OK;
}

void sequences_close(struct sequences *sequences) {
  free(sequences->letters);
  sequences->letters = NULL;
}

void sequences_draw(struct sequences *sequences, uint64_t seed) {
  struct ls_random letters;
  ls_random_init(&letters, seed, "letters");
  for (size_t i = 0; i < sequences->count * sequences->length; i++) {
    sequences->letters[i] = (uint8_t)ls_random_below(&letters, 4);
  }
}

/* ---- FASTA ---- */

static uint8_t find_code(char letter) {
  const char *found = strchr(LETTERS, letter >= 'a' ? letter - 'a' + 'A' : letter);
  return found != NULL && *found != 0 ? (uint8_t)(found - LETTERS) : (uint8_t)NO_LETTER;
}

/* The letters of all records one after the other, with an end between two of them. */
static enum ls_status read_codes(const struct ls_text *fasta, struct ls_bytes *codes,
                                 struct ls_error *err) {
  size_t at = 0;
  if (fasta->length == 0 || fasta->data[0] != '>') {
    bool is_gzip = fasta->length > 0 && (unsigned char)fasta->data[0] == GZIP_FIRST;
    return ls_fail(err, LS_EINVAL, "motif: %s: line 1 %s", fasta->source,
                   is_gzip ? "is compressed, expected FASTA as gunzip writes it"
                           : "does not begin with '>' as FASTA does");
  }
  while (at < fasta->length) {
    const char *line = fasta->data + at;
    const char *end = memchr(line, '\n', fasta->length - at);
    size_t length = end != NULL ? (size_t)(end - line) : fasta->length - at;
    at += length + 1;
    if (length > 0 && line[0] == '>') ls_bytes_append_char(codes, (char)NO_LETTER);
    for (size_t i = 0; i < length && line[0] != '>'; i++) {
      if (line[i] != '\r' && line[i] != ' ') {
        ls_bytes_append_char(codes, (char)find_code(line[i]));
      }
    }
  }
  if (!codes->failed) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "motif: out of memory for %s", fasta->source);
}

enum ls_status sequences_cut(struct sequences *sequences, const struct ls_text *fasta,
                             uint64_t seed, struct ls_error *err) {
  struct ls_bytes codes = {0};
  size_t *taken = calloc(sequences->count, sizeof *taken);
  enum ls_status status = taken != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "motif: out of memory");
  if (status == LS_OK) status = read_codes(fasta, &codes, err);
  if (status == LS_OK) {
    status = cuts_draw(&codes, sequences->length, seed, taken, sequences->count);
    if (status == LS_ENOMEM) {
      status = ls_fail(err, LS_ENOMEM, "motif: out of memory for the places in %s", fasta->source);
    } else if (status != LS_OK) {
      status = ls_fail(err, status,
                       "motif: %s has no room for %zu sequences of %zu letters A, C, G, T "
                       "next to each other",
                       fasta->source, sequences->count, sequences->length);
    }
  }
  for (size_t i = 0; status == LS_OK && i < sequences->count; i++) {
    memcpy(sequences->letters + i * sequences->length, codes.data + taken[i], sequences->length);
  }
  ls_bytes_close(&codes);
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
