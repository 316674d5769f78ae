/* port_groups.c: workers whose transfers run at once.
 *
 * Reference:  yang2002, section 6.4: k transfers at once run at B/k^alpha each, latencies overlap.
 * Symbols:    k -> count of a group, S_i -> 1 / compute_per_unit_s, x_i -> find_share.
 */
#include "planners/star/port_groups.h"

#include <math.h>
#include <stdlib.h>

size_t ls_port_groups_size(const struct ls_platform *platform) {
  if (platform->ports != LS_PORTS_MULTI) return 1;
  uint64_t limit = platform->ports_limit;
  return limit > 0 && limit < platform->workers_count ? (size_t)limit : platform->workers_count;
}

/* The members of one group. */
struct group {
  const struct ls_star_worker *members;
  size_t count;
  double speed;     /* sum S_i */
  double latency_s; /* mean cLat, weighted by S */
};

static struct group find_group(const struct ls_port_groups *groups, size_t number) {
  size_t first = number * groups->size, left = groups->members_count - first;
  struct group group = {.members = groups->members + first,
                        .count = left < groups->size ? left : groups->size};
  for (size_t i = 0; i < group.count; i++) {
    double speed = 1 / group.members[i].compute_per_unit_s;
    group.speed += speed;
    group.latency_s += speed * group.members[i].compute_latency_s;
  }
  group.latency_s /= group.speed;
  return group;
}

/* The master prepares and sends one message after another; transfers share the network. */
static struct ls_star_worker join(const struct group *group, const struct ls_platform *platform,
                                  size_t number) {
  struct ls_cost master = {0, 0}, network = {0, 0};
  double sharing = pow((double)group->count, platform->ports_alpha - 1), delay_s = 0;
  for (size_t i = 0; i < group->count; i++) {
    const struct ls_star_worker *member = &group->members[i];
    const struct ls_worker_model *model = &platform->workers[member->number];
    const struct ls_cost *send = &model->costs[LS_OPERATION_SEND];
    const struct ls_cost *transfer = &model->costs[LS_OPERATION_TRANSFER];
    double share = 1 / member->compute_per_unit_s / group->speed;
    master.latency_s += platform->prepare.latency_s + send->latency_s;
    master.per_unit_s += share * (platform->prepare.per_unit_s + send->per_unit_s);
    network.latency_s += transfer->latency_s / (double)group->count;
    network.per_unit_s += share * transfer->per_unit_s * sharing;
    delay_s = fmax(delay_s, member->delay_s);
  }
  const struct ls_cost *slower = master.per_unit_s > network.per_unit_s ? &master : &network;
  return (struct ls_star_worker){.send_latency_s = slower->latency_s,
                                 .send_per_unit_s = slower->per_unit_s,
                                 .delay_s = delay_s,
                                 .compute_latency_s = group->latency_s,
                                 .compute_per_unit_s = 1 / group->speed,
                                 .number = (uint32_t)number,
                                 .ratio = slower->per_unit_s * group->speed};
}

enum ls_status ls_port_groups_open(struct ls_port_groups *groups,
                                   const struct ls_platform *platform, struct ls_error *err) {
  struct ls_reduced_star workers;
  enum ls_status status = ls_reduced_star_init(&workers, platform, err);
  if (status != LS_OK) return status;
  ls_reduced_star_take(&workers, LS_STAR_SORTED);
  *groups = (struct ls_port_groups){.members = workers.items,
                                    .members_count = workers.count,
                                    .size = ls_port_groups_size(platform)};
  size_t count = (workers.count + groups->size - 1) / groups->size;
  groups->star = (struct ls_reduced_star){
      .items = calloc(count, sizeof *groups->star.items), .count = count, .is_exact = true};
  if (groups->star.items == NULL) {
    ls_port_groups_close(groups);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu groups of workers", count);
  }
  for (size_t i = 0; i < count; i++) {
    struct group group = find_group(groups, i);
    groups->star.items[i] = join(&group, platform, i);
  }
  return LS_OK;
}

void ls_port_groups_close(struct ls_port_groups *groups) {
  ls_reduced_star_close(&groups->star);
  free(groups->members);
  *groups = (struct ls_port_groups){0};
}

/* What a member computes in `time_s`. */
static double find_share(const struct ls_star_worker *member, double time_s) {
  return fmax(0, (time_s - member->compute_latency_s) / member->compute_per_unit_s);
}

/* How long those compute that get something of `units`: more of them while that lasts longer than
 * their latencies. */
static double find_time(const struct group *group, double units) {
  double time_s = (units / group->speed) + group->latency_s;
  for (size_t turn = 0; turn < group->count; turn++) {
    double speed = 0, latency = 0;
    for (size_t i = 0; i < group->count; i++) {
      const struct ls_star_worker *member = &group->members[i];
      if (!(find_share(member, time_s) > 0)) continue;
      speed += 1 / member->compute_per_unit_s;
      latency += member->compute_latency_s / member->compute_per_unit_s;
    }
    double next_s = (units + latency) / speed;
    if (!(next_s < time_s * (1 - 1e-15))) return time_s;
    time_s = next_s;
  }
  return time_s;
}

enum ls_status ls_port_groups_divide(const struct ls_port_groups *groups, struct ls_plan *plan,
                                     struct ls_error *err) {
  struct ls_plan divided;
  ls_plan_init(&divided, plan->algorithm, plan->load);
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    struct group group = find_group(groups, chunk->worker);
    double time_s = find_time(&group, chunk->units);
    for (size_t k = 0; k < group.count; k++) {
      double units = find_share(&group.members[k], time_s);
      if (units > 0) ls_plan_add(&divided, group.members[k].number, chunk->round, units);
    }
  }
  enum ls_status status = ls_plan_finish(&divided, err);
  plan->chunks_count = 0;
  if (status == LS_OK) status = ls_star_reserve(plan, divided.chunks_count, err);
  for (size_t i = 0; i < divided.chunks_count && status == LS_OK; i++) {
    const struct ls_plan_chunk *chunk = &divided.chunks[i];
    ls_plan_add(plan, chunk->worker, chunk->round, chunk->units);
  }
  ls_plan_close(&divided);
  return status;
}
