#include "answer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char BEST[] = "best       ", SCORE[] = "score ", OF[] = " of ", AT[] = " at";

void answer_append(const struct best *best, struct ls_bytes *bytes) {
  const uint64_t fields[] = {best->is_known, best->score, best->number};
  ls_bytes_append(bytes, fields, sizeof fields);
}

bool answer_take(const void *data, size_t length, uint64_t limit, struct best *best) {
  uint64_t fields[3];
  if (data == NULL || length < sizeof fields) return false;
  memcpy(fields, data, sizeof fields);
  if (fields[0] > 1 || fields[2] >= limit) return false;
  *best = (struct best){fields[0] == 1, fields[1], fields[2]};
  return true;
}

void answer_write_score(const struct space *space, const struct best *best, struct ls_bytes *line) {
  uint64_t starts[SEQUENCES_MAX];
  space_unpack(space, best->number, space->sequences, starts);
  ls_bytes_printf(line, "%s%" PRIu64 "%s%zu%s", SCORE, best->score, OF,
                  space->sequences * space->length, AT);
  for (size_t i = 0; i < space->sequences; i++) ls_bytes_printf(line, " %" PRIu64, starts[i]);
}

void answer_write(const struct space *space, const struct best *best, struct ls_bytes *line) {
  ls_bytes_append_text(line, BEST);
  answer_write_score(space, best, line);
}

/* Reads `text` at `*at` and goes behind it. */
static bool skip(const char **at, const char *text) {
  size_t length = strlen(text);
  if (strncmp(*at, text, length) != 0) return false;
  *at += length;
  return true;
}

static bool read_number(const char **at, uint64_t limit, uint64_t *number) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  *number = strtoull(*at, &end, 10);
  *at = end;
  return *number < limit;
}

bool answer_read(const struct space *space, const char *line, struct best *best) {
  uint64_t score, most = space->sequences * space->length, of, starts[SEQUENCES_MAX];
  bool is_good = skip(&line, BEST) && skip(&line, SCORE) && read_number(&line, most + 1, &score) &&
                 skip(&line, OF) && read_number(&line, most + 1, &of) && of == most &&
                 skip(&line, AT);
  for (size_t i = 0; is_good && i < space->sequences; i++) {
    is_good = skip(&line, " ") && read_number(&line, space->positions[i], &starts[i]);
  }
  if (!is_good || (*line != '\n' && *line != 0)) return false;
  *best = (struct best){true, score, space_pack(space, starts, space->sequences)};
  return true;
}
