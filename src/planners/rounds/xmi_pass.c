

#include "planners/rounds/xmi_pass.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "planners/star/reduced_star.h"

/* Chunks of that part of the load are rounding: not sent when positive, no fault when negative. */
static const double NEGLIGIBLE = 1e-12;

/* How much p may grow before q is taken anew. */
static const double GROWTH = 4;

enum ls_status ls_xmi_pass_init(struct ls_xmi_pass *pass, const struct ls_reduced_star *workers,
                                size_t messages_max, double load, struct ls_error *err) {
  size_t count = workers->count;
  double *memory = calloc(2 * messages_max + 5 * count, sizeof *memory);
  if (memory == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu messages", messages_max);
  *pass = (struct ls_xmi_pass){
      .workers = workers, .load = load, .x_least = -HUGE_VAL, .x_sent = -HUGE_VAL};
  pass->p = memory;
  pass->q = memory + messages_max;
  pass->p_tails = pass->q + messages_max;
  pass->q_tails = pass->p_tails + count;
  pass->p_own = pass->q_tails + count;
  pass->q_own = pass->p_own + count;
  pass->free_s = pass->q_own + count;
  pass->send_per_unit_s = HUGE_VAL;
  for (size_t i = 0; i < count; i++) {
    pass->speed += 1 / workers->items[i].compute_per_unit_s;
    pass->send_per_unit_s = fmin(pass->send_per_unit_s, workers->items[i].send_per_unit_s);
  }
  return LS_OK;
}

void ls_xmi_pass_close(struct ls_xmi_pass *pass) {
  free(pass->p);
  pass->p = NULL;
}

/* The worker of message r: the last message goes to the last worker. */
static const struct ls_star_worker *find_receiver(const struct ls_reduced_star *workers, size_t r) {
  return &workers->items[workers->count - 1 - r % workers->count];
}

/* Walks from a message towards the last one, and knows what q must be corrected by. */
struct walk {
  size_t changes; /* not yet passed */
  double factor;
};

static struct walk start_walk(const struct ls_xmi_pass *pass, size_t messages) {
  struct walk walk = {pass->changes_count, 0};
  while (walk.changes > 0 && pass->changes[walk.changes - 1].message >= messages) walk.changes--;
  return walk;
}

/* Must be called with r = messages - 1, messages - 2, ...: q of message r as the first one takes
 * it. The factors are added up from the smallest. */
static double walk_q(const struct ls_xmi_pass *pass, struct walk *walk, size_t r) {
  while (walk->changes > 0 && pass->changes[walk->changes - 1].message > r) {
    walk->factor += pass->changes[--walk->changes].factor;
  }
  return pass->q[r] - walk->factor * pass->p[r];
}

/* A worker's last chunk ends with that of the message after it. */
static void end_together(struct ls_xmi_pass *pass, const struct ls_star_worker *own) {
  size_t r = pass->messages;
  if (r == 0) {
    pass->p[0] = 1;
    return;
  }
  const struct ls_star_worker *next = find_receiver(pass->workers, r - 1);
  double seconds = next->send_per_unit_s + next->compute_per_unit_s;
  pass->p[r] = seconds * pass->p[r - 1] / own->compute_per_unit_s;
  pass->q[r] = (seconds * pass->q[r - 1] + next->send_latency_s + next->compute_latency_s +
                next->delay_s - own->compute_latency_s - own->delay_s) /
               own->compute_per_unit_s;
}

/* Before a new block, sums from each message of the last one to its end: so that the sum over the N
 * messages after one is a tail and a head, nothing is subtracted, and small chunks keep their
 * digits. */
static void start_block(struct ls_xmi_pass *pass) {
  size_t count = pass->workers->count;
  struct walk walk = start_walk(pass, pass->messages);
  double p = 0, q = 0;
  for (size_t i = count; i-- > 0;) {
    size_t m = pass->messages - count + i;
    const struct ls_star_worker *receiver = &pass->workers->items[count - 1 - i];
    p += pass->p[m] * receiver->send_per_unit_s;
    q += walk_q(pass, &walk, m) * receiver->send_per_unit_s + receiver->send_latency_s;
    pass->p_tails[i] = p;
    pass->q_tails[i] = q;
  }
  pass->p_head = 0;
  pass->q_head = 0;
}

/* A chunk lasts until the worker's next one is there. */
static void stay_busy(struct ls_xmi_pass *pass, const struct ls_star_worker *own, size_t place) {
  size_t r = pass->messages;
  if (place == 0) start_block(pass);
  double p = pass->p_tails[place] + pass->p_head, q = pass->q_tails[place] + pass->q_head;
  pass->p[r] = p / own->compute_per_unit_s;
  pass->q[r] = (q - own->compute_latency_s) / own->compute_per_unit_s;
}

/* Takes q anew, such that it is 0 for the message being added. */
static void change_q(struct ls_xmi_pass *pass) {
  size_t r = pass->messages;
  double factor = pass->q[r] / pass->p[r];
  assert(pass->changes_count < LS_XMI_CHANGES_MAX);
  pass->changes[pass->changes_count++] = (struct ls_xmi_change){r, factor};
  pass->q[r] = 0;
  for (size_t i = 0; i < pass->workers->count; i++) {
    pass->q_tails[i] -= factor * pass->p_tails[i];
    pass->q_own[i] -= factor * pass->p_own[i];
  }
  pass->q_head -= factor * pass->p_head;
  ls_sum_add(&pass->q_sum, -factor * ls_sum_value(&pass->p_sum));
  pass->x_least += factor;
  pass->x_sent += factor;
  pass->p_largest = pass->p[r];
}

/* Raises `*least` to (units - q) / p, if that is more. Dividing only then is what makes the pass
 * fast. */
static void raise_least(double *least, double units, double p, double q) {
  if (units - q > *least * p) *least = (units - q) / p;
}

/* Which x the message being added allows; false: none. */
static bool bound_x(struct ls_xmi_pass *pass, const struct ls_star_worker *own) {
  double negligible = NEGLIGIBLE * pass->load;
  double p = pass->p[pass->messages], q = pass->q[pass->messages];
  bool has_latency = own->send_latency_s > 0 || own->compute_latency_s > 0;
  if (p > 0) {
    raise_least(&pass->x_least, -negligible, p, q);
    if (has_latency) raise_least(&pass->x_sent, negligible, p, q);
    return true;
  }
  if (has_latency && !(q > negligible)) pass->x_sent = HUGE_VAL;
  return q >= -negligible;
}

bool ls_xmi_pass_extend(struct ls_xmi_pass *pass, size_t place) {
  const struct ls_star_worker *own = &pass->workers->items[pass->workers->count - 1 - place];
  size_t r = pass->messages;
  if (r < pass->workers->count) {
    end_together(pass, own);
  } else {
    stay_busy(pass, own, place);
  }
  /* Shares that grow beyond all bounds leave the chunks after them nothing. */
  if (!(pass->p[r] < 1e250) || !isfinite(pass->q[r])) return false;
  if (r == 0) {
    pass->p_largest = pass->p[0];
  } else if (pass->p[r] > GROWTH * pass->p_largest) {
    change_q(pass);
  }
  if (!bound_x(pass, own)) return false;
  double p = pass->p[r], q = pass->q[r];
  pass->p_head += p * own->send_per_unit_s;
  pass->q_head += q * own->send_per_unit_s + own->send_latency_s;
  pass->p_own[place] += p * own->compute_per_unit_s;
  pass->q_own[place] += q * own->compute_per_unit_s + own->compute_latency_s;
  pass->work_latency += own->compute_latency_s / own->compute_per_unit_s;
  pass->send_latency_s += own->send_latency_s;
  ls_sum_add(&pass->p_sum, p);
  ls_sum_add(&pass->q_sum, q);
  pass->messages++;
  return true;
}

bool ls_xmi_pass_is_usable(const struct ls_xmi_pass *pass, double *x) {
  double found = (pass->load - ls_sum_value(&pass->q_sum)) / ls_sum_value(&pass->p_sum);
  if (!(found >= pass->x_least)) return false;
  *x = found;
  return true;
}

double ls_xmi_pass_bound_s(const struct ls_xmi_pass *pass) {
  double work_s = (pass->load + pass->work_latency) / pass->speed;
  return fmax(work_s, pass->send_latency_s + pass->load * pass->send_per_unit_s);
}

/* The part of a chunk that is sent. */
static double clear_negligible(const struct ls_xmi_pass *pass, double units) {
  return units > NEGLIGIBLE * pass->load ? units : 0;
}

/* The end when some messages are too small to be sent: an exact replay. */
static double replay_end(struct ls_xmi_pass *pass, double x) {
  size_t count = pass->workers->count;
  struct walk walk = start_walk(pass, pass->messages);
  double sent_s = 0, end_s = 0;
  for (size_t i = 0; i < count; i++) pass->free_s[i] = 0;
  for (size_t r = pass->messages; r-- > 0;) {
    const struct ls_star_worker *own = find_receiver(pass->workers, r);
    double *free_s = &pass->free_s[r % count];
    double units = clear_negligible(pass, pass->p[r] * x + walk_q(pass, &walk, r));
    if (!(units > 0)) continue;
    sent_s += own->send_latency_s + units * own->send_per_unit_s;
    *free_s = fmax(sent_s + own->delay_s, *free_s);
    *free_s += own->compute_latency_s + units * own->compute_per_unit_s;
    end_s = fmax(end_s, *free_s);
  }
  return end_s;
}

double ls_xmi_pass_end_s(struct ls_xmi_pass *pass, size_t place, double x) {
  if (!(x >= pass->x_sent)) return replay_end(pass, x);
  const struct ls_star_worker *own = &pass->workers->items[pass->workers->count - 1 - place];
  size_t r = pass->messages - 1;
  /* The first worker's chunks follow each other without a gap. */
  return own->send_latency_s + own->delay_s + pass->q[r] * own->send_per_unit_s +
         pass->q_own[place] + x * (pass->p[r] * own->send_per_unit_s + pass->p_own[place]);
}

void ls_xmi_pass_add(const struct ls_xmi_pass *pass, size_t messages, double x,
                     struct ls_plan *plan) {
  size_t count = pass->workers->count;
  size_t rounds = (messages + count - 1) / count;
  struct walk walk = start_walk(pass, messages);
  for (size_t r = messages; r-- > 0;) {
    double units = clear_negligible(pass, pass->p[r] * x + walk_q(pass, &walk, r));
    if (!(units > 0)) continue;
    ls_plan_add(plan, find_receiver(pass->workers, r)->number, (uint32_t)(rounds - 1 - r / count),
                units);
  }
}
