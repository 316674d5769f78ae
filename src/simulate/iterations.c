/* iterations.c: several iterations; the next one begins when all replies of the last are back. */
#include "simulate/engine_private.h"
#include "simulate/iterations_private.h"
#include "simulate/presence_private.h"

#include <math.h>

#include "base/statistics.h"

uint64_t ls_simulated_iteration_units(const struct ls_simulation *setup, uint32_t iteration) {
  return setup->iteration_units ? setup->iteration_units[iteration] : setup->units;
}

const struct ls_ranges *ls_simulated_iteration_idle(const struct ls_simulation *setup,
                                                    uint32_t iteration) {
  static const struct ls_ranges none;
  return setup->idle ? &setup->idle[iteration] : &none;
}

bool ls_simulated_is_idle(const struct ls_ranges *idle, size_t *range, uint64_t unit) {
  const struct ls_range *items = idle->items;
  while (*range < idle->count && unit >= items[*range].first + items[*range].count) ++*range;
  return *range < idle->count && unit >= items[*range].first;
}

/* What tasks will take is known to those orders that may know it. */
static void declare(struct ls_engine *engine, uint64_t units) {
  const struct ls_coordinator_config *config = &engine->setup->config;
  bool has_order = config->ordering && config->ordering->arrange;
  if (units == 0 || !(has_order || engine->side_settings.history == UINT64_MAX)) return;
  if (!engine->work && !engine->setup->expected_work) return;
  struct ls_coordinator_times times = {
      .expected = engine->setup->expected_work, .actual = engine->work, .count = units};
  enum ls_status status = ls_coordinator_declare(engine->coordinator, &times, engine->err);
  if (status != LS_OK) ls_engine_fail(engine, status);
}

/* Units that are added later are not known yet. */
static void open_units(struct ls_engine *engine, uint64_t units) {
  const struct ls_simulation *setup = engine->setup;
  bool is_incomplete = units > 0 && setup->additions_count > 0;
  declare(engine, units);
  for (size_t i = 0; i < setup->additions_count && is_incomplete; i++)
    units -= setup->additions[i].units;
  engine->is_scheduling = units > 0;
  const struct ls_ranges *idle = ls_simulated_iteration_idle(setup, engine->iteration);
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_ITERATION,
                                                   .iteration_units = units,
                                                   .is_incomplete = is_incomplete,
                                                   .idle = idle->items,
                                                   .idle_count = idle->count,
                                                   .needs = setup->needs,
                                                   .needs_count = setup->needs_count});
}

void ls_simulated_iteration_open(struct ls_engine *engine) {
  engine->work_before = engine->work_sums;
  engine->work = engine->setup->task_work;
  open_units(engine, ls_simulated_iteration_units(engine->setup, 0));
  ls_reclaim_begin(engine);
}

void ls_simulated_iteration_measure(struct ls_engine *engine, double end_s) {
  struct ls_simulated_iteration *out = engine->setup->iterations_out;
  struct ls_sum useful = {0}, up = {0};
  if (!out) return;
  struct ls_simulated_iteration *iteration = &out[engine->iteration];
  *iteration = (struct ls_simulated_iteration){.begin_s = engine->iteration_s, .end_s = end_s};
  for (size_t i = 0; i < engine->workers_count; i++) {
    const struct ls_engine_worker *worker = &engine->workers[i];
    ls_sum_add(&useful, worker->computing_s);
    ls_sum_add(&up, ls_presence_up(engine, (uint32_t)i, end_s));
    iteration->workers += worker->is_present;
  }
  iteration->useful_s = ls_sum_value(&useful) - engine->useful_before_s;
  iteration->up_s = ls_sum_value(&up) - engine->up_before_s;
  engine->useful_before_s = ls_sum_value(&useful);
  engine->up_before_s = ls_sum_value(&up);
}

void ls_simulated_iteration_begin(struct ls_engine *engine) {
  engine->is_iteration_due = false;
  if (engine->iteration + 1 == engine->iterations) {
    /* Its end is known when the last reply is back. */
    open_units(engine, 0);
    return;
  }
  ls_simulated_iteration_measure(engine, engine->now_s);
  uint64_t units = ls_simulated_iteration_units(engine->setup, engine->iteration);
  if (engine->work) {
    engine->work_before += units + 1;
    engine->work += units;
  }
  engine->iteration++;
  engine->iteration_s = engine->now_s;
  open_units(engine, ls_simulated_iteration_units(engine->setup, engine->iteration));
  ls_reclaim_begin(engine);
}
