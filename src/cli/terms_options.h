/* terms_options.h: --deadline and --price-max: what time and price may be.
 */
#ifndef LS_CLI_TERMS_OPTIONS_H
#define LS_CLI_TERMS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "advise/offers.h"
#include "base/bytes.h"
#include "base/status.h"

/* Filled by ls_terms_argp, a child parser: its input, which starts as ls_terms_none. */
extern const struct argp ls_terms_argp;

struct ls_terms ls_terms_none(void);
/* Is there a limit of the price?  Of {0} there is none, and it may be 0 where ls_terms_none was
 * filled. */
bool ls_terms_limit_price(const struct ls_terms *terms);
bool ls_terms_are_given(const struct ls_terms *terms);
/* LS_EINVAL names the option, the value and what was expected. */
LS_CHECKED enum ls_status ls_terms_read_deadline(struct ls_terms *terms, const char *text,
                                                 struct ls_error *err);
LS_CHECKED enum ls_status ls_terms_read_price(struct ls_terms *terms, const char *text,
                                              struct ls_error *err);
LS_CHECKED enum ls_status ls_terms_check(const struct ls_terms *terms, struct ls_error *err);
/* "cheapest within 40 s: " or, of terms that are not met, "none ends within 40 s; the fastest: ",
 * with the offer behind it. */
void ls_terms_describe(const struct ls_terms *terms, bool is_met, const struct ls_offer *offer,
                       struct ls_bytes *out);
/* What came of them: were they kept? Without terms they are. */
bool ls_terms_are_kept(const struct ls_terms *terms, const struct ls_offer *came);
/* "deadline   40 s: missed, 41.2 s", a line; without terms none. `has_ended`: what came is all. */
void ls_terms_write_end(const struct ls_terms *terms, const struct ls_offer *came, bool has_ended,
                        struct ls_bytes *out);

#endif
