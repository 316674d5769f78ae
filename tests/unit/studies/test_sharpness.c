/* A study that judges anything notices when a constant of what it reproduces is wrong.  The linker
 * sends the calls of these functions here first (--wrap, see meson.build), where one constant at a
 * time is perturbed. */
#include "study_fixture.h"

#include <stdlib.h>

#include "planners/rounds/umr_theory.h"
#include "theory/eer.h"
#include "theory/loss.h"
#include "theory/workload.h"

/* What is perturbed; 0: nothing. */
static struct {
  double rounding;     /* of M*, in place of 1/2 */
  double large_share;  /* of the tasks of a workload, in place of 1/5 */
  double loss_instant; /* factor */
  double slack;        /* of the self-adjusting sizing, in place of 0.15 */
  double ideal;        /* factor of the EER, in place of 1.1 */
} perturbed;

/* The names are the linker's. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void __real_ls_umr_choose(const struct ls_umr *umr, struct ls_umr_choice *choice);
enum ls_status __real_ls_workload_make(const struct ls_workload *workload, double *work,
                                       struct ls_error *err);
enum ls_status __real_ls_loss_expect(const struct ls_loss_study *study,
                                     struct ls_worsening *worsening, struct ls_error *err);
void __real_ls_arguments_init(struct ls_arguments *arguments,
                              const struct ls_parameter *parameters);
bool __real_ls_eer_is_ideal(const struct ls_eer_point *point, const struct ls_eer_point *perfect);

void __wrap_ls_umr_choose(const struct ls_umr *umr, struct ls_umr_choice *choice) {
  __real_ls_umr_choose(umr, choice);
  if (perturbed.rounding > 0)
    choice->rounds = (size_t)fmax(1, floor(choice->rounds_real + perturbed.rounding));
}

enum ls_status __wrap_ls_workload_make(const struct ls_workload *workload, double *work,
                                       struct ls_error *err) {
  if (!(perturbed.large_share > 0)) return __real_ls_workload_make(workload, work, err);
  size_t large = (size_t)(perturbed.large_share * (double)workload->tasks + 0.5);
  size_t counts[2] = {large, workload->tasks - large};
  for (size_t group = 0, first = 0; group < 2; first += counts[group++]) {
    double share = workload->share_percent / 100, count = (double)counts[group];
    double total = workload->total * (group == 0 ? share : 1 - share);
    bool differ = group == 0 ? workload->large_differ : workload->small_differ;
    for (size_t i = 0; i < counts[group]; i++)
      work[first + i] =
          differ ? total * (double)(i + 1) / (count * (count + 1) / 2) : total / count;
  }
  return LS_OK;
}

/* The same average with other instants. */
enum ls_status __wrap_ls_loss_expect(const struct ls_loss_study *study,
                                     struct ls_worsening *worsening, struct ls_error *err) {
  enum ls_status status = __real_ls_loss_expect(study, worsening, err);
  if (!(perturbed.loss_instant > 0) || status != LS_OK) return status;
  double largest = 0, time = 0, efficiency = 0;
  struct ls_lost_worker loss;
  struct ls_loss_cycle base, cycle;
  struct ls_loss_setup setup = {
      .work = study->work, .tasks = study->tasks, .workers = study->workers};
  for (size_t i = 0; i < study->tasks; i++) largest = fmax(largest, study->work[i]);
  assert_int_equal(ls_loss_play(&setup, &base, err), LS_OK);
  setup.workers += study->extra;
  setup.replicas = study->replicas;
  setup.losses = &loss;
  setup.losses_count = 1;
  size_t cases = setup.workers * study->midpoints;
  for (size_t i = 0; i < cases; i++) {
    double instant = ((double)(i % study->midpoints) + 0.5) / (double)study->midpoints;
    loss =
        (struct ls_lost_worker){i / study->midpoints, perturbed.loss_instant * instant * largest};
    assert_int_equal(ls_loss_play(&setup, &cycle, err), LS_OK);
    time += cycle.makespan_s / (double)cases;
    efficiency += cycle.efficiency / (double)cases;
  }
  worsening->time_percent = 100 * (time / base.makespan_s - 1);
  worsening->efficiency_percent = 100 * (1 - efficiency / base.efficiency);
  return LS_OK;
}

void __wrap_ls_arguments_init(struct ls_arguments *arguments,
                              const struct ls_parameter *parameters) {
  __real_ls_arguments_init(arguments, parameters);
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++)
    if (perturbed.slack > 0 && strcmp(parameters[i].name, "slack") == 0)
      arguments->values[i] = perturbed.slack;
}

bool __wrap_ls_eer_is_ideal(const struct ls_eer_point *point, const struct ls_eer_point *perfect) {
  if (!(perturbed.ideal > 0)) return __real_ls_eer_is_ideal(point, perfect);
  return point->eer_s <= perturbed.ideal * perfect->eer_s * (1 + 1e-9);
}

/* Some judged value is missed; none is with the same seed and sample (0: all cases) where nothing
 * is perturbed, which the tests of the studies say. */
static void expect_noticed(const char *study, uint64_t sample, double *constant, double value) {
  struct ls_study_options options = {.sample = sample, .seed = 3, .processes = 2};
  struct ls_study_report report;
  *constant = value;
  run_study(study, &options, NULL, &report);
  *constant = 0;
  if (ls_study_missed(&report) == 0) fail_msg("%s does not notice %g", study, value);
  ls_study_report_close(&report);
}

static void figure_9_notices_how_rounds_are_rounded(void **state) {
  (void)state;
  expect_noticed("umr-fig9", 0, &perturbed.rounding, 0.45);
  expect_noticed("umr-fig9", 0, &perturbed.rounding, 0.2);
}

static void orders_notice_how_many_tasks_are_large(void **state) {
  (void)state;
  expect_noticed("adaptive-orders", 0, &perturbed.large_share, 0.24);
}

static void losses_notice_when_a_machine_is_lost(void **state) {
  (void)state;
  expect_noticed("adaptive-loss-probability", 0, &perturbed.loss_instant, 0.7);
}

static void thinning_notices_the_slack(void **state) {
  (void)state;
  expect_noticed("adaptive-thinning", 200, &perturbed.slack, 0.6);
}

static void table_4_1_notices_what_is_ideal(void **state) {
  (void)state;
  expect_noticed("adaptive-table-4-1", 0, &perturbed.ideal, 1.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figure_9_notices_how_rounds_are_rounded),
      cmocka_unit_test(orders_notice_how_many_tasks_are_large),
      cmocka_unit_test(losses_notice_when_a_machine_is_lost),
      cmocka_unit_test(thinning_notices_the_slack),
      cmocka_unit_test(table_4_1_notices_what_is_ideal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
