#include "blocks.h"

#include "kernels.h"

static size_t find_less(size_t a, size_t b) {
  return a < b ? a : b;
}

void blocks_init(struct blocks *blocks, struct area image, size_t block_width,
                 size_t block_height) {
  *blocks = (struct blocks){.width = image.width,
                            .height = image.height,
                            .block_width = find_less(block_width, image.width),
                            .block_height = find_less(block_height, image.height)};
  blocks->across = (image.width + blocks->block_width - 1) / blocks->block_width;
  blocks->down = (image.height + blocks->block_height - 1) / blocks->block_height;
}

uint64_t blocks_count(const struct blocks *blocks) {
  return (uint64_t)blocks->across * blocks->down;
}

/* So many blocks to the right and down from one. */
static struct area find_area(const struct blocks *blocks, uint64_t unit, size_t across,
                             size_t down) {
  size_t x = (size_t)(unit % blocks->across) * blocks->block_width;
  size_t y = (size_t)(unit / blocks->across) * blocks->block_height;
  return (struct area){x, y, find_less(across * blocks->block_width, blocks->width - x),
                       find_less(down * blocks->block_height, blocks->height - y)};
}

struct area blocks_area(const struct blocks *blocks, uint64_t unit) {
  return find_area(blocks, unit, 1, 1);
}

struct area blocks_widen(const struct blocks *blocks, struct area area) {
  size_t right = find_less(area.x + area.width + BORDER, blocks->width);
  size_t bottom = find_less(area.y + area.height + BORDER, blocks->height);
  size_t x = area.x > BORDER ? area.x - BORDER : 0, y = area.y > BORDER ? area.y - BORDER : 0;
  return (struct area){x, y, right - x, bottom - y};
}

size_t blocks_stretch(const struct blocks *blocks, struct ls_range units,
                      struct stretch stretches[STRETCHES_MAX]) {
  size_t count = 0;
  while (units.count > 0) {
    uint64_t left = blocks->across - units.first % blocks->across, down = 1;
    uint64_t across = left < units.count ? left : units.count;
    if (left == blocks->across && units.count >= left) down = units.count / blocks->across;
    struct area area = find_area(blocks, units.first, (size_t)across, (size_t)down);
    stretches[count++] =
        (struct stretch){{units.first, across * down}, (size_t)across, blocks_widen(blocks, area)};
    units.first += across * down;
    units.count -= across * down;
  }
  return count;
}
