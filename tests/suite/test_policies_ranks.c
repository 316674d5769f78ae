/* Every policy over the ranks of an MPI: each unit is merged once, with the result that it has
 * anywhere, and follow-plan hands out in the plan's order.
 *
 * Run by a launcher of MPI as `test_policies_ranks --ranks MODULE FOLDER`: rank 0 is the master of
 * one run for each policy, one after the other; all others work for whoever is master, until MPI is
 * over.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policies/chunking.h"
#include "runtime/execute/executor.h"
#include "runtime/master/master.h"
#include "runtime/os/launcher.h"
#include "runtime/transport/mpi_module.h"
#include "runtime/worker/worker.h"

#include "../support/open_site.h"

enum { UNITS = 300, ITERATIONS = 2, RANKS_MAX = 8, ADDRESS_BYTES = 32 };

static const struct ls_transport *transport;
static size_t workers;

/* What a unit gives, anywhere. */
struct answer {
  uint64_t unit, number;
  uint32_t slot; /* where it was computed */
};

/* The master's state. */
struct tally {
  uint32_t merged[ITERATIONS][UNITS], slots[ITERATIONS][UNITS];
};

static struct answer answer_unit(uint32_t iteration, uint64_t unit, uint32_t slot) {
  return (struct answer){unit, (unit + 1) * 2654435761U % 1000003 + iteration, slot};
}

static enum ls_status open_app(int argc, char **argv, void **state, struct ls_error *err) {
  (void)argc, (void)argv, (void)err;
  *state = NULL;
  return LS_OK;
}

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  (void)state, (void)err;
  *units = iteration < ITERATIONS ? UNITS : 0;
  return LS_OK;
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state, (void)err;
  for (uint64_t i = 0; i < work->units.count; i++) {
    struct answer answer = answer_unit(work->iteration, work->units.first + i, work->slot);
    ls_bytes_append(output, &answer, sizeof answer);
  }
  return LS_OK;
}

static enum ls_status merge(void *state, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct tally *tally = state;
  const struct answer *answers = result->output.data;
  (void)err;
  assert_int_equal(result->output.length, result->units.count * sizeof *answers);
  for (uint64_t i = 0; i < result->units.count; i++) {
    uint64_t unit = result->units.first + i;
    struct answer expected = answer_unit(result->iteration, unit, result->slot);
    assert_int_equal(answers[i].unit, unit);
    assert_int_equal(answers[i].number, expected.number);
    assert_int_equal(answers[i].slot, expected.slot);
    tally->slots[result->iteration][unit] = result->slot;
    ++tally->merged[result->iteration][unit];
  }
  return LS_OK;
}

static const struct ls_app app = {
    .name = "numbers", .open = open_app, .units = count_units, .merge = merge, .compute = compute};

/* Of one iteration; the chunks shrink, and workers take turns in no order. */
static void make_plan(struct ls_plan *plan, struct ls_plan_chunk chunks[UNITS]) {
  uint64_t left = UNITS;
  *plan = (struct ls_plan){.chunks = chunks};
  while (left > 0) {
    uint64_t units = (left + 5) / 6;
    size_t i = plan->chunks_count++;
    chunks[i] = (struct ls_plan_chunk){.worker = (uint32_t)((i * i + i / 2) % workers),
                                       .units = (double)units};
    left -= units;
  }
}

static void expect_plan(const struct tally *tally, const struct ls_plan *plan) {
  for (uint32_t k = 0; k < ITERATIONS; k++) {
    uint64_t unit = 0;
    for (size_t i = 0; i < plan->chunks_count; i++) {
      for (double j = 0; j < plan->chunks[i].units; j++)
        assert_int_equal(tally->slots[k][unit++], plan->chunks[i].worker + 1);
    }
    assert_int_equal(unit, UNITS);
  }
}

static void run(const struct ls_chunking *chunking, uint64_t prefetch) {
  struct tally tally = {0};
  struct ls_plan plan;
  struct ls_plan_chunk chunks[UNITS];
  struct ls_pool_choice pool = {&ls_pool_mpi, {.slots = workers, .first_slot = 1}};
  struct ls_master_options options = {.app = &app,
                                      .state = &tally,
                                      .config = {.chunking = chunking,
                                                 .ordering = ls_ordering_find("fifo"),
                                                 .workers = (uint32_t)workers,
                                                 .workers_max = (uint32_t)workers,
                                                 .mean_seconds = (double)NAN,
                                                 .deviation_seconds = (double)NAN,
                                                 .overhead_seconds = (double)NAN},
                                      .prefetch = prefetch,
                                      .site = open_site_with(transport, "mpi:", &pool),
                                      .workers_patience_s = 120};
  ls_arguments_init(&options.config.arguments, chunking->parameters);
  make_plan(&plan, chunks);
  if (chunking->is_pushed) options.config.plan = &plan;
  struct ls_master_report report;
  struct ls_error err = {0};
  if (ls_master_run(&options, &report, &err) != LS_OK) fail_msg("%s: %s", chunking->name, err.text);
  ls_master_report_close(&report);
  for (uint32_t k = 0; k < ITERATIONS; k++) {
    for (uint64_t i = 0; i < UNITS; i++)
      if (tally.merged[k][i] != 1)
        fail_msg("%s: unit %d is merged %u times", chunking->name, (int)i, tally.merged[k][i]);
  }
  if (chunking->is_pushed) expect_plan(&tally, &plan);
}

static void every_policy_gives_each_unit_once(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) run(ls_chunkings[i], i % 4);
}

/* For one master after the other; between two of them it may be told that a run is over. */
static void work(uint32_t rank) {
  char place[ADDRESS_BYTES];
  snprintf(place, sizeof place, "mpi:%u", rank);
  struct ls_worker_options options = {.transport = transport,
                                      .address = "mpi:",
                                      .name = place,
                                      .place = place,
                                      .speed = 1,
                                      .lifeline = -1,
                                      .wait_s = 1e9,
                                      .executor = &ls_executor_direct,
                                      .app = &app};
  struct ls_error err = {0};
  while (ls_worker_run(&options, &err) != LS_EINTERRUPTED) continue;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_policy_gives_each_unit_once)};
  struct ls_launcher launcher = ls_launcher_find();
  const struct ls_mpi_module *module;
  struct ls_error err = {0};
  int result = 0;
  if (argc != 4 || launcher.processes < 2 || ls_mpi_module_load(argv[2], &module, &err) != LS_OK ||
      module->transport->start(launcher.processes, &err) != LS_OK) {
    fprintf(stderr, "test_policies_ranks: rank %u of %u: %s\n", launcher.rank, launcher.processes,
            err.text);
    return 95;
  }
  transport = module->transport;
  workers = launcher.processes - 1;
  if (launcher.rank > 0)
    work(launcher.rank);
  else
    result = cmocka_run_group_tests(tests, NULL, NULL);
  transport->end(false);
  return result;
}
