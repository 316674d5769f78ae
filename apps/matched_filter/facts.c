#include "facts.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

struct facts facts_find(const int64_t *responses, struct area area) {
  size_t min = 0, max = 0, count = area.width * area.height;
  struct facts facts = {.sum = 0};
  for (size_t i = 0; i < count; i++) {
    if (responses[i] < responses[min]) min = i;
    if (responses[i] > responses[max]) max = i;
    facts.sum = add(facts.sum, responses[i]);
  }
  facts.min = responses[min];
  facts.max = responses[max];
  facts.min_x = (uint32_t)(area.x + min % area.width);
  facts.min_y = (uint32_t)(area.y + min / area.width);
  facts.max_x = (uint32_t)(area.x + max % area.width);
  facts.max_y = (uint32_t)(area.y + max / area.width);
  return facts;
}

static bool is_before(uint32_t x, uint32_t y, uint32_t other_x, uint32_t other_y) {
  return y < other_y || (y == other_y && x < other_x);
}

struct facts facts_join(const struct facts *a, const struct facts *b) {
  struct facts facts = *a;
  facts.sum = add(a->sum, b->sum);
  if (b->min < a->min || (b->min == a->min && is_before(b->min_x, b->min_y, a->min_x, a->min_y))) {
    facts.min = b->min;
    facts.min_x = b->min_x;
    facts.min_y = b->min_y;
  }
  if (b->max > a->max || (b->max == a->max && is_before(b->max_x, b->max_y, a->max_x, a->max_y))) {
    facts.max = b->max;
    facts.max_x = b->max_x;
    facts.max_y = b->max_y;
  }
  return facts;
}

void facts_write(const struct facts *facts, unsigned char bytes[FACTS_BYTES]) {
  const uint64_t numbers[] = {htole64((uint64_t)facts->min), htole64((uint64_t)facts->max),
                              htole64((uint64_t)facts->sum),
                              htole64((uint64_t)facts->min_y << 32 | facts->min_x),
                              htole64((uint64_t)facts->max_y << 32 | facts->max_x)};
  memcpy(bytes, numbers, sizeof numbers);
}

struct facts facts_read(const unsigned char bytes[FACTS_BYTES]) {
  uint64_t numbers[5];
  memcpy(numbers, bytes, sizeof numbers);
  for (size_t i = 0; i < 5; i++) numbers[i] = le64toh(numbers[i]);
  return (struct facts){.min = (int64_t)numbers[0],
                        .max = (int64_t)numbers[1],
                        .sum = (int64_t)numbers[2],
                        .min_x = (uint32_t)numbers[3],
                        .min_y = (uint32_t)(numbers[3] >> 32),
                        .max_x = (uint32_t)numbers[4],
                        .max_y = (uint32_t)(numbers[4] >> 32)};
}

void facts_turn_bytes(int64_t *responses, size_t count) {
  for (size_t i = 0; i < count; i++) responses[i] = (int64_t)htole64((uint64_t)responses[i]);
}
