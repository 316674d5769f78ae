#include "lab/studies/batches.h"

#include <stdlib.h>

enum ls_status ls_study_batch(const struct ls_study_order *order,
                              const struct ls_ordering_view *view, size_t workers,
                              struct ls_list_schedule *schedule, struct ls_error *err) {
  return ls_study_batch_on(order, view, &(struct ls_study_crew){.workers = workers}, schedule, err);
}

enum ls_status ls_study_batch_on(const struct ls_study_order *order,
                                 const struct ls_ordering_view *view,
                                 const struct ls_study_crew *crew,
                                 struct ls_list_schedule *schedule, struct ls_error *err) {
  const struct ls_ordering *ordering = ls_ordering_find(order->name);
  if (ordering == NULL) return ls_fail(err, LS_EINVAL, "there is no order \"%s\"", order->name);
  struct ls_ordering_view own = *view;
  struct ls_list_setup setup = {.work = view->actual,
                                .tasks = (size_t)view->units,
                                .workers = crew->workers,
                                .per_unit = crew->per_unit};
  enum ls_status status = LS_OK;
  ls_arguments_init(&own.arguments, ordering->parameters);
  if (order->predictor != NULL) {
    status =
        ls_arguments_set(&own.arguments, ordering->parameters, "predictor", order->predictor, err);
    if (status != LS_OK) return status;
  }
  uint64_t *list = calloc(view->units + 1, sizeof *list);
  if (list == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the order of the tasks");
  if (ordering->arrange != NULL) {
    status = ordering->arrange(list, &own, err);
    setup.list = list;
  }
  if (status == LS_OK) status = ls_list_schedule(&setup, schedule, crew->worker_of_task, err);
  free(list);
  return status;
}
