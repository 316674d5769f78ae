#include "runtime/execute/claims.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum claim { CLAIM_OFFERED, CLAIM_TAKEN, CLAIM_WITHDRAWN };

struct ls_claims_board {
  _Atomic uint64_t slots[LS_CLAIMS_MAX]; /* by number modulo that */
  _Atomic uint32_t seen;
};

static uint64_t make_slot(uint32_t number, enum claim claim) {
  return (uint64_t)number << 32 | claim;
}

static _Atomic uint64_t *find_slot(const struct ls_claims *claims, uint32_t number) {
  return &claims->board->slots[number % LS_CLAIMS_MAX];
}

enum ls_status ls_claims_open(struct ls_claims *claims, struct ls_error *err) {
  void *place =
      mmap(NULL, sizeof *claims->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) {
    return ls_fail(err, LS_ENOMEM, "no memory to share with a child that computes: %s",
                   strerror(errno));
  }
  claims->board = place;
  return LS_OK;
}

void ls_claims_close(struct ls_claims *claims) {
  if (claims->board != NULL) (void)munmap(claims->board, sizeof *claims->board);
  claims->board = NULL;
}

void ls_claims_offer(const struct ls_claims *claims, uint32_t number) {
  atomic_store(find_slot(claims, number), make_slot(number, CLAIM_OFFERED));
}

/* Of an offer that stands; whoever comes second changes nothing. */
static bool decide(const struct ls_claims *claims, uint32_t number, enum claim claim) {
  uint64_t offer = make_slot(number, CLAIM_OFFERED);
  return atomic_compare_exchange_strong(find_slot(claims, number), &offer,
                                        make_slot(number, claim));
}

bool ls_claims_take(const struct ls_claims *claims, uint32_t number) {
  bool is_taken = decide(claims, number, CLAIM_TAKEN);
  atomic_store(&claims->board->seen, number);
  return is_taken;
}

bool ls_claims_withdraw(const struct ls_claims *claims, uint32_t number) {
  return decide(claims, number, CLAIM_WITHDRAWN);
}

bool ls_claims_has_begun(const struct ls_claims *claims, uint32_t number) {
  return atomic_load(find_slot(claims, number)) == make_slot(number, CLAIM_TAKEN);
}

uint32_t ls_claims_seen(const struct ls_claims *claims) {
  return atomic_load(&claims->board->seen);
}
