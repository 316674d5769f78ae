#include "base/nearest.h"

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

const char *ls_nearest_name(const char *word, const char *const *names, size_t count) {
  /* One slip in three characters, and one in any case. */
  size_t most = strlen(word) / 3, least = SIZE_MAX;
  const char *nearest = NULL;
  if (most == 0) most = 1;
  for (size_t i = 0; i < count; i++) {
    size_t distance = names[i] == NULL ? SIZE_MAX : ls_nearest_distance(word, names[i]);
    if (distance > most || distance >= least) continue;
    nearest = names[i];
    least = distance;
  }
  return nearest;
}
