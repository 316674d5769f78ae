/* handle_homes.c: units that only one worker may have: the same work on every machine.
 *
 * A unit's home is a slot; whoever is there has it, however often its worker is another one.  Units
 * wait in one line, in which the next one of a worker is looked for from the front: it has as many
 * pieces as homes, and a few for what came back.
 */
#include "coordinator/handlers_private.h"

/* What moves units between workers, or takes workers away; NULL: nothing does. */
static const char *find_mover(const struct ls_coordinator_config *config) {
  bool is_replicated =
      config->replication != NULL && config->replication != ls_replication_find("none");
  bool is_permuted = config->ordering != NULL && config->ordering->arrange != NULL;
  return config->chunking->is_pushed ? config->chunking->name
         : is_replicated             ? config->replication->name
         : config->sizing != NULL    ? config->sizing->name
         : is_permuted               ? config->ordering->name
         : config->recalls           ? "recalls"
         : config->choices_count > 0 ? "choices"
                                     : NULL;
}

enum ls_status ls_home_check(const struct ls_coordinator_config *config, struct ls_error *err) {
  const char *mover = find_mover(config);
  if (config->homes == 0) return LS_OK;
  if (config->homes > config->workers)
    return ls_fail(err, LS_EINVAL, "homes is %zu, must be at most workers (%zu)", config->homes,
                   config->workers);
  if (mover == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL, "homes is %zu, which excludes %s", config->homes, mover);
}

enum ls_status ls_home_check_iteration(const struct ls_coordinator *c, const struct ls_event *event,
                                       struct ls_error *err) {
  if (c->config.homes == 0) return LS_OK;
  if (event->is_incomplete)
    return ls_fail(err, LS_EINVAL,
                   "ITERATION: is incomplete, and all units of a home are one part");
  if (event->iteration_units % c->config.homes == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "ITERATION: %llu units, must be a multiple of homes (%zu)",
                 (unsigned long long)event->iteration_units, c->config.homes);
}

uint64_t ls_home_prepare(struct ls_coordinator *c, uint32_t slot) {
  uint64_t part = c->ledger.units / c->config.homes, unit;
  struct ls_piece_list chosen;
  if (slot >= c->config.homes) return 0;
  if (!ls_ledger_find_waiting(&c->ledger, (struct ls_range){slot * part, part}, &unit)) return 0;
  if (!ls_lifetime_suffices(c, slot, unit)) return 0;
  bool is_doubtful = ls_doubts_have(&c->ledger.doubts, &c->ledger.pieces, unit);
  if (is_doubtful && c->ledger.slots[slot].units > 0) return 0;
  if (unit == ls_ledger_peek(&c->ledger)) return 1;
  ls_piece_list_init(&chosen);
  enum ls_status status = ls_ledger_set_aside(&c->ledger, unit, &chosen);
  ls_step_fail(c, status);
  if (status == LS_OK) (void)ls_ledger_put_back(&c->ledger, &chosen);
  return status == LS_OK ? 1 : 0;
}
