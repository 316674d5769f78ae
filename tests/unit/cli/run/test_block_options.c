#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/run/block_options.h"
#include "cli/run/run_options.h"
#include "option_key.h"

static enum ls_status give(struct ls_block_options *options, const char *name, const char *text,
                           struct ls_error *err) {
  int key = find_key(name);
  assert_true(ls_block_options_has(key));
  return ls_block_options_read(options, key, text, err);
}

static void sizes_and_numbers_are_read(void **state) {
  (void)state;
  struct ls_block_options options = {0};
  assert_int_equal(give(&options, "pipe", NULL, NULL), LS_OK);
  assert_int_equal(give(&options, "block", "4M", NULL), LS_OK);
  assert_int_equal(options.bytes, 4 << 20);
  options = (struct ls_block_options){0};
  assert_int_equal(give(&options, "block", "-3", NULL), LS_OK);
  assert_int_equal(options.blocks_per_worker, 3);
  assert_int_equal(give(&options, "cat", NULL, NULL), LS_OK);
  assert_int_equal(options.form, LS_BLOCK_FILE);
  assert_false(ls_block_options_divide(&options));
  assert_false(ls_block_options_has('k'));
}

static void what_cannot_be_meant_is_refused(void **state) {
  (void)state;
  struct ls_block_options options = {0};
  struct ls_error err;
  assert_int_equal(give(&options, "block", "big", &err), LS_EINVAL);
  assert_int_equal(give(&options, "block", "-0", &err), LS_EINVAL);
  assert_int_equal(give(&options, "block", "2000G", &err), LS_EINVAL);
  assert_int_equal(give(&options, "cat", NULL, &err), LS_OK);
  assert_int_equal(give(&options, "fifo", NULL, &err), LS_EINVAL);
}

static void assert_refused(struct ls_run_options *options, const char *words) {
  struct ls_error err = {0};
  assert_int_equal(ls_block_options_check(options, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' lacks '%s'", err.text, words);
}

/* A process that is fed is one task of a worker here, and nothing of it can be repeated. */
static void dealt_blocks_exclude_what_repeats_or_assigns_them(void **state) {
  (void)state;
  static const struct ls_run_options plain = {
      .order = "fifo", .losses = LS_RUN_LOSSES, .prefetch = 1, .blocks = {.is_dealt = true}};
  struct ls_run_options options = plain;
  assert_int_equal(ls_block_options_check(&options, NULL), LS_OK);
  assert_true(options.blocks.is_piped);
  assert_string_equal(options.policy, "ss");
  assert_int_equal(options.losses, 1);
  assert_int_equal(options.prefetch, 0);
  assert_int_equal(options.bundles.tasks.units_max, 0);
  options = plain;
  options.keeps_order = true;
  assert_refused(&options, "--round-robin and -k exclude each other: no output belongs");
  options = plain;
  options.losses = 0;
  assert_refused(&options, "--round-robin and --losses exclude each other: what a process has");
  options = plain;
  options.policy = "gss";
  assert_refused(&options, "--round-robin and --policy exclude each other: a block goes to");
  options = plain;
  options.blocks.form = LS_BLOCK_FIFO;
  assert_refused(&options, "--round-robin and --fifo exclude each other: a block is written");
  options = plain;
  options.blocks.is_part = true;
  assert_refused(&options, "--round-robin and --pipe-part exclude each other");
  options = plain;
  options.listen = "tcp://*:*";
  assert_refused(&options, "--round-robin and --listen exclude each other: a process is fed");
}

/* Where the block has a name, there is data. */
static void a_file_or_named_pipe_of_a_block_says_pipe(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo", .blocks = {.form = LS_BLOCK_FIFO}};
  assert_int_equal(ls_block_options_check(&options, NULL), LS_OK);
  assert_true(options.blocks.is_piped);
  options = (struct ls_run_options){.order = "fifo",
                                    .blocks = {.form = LS_BLOCK_FILE, .is_part = true},
                                    .files = {"f"},
                                    .files_count = 1};
  assert_int_equal(ls_block_options_check(&options, NULL), LS_OK);
  assert_false(options.blocks.is_piped);
}

static void options_say_what_they_need(void **state) {
  (void)state;
  assert_refused(&(struct ls_run_options){.order = "fifo", .blocks = {.bytes = 1}},
                 "--block needs --pipe");
  assert_refused(&(struct ls_run_options){.order = "fifo", .blocks = {.removes = true}},
                 "--rrs needs --pipe");
  assert_refused(
      &(struct ls_run_options){.order = "fifo", .blocks = {.is_piped = true, .is_part = true}},
      "exclude each other");
  assert_refused(&(struct ls_run_options){.order = "fifo", .blocks = {.is_part = true}}, "-a FILE");
  assert_refused(&(struct ls_run_options){.order = "fifo",
                                          .blocks = {.is_part = true},
                                          .bundles = {.records = 2, .group = 2, .groups = "-N"}},
                 "-N needs");
  assert_refused(&(struct ls_run_options){.order = "fifo",
                                          .blocks = {.is_piped = true, .blocks_per_worker = 2}},
                 "--block -2");
  struct ls_run_options part = {
      .order = "fifo", .blocks = {.is_part = true}, .files = {"f"}, .files_count = 1};
  assert_int_equal(ls_block_options_check(&part, NULL), LS_OK);
  assert_true(part.blocks.is_part);
  part.files[0] = "-";
  assert_refused(&part, "-a FILE");
  /* Each task reads all of the file: that is a stream. */
  part.blocks.is_shared = true;
  assert_refused(&part, "-a FILE");
  part.files[0] = "f";
  assert_int_equal(ls_block_options_check(&part, NULL), LS_OK);
  assert_true(part.blocks.is_piped && part.blocks.is_shared && !part.blocks.is_part);
  assert_int_equal(ls_block_options_check(&(struct ls_run_options){0}, NULL), LS_OK);
}

/* Options about inputs that say something of a stream are taken from them, and the others say that
 * there are no inputs. */
static void options_of_inputs_are_about_the_stream(void **state) {
  (void)state;
  struct ls_run_options run = {
      .order = "fifo",
      .blocks = {.is_piped = true},
      .inputs = {.header = "3", .colsep = ";", .form = {.is_csv = true}},
      .bundles = {.records = 5, .lines = 2, .group = 2, .groups = "-L", .clash = "-N"}};
  assert_int_equal(ls_block_options_check(&run, NULL), LS_OK);
  assert_string_equal(run.blocks.header, "3");
  assert_true(run.blocks.csv.is_csv);
  assert_int_equal(run.blocks.csv.csv_separator, ';');
  assert_int_equal(run.blocks.records * run.blocks.lines, 10);
  assert_true(run.inputs.header == NULL && run.inputs.colsep == NULL && !run.inputs.form.is_csv);
  assert_true(run.bundles.group == 0 && run.bundles.groups == NULL && run.bundles.clash == NULL);
  const struct ls_block_options pipe = {.is_piped = true}, part = {.is_part = true};
  const struct {
    struct ls_run_options run;
    const char *words;
  } wrong[] = {
      {{.blocks = pipe, .inputs = {.colsep = ","}}, "--colsep without --csv or --group-by exclude"},
      {{.blocks = pipe, .inputs = {.form = {.stop_length = 1}}}, "--null or --delimiter"},
      {{.blocks = pipe, .inputs = {.is_linked = true}}, "--link"},
      {{.blocks = pipe, .bundles = {.fills = "-X"}}, "--pipe and -X exclude"},
      {{.blocks = pipe, .bundles = {.groups = "-n", .group = 1}}, "--pipe and -n exclude"},
      {{.blocks = pipe, .bundles = {.groups = "-N", .has_none = true}}, "-N is 0"},
      {{.blocks = pipe, .outputs = {.retries_failed = true}}, "--retry-failed"},
      {{.blocks = {.is_piped = true, .end = ";"}, .inputs = {.form = {.is_csv = true}}},
       "--csv and --recend exclude"},
      {{.blocks = {.is_piped = true, .group_by = "1"}}, "needs --colsep RE"},
      {{.blocks = {.is_piped = true, .group_by = "1", .start = ">"}, .inputs = {.colsep = ","}},
       "--group-by and --recstart exclude"},
      {{.blocks = part, .inputs = {.form = {.is_csv = true}}}, "-a FILE"},
      {{.blocks = {.is_piped = true, .is_shared = true, .removes = true}}, "--tee and --rrs"},
      {{.blocks = {.is_piped = true, .is_shared = true}, .bundles = {.fills = "-m"}},
       "--tee and -m"},
      {{.blocks = {.is_piped = true, .is_shared = true, .form = LS_BLOCK_FILE}}, "--tee and --cat"},
      {{.blocks = {.is_piped = true, .is_shared = true, .form = LS_BLOCK_FIFO}},
       "--tee and --fifo"},
      {{.blocks = part, .files_count = 2}, "--pipe-part reads one file, and 2"},
      {{.blocks = pipe, .plan = "plan"}, "--plan exclude each other: how many blocks"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_run_options options = wrong[i].run;
    options.order = "fifo";
    assert_refused(&options, wrong[i].words);
  }
  assert_refused(&(struct ls_run_options){.order = "random", .blocks = pipe}, "--order");
}

static void sizes_that_nobody_names_are_the_policys(void **state) {
  (void)state;
  struct ls_run_options run = {.order = "fifo", .blocks = {.is_piped = true}};
  assert_int_equal(ls_block_options_check(&run, NULL), LS_OK);
  assert_true(run.has_whole_chunks && run.bundles.tasks.are_blocks);
  assert_int_equal(run.bundles.tasks.units_max, UINT32_MAX);
  run = (struct ls_run_options){.order = "fifo", .blocks = {.is_piped = true, .bytes = 9}};
  assert_int_equal(ls_block_options_check(&run, NULL), LS_OK);
  assert_false(run.has_whole_chunks || run.bundles.tasks.are_blocks);
  /* A row of a table, and a line when a command begins, are of one block. */
  run = (struct ls_run_options){
      .order = "fifo", .blocks = {.is_piped = true}, .outputs = {.tells_beginnings = true}};
  assert_int_equal(ls_block_options_check(&run, NULL), LS_OK);
  assert_false(run.bundles.tasks.are_blocks);
}

static void texts_stand_for_bytes(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_error err;
  assert_int_equal(ls_block_options_decode("--recend", "a\\n\\x3e\\0\\\\\\t\\r\\", &out, NULL),
                   LS_OK);
  assert_int_equal(out.length, 8);
  assert_memory_equal(out.data, "a\n>\0\\\t\r\\", 8);
  assert_int_equal(ls_block_options_decode("--recend", "\\q", &out, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--recend '\\q'"));
  assert_int_equal(ls_block_options_decode("--recend", "\\x3", &out, &err), LS_EINVAL);
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_and_numbers_are_read),
      cmocka_unit_test(what_cannot_be_meant_is_refused),
      cmocka_unit_test(dealt_blocks_exclude_what_repeats_or_assigns_them),
      cmocka_unit_test(a_file_or_named_pipe_of_a_block_says_pipe),
      cmocka_unit_test(options_say_what_they_need),
      cmocka_unit_test(options_of_inputs_are_about_the_stream),
      cmocka_unit_test(sizes_that_nobody_names_are_the_policys),
      cmocka_unit_test(texts_stand_for_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
