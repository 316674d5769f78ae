#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LETTERS[] = "ACGT";

enum { GZIP_FIRST = 0x1f, NAME_MAX_BYTES = 80 };

char records_letter(unsigned char code) {
  return code < NO_LETTER ? LETTERS[code] : 'N';
}

static char find_code(char letter) {
  const char *found = strchr(LETTERS, letter >= 'a' ? letter - 'a' + 'A' : letter);
  return (char)(found != NULL && *found != 0 ? found - LETTERS : NO_LETTER);
}

/* A line without its '>': its first word, or the number of the record. */
static char *make_name(const char *line, size_t length, size_t number) {
  char name[NAME_MAX_BYTES];
  size_t used = 0;
  while (used < length && used + 1 < sizeof name && line[used] > ' ') {
    name[used] = line[used];
    used++;
  }
  name[used] = 0;
  if (used == 0) (void)snprintf(name, sizeof name, "record %zu", number);
  return strdup(name);
}

static enum ls_status begin_record(struct records *records, const char *line, size_t length) {
  struct record *items = realloc(records->items, (records->count + 1) * sizeof *items);
  if (items == NULL) return LS_ENOMEM;
  records->items = items;
  ls_bytes_append_char(&records->codes, (char)NO_LETTER);
  char *name = make_name(line, length, records->count + 1);
  if (name == NULL) return LS_ENOMEM;
  items[records->count++] = (struct record){name, records->codes.length, 0};
  return LS_OK;
}

static enum ls_status read_line(struct records *records, const char *line, size_t length) {
  if (length > 0 && line[0] == '>') return begin_record(records, line + 1, length - 1);
  struct record *record = &records->items[records->count - 1];
  for (size_t i = 0; i < length; i++) {
    if (line[i] != '\r' && line[i] != ' ') {
      ls_bytes_append_char(&records->codes, find_code(line[i]));
      record->count++;
    }
  }
  return LS_OK;
}

enum ls_status records_read(struct records *records, const struct ls_text *fasta,
                            struct ls_error *err) {
  size_t at = 0;
  enum ls_status status = LS_OK;
  *records = (struct records){0};
  if (fasta->length == 0 || fasta->data[0] != '>') {
    bool is_gzip = fasta->length > 0 && (unsigned char)fasta->data[0] == GZIP_FIRST;
    return ls_fail(err, LS_EINVAL, "motif: %s: line 1 %s", fasta->source,
                   is_gzip ? "is compressed, expected FASTA as gunzip writes it"
                           : "does not begin with '>' as FASTA does");
  }
  while (at < fasta->length && status == LS_OK) {
    const char *line = fasta->data + at;
    const char *end = memchr(line, '\n', fasta->length - at);
    size_t length = end != NULL ? (size_t)(end - line) : fasta->length - at;
    at += length + 1;
    status = read_line(records, line, length);
  }
  if (status == LS_OK && !records->codes.failed) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "motif: out of memory for %s", fasta->source);
}

void records_close(struct records *records) {
  for (size_t i = 0; i < records->count; i++) free(records->items[i].name);
  free(records->items);
  ls_bytes_close(&records->codes);
  *records = (struct records){0};
}

const struct record *records_find(const struct records *records, size_t place) {
  size_t found = 0;
  while (found + 1 < records->count && records->items[found + 1].first <= place) found++;
  return &records->items[found];
}
