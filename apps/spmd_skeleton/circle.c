#include "circle.h"

uint64_t circle_count_row(uint64_t radius, uint64_t row) {
  uint64_t points = 0, left = radius * radius - row * row;
  for (uint64_t x = 0; x < radius; x++) points += x * x < left;
  return points;
}

uint64_t circle_count(uint64_t radius) {
  uint64_t points = 0;
  for (uint64_t row = 0; row < radius; row++) points += circle_count_row(radius, row);
  return points;
}
