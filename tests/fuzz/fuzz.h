/* fuzz.h: the entry that every fuzz target defines.
 *
 * With -Dfuzz=true libFuzzer calls it; in the ordinary build replay.c feeds it the seed corpus and
 * mutations of it.  A target aborts (assert) when what it tests does not hold.
 */
#ifndef LS_TESTS_FUZZ_FUZZ_H
#define LS_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the target accepted its last input. */
extern bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
