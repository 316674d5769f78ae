#include "simulate/prefetch_choice.h"

#include <assert.h>
#include <math.h>

static const double ALIKE = 1.01;

enum { TRIED = 19, FIRST = 1 };
static const uint64_t tried[TRIED] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  10,
                                      12, 16, 20, 24, 32, 48, 64, 96, 128};

/* The makespans of one draw; NAN: there was no time for it. */
static enum ls_status play_draw(const struct ls_prefetch_trial *trial, size_t draw,
                                double makespans[TRIED], size_t *simulations,
                                struct ls_error *err) {
  struct ls_simulation setup = {.units = 0};
  enum ls_status status = trial->draw(trial->context, draw, &setup, err);
  for (size_t i = 0; i < TRIED; i++) makespans[i] = (double)NAN;
  for (size_t k = 0; k < TRIED && status == LS_OK; k++) {
    struct ls_simulated result;
    size_t i = k == 0 ? FIRST : k <= FIRST ? k - 1 : k;
    if (trial->stop != NULL && trial->stop(trial->stop_context)) break;
    setup.prefetch = tried[i];
    status = ls_simulate(&setup, &result, NULL, err);
    if (status != LS_OK) break;
    makespans[i] = result.makespan_s;
    ++*simulations;
  }
  return status;
}

static void choose(const double sums[TRIED], size_t draws, struct ls_prefetch_choice *choice) {
  size_t best = FIRST;
  for (size_t i = 0; i < TRIED; i++)
    if (sums[i] < sums[best]) best = i;
  size_t least = 0;
  while (!(sums[least] <= ALIKE * sums[best])) least++;
  choice->prefetch = tried[least];
  choice->best = tried[best];
  choice->makespan_s = sums[least] / (double)draws;
  choice->best_s = sums[best] / (double)draws;
}

enum ls_status ls_prefetch_choose(const struct ls_prefetch_trial *trial,
                                  struct ls_prefetch_choice *choice, struct ls_error *err) {
  struct ls_prefetch_choice made = {.prefetch = tried[FIRST], .best = tried[FIRST]};
  double sums[TRIED] = {0}, makespans[TRIED];
  size_t draws = 0;
  enum ls_status status = LS_OK;
  assert(trial->draws >= 1);
  for (size_t draw = 0; draw < trial->draws && status == LS_OK; draw++) {
    size_t before = made.simulations;
    status = play_draw(trial, draw, makespans, &made.simulations, err);
    /* A draw that was not played to its end would favour what it did not reach. */
    bool is_whole = made.simulations - before == TRIED;
    if (status != LS_OK || (!is_whole && draw > 0) || made.simulations == 0) break;
    for (size_t i = 0; i < TRIED; i++) sums[i] += makespans[i];
    draws++;
    if (!is_whole) break;
  }
  if (status != LS_OK) return status;
  if (draws > 0) choose(sums, draws, &made);
  *choice = made;
  return LS_OK;
}

void ls_prefetch_explain(const struct ls_prefetch_choice *choice, struct ls_bytes *out) {
  ls_bytes_printf(out, "%llu", (unsigned long long)choice->prefetch);
  if (choice->simulations == 0) {
    ls_bytes_append_text(out, ", as there was no time to simulate others");
    return;
  }
  ls_bytes_printf(out, ": %.5g s expected in %zu simulations, ", choice->makespan_s,
                  choice->simulations);
  if (choice->prefetch == choice->best)
    ls_bytes_append_text(out, "the best");
  else
    ls_bytes_printf(out, "within 1 %% of the best (%llu: %.5g s)", (unsigned long long)choice->best,
                    choice->best_s);
}
