/* range_words.h: units in messages for people, who count from 1 as job logs and reports do. */
#ifndef LS_BASE_RANGE_WORDS_H
#define LS_BASE_RANGE_WORDS_H

#include "base/range.h"

enum { LS_RANGE_WORDS_BYTES = 64 };

/* "unit 3", or "units 3 to 5"; returns `words`. Of at least one unit. */
const char *ls_range_words(struct ls_range units, char words[LS_RANGE_WORDS_BYTES]);

#endif
