/* unless_sanitized.h: how much of the same a test computes.
 *
 * The sanitizers look at memory and undefined behaviour, which few cases show as well as many, in
 * four to seven times as long; what is computed is judged in the plain build, by all of them.
 */
#ifndef TEST_UNLESS_SANITIZED_H
#define TEST_UNLESS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define UNLESS_SANITIZED(many, few) (few)
#else
#define UNLESS_SANITIZED(many, few) (many)
#endif

#endif
