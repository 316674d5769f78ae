#include "advise/run_prefetch.h"

#include "simulate/prefetch_choice.h"

enum { DRAWS = 16 };

struct trial {
  struct ls_advice_world world;
  const struct ls_candidate *candidate;
};

static enum ls_status draw(void *context, size_t number, struct ls_simulation *setup,
                           struct ls_error *err) {
  const struct trial *trial = context;
  setup->config.chunking = trial->candidate->chunking;
  setup->config.arguments = trial->candidate->arguments;
  return trial->world.draw(trial->world.context, number, setup, err);
}

static enum ls_status simulate(const struct ls_run_situation *situation,
                               const struct ls_candidate *candidate,
                               struct ls_prefetch_choice *choice, struct ls_error *err) {
  struct ls_advise_world world;
  enum ls_status status = ls_advise_world_open(&world, situation, err);
  if (status == LS_OK) {
    struct trial tried = {.world = ls_advise_world_of(&world), .candidate = candidate};
    struct ls_prefetch_trial trial = {.context = &tried,
                                      .draw = draw,
                                      .draws = world.is_certain ? 1 : DRAWS,
                                      .stop = ls_advise_world_is_over,
                                      .stop_context = &world};
    status = ls_prefetch_choose(&trial, choice, err);
  }
  ls_advise_world_close(&world);
  return status;
}

enum ls_status ls_run_advise_prefetch(const struct ls_run_situation *situation,
                                      const struct ls_candidate *candidate, uint64_t *prefetch,
                                      struct ls_bytes *reason, struct ls_error *err) {
  struct ls_prefetch_choice choice;
  if (!ls_advise_world_is_known(situation)) {
    *prefetch = situation->prefetch;
    ls_bytes_printf(reason,
                    "%llu, because nothing is known of workers and tasks (--platform, --history or "
                    "--times would tell)",
                    (unsigned long long)situation->prefetch);
    return LS_OK;
  }
  enum ls_status status = simulate(situation, candidate, &choice, err);
  if (status != LS_OK) return status;
  *prefetch = choice.prefetch;
  ls_prefetch_explain(&choice, reason);
  return LS_OK;
}
