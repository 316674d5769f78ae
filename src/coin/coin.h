/* coin.h: Clp and Cbc, which are loaded when the first model is made (docs/decisions/0029).
 *
 * Their functions are declared here as Clp 1.17 and Cbc 2.10 have them, with `ls_` before the name:
 * a program that links the library may link Clp and Cbc itself.  No build needs their headers;
 * tests/unit/coin, which includes them, holds the two together.
 */
#ifndef LS_COIN_COIN_H
#define LS_COIN_COIN_H

typedef void Clp_Simplex;
typedef void Cbc_Model;

#define COIN_MODEL(library, type, name)                        type ls_##name(void);
#define COIN_VALUE(library, type, name, parameters, arguments) type ls_##name parameters;
#define COIN_VOID(library, name, parameters, arguments)        void ls_##name parameters;
#include "coin/functions.h"
#undef COIN_MODEL
#undef COIN_VALUE
#undef COIN_VOID

/* Why they could not be, in words; NULL: they were, or no model has been made yet.  ls_Clp_newModel
 * and ls_Cbc_newModel give NULL then; the other functions are for models. */
const char *ls_coin_failure(void);

#endif
