/* --slurm: what is wished, and the words for what nobody can mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "protocol/slurm_wish.h"

static struct ls_slurm_wish read_wish(const char *text) {
  struct ls_slurm_wish wish;
  struct ls_error err = {0};
  if (ls_slurm_wish_read(text, &wish, &err) != LS_OK) fail_msg("%s: %s", text, err.text);
  return wish;
}

static void everything_can_be_wished(void **state) {
  (void)state;
  struct ls_slurm_wish wish = read_wish(
      "partition=main,account=me,qos=low,time=1:00:00,nodes=16,workers=4,cpus=8,mem=4G,"
      "constraint=fast&big,per-job=2,backlog=3,hours=12.5,notice=60,label=gpu+a100,requeue");
  assert_string_equal(wish.partition, "main");
  assert_string_equal(wish.account, "me");
  assert_string_equal(wish.qos, "low");
  assert_string_equal(wish.constraint, "fast&big");
  assert_string_equal(wish.memory, "4G");
  assert_true(wish.time_s >= 3600 && wish.time_s <= 3600);
  assert_int_equal(wish.nodes, 16);
  assert_int_equal(wish.workers, 4);
  assert_int_equal(wish.cpus, 8);
  assert_int_equal(wish.nodes_per_job, 2);
  assert_int_equal(wish.backlog, 3);
  assert_true(wish.hours >= 12.5 && wish.hours <= 12.5);
  assert_true(wish.notice_s >= 60 && wish.notice_s <= 60);
  assert_string_equal(wish.labels, "gpu,a100");
  assert_true(wish.requeues);
}

static void little_is_needed(void **state) {
  (void)state;
  struct ls_slurm_wish wish = read_wish("partition=main");
  assert_int_equal(wish.nodes, 1);
  assert_int_equal(wish.nodes_per_job, 1);
  assert_int_equal(wish.backlog, 2);
  assert_int_equal(wish.workers, 0);
  assert_false(wish.requeues);
  assert_int_equal(read_wish("per-job=4").nodes, 4);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } bad[] = {
      {"", "'' is no key, expected partition, account"},
      {"colour=red", "'colour' is no key"},
      {"nodes=4,", "'' is no key"},
      {"time=1:99", "time is '1:99', expected [DAYS-]HOURS:MINUTES:SECONDS"},
      {"time=0:00", "time is '0:00'"},
      {"time=", "time is ''"},
      {"nodes=0", "nodes is '0', expected a whole number from 1 to 65536"},
      {"nodes=-1", "nodes is '-1'"},
      {"nodes=2x", "nodes is '2x'"},
      {"workers=9999", "workers is '9999', expected a whole number from 1 to 4096"},
      {"nodes", "nodes has no value, expected nodes=VALUE"},
      {"nodes=2,nodes=3", "nodes is given twice"},
      {"requeue=1", "requeue takes no value"},
      {"mem=4X", "mem is '4X', expected a number and K, M, G or T"},
      {"mem=lots", "mem is 'lots'"},
      {"partition=", "partition is ''"},
      {"partition=a b", "partition is 'a b', expected a name without blanks"},
      {"partition=a\nb", "partition is 'a?b'"},
      {"label=", "label is '', expected labels of 1 to 64"},
      {"label=a+", "label is 'a+'"},
      {"hours=0,time=5", "hours is '0'"},
      {"hours=nan,time=5", "hours is 'nan'"},
      {"hours=3", "hours is '3', expected with it time="},
      {"notice=0", "notice is '0', expected seconds from 1 to 65535"},
      {"nodes=5,per-job=2", "nodes is 5 and per-job is 2"},
      {"backlog=0", "backlog is '0'"},
      {"nodes=1000,workers=100", "workers is 100 on 1000 nodes"},
      {"nodes=18446744073709551617", "nodes is '18446744073709551617'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_slurm_wish wish = {.nodes = 77};
    struct ls_error err = {0};
    assert_int_equal(ls_slurm_wish_read(bad[i].text, &wish, &err), LS_EINVAL);
    assert_int_equal(wish.nodes, 77);
    if (strncmp(err.text, "--slurm: ", 9) != 0 || strstr(err.text, bad[i].words) == NULL)
      fail_msg("'%s': %s", bad[i].text, err.text);
  }
}

static void a_value_of_127_letters_is_the_longest(void **state) {
  (void)state;
  struct ls_slurm_wish wish;
  char text[160] = "partition=";
  memset(text + 10, 'p', 127);
  assert_int_equal(ls_slurm_wish_read(text, &wish, NULL), LS_OK);
  assert_int_equal(strlen(wish.partition), 127);
  text[137] = 'p';
  assert_int_equal(ls_slurm_wish_read(text, &wish, NULL), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(everything_can_be_wished),
                                     cmocka_unit_test(little_is_needed),
                                     cmocka_unit_test(mistakes_are_named),
                                     cmocka_unit_test(a_value_of_127_letters_is_the_longest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
