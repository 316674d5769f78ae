/* check_batches.c: records of kind batches: workers ask in turn, at time 0 and without feedback. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/check/check.h"
#include "lab/check/check_numbers.h"
#include "policies/chunking.h"
#include "policies/chunking/wf.h"

/* The chunks that a record's policy hands out. */
struct play {
  const struct ls_chunking *policy;
  struct ls_chunking_setup setup;
  double *weights; /* one per worker */
  bool *is_present;
  struct ls_arena arena;
  void *state;
  json_t *batches, *by_worker; /* as made so far */
};

static void close_play(struct play *play) {
  free(play->weights);
  free(play->is_present);
  ls_arena_close(&play->arena);
  json_decref(play->batches);
  json_decref(play->by_worker);
  if (play->policy != NULL) ls_arguments_close(&play->setup.arguments);
}

static enum ls_status find_policy(const struct ls_check_record *record, struct play *play,
                                  struct ls_error *err) {
  struct ls_bytes names = {0};
  play->policy = ls_chunking_find(record->algorithm);
  if (play->policy != NULL) return LS_OK;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++)
    ls_bytes_printf(&names, "%s%s", i > 0 ? ", " : "", ls_chunkings[i]->name);
  enum ls_status status = ls_fail(err, LS_EINVAL, "%s: algorithm is \"%s\", expected one of: %s",
                                  record->id, record->algorithm, ls_bytes_text(&names));
  ls_bytes_close(&names);
  return status;
}

/* Facts that a record leaves out have the defaults of docs/theory/online.md, 10. */
static void set_defaults(struct play *play, const struct ls_check_record *record) {
  struct ls_chunking_setup *setup = &play->setup;
  setup->units = (uint64_t)record->load;
  setup->slots = record->platform.workers_count;
  setup->mean_seconds = 1;
  setup->deviation_seconds = strcmp(play->policy->name, "fac") == 0 ? 0 : 0.1;
  setup->overhead_seconds = 0.01;
  ls_arguments_init(&setup->arguments, play->policy->parameters);
}

static enum ls_status open_play(const struct ls_check_record *record, struct play *play,
                                struct ls_error *err) {
  size_t count = record->platform.workers_count;
  *play = (struct play){0};
  if (!record->has_platform || count == 0)
    return ls_fail(err, LS_EINVAL, "%s has no platform, which kind batches needs", record->id);
  if (!(record->load >= 0 && record->load <= 0x1p53) || floor(record->load) < record->load)
    return ls_fail(err, LS_EINVAL, "%s: load is %g, expected a whole number >= 0", record->id,
                   record->load);
  enum ls_status status = find_policy(record, play, err);
  if (status != LS_OK) return status;
  set_defaults(play, record);
  if (play->policy->is_pushed)
    return ls_fail(err, LS_EINVAL, "%s: %s answers no requests, expected a policy that does",
                   record->id, record->algorithm);
  play->weights = calloc(count, sizeof *play->weights);
  play->is_present = calloc(count, sizeof *play->is_present);
  play->batches = json_array();
  play->by_worker = json_array();
  if (!play->weights || !play->is_present || !play->batches || !play->by_worker)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  for (size_t i = 0; i < count; i++) {
    play->is_present[i] = true;
    play->weights[i] = 1;
    json_array_append_new(play->by_worker, json_array());
  }
  return LS_OK;
}

/* "nominal" or a list; seconds_per_task are inverse weights. */
static enum ls_status read_weights(struct play *play, const struct ls_check_record *record,
                                   const struct ls_json *member, bool is_inverse,
                                   struct ls_error *err) {
  size_t count = play->setup.slots;
  play->setup.weights = play->weights;
  if (!is_inverse && json_is_string(member->value)) {
    if (strcmp(json_string_value(member->value), "nominal") != 0)
      return ls_json_refuse(member, "\"nominal\" or a list of numbers", err);
    for (size_t i = 0; i < count; i++)
      play->weights[i] = 1 / record->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s;
    return LS_OK;
  }
  enum ls_status status = ls_check_numbers(member, count, false, play->weights, err);
  for (size_t i = 0; i < count && status == LS_OK && is_inverse; i++) {
    if (!(play->weights[i] > 0)) return ls_json_refuse(member, "times > 0", err);
    play->weights[i] = 1 / play->weights[i];
  }
  return status;
}

static enum ls_status read_argument(struct play *play, const struct ls_check_record *record,
                                    const char *name, struct ls_error *err) {
  struct ls_json member = ls_json_member(&record->arguments, name);
  struct {
    const char *name;
    double *value;
  } facts[] = {{"mean_seconds", &play->setup.mean_seconds},
               {"deviation_seconds", &play->setup.deviation_seconds},
               {"overhead_seconds", &play->setup.overhead_seconds}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (strcmp(facts[i].name, name) == 0)
      return ls_json_real(&member, 0, DBL_MAX, facts[i].value, err);
  if (strcmp(name, "seed") == 0)
    return ls_json_whole(&member, 0, (uint64_t)1 << 53, &play->setup.seed, err);
  bool is_inverse = strcmp(name, "seconds_per_task") == 0;
  if (is_inverse || strcmp(name, "weights") == 0)
    return read_weights(play, record, &member, is_inverse, err);
  return ls_arguments_read(&play->setup.arguments, play->policy->parameters, &member, name, err);
}

static void hand_out(struct play *play, size_t worker, uint64_t units) {
  json_array_append_new(play->batches, json_integer((json_int_t)units));
  json_array_append_new(json_array_get(play->by_worker, worker), json_integer((json_int_t)units));
}

/* In turn until nothing waits, or no worker gets any more. */
static enum ls_status ask_in_turn(struct play *play, struct ls_error *err) {
  const struct ls_chunking_setup *setup = &play->setup;
  size_t refused = 0;
  struct ls_chunking_view view = {.units = setup->units,
                                  .units_unassigned = setup->units,
                                  .workers_present = setup->slots,
                                  .slots = setup->slots,
                                  .weights = play->weights,
                                  .is_present = play->is_present,
                                  .is_counted = play->is_present};
  enum ls_status status = ls_chunking_init(play->policy, &play->arena, setup, &play->state, err);
  if (status != LS_OK) return status;
  for (size_t turn = 0; view.units_unassigned > 0 && refused < setup->slots; turn++) {
    uint32_t worker = (uint32_t)(turn % setup->slots);
    uint64_t units = play->policy->next_units(play->state, &view, worker);
    if (units > view.units_unassigned) units = view.units_unassigned;
    refused = units == 0 ? refused + 1 : 0;
    view.units_unassigned -= units;
    if (units > 0) hand_out(play, worker, units);
  }
  return LS_OK;
}

/* The figure's rows of weighted factoring are rounds: a worker without a batch in one does not ask.
 */
static enum ls_status hand_out_rounds(struct play *play, struct ls_error *err) {
  const struct ls_chunking_setup *setup = &play->setup;
  size_t count = setup->slots;
  uint64_t rest = setup->units;
  double word = ls_arguments_get(&setup->arguments, play->policy->parameters, "rounding");
  struct ls_wf_workers workers = {play->weights, count,
                                  word >= LS_WF_PRINTED ? LS_WF_PRINTED : LS_WF_LARGEST_REMAINDER};
  bool is_any_weighed = false;
  for (size_t i = 0; i < count; i++) is_any_weighed |= play->weights[i] > 0;
  for (size_t i = 0; i < count && !is_any_weighed; i++) play->weights[i] = 1;
  struct ls_load_candidate *scratch = calloc(count, sizeof *scratch);
  uint64_t *batches = calloc(count, sizeof *batches);
  enum ls_status status = scratch != NULL && batches != NULL
                              ? LS_OK
                              : ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  while (rest > 0 && status == LS_OK) {
    ls_wf_round(&workers, rest, scratch, batches);
    for (size_t i = 0; i < count; i++) {
      if (batches[i] > 0) hand_out(play, i, batches[i]);
      rest -= batches[i];
    }
  }
  free(scratch);
  free(batches);
  return status;
}

static enum ls_status evaluate_batches(const struct ls_check_record *record, json_t **got,
                                       struct ls_error *err) {
  struct play play;
  const char *name;
  json_t *value;
  enum ls_status status = open_play(record, &play, err);
  if (status != LS_OK) goto done;
  json_object_foreach((json_t *)record->arguments.value, name, value) {
    status = read_argument(&play, record, name, err);
    if (status != LS_OK) goto done;
  }
  status =
      strcmp(play.policy->name, "wf") == 0 ? hand_out_rounds(&play, err) : ask_in_turn(&play, err);
  if (status != LS_OK) goto done;
  *got = json_pack("{s:O, s:O}", "batches", play.batches, "batches_by_worker", play.by_worker);
  if (*got == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for an answer");
done:
  close_play(&play);
  return status;
}

const struct ls_check_kind ls_check_kind_batches = {"batches", evaluate_batches};
