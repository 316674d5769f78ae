/* A study that judges anything notices when a constant of what it reproduces is wrong.  The linker
 * sends the calls of these functions here first (--wrap, see meson.build), where one constant at a
 * time is perturbed. */
#include "study_fixture.h"

#include "planners/rounds/umr_theory.h"
#include "policies/sizing.h"
#include "simulate/world.h"
#include "theory/eer.h"
#include "theory/loss.h"
#include "theory/workload.h"

/* What is perturbed; 0: nothing. */
static struct {
  double rounding;  /* of M*, in place of 1/2 */
  double share;     /* of the work in the large tasks: points more */
  double midpoints; /* of the instants of a loss, in place of 40 */
  double slack;     /* of the self-adjusting sizing, in place of 0.15 */
  double fraction;  /* of workers in the static table, in place of 0.28 */
  double ideal;     /* factor of the EER, in place of 1.1 */
  double delay_s;   /* of a message, in place of 0.1 */
  double spread;    /* of the speeds about 1, in place of 0.3 */
  double noise;     /* factor of the deviation of task times */
  double fall;      /* of a task in an iteration, in place of 0.95 */
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
enum ls_status __real_ls_world_open(struct ls_world *world, const struct ls_world_request *request,
                                    struct ls_error *err);
double __real_ls_workload_vary(double work, double deviation, double chance);
double __real_pow(double base, double exponent);

void __wrap_ls_umr_choose(const struct ls_umr *umr, struct ls_umr_choice *choice) {
  __real_ls_umr_choose(umr, choice);
  if (perturbed.rounding > 0)
    choice->rounds = (size_t)fmax(1, floor(choice->rounds_real + perturbed.rounding));
}

enum ls_status __wrap_ls_workload_make(const struct ls_workload *workload, double *work,
                                       struct ls_error *err) {
  struct ls_workload other = *workload;
  other.share_percent += perturbed.share;
  return __real_ls_workload_make(&other, work, err);
}

enum ls_status __wrap_ls_loss_expect(const struct ls_loss_study *study,
                                     struct ls_worsening *worsening, struct ls_error *err) {
  struct ls_loss_study other = *study;
  if (perturbed.midpoints > 0) other.midpoints = (size_t)perturbed.midpoints;
  return __real_ls_loss_expect(&other, worsening, err);
}

enum ls_status __wrap_ls_world_open(struct ls_world *world, const struct ls_world_request *request,
                                    struct ls_error *err) {
  for (size_t i = 0; i < request->platform->workers_count; i++) {
    struct ls_worker_model *worker = &request->platform->workers[i];
    double *per_unit_s = &worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
    if (perturbed.delay_s > 0) worker->delay_s = perturbed.delay_s;
    if (perturbed.spread > 0)
      *per_unit_s = 1 / (1 + perturbed.spread / 0.3 * (1 / *per_unit_s - 1));
  }
  return __real_ls_world_open(world, request, err);
}

double __wrap_ls_workload_vary(double work, double deviation, double chance) {
  return __real_ls_workload_vary(
      work, perturbed.noise > 0 ? perturbed.noise * deviation : deviation, chance);
}

double __wrap_pow(double base, double exponent) {
  return __real_pow(perturbed.fall > 0 && fabs(base - 0.95) < 1e-9 ? perturbed.fall : base,
                    exponent);
}

void __wrap_ls_arguments_init(struct ls_arguments *arguments,
                              const struct ls_parameter *parameters) {
  __real_ls_arguments_init(arguments, parameters);
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++)
    if (perturbed.slack > 0 && strcmp(parameters[i].name, "slack") == 0)
      arguments->values[i] = perturbed.slack;
}

size_t __real_ls_sizing_table_workers(const struct ls_task_facts *tasks, uint64_t units,
                                      size_t *column);
size_t __wrap_ls_sizing_table_workers(const struct ls_task_facts *tasks, uint64_t units,
                                      size_t *column) {
  size_t workers = __real_ls_sizing_table_workers(tasks, units, column);
  bool is_column = tasks->is_large_different && fabs(tasks->share_percent - 40) < 5;
  if (!(perturbed.fraction > 0 && is_column)) return workers;
  return (size_t)((double)units * perturbed.fraction + 0.5);
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

static void orders_notice_how_much_work_is_in_large_tasks(void **state) {
  (void)state;
  expect_noticed("adaptive-orders", 0, &perturbed.share, 3);
}

static void losses_notice_when_a_worker_is_lost(void **state) {
  (void)state;
  expect_noticed("adaptive-loss-probability", 0, &perturbed.midpoints, 20);
}

/* A mean of a few draws is judged by what chance leaves of it. */
static void prefetch_notices_the_latency_and_the_speeds(void **state) {
  (void)state;
  static const uint64_t samples[] = {0, 3, 20};
  for (size_t i = 0; i < 3; i++) {
    expect_noticed("online-prefetch", samples[i], &perturbed.delay_s, 0.12);
    expect_noticed("online-prefetch", samples[i], &perturbed.delay_s, 0.3);
    expect_noticed("online-prefetch", samples[i], &perturbed.spread, 0.7);
  }
}

static void predictors_notice_the_noise_and_the_fall(void **state) {
  (void)state;
  expect_noticed("adaptive-predictors", 0, &perturbed.noise, 1.2);
  expect_noticed("adaptive-predictors", 0, &perturbed.fall, 0.85);
}

static void thinning_notices_the_slack(void **state) {
  (void)state;
  expect_noticed("adaptive-thinning", 200, &perturbed.slack, 0.6);
}

static void pools_notice_the_constants_of_their_sizings(void **state) {
  (void)state;
  expect_noticed("pool-fibonacci", 20, &perturbed.fraction, 0.24);
  expect_noticed("pool-thinning", 20, &perturbed.slack, 0.2);
}

static void table_4_1_notices_what_is_ideal(void **state) {
  (void)state;
  expect_noticed("adaptive-table-4-1", 0, &perturbed.ideal, 1.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figure_9_notices_how_rounds_are_rounded),
      cmocka_unit_test(orders_notice_how_much_work_is_in_large_tasks),
      cmocka_unit_test(losses_notice_when_a_worker_is_lost),
      cmocka_unit_test(prefetch_notices_the_latency_and_the_speeds),
      cmocka_unit_test(predictors_notice_the_noise_and_the_fall),
      cmocka_unit_test(thinning_notices_the_slack),
      cmocka_unit_test(pools_notice_the_constants_of_their_sizings),
      cmocka_unit_test(table_4_1_notices_what_is_ideal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
