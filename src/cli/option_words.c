#include "cli/option_words.h"

#include <stdbool.h>
#include <string.h>

#include "cli/calibrate/calibrate_source.h"
#include "cli/pack/pack_source.h"
#include "model/platform_grid.h"
#include "planners/analysis.h"
#include "planners/planner.h"
#include "policies/chunking.h"
#include "policies/ordering.h"
#include "policies/replication.h"
#include "policies/sizing.h"
#include "theory/load_pattern.h"

enum { WORDS_MAX = 8 };

/* Word `index` of a list; NULL: there is none. */
typedef const char *(*get_word_fn)(size_t index);

#define GET_NAME(function, list)                           \
  static const char *function(size_t index) {              \
    return list[index] == NULL ? NULL : list[index]->name; \
  }
GET_NAME(get_planner, ls_planners)
GET_NAME(get_analysis, ls_analyses)
GET_NAME(get_policy, ls_chunkings)
GET_NAME(get_order, ls_orderings)
GET_NAME(get_sizing, ls_sizings)
GET_NAME(get_replication, ls_replications)
#undef GET_NAME

static const char *get_pattern(size_t index) {
  return ls_pattern_names[index];
}

static const char *get_pack_form(size_t index) {
  return ls_pack_form_names[index];
}

static const char *get_calibrate_form(size_t index) {
  return index < LS_CALIBRATE_FORMS ? ls_calibrate_form_names[index] : NULL;
}

static const char *get_grid_axis(size_t index) {
  return index < LS_GRID_AXES ? ls_grid_axis_names[index] : NULL;
}

/* `subcommand` NULL: all that have the option. `words` are there besides `get`'s. */
static const struct accepted {
  const char *subcommand, *option;
  get_word_fn get;
  const char *words[WORDS_MAX];
} table[] = {
    {NULL, "algorithm", get_planner, {NULL}},
    {NULL, "algorithms", get_planner, {NULL}},
    {NULL, "analysis", get_analysis, {NULL}},
    {NULL, "policy", get_policy, {"auto"}},
    {NULL, "order", get_order, {NULL}},
    {NULL, "sizing", get_sizing, {NULL}},
    {NULL, "replication", get_replication, {NULL}},
    {NULL, "load-pattern", get_pattern, {NULL}},
    {"calibrate", "from", get_calibrate_form, {NULL}},
    {"calibrate", "fit", NULL, {"measurements", "makespan"}},
    {"compare", "by", get_grid_axis, {NULL}},
    {"compare", "ties", NULL, {"half", "first"}},
    {"pack", "from", get_pack_form, {NULL}},
    {"pack", "unknown", NULL, {"median", "mean"}},
    {"pack", "same-names", NULL, {"refuse", "mean", "each"}},
    {"plan", "spmd", NULL, {"json", "header"}},
    {"run", "dry-run", NULL, {"cost"}},
    {"parallel", "trim", NULL, {"n", "l", "r", "lr"}},
    {"run", "transport", NULL, {"auto", "mpi", "local"}},
    {"run", "mpi", NULL, {"openmpi", "mpich"}},
    {"run", "executor", NULL, {"child", "thread"}},
    {"run", "replace", NULL, {"at-once", "next-iteration", "never"}},
    {"run", "keep-sandbox", NULL, {"failed", "all"}},
    {"run", "halt", NULL, {"never", "soon,fail=1", "now,fail=1", "now,success=1"}},
    {"completion", NULL, NULL, {"bash", "zsh", "fish"}},
    {"list", NULL, NULL, {"planners", "analyses", "policies", "orders", "sizings", "replications"}},
    {"list", NULL, get_planner, {NULL}},
    {"list", NULL, get_analysis, {NULL}},
    {"list", NULL, get_policy, {NULL}},
    {"list", NULL, get_order, {NULL}},
    {"list", NULL, get_sizing, {NULL}},
    {"list", NULL, get_replication, {NULL}}};

static bool is_same(const char *first, const char *second) {
  return first == second || (first != NULL && second != NULL && strcmp(first, second) == 0);
}

/* A name may stand in several lists, such as the planner and the policy of one method. */
static void add(json_t *words, const char *word) {
  size_t index;
  const json_t *there;
  json_array_foreach(words, index, there) {
    if (strcmp(json_string_value(there), word) == 0) return;
  }
  (void)json_array_append_new(words, json_string(word));
}

json_t *ls_option_words(const char *subcommand, const char *option) {
  json_t *words = json_array();
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct accepted *item = &table[i];
    if (!is_same(item->option, option)) continue;
    if (item->subcommand != NULL && !is_same(item->subcommand, subcommand)) continue;
    for (size_t j = 0; j < WORDS_MAX && item->words[j] != NULL; j++) add(words, item->words[j]);
    for (size_t j = 0; item->get != NULL && item->get(j) != NULL; j++) add(words, item->get(j));
  }
  if (json_array_size(words) > 0) return words;
  json_decref(words);
  return NULL;
}
