/* additions.h: work that takes as long as the processor needs for it, and no longer. */
#ifndef FIBONACCI_ADDITIONS_H
#define FIBONACCI_ADDITIONS_H

#include <stdint.h>

/* The Fibonacci number F(count mod 90) that as many additions come to, each of which is made. */
uint64_t additions_make(uint64_t count);
/* Additions per second of processor time of this thread, of some 0.1 s. */
double additions_measure(void);

#endif
