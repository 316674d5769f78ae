#include "runtime/pool/shortage.h"

#include "runtime/os/clock.h"

/* What a pool has to say stands behind the workers. */
static void add_pool(const struct ls_pools_item *item, bool has_times, struct ls_bytes *out) {
  struct ls_bytes words = {0};
  if (item->kind->explain != NULL) {
    item->kind->explain(item->pool, has_times, &words);
  } else {
    struct ls_pool_counts counts = item->kind->counts(item->pool);
    if (counts.why != NULL) ls_bytes_append_text(&words, counts.why);
  }
  if (words.length > 0) ls_bytes_printf(out, ", %s", ls_bytes_text(&words));
  ls_bytes_close(&words);
}

void ls_shortage_write(const struct ls_coordinator_totals *totals, const struct ls_pools *pools,
                       bool has_times, struct ls_bytes *out) {
  ls_bytes_printf(out, "%zu wanted: %zu work", totals->workers_wanted,
                  totals->workers_present - totals->workers_suspended);
  /* Of the others that are away their pools tell. */
  if (totals->workers_unheard > 0)
    ls_bytes_printf(out, ", %zu cut off or silent", totals->workers_unheard);
  for (size_t i = 0; i < pools->count; ++i) add_pool(&pools->items[i], has_times, out);
  if (totals->lacking_s > 0)
    ls_bytes_printf(
        out,
        "; a task ran %.4g s when its worker's time was over, and no worker has the %.4g "
        "s left that it needs",
        totals->expired_s, totals->lacking_s);
}
