/* plan.h: ordered chunks with worker and size, and the order of the returns.
 *
 * A plan is built by a sticky builder (the first failure is kept, later adds are ignored,
 * ls_plan_finish reports it), replayed by replay.h (which fills the times) and checked by
 * validate.h.  The plan owns its arrays and texts.
 */
#ifndef LS_MODEL_PLAN_H
#define LS_MODEL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/linkage.h"
#include "base/status.h"
#include "model/platform.h"

LS_C_BEGIN

/* One chunk. Times in seconds from the start; NAN while not replayed or where there is no reply.
 * send_start is when the master begins to prepare it, stage_start when its worker begins to read
 * its input (NAN: there is nothing to read), compute_start when it has been received. */
struct ls_plan_chunk {
  uint32_t worker;
  uint32_t round;
  double units; /* > 0 */
  double send_start_s, transfer_start_s, transfer_end_s, compute_start_s, compute_end_s;
  double reply_start_s, reply_end_s;
  double stage_start_s;
};

/* Its times are not known. */
struct ls_plan_chunk ls_plan_chunk_unplayed(uint32_t worker, uint32_t round, double units);

enum ls_plan_outcome { LS_PLAN_OK, LS_PLAN_NOT_APPLICABLE };

/* What an algorithm chose, by name, for "parameters" of the JSON form. */
struct ls_plan_parameter {
  char name[32];
  double value; /* of a number or a truth value; else NAN */
  char *json;   /* what is no number, as JSON; NULL: a number */
};

/* The chunks from .. to - 1 are the body, played `times` times in a row (plan_repeat.h). Their
 * times are those of the first play. */
struct ls_plan_repeat {
  size_t from, to;
  uint64_t times;     /* 0 and 1: nothing repeats */
  double *last_end_s; /* of each chunk of the body the end of computing in its last play; owned;
                         NULL before the replay */
};

struct ls_plan {
  enum ls_plan_outcome outcome;
  char why[160]; /* the reason of LS_PLAN_NOT_APPLICABLE */
  char algorithm[32];
  double load;                  /* units */
  double makespan_s;            /* of the replay; NAN before it */
  struct ls_plan_chunk *chunks; /* in the order in which the master sends them */
  size_t chunks_count, chunks_capacity;
  struct ls_plan_repeat repeat;
  bool has_returns; /* false: every chunk whose reply costs something replies as computing ends */
  size_t *returns;  /* indices into chunks in reply order; from ls_plan_returns_from on */
  size_t returns_count, returns_capacity;
  struct ls_plan_parameter *parameters;
  size_t parameters_count, parameters_capacity;
  struct ls_error failure; /* sticky: the first failure of the builder */
};

/* An empty plan for `load` >= 0 units. */
void ls_plan_init(struct ls_plan *plan, const char *algorithm, double load);
void ls_plan_close(struct ls_plan *plan);
/* Moves what `from` holds into `plan`, which only keeps its algorithm's name; `from` is closed. */
void ls_plan_take(struct ls_plan *plan, struct ls_plan *from);
/* Adds a chunk at the end of the sending order; units that are not > 0 are a sticky LS_EINVAL. */
void ls_plan_add(struct ls_plan *plan, uint32_t worker, uint32_t round, double units);
/* Adds a chunk to the order of returns (which thereby exists); one of a body that repeats, or
 * before it, is a sticky LS_EINVAL. */
void ls_plan_add_return(struct ls_plan *plan, size_t chunk);
/* Makes the order of returns exist, even when it stays empty. */
void ls_plan_order_returns(struct ls_plan *plan);
/* The order of returns, if there is one, must name chunks, each once at most, and behind a body
 * that repeats: else LS_EINVAL. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_plan_check_returns(const struct ls_plan *plan, struct ls_error *err);
void ls_plan_set(struct ls_plan *plan, const char *name, double value);
void ls_plan_set_flag(struct ls_plan *plan, const char *name, bool flag);
void ls_plan_set_text(struct ls_plan *plan, const char *name, const char *text);
/* What is neither number nor list: JSON, which is closed here. */
void ls_plan_set_json(struct ls_plan *plan, const char *name, struct ls_bytes *json);
/* A list of worker numbers: an order. */
void ls_plan_set_list(struct ls_plan *plan, const char *name, const uint32_t *items, size_t count);
bool ls_plan_has(const struct ls_plan *plan, const char *name);
/* Forgets a parameter, if the plan has it. */
void ls_plan_unset(struct ls_plan *plan, const char *name);
/* The parameter's value, or `otherwise` when the plan has none of that name. */
double ls_plan_get(const struct ls_plan *plan, const char *name, double otherwise);
/* The algorithm does not apply, for this reason: the chunks and returns are dropped. */
void ls_plan_refuse(struct ls_plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports the builder's first failure, if any. */
LS_CHECKED enum ls_status ls_plan_finish(const struct ls_plan *plan, struct ls_error *err);
/* The number of rounds (of all plays): the parameter "rounds" where the algorithm set one (it may
 * not count an auxiliary round), else that of the chunks. */
uint64_t ls_plan_rounds(const struct ls_plan *plan);
/* Units by worker, `workers_count` entries; the compensated sum of the chunks. */
void ls_plan_units(const struct ls_plan *plan, size_t workers_count, double *units);
/* Rounds the chunks to whole units (model/load_parts.h): each worker's remainder goes to its next
 * chunk, so that at no time it has got a unit more or less than planned, and all together get the
 * load. Rounded up are the workers to whom that costs least; NULL: a unit costs all the same.
 * Chunks that become 0 disappear. The load must be whole. Returns and times are adjusted or
 * forgotten accordingly; what repeats is written out. */
LS_CHECKED enum ls_status ls_plan_make_whole(struct ls_plan *plan,
                                             const struct ls_platform *platform,
                                             struct ls_error *err);
bool ls_plan_is_whole(const struct ls_plan *plan);

LS_C_END

#endif
