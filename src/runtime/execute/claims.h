/* claims.h: which of the questions to a child have begun, and which may not begin any more.
 *
 * Each question has a number of its own, one more than the one before, and is offered.  The child
 * claims it before it does what it asks; until then the parent may withdraw it, though it is on its
 * way: it is either claimed or withdrawn, and both sides know which.  They share a few bytes of
 * memory for that, with room for LS_CLAIMS_MAX questions that the child has not looked at.
 */
#ifndef LS_RUNTIME_EXECUTE_CLAIMS_H
#define LS_RUNTIME_EXECUTE_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { LS_CLAIMS_MAX = 128 };

struct ls_claims_board;

struct ls_claims {
  struct ls_claims_board *board; /* NULL: closed */
};

/* Before the child is forked. */
LS_CHECKED enum ls_status ls_claims_open(struct ls_claims *claims, struct ls_error *err);
/* For this process. */
void ls_claims_close(struct ls_claims *claims);

/* In the parent, before the question leaves. */
void ls_claims_offer(const struct ls_claims *claims, uint32_t number);
/* In the child: false: it was withdrawn. */
LS_CHECKED bool ls_claims_take(const struct ls_claims *claims, uint32_t number);
/* In the parent: false: it has begun. */
bool ls_claims_withdraw(const struct ls_claims *claims, uint32_t number);
bool ls_claims_has_begun(const struct ls_claims *claims, uint32_t number);
/* The latest question that the child has looked at, claimed or not; 0: none. */
uint32_t ls_claims_seen(const struct ls_claims *claims);

#endif
