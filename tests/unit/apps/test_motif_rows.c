#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "motif_case.h"
#include "rows.h"

static void sent_rows_give_the_best_of_any_range(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct motif_case made;
    struct rows rows = {0};
    struct ls_random chance;
    struct ls_bytes tasks = {0};
    struct best best = {0};
    open_any_case(&made, seed);
    if (!sequences_are_plain(&made.sequences)) {
      close_case(&made); /* other letters are not sent */
      continue;
    }
    ls_random_init(&chance, seed, "range");
    uint64_t first = ls_random_below(&chance, made.space.vectors);
    struct ls_range packed = {first, 1 + ls_random_below(&chance, made.space.vectors - first)};
    uint64_t skipped = ls_random_below(&chance, packed.count);
    struct ls_range part = {first + skipped, packed.count - skipped};
    assert_int_equal(rows_open(&rows, &made.sequences, &made.space, NULL), LS_OK);
    rows_pack(&rows, &made.space, packed, &tasks);
    assert_int_equal(tasks.length, packed.count * rows_task_bytes(&made.space));
    const uint8_t *data = (const uint8_t *)tasks.data + skipped * rows_task_bytes(&made.space);
    rows_search(&made.space, data, part, &best);
    assert_same_best(best, search_plainly(&made, part));
    ls_bytes_close(&tasks);
    rows_close(&rows);
    close_case(&made);
  }
}

/* Nothing but the bytes counts: other letters, another best. */
static void task_is_what_was_sent(void **state) {
  (void)state;
  struct motif_case made;
  struct best best = {0};
  open_case(&made, 1, 3, 5, 4, 4);
  assert_int_equal(rows_task_bytes(&made.space), 6);
  /* Two tasks: AAAAA three times; and CAAAA, GAAAA, TAAAA. */
  const uint8_t tasks[12] = {0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0};
  rows_search(&made.space, tasks, (struct ls_range){40, 2}, &best);
  assert_same_best(best, (struct best){true, 15, 40});
  best = (struct best){0};
  rows_search(&made.space, tasks + 6, (struct ls_range){41, 1}, &best);
  assert_same_best(best, (struct best){true, 13, 41});
  close_case(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sent_rows_give_the_best_of_any_range),
      cmocka_unit_test(task_is_what_was_sent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
