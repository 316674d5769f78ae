/* Lengths of time as Slurm writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "protocol/slurm_time.h"

static void what_slurm_writes_is_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } good[] = {{"0:00", 0},           {"9:59", 599},        {"90", 5400},        {"90:30", 5430},
              {"1:00:00", 3600},     {"48:00:01", 172801}, {"1-2", 93600},      {"1-02:03", 93780},
              {"1-02:03:04", 93784}, {"0-0:0:1", 1},       {"365-0", 31536000}, {"005:07", 307}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    double seconds = -1;
    if (!ls_slurm_time_read(good[i].text, &seconds)) fail_msg("%s is refused", good[i].text);
    if (!(seconds >= good[i].seconds && seconds <= good[i].seconds))
      fail_msg("%s is %g, expected %g", good[i].text, seconds, good[i].seconds);
  }
}

static void what_is_no_time_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",      "1:99",    "1:2:60", "1:60:00", "1-24",    "1-2:60",
                                    ":30",   "30:",     "1::2",   "1:2:3:4", "-5",      "1-",
                                    "1-2-3", " 5",      "5 ",     "1.5",     "5m",      "UNLIMITED",
                                    "N/A",   "INVALID", "+5",     "0x10",    "12345678"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double seconds = -1;
    if (ls_slurm_time_read(bad[i], &seconds)) fail_msg("'%s' is %g", bad[i], seconds);
    assert_true(seconds < 0);
  }
}

static void what_is_written_is_read_again(void **state) {
  (void)state;
  for (double seconds = 0; seconds < 4e6; seconds = seconds * 1.07 + 1) {
    struct ls_bytes text = {0};
    double again = -1;
    double whole = (double)(uint64_t)seconds;
    ls_slurm_time_write(whole, &text);
    assert_true(ls_slurm_time_read(ls_bytes_text(&text), &again));
    assert_true(again >= whole && again <= whole);
    ls_bytes_close(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_slurm_writes_is_read),
                                     cmocka_unit_test(what_is_no_time_is_refused),
                                     cmocka_unit_test(what_is_written_is_read_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
