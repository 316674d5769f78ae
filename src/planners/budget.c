#include "planners/budget.h"

#include <stddef.h>

enum { SHORT_STEPS = 64 };

struct ls_budget ls_budget_part(const struct ls_budget *whole, uint64_t work_max) {
  struct ls_budget part = {.work_max = work_max};
  if (whole != NULL) {
    part.stop = whole->stop;
    part.stop_context = whole->stop_context;
  }
  return part;
}

void ls_budget_spend(struct ls_budget *budget, uint64_t work) {
  if (budget != NULL) budget->work += work;
}

void ls_budget_add(struct ls_budget *whole, const struct ls_budget *part) {
  whole->work += part->work;
  whole->is_stopped = whole->is_stopped || part->is_stopped;
}

static bool is_spent(struct ls_budget *budget, uint64_t steps) {
  if (budget == NULL || budget->is_stopped) return budget != NULL;
  if (budget->work_max > 0 && budget->work >= budget->work_max) {
    budget->is_stopped = true;
  } else if (budget->stop != NULL && budget->work >= budget->next_question) {
    budget->next_question = budget->work + steps;
    budget->is_stopped = budget->stop(budget->stop_context);
  }
  return budget->is_stopped;
}

bool ls_budget_is_spent(struct ls_budget *budget) {
  return is_spent(budget, 0);
}

bool ls_budget_is_spent_shortly(struct ls_budget *budget) {
  return is_spent(budget, SHORT_STEPS);
}
