/* deliveries.c: results are kept until their commit, then merged, then forgotten. */
#include "runtime/master/sending/deliveries.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/range_words.h"

enum { KEPT_BYTES_MAX = 16 << 20, KEPT_FILES_MAX = 32 };

void ls_deliveries_init(struct ls_deliveries *deliveries, const struct ls_app *app, void *state,
                        struct ls_journal *journal) {
  *deliveries = (struct ls_deliveries){.app = app, .state = state, .journal = journal};
}

void ls_deliveries_tell(const struct ls_deliveries *deliveries,
                        const struct ls_unit_result *result) {
  if (deliveries->failed == NULL || result->outcome == LS_OUTCOME_DONE) return;
  deliveries->failed(deliveries->context, result);
}

static void close_files(struct ls_unit_result *result) {
  struct ls_output *outputs[2] = {&result->output, &result->error_output};
  for (int i = 0; i < 2; ++i) {
    if (outputs[i]->file >= 0) (void)close(outputs[i]->file);
    outputs[i]->file = -1;
  }
}

/* Copies the bytes of the outputs, and counts the files. */
static void keep(struct ls_deliveries *deliveries, struct ls_delivery *delivery) {
  struct ls_output *outputs[2] = {&delivery->result.output, &delivery->result.error_output};
  for (int i = 0; i < 2; ++i) {
    if (outputs[i]->file >= 0) {
      ++deliveries->files;
    } else if (outputs[i]->length > 0) {
      delivery->offsets[i] = deliveries->bytes.length;
      ls_bytes_append(&deliveries->bytes, outputs[i]->data, outputs[i]->length);
    }
    outputs[i]->data = NULL;
  }
}

enum ls_status ls_deliveries_defer(struct ls_deliveries *deliveries,
                                   const struct ls_unit_result *result, bool is_journalled,
                                   struct ls_error *err) {
  struct ls_delivery delivery = {.result = *result, .is_journalled = is_journalled};
  enum ls_status status = ls_array_reserve((void **)&deliveries->items, &deliveries->capacity,
                                           deliveries->count + 1, sizeof *deliveries->items);
  if (status == LS_OK) {
    keep(deliveries, &delivery);
    deliveries->items[deliveries->count++] = delivery;
  } else {
    close_files(&delivery.result);
  }
  if (status == LS_OK && !deliveries->bytes.failed) return LS_OK;
  char which[LS_RANGE_WORDS_BYTES];
  return ls_fail(err, LS_ENOMEM, "out of memory for the result of %s",
                 ls_range_words(result->units, which));
}

bool ls_deliveries_is_full(const struct ls_deliveries *deliveries) {
  return deliveries->bytes.length > KEPT_BYTES_MAX || deliveries->files > KEPT_FILES_MAX;
}

enum ls_status ls_deliveries_merge_one(struct ls_deliveries *deliveries,
                                       const struct ls_unit_result *result, bool is_journalled,
                                       struct ls_error *err) {
  const struct ls_app *app = deliveries->app;
  ls_deliveries_tell(deliveries, result);
  if (app->merge == NULL) return LS_OK;
  enum ls_status status = app->merge(deliveries->state, result, err);
  /* Without `skip` a computing application rebuilds its state from the outputs in the journal. */
  bool keeps_outputs = !app->runs_commands && app->skip == NULL;
  if (status != LS_OK || !is_journalled || keeps_outputs) return status;
  assert(deliveries->journal != NULL);
  deliveries->has_pending = true;
  if (app->outputs == NULL) {
    ls_journal_delivered(deliveries->journal, result->iteration, result->units);
  }
  return LS_OK;
}

/* Asked also where there is no journal: the application sees to its outputs meanwhile. */
static enum ls_status forget_left(struct ls_deliveries *deliveries, struct ls_error *err) {
  const struct ls_app_outputs *outputs = deliveries->app->outputs;
  if (outputs == NULL) return LS_OK;
  while (true) {
    struct ls_units_left left = {0};
    enum ls_status status = outputs->take_left(deliveries->state, &left, err);
    if (status != LS_OK || left.units.count == 0) return status;
    if (deliveries->has_pending) {
      ls_journal_delivered(deliveries->journal, left.iteration, left.units);
    }
  }
}

static void point_at_bytes(const struct ls_deliveries *deliveries, struct ls_delivery *delivery) {
  struct ls_output *outputs[2] = {&delivery->result.output, &delivery->result.error_output};
  for (int i = 0; i < 2; ++i) {
    if (outputs[i]->file >= 0 || outputs[i]->length == 0) continue;
    outputs[i]->data = deliveries->bytes.data + delivery->offsets[i];
  }
}

enum ls_status ls_deliveries_merge(struct ls_deliveries *deliveries, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < deliveries->count && status == LS_OK; ++i) {
    struct ls_delivery *delivery = &deliveries->items[i];
    point_at_bytes(deliveries, delivery);
    status = ls_deliveries_merge_one(deliveries, &delivery->result, delivery->is_journalled, err);
    close_files(&delivery->result);
  }
  ls_deliveries_drop(deliveries);
  return status == LS_OK ? forget_left(deliveries, err) : status;
}

enum ls_status ls_deliveries_finish(struct ls_deliveries *deliveries, struct ls_error *err) {
  const struct ls_app_outputs *outputs = deliveries->app->outputs;
  if (outputs == NULL) return LS_OK;
  enum ls_status status = outputs->finish(deliveries->state, err);
  enum ls_status told = forget_left(deliveries, status == LS_OK ? err : NULL);
  return status == LS_OK ? told : status;
}

int ls_deliveries_file(const struct ls_deliveries *deliveries) {
  const struct ls_app_outputs *outputs = deliveries->app->outputs;
  return outputs == NULL ? -1 : outputs->file(deliveries->state);
}

bool ls_deliveries_is_behind(const struct ls_deliveries *deliveries) {
  const struct ls_app_outputs *outputs = deliveries->app->outputs;
  return outputs != NULL && outputs->is_behind(deliveries->state);
}

void ls_deliveries_drop(struct ls_deliveries *deliveries) {
  for (size_t i = 0; i < deliveries->count; ++i) close_files(&deliveries->items[i].result);
  deliveries->count = deliveries->files = 0;
  ls_bytes_clear(&deliveries->bytes);
}

void ls_deliveries_close(struct ls_deliveries *deliveries) {
  ls_deliveries_drop(deliveries);
  ls_bytes_close(&deliveries->bytes);
  free(deliveries->items);
  *deliveries = (struct ls_deliveries){0};
}
