#include "rows.h"

#include <stdlib.h>
#include <string.h>

enum { LETTERS_PER_BYTE = 4, BYTES_PER_WORD = COLUMNS_PER_WORD / LETTERS_PER_BYTE, BYTES = 256 };

static size_t count_row_bytes(const struct space *space) {
  return (space->length + LETTERS_PER_BYTE - 1) / LETTERS_PER_BYTE;
}

size_t rows_task_bytes(const struct space *space) {
  return space->sequences * count_row_bytes(space);
}

static void write_row(const uint8_t *letters, size_t length, uint8_t *row) {
  for (size_t column = 0; column < length; column++) {
    row[column / LETTERS_PER_BYTE] |= (uint8_t)(letters[column] << 2 * (column % LETTERS_PER_BYTE));
  }
}

enum ls_status rows_open(struct rows *rows, const struct sequences *sequences,
                         const struct space *space, struct ls_error *err) {
  struct rows made = {.row_bytes = count_row_bytes(space)};
  made.bytes = calloc(space->rows_count, made.row_bytes);
  if (made.bytes == NULL)
    return ls_fail(err, LS_ENOMEM, "motif: out of memory for %zu rows", space->rows_count);
  for (size_t i = 0; i < space->sequences; i++) {
    for (size_t position = 0; position < space->positions[i]; position++) {
      uint8_t *row = made.bytes + (space->first_rows[i] + position) * made.row_bytes;
      write_row(sequences_at(sequences, i) + position, space->length, row);
    }
  }
  *rows = made;
  return LS_OK;
}

void rows_close(struct rows *rows) {
  free(rows->bytes);
  rows->bytes = NULL;
}

static void copy_row(const struct rows *rows, const struct space *space, size_t sequence,
                     uint64_t position, uint8_t *task) {
  memcpy(task + sequence * rows->row_bytes,
         rows->bytes + (space->first_rows[sequence] + (size_t)position) * rows->row_bytes,
         rows->row_bytes);
}

/* From one vector to the next only the rows change whose positions do. */
void rows_pack(const struct rows *rows, const struct space *space, struct ls_range vectors,
               struct ls_bytes *bytes) {
  uint64_t starts[SEQUENCES_MAX];
  uint8_t task[SEQUENCES_MAX * MOTIF_LENGTH_MAX / LETTERS_PER_BYTE];
  size_t length = rows_task_bytes(space);
  space_unpack(space, vectors.first, space->sequences, starts);
  for (size_t i = 0; i < space->sequences; i++) copy_row(rows, space, i, starts[i], task);
  for (uint64_t done = 0; done < vectors.count; done++) {
    ls_bytes_append(bytes, task, length);
    for (size_t i = space->sequences; i > 0; i--) {
      starts[i - 1] = starts[i - 1] + 1 < space->positions[i - 1] ? starts[i - 1] + 1 : 0;
      copy_row(rows, space, i - 1, starts[i - 1], task);
      if (starts[i - 1] > 0) break;
    }
  }
}

/* ---- at a worker ---- */

/* The bits of the four columns that a byte has. */
static void spread_bytes(uint16_t *columns) {
  for (unsigned byte = 0; byte < BYTES; byte++) {
    columns[byte] = 0;
    for (unsigned i = 0; i < LETTERS_PER_BYTE; i++) {
      columns[byte] |= (uint16_t)(1u << (4 * i + (byte >> 2 * i & 3)));
    }
  }
}

static void read_row(const struct space *space, const uint8_t *bytes, const uint16_t *columns,
                     uint64_t *row) {
  size_t count = count_row_bytes(space), rest = space->length % COLUMNS_PER_WORD;
  memset(row, 0, space->words * sizeof *row);
  for (size_t i = 0; i < count; i++) {
    row[i / BYTES_PER_WORD] |= (uint64_t)columns[bytes[i]] << 16 * (i % BYTES_PER_WORD);
  }
  /* Behind the last letter there is none. */
  if (rest > 0) row[space->words - 1] &= (UINT64_C(1) << 4 * rest) - 1;
}

void rows_search(const struct space *space, const uint8_t *tasks, struct ls_range vectors,
                 struct best *best) {
  uint16_t columns[BYTES];
  uint64_t row[ROW_WORDS_MAX], profile[PROFILE_WORDS_MAX], favourites[ROW_WORDS_MAX];
  size_t row_bytes = count_row_bytes(space);
  spread_bytes(columns);
  for (uint64_t i = 0; i < vectors.count; i++) {
    memset(profile, 0, space->profile_words * sizeof *profile);
    for (size_t j = 0; j < space->sequences; j++, tasks += row_bytes) {
      read_row(space, tasks, columns, row);
      profile_add(space, profile, row, profile);
    }
    best_take(best, profile_score(space, profile, favourites), vectors.first + i);
  }
}
