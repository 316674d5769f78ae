#include "advise/run_advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DRAWS = 24, CANDIDATES_MAX = 40 };
static const double MARGIN = 0.02;
/* A change in the midst of a run disturbs it: it must save more. */
static const double MARGIN_NOW = 0.05;
enum { DRAWS_NOW = 16, PREFETCH_MOST = 64 };

/* sc and gss hand out so much at once that no later advice could mend it: before a run only. */
static const char *const early_policies[] = {"sc", "gss"};
static const char *const policies[] = {"ss",   "wf2",  "af",  "awf-b", "awf-c",  "mfsc",
                                       "fac2", "tfss", "tss", "fsc",   "monitor"};
enum { POLICIES = sizeof policies / sizeof *policies };
_Static_assert((int)POLICIES <= (int)LS_RUN_CHOICES_MAX, "there is room for all choices");

/* With its defaults, but for monitor: where times vary, one task says too little of a worker. */
static struct ls_coordinator_choice make_choice(const char *name) {
  struct ls_coordinator_choice choice = {.chunking = ls_chunking_find(name)};
  ls_arguments_init(&choice.arguments, choice.chunking->parameters);
  if (strcmp(name, "monitor") == 0)
    (void)!ls_arguments_set(&choice.arguments, choice.chunking->parameters, "benchmark_tasks", "5",
                            NULL);
  return choice;
}

size_t ls_run_advise_choices(struct ls_coordinator_choice choices[LS_RUN_CHOICES_MAX]) {
  for (size_t i = 0; i < POLICIES; i++) choices[i] = make_choice(policies[i]);
  return POLICIES;
}

const char *ls_run_advise_whole_chunks(void) {
  return "affine";
}

/* Only a platform tells what a process takes to start: a history's times hold it. */
static bool knows_start(const struct ls_run_situation *situation) {
  const struct ls_platform *platform = situation->platform;
  for (size_t i = 0; platform != NULL && i < platform->workers_count; i++)
    if (platform->workers[i].costs[LS_OPERATION_COMPUTE].latency_s > 0) return true;
  return false;
}

struct candidates {
  struct ls_candidate items[CANDIDATES_MAX];
  size_t count;
};

static void add_candidate(struct candidates *candidates, const struct ls_candidate *candidate) {
  for (size_t i = 0; i < candidates->count; i++) {
    const struct ls_candidate *other = &candidates->items[i];
    if (other->chunking == candidate->chunking && other->prefetch == candidate->prefetch &&
        other->workers == candidate->workers)
      return;
  }
  if (candidates->count < CANDIDATES_MAX) candidates->items[candidates->count++] = *candidate;
}

static void add_policy(struct candidates *candidates, const char *name, uint64_t prefetch) {
  struct ls_coordinator_choice choice = make_choice(name);
  struct ls_candidate candidate = {
      .chunking = choice.chunking, .arguments = choice.arguments, .prefetch = prefetch};
  add_candidate(candidates, &candidate);
}

/* The policies that gain most from units that wait, or from none that are bound to a worker, with
 * several numbers of them. */
static void add_prefetches(struct candidates *candidates, uint64_t least) {
  static const char *const names[] = {"ss", "wf2", "af"};
  static const uint64_t prefetches[] = {0, 1, 4, 16};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t j = 0; j < sizeof prefetches / sizeof *prefetches; j++)
      if (prefetches[j] >= least) add_policy(candidates, names[i], prefetches[j]);
}

/* The last line without its first word, "chosen: " or "kept: ". */
static void take_reason(const struct ls_bytes *table, struct ls_bytes *reason) {
  const char *text = ls_bytes_text(table), *line = text;
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '\n' && c[1] != '\0') line = c + 1;
  const char *colon = strstr(line, ": ");
  if (colon != NULL) line = colon + 2;
  ls_bytes_append(reason, line, strcspn(line, "\n"));
}

/* The first candidate is the one in use, or that of the rule. */
static struct ls_advice_setup prepare(struct ls_advise_world *world,
                                      const struct candidates *candidates) {
  return (struct ls_advice_setup){.world = ls_advise_world_of(world),
                                  .candidates = candidates->items,
                                  .candidates_count = candidates->count,
                                  .current = 0,
                                  .stop = ls_advise_world_is_over,
                                  .stop_context = world};
}

/* ---- during the run ---- */

/* The candidate in use comes first: it is tried even when there is no time for more. */
static void list_now(struct candidates *candidates, const struct ls_run_advisable *advisable,
                     const struct ls_adviser_facts *facts) {
  struct ls_coordinator_choice choice = make_choice(facts->chunking->name);
  if (facts->chunking == advisable->used->chunking) choice.arguments = advisable->used->arguments;
  struct ls_candidate used = {
      .chunking = choice.chunking, .arguments = choice.arguments, .prefetch = facts->prefetch};
  bool is_smaller = facts->workers_most > facts->workers_count;
  if (is_smaller) used.workers = facts->workers_count;
  add_candidate(candidates, &used);
  used.workers = 0;
  add_candidate(candidates, &used);
  for (size_t i = 0; i < POLICIES; i++) add_policy(candidates, policies[i], facts->prefetch);
  if (advisable->keeps_prefetch) return;
  for (uint64_t prefetch = 1; prefetch <= PREFETCH_MOST; prefetch *= 2) {
    used.prefetch = prefetch;
    add_candidate(candidates, &used);
  }
  add_prefetches(candidates, 1); /* advice cannot say 0 */
}

static uint64_t number_policy(const struct ls_chunking *chunking) {
  for (size_t i = 0; i < POLICIES; i++)
    if (strcmp(policies[i], chunking->name) == 0) return i + 1;
  return 0;
}

static void write_answer(const struct ls_advice *advice, const struct ls_adviser_facts *facts,
                         struct ls_adviser_answer *answer) {
  const struct ls_candidate *chosen = &advice->expectations[advice->chosen].candidate;
  struct ls_bytes table = {0}, reason = {0};
  size_t workers = chosen->workers > 0 ? chosen->workers : advice->workers;
  if (chosen->chunking != facts->chunking) answer->policy = number_policy(chosen->chunking);
  if (chosen->prefetch != facts->prefetch) answer->prefetch = chosen->prefetch;
  if (workers != facts->workers_count) answer->workers = workers;
  ls_advice_explain(advice, &table);
  take_reason(&table, &reason);
  if (answer->workers > facts->workers_count)
    ls_bytes_printf(&reason, "; all %zu workers are of use again", workers);
  (void)snprintf(answer->reason, sizeof answer->reason, "%s", ls_bytes_text(&reason));
  ls_bytes_close(&table);
  ls_bytes_close(&reason);
}

bool ls_run_advise_now(const struct ls_run_advisable *advisable,
                       const struct ls_adviser_facts *facts, struct ls_adviser_answer *answer) {
  struct ls_advise_world world;
  struct ls_advice advice = {0};
  struct candidates candidates = {.count = 0};
  struct ls_adviser_facts seen = *facts;
  bool has_advice = false;
  if (facts->workers_count == 0 || facts->units_left == 0) return false;
  /* What is seen of units in a run tells no start, and the policy learns it by itself. */
  if (advisable->has_whole_chunks) return false;
  if (!advisable->may_save) seen.workers_most = seen.workers_count;
  enum ls_status status =
      ls_advise_world_observe(&world, &seen, advisable->is_remote, advisable->clock_s, NULL);
  if (status == LS_OK) {
    list_now(&candidates, advisable, &seen);
    struct ls_advice_setup setup = prepare(&world, &candidates);
    setup.draws = world.is_certain ? 1 : DRAWS_NOW;
    setup.margin = MARGIN_NOW;
    setup.saves_workers = advisable->may_save;
    status = ls_advise(&setup, &advice, NULL);
  }
  if (status == LS_OK && advice.chosen != 0) {
    write_answer(&advice, &seen, answer);
    has_advice = true;
  }
  ls_advice_close(&advice);
  ls_advise_world_close(&world);
  return has_advice;
}

/* ---- before the run ---- */

/* The rule's choice comes first: it is tried even when there is no time for more. */
static void list_before(struct candidates *candidates, const struct ls_run_situation *situation,
                        const struct ls_chunking *rule) {
  if (situation->has_whole_chunks) {
    uint64_t prefetch = situation->keeps_prefetch ? situation->prefetch : 0;
    add_policy(candidates, ls_run_advise_whole_chunks(), prefetch);
    add_policy(candidates, ls_run_advise_whole_chunks(), situation->prefetch);
  }
  add_policy(candidates, rule->name, situation->prefetch);
  for (size_t i = 0; i < POLICIES; i++) add_policy(candidates, policies[i], situation->prefetch);
  for (size_t i = 0; i < sizeof early_policies / sizeof *early_policies; i++)
    add_policy(candidates, early_policies[i], situation->prefetch);
  if (!situation->keeps_prefetch) add_prefetches(candidates, 0);
}

static const struct ls_chunking *apply_rule(const struct ls_run_situation *situation,
                                            const struct ls_advise_world *world) {
  struct ls_situation facts = {.latency = (double)NAN,
                               .variation = (double)NAN,
                               .prefetch = situation->prefetch,
                               .knows_speeds = situation->weights != NULL};
  if (world != NULL) {
    facts.latency = world->request_s / 2 / world->mean_s;
    facts.variation = fmax(world->variation, world->drawn_variation);
    facts.knows_speeds = world->knows_speeds;
  }
  return ls_advise_by_rule(&facts, NULL);
}

static enum ls_status advise_by_simulation(const struct ls_run_situation *situation,
                                           struct ls_run_advised *advised, struct ls_error *err) {
  struct ls_advise_world world;
  struct ls_advice advice;
  struct candidates candidates = {.count = 0};
  enum ls_status status = ls_advise_world_open(&world, situation, err);
  if (status == LS_OK) {
    list_before(&candidates, situation, apply_rule(situation, &world));
    struct ls_advice_setup setup = prepare(&world, &candidates);
    setup.draws = world.is_certain ? 1 : DRAWS;
    setup.margin = MARGIN;
    setup.saves_workers = situation->may_save;
    status = ls_advise(&setup, &advice, err);
  }
  if (status == LS_OK) {
    advised->chosen = advice.expectations[advice.chosen].candidate;
    advised->mean_s = world.mean_s;
    advised->deviation_s = world.deviation_s;
    advised->overhead_s = world.overhead_s;
    ls_advice_explain(&advice, &advised->table);
    ls_bytes_printf(&advised->reason, "%s, because in %zu simulation%s ",
                    advised->chosen.chunking->name, advice.simulations,
                    advice.simulations == 1 ? "" : "s");
    take_reason(&advised->table, &advised->reason);
    ls_advice_close(&advice);
  }
  ls_advise_world_close(&world);
  return status;
}

enum ls_status ls_run_advise_in(const struct ls_advice_world *world,
                                const struct ls_run_situation *situation,
                                const struct ls_situation *facts, struct ls_candidate *chosen,
                                struct ls_error *err) {
  struct ls_advice advice;
  struct candidates candidates = {.count = 0};
  list_before(&candidates, situation, ls_advise_by_rule(facts, NULL));
  const struct ls_advice_setup setup = {.world = *world,
                                        .candidates = candidates.items,
                                        .candidates_count = candidates.count,
                                        .current = 0,
                                        .draws = DRAWS,
                                        .margin = MARGIN};
  enum ls_status status = ls_advise(&setup, &advice, err);
  if (status != LS_OK) return status;
  *chosen = advice.expectations[advice.chosen].candidate;
  ls_advice_close(&advice);
  return LS_OK;
}

/* A chunk that waits at a worker was sized before the one that runs has told anything: none does,
 * unless it was asked for. */
static enum ls_status take_learner(const struct ls_run_situation *situation,
                                   struct ls_run_advised *advised, struct ls_error *err) {
  struct ls_candidate *chosen = &advised->chosen;
  chosen->prefetch = situation->keeps_prefetch ? situation->prefetch : 0;
  chosen->chunking = ls_chunking_find(ls_run_advise_whole_chunks());
  ls_arguments_init(&chosen->arguments, chosen->chunking->parameters);
  ls_bytes_printf(&advised->reason,
                  "%s, because what a process takes to start is not known (--platform would tell)",
                  chosen->chunking->name);
  return advised->reason.failed ? ls_fail(err, LS_ENOMEM, "out of memory for an advice") : LS_OK;
}

enum ls_status ls_run_advise(const struct ls_run_situation *situation,
                             struct ls_run_advised *advised, struct ls_error *err) {
  const double unknown = (double)NAN;
  *advised =
      (struct ls_run_advised){.mean_s = unknown, .deviation_s = unknown, .overhead_s = unknown};
  bool is_told = ls_advise_world_is_known(situation);
  if (is_told && (!situation->has_whole_chunks || knows_start(situation)))
    return advise_by_simulation(situation, advised, err);
  if (situation->has_whole_chunks) return take_learner(situation, advised, err);
  struct ls_candidate *chosen = &advised->chosen;
  chosen->prefetch = situation->prefetch;
  chosen->chunking = apply_rule(situation, NULL);
  ls_arguments_init(&chosen->arguments, chosen->chunking->parameters);
  ls_bytes_printf(&advised->reason,
                  "%s, because nothing is known of the tasks (--history, --times or --platform "
                  "would tell)",
                  chosen->chunking->name);
  return advised->reason.failed ? ls_fail(err, LS_ENOMEM, "out of memory for an advice") : LS_OK;
}

void ls_run_advised_close(struct ls_run_advised *advised) {
  ls_bytes_close(&advised->reason);
  ls_bytes_close(&advised->table);
}
