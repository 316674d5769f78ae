/* coin.h: Clp and Cbc, which are loaded when the first model is made (docs/decisions/0029). */
#ifndef LS_COIN_COIN_H
#define LS_COIN_COIN_H

/* Why they could not be, in words; NULL: they were, or no model has been made yet.  Clp_newModel
 * and Cbc_newModel give NULL then; the other functions are for models. */
const char *ls_coin_failure(void);

#endif
