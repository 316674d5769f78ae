#include "cli/pack/pack_tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "planners/pack/packing.h"

/* What is known of all times together. */
struct known {
  double fill_s, variance; /* of a task without a time */
  double per_size;         /* seconds; 0: not known */
  double variation;        /* NAN: not known */
};

/* The next task of this name in a list that names some more than once. */
static size_t find_times(const struct ls_task_times *times, const char *name, size_t length,
                         uint32_t *cursors) {
  size_t first = ls_task_times_find(times, name, length);
  if (first == SIZE_MAX) return SIZE_MAX;
  uint32_t task = cursors[first] == 0 ? (uint32_t)first : cursors[first] - 1;
  uint32_t next = times->items[task].same;
  cursors[first] = (next == UINT32_MAX ? task : next) + 1;
  return task;
}

static void learn_variation(const struct ls_task_times *times, struct known *known) {
  struct ls_sum shares = {0};
  uint64_t freedom = 0;
  for (size_t i = 0; i < times->count; i++) {
    const struct ls_task_time *item = &times->items[i];
    if (item->count < 2 || !(item->mean_s > 0)) continue;
    ls_sum_add(&shares, item->squares / (item->mean_s * item->mean_s));
    freedom += item->count - 1;
  }
  known->variation = freedom > 0 ? sqrt(ls_sum_value(&shares) / (double)freedom) : (double)NAN;
}

/* Seconds per size, of the tasks that have both. */
static void learn_sizes(const struct ls_task_times *times, const double *sizes,
                        const uint32_t *found, size_t count, struct known *known) {
  struct ls_sum seconds = {0}, all = {0};
  for (size_t i = 0; i < count; i++) {
    if (!(sizes[i] > 0) || found[i] == UINT32_MAX || times->items[found[i]].count == 0) continue;
    ls_sum_add(&seconds, times->items[found[i]].mean_s);
    ls_sum_add(&all, sizes[i]);
  }
  known->per_size = ls_sum_value(&all) > 0 ? ls_sum_value(&seconds) / ls_sum_value(&all) : 0;
}

static enum ls_status learn_fill(const struct ls_task_times *times, bool uses_mean,
                                 struct known *known) {
  struct ls_moments moments = {0};
  double *means = calloc(times->count + 1, sizeof *means);
  size_t count = 0;
  if (means == NULL) return LS_ENOMEM;
  for (size_t i = 0; i < times->count; i++) {
    if (times->items[i].count == 0) continue;
    means[count++] = times->items[i].mean_s;
    ls_moments_add(&moments, times->items[i].mean_s);
  }
  double deviation = ls_moments_deviation(&moments);
  known->variance = deviation * deviation;
  known->fill_s = count == 0 ? 1 : uses_mean ? moments.mean : ls_median(means, count);
  free(means);
  return LS_OK;
}

/* Everything while it stands in the order of its source. */
struct draft {
  const struct ls_task_times *times, *source;
  uint32_t *found; /* of each task: its times; UINT32_MAX: none */
  double *sizes;   /* NAN: none */
  double *seconds, *variances;
  uint64_t *digests;
  uint32_t *places; /* the longest first */
  size_t count;
};

static void find_all(struct draft *draft, uint32_t *cursors, bool has_list) {
  for (size_t i = 0; i < draft->count; i++) {
    const struct ls_task_time *item = &draft->source->items[i];
    const char *name = ls_task_times_name(draft->source, i);
    size_t found = has_list ? find_times(draft->times, name, item->length, cursors) : i;
    draft->found[i] = found == SIZE_MAX ? UINT32_MAX : (uint32_t)found;
    if (!item->has_size && found != SIZE_MAX) item = &draft->times->items[found];
    draft->sizes[i] = item->has_size ? item->size : (double)NAN;
    draft->digests[i] = draft->source->items[i].digest;
  }
}

/* Of times that no task here has, nothing is taken: all count alike then. */
static void count_known(const struct draft *draft, const struct known *known,
                        struct ls_pack_tasks *out) {
  for (size_t i = 0; i < draft->count; i++) {
    uint32_t count = draft->found[i] == UINT32_MAX ? 0 : draft->times->items[draft->found[i]].count;
    out->known += count > 0;
    out->repeated += count > 1;
  }
  out->has_times = out->known > 0;
  out->fill_s = out->has_times ? known->fill_s : 1;
}

/* The expected time of each task, and its variance in a run to come. */
static void expect_times(struct draft *draft, const struct known *known,
                         struct ls_pack_tasks *out) {
  for (size_t i = 0; i < draft->count; i++) {
    const struct ls_task_time *item =
        draft->found[i] == UINT32_MAX ? NULL : &draft->times->items[draft->found[i]];
    draft->variances[i] = 0;
    if (item != NULL && item->count > 0) {
      draft->seconds[i] = item->mean_s;
      double deviation = isnan(known->variation) ? 0 : known->variation * item->mean_s;
      /* The mean itself is known so well only. */
      draft->variances[i] = deviation * deviation * (1 + 1.0 / item->count);
    } else if (draft->sizes[i] >= 0 && (known->per_size > 0 || !out->has_times)) {
      draft->seconds[i] = draft->sizes[i] * (out->has_times ? known->per_size : 1);
      out->by_size++;
    } else {
      draft->seconds[i] = out->fill_s;
      if (out->has_times) draft->variances[i] = known->variance;
    }
    if (draft->variances[i] > 0) out->has_spread = true;
  }
}

/* Names that differ and have one digest: by their bytes. */
static void order_equals(const struct draft *draft) {
  for (size_t i = 1; i < draft->count; i++) {
    for (size_t k = i; k > 0; k--) {
      uint32_t *a = &draft->places[k - 1], *b = &draft->places[k];
      bool is_equal =
          draft->digests[*a] == draft->digests[*b] && !(draft->seconds[*a] > draft->seconds[*b]);
      if (!is_equal ||
          strcmp(ls_task_times_name(draft->source, *a), ls_task_times_name(draft->source, *b)) <= 0)
        break;
      uint32_t place = *a;
      *a = *b;
      *b = place;
    }
  }
}

static enum ls_status arrange(struct draft *draft, struct ls_pack_tasks *out) {
  enum ls_status status =
      ls_pack_arrange(draft->seconds, draft->digests, draft->count, draft->places);
  if (status != LS_OK) return status;
  order_equals(draft);
  for (size_t i = 0; i < draft->count; i++) {
    uint32_t place = draft->places[i];
    out->names[i] = ls_task_times_name(draft->source, place);
    out->seconds[i] = draft->seconds[place];
    out->variances[i] = draft->variances[place];
  }
  return LS_OK;
}

static bool open_draft(struct draft *draft, struct ls_pack_tasks *out) {
  size_t count = draft->count + 1;
  draft->found = calloc(count, sizeof *draft->found);
  draft->sizes = calloc(count, sizeof *draft->sizes);
  draft->seconds = calloc(count, sizeof *draft->seconds);
  draft->variances = calloc(count, sizeof *draft->variances);
  draft->digests = calloc(count, sizeof *draft->digests);
  draft->places = calloc(count, sizeof *draft->places);
  out->names = calloc(count, sizeof *out->names);
  out->seconds = calloc(count, sizeof *out->seconds);
  out->variances = calloc(count, sizeof *out->variances);
  return draft->found != NULL && draft->sizes != NULL && draft->seconds != NULL &&
         draft->variances != NULL && draft->digests != NULL && draft->places != NULL &&
         out->names != NULL && out->seconds != NULL && out->variances != NULL;
}

static void close_draft(struct draft *draft) {
  free(draft->found);
  free(draft->sizes);
  free(draft->seconds);
  free(draft->variances);
  free(draft->digests);
  free(draft->places);
}

/* Tasks of the files that no line of the list names, and examples of what names only one of them.
 */
static void compare_names(const struct draft *draft, struct ls_pack_tasks *out) {
  const struct ls_task_times *times = draft->times, *list = draft->source;
  size_t named = 0;
  for (size_t i = 0; i < draft->count; i++) {
    bool is_named = draft->found[i] != UINT32_MAX;
    named += is_named;
    if (!is_named && out->untimed == NULL) out->untimed = ls_task_times_name(list, i);
  }
  out->unlisted = named < times->count ? times->count - named : 0;
  for (size_t i = 0; i < times->count && out->unlisted > 0 && out->left_out == NULL; i++) {
    const char *name = ls_task_times_name(times, i);
    if (ls_task_times_find(list, name, times->items[i].length) == SIZE_MAX) out->left_out = name;
  }
}

enum ls_status ls_pack_tasks_make(const struct ls_task_times *times,
                                  const struct ls_task_times *list, bool uses_mean,
                                  struct ls_pack_tasks *out, struct ls_error *err) {
  const struct ls_task_times *source = list != NULL ? list : times;
  struct draft draft = {.times = times, .source = source, .count = source->count};
  struct known known = {.fill_s = 0};
  *out = (struct ls_pack_tasks){.count = source->count, .failed = times->failed};
  uint32_t *cursors = calloc(times->count + 1, sizeof *cursors);
  bool has_memory = open_draft(&draft, out) && cursors != NULL;
  enum ls_status status = has_memory ? learn_fill(times, uses_mean, &known) : LS_ENOMEM;
  if (status == LS_OK) {
    find_all(&draft, cursors, list != NULL);
    count_known(&draft, &known, out);
    learn_variation(times, &known);
    learn_sizes(times, draft.sizes, draft.found, draft.count, &known);
    expect_times(&draft, &known, out);
    if (list != NULL) compare_names(&draft, out);
    out->variation = known.variation;
    status = arrange(&draft, out);
  }
  close_draft(&draft);
  free(cursors);
  if (status == LS_OK) return LS_OK;
  ls_pack_tasks_close(out);
  return ls_fail(err, LS_ENOMEM, "out of memory for %zu tasks", source->count);
}

void ls_pack_tasks_close(struct ls_pack_tasks *tasks) {
  free(tasks->names);
  free(tasks->seconds);
  free(tasks->variances);
  *tasks = (struct ls_pack_tasks){0};
}
