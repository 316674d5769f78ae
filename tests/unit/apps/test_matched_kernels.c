/* The bank is the one that a program independent of this one made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../apps/common/checksum.h"
#include "kernels.h"

static struct kernels bank_of_sums, bank_of_max, composite;

static int make_banks(void **state) {
  (void)state;
  assert_int_equal(kernels_make(&bank_of_sums, RESPONSE_SUM, NULL), LS_OK);
  assert_int_equal(kernels_make(&bank_of_max, RESPONSE_MAX, NULL), LS_OK);
  assert_int_equal(kernels_make_composite(&composite, NULL), LS_OK);
  return 0;
}

static int close_banks(void **state) {
  (void)state;
  kernels_close(&bank_of_sums);
  kernels_close(&bank_of_max);
  kernels_close(&composite);
  return 0;
}

/* All taps within half_side, also those that are 0, row by row. */
static size_t spread_out(const struct kernels *kernels, size_t number, int32_t *weights) {
  const struct kernel *kernel = &kernels->items[number];
  int side = 2 * kernel->half_side + 1;
  memset(weights, 0, SIDE_MAX * SIDE_MAX * sizeof *weights);
  for (size_t i = 0; i < kernel->count; i++) {
    const struct tap *tap = &kernels->taps[kernel->first + i];
    assert_true(abs(tap->dx) <= kernel->half_side && abs(tap->dy) <= kernel->half_side);
    assert_int_not_equal(tap->weight, 0);
    weights[(tap->dy + kernel->half_side) * side + tap->dx + kernel->half_side] = tap->weight;
  }
  return (size_t)(side * side);
}

static uint64_t find_digest(const int32_t *weights, size_t count) {
  uint64_t digest = CHECKSUM_START;
  for (size_t i = 0; i < count; i++) {
    uint32_t weight = (uint32_t)weights[i];
    unsigned char bytes[] = {(unsigned char)weight, (unsigned char)(weight >> 8),
                             (unsigned char)(weight >> 16), (unsigned char)(weight >> 24)};
    digest = checksum_add(digest, bytes, sizeof bytes);
  }
  return digest;
}

static void assert_kernel(const json_t *record) {
  const char *response = NULL, *digest = NULL;
  int number, half_side, count, positive_sum, centre;
  int32_t weights[SIDE_MAX * SIDE_MAX];
  char found[20];
  assert_int_equal(
      json_unpack((json_t *)record, "{s:i, s:s, s:i, s:i, s:i, s:i, s:s}", "number", &number,
                  "response", &response, "half_side", &half_side, "taps_not_zero", &count,
                  "positive_sum", &positive_sum, "centre", &centre, "digest", &digest),
      0);
  const struct kernels *bank = strcmp(response, "max") == 0 ? &bank_of_max : &bank_of_sums;
  size_t taps = spread_out(bank, (size_t)number, weights);
  assert_int_equal(bank->items[number].half_side, half_side);
  assert_int_equal(bank->items[number].count, count);
  assert_int_equal(weights[taps / 2], centre);
  int64_t sum = 0;
  for (size_t i = 0; i < taps; i++) sum += weights[i] > 0 ? weights[i] : 0;
  assert_int_equal(sum, positive_sum);
  (void)snprintf(found, sizeof found, "%016" PRIx64, find_digest(weights, taps));
  assert_string_equal(found, digest);
}

static void kernels_are_those_of_the_vectors(void **state) {
  (void)state;
  json_t *document = json_load_file(LS_TEST_VECTORS "/matched.json", 0, NULL);
  assert_non_null(document);
  const json_t *records = json_object_get(document, "kernels");
  assert_int_equal(json_array_size(records), 12);
  for (size_t i = 0; i < json_array_size(records); i++) assert_kernel(json_array_get(records, i));
  json_decref(document);
}

static void taps_of_every_kernel_add_up_to_nothing(void **state) {
  (void)state;
  const struct kernels *all[] = {&bank_of_sums, &bank_of_max, &composite};
  for (size_t k = 0; k < 3; k++) {
    for (size_t number = 0; number < all[k]->count; number++) {
      const struct kernel *kernel = &all[k]->items[number];
      int64_t sum = 0;
      for (size_t i = 0; i < kernel->count; i++) sum += all[k]->taps[kernel->first + i].weight;
      assert_int_equal(sum, 0);
    }
  }
}

/* That pixels up to PIXEL_NARROW_MAX need 32 bits only, and taps 16. */
static void positive_taps_are_limited(void **state) {
  (void)state;
  int64_t most = 0;
  const struct kernels *all[] = {&bank_of_sums, &bank_of_max};
  for (size_t k = 0; k < 2; k++) {
    for (size_t number = 0; number < KERNELS; number++) {
      const struct kernel *kernel = &all[k]->items[number];
      int64_t positive = 0;
      for (size_t i = 0; i < kernel->count; i++) {
        int32_t weight = all[k]->taps[kernel->first + i].weight;
        assert_in_range(abs(weight), 1, INT16_MAX);
        if (weight > 0) positive += weight;
      }
      if (positive > most) most = positive;
    }
  }
  assert_int_equal(most, 124746);
}

static void composite_is_the_sum_of_all(void **state) {
  (void)state;
  int64_t sums[SIDE_MAX][SIDE_MAX] = {{0}};
  assert_int_equal(composite.count, 1);
  for (size_t number = 0; number < KERNELS; number++) {
    const struct kernel *kernel = &bank_of_sums.items[number];
    for (size_t i = 0; i < kernel->count; i++) {
      const struct tap *tap = &bank_of_sums.taps[kernel->first + i];
      sums[tap->dy + BORDER][tap->dx + BORDER] += tap->weight;
    }
  }
  for (size_t i = 0; i < composite.items[0].count; i++) {
    const struct tap *tap = &composite.taps[i];
    sums[tap->dy + BORDER][tap->dx + BORDER] -= tap->weight;
  }
  for (size_t y = 0; y < SIDE_MAX; y++) {
    for (size_t x = 0; x < SIDE_MAX; x++) assert_int_equal(sums[y][x], 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_are_those_of_the_vectors),
      cmocka_unit_test(taps_of_every_kernel_add_up_to_nothing),
      cmocka_unit_test(positive_taps_are_limited),
      cmocka_unit_test(composite_is_the_sum_of_all),
  };
  return cmocka_run_group_tests(tests, make_banks, close_banks);
}
