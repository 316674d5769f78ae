#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static size_t get_least(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t ls_nearest_distance(const char *one, const char *other) {
  size_t rows = strlen(one), columns = strlen(other);
  if (rows > LS_NEAREST_LENGTH_MAX || columns > LS_NEAREST_LENGTH_MAX) return SIZE_MAX;
  /* The distances of the beginnings: of this row, and of the two before it. */
  size_t lines[3][LS_NEAREST_LENGTH_MAX + 1];
  for (size_t j = 0; j <= columns; j++) lines[0][j] = j;
  for (size_t i = 1; i <= rows; i++) {
    size_t *now = lines[i % 3], *before = lines[(i - 1) % 3], *first = lines[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= columns; j++) {
      now[j] = get_least(before[j] + 1, now[j - 1] + 1);
      now[j] = get_least(now[j], before[j - 1] + (one[i - 1] != other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        now[j] = get_least(now[j], first[j - 2] + 1);
    }
  }
  return lines[rows % 3][columns];
}

/* One slip in three characters, and one in any case. */
static size_t count_slips_allowed(const char *word) {
  size_t most = strlen(word) / 3;
  return most == 0 ? 1 : most;
}

const char *ls_nearest_name(const char *word, const char *const *names, size_t count) {
  size_t most = count_slips_allowed(word), least = SIZE_MAX;
  const char *nearest = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t distance = names[i] == NULL ? SIZE_MAX : ls_nearest_distance(word, names[i]);
    if (distance > most || distance >= least) continue;
    nearest = names[i];
    least = distance;
  }
  return nearest;
}

static const char *get_name(const void *entry) {
  return *(const char *const *)entry;
}

void ls_nearest_answer(const char *word, const void *const *entries, const char *also,
                       struct ls_bytes *out) {
  size_t least = also == NULL ? SIZE_MAX : ls_nearest_distance(word, also);
  for (size_t i = 0; entries[i] != NULL; i++)
    least = get_least(least, ls_nearest_distance(word, get_name(entries[i])));
  bool is_near = least <= count_slips_allowed(word);
  const char *mark = is_near ? "'" : "", *between = is_near ? "' or '" : ", ";
  const char *before = is_near ? "did you mean '" : "expected one of: ";
  if (also != NULL && (!is_near || ls_nearest_distance(word, also) == least)) {
    ls_bytes_printf(out, "%s%s", before, also);
    before = between;
  }
  for (size_t i = 0; entries[i] != NULL; i++) {
    const char *name = get_name(entries[i]);
    if (is_near && ls_nearest_distance(word, name) != least) continue;
    ls_bytes_printf(out, "%s%s", before, name);
    before = between;
  }
  ls_bytes_append_text(out, mark);
  if (is_near) ls_bytes_append_text(out, "? (`loadstar list' names all)");
}
