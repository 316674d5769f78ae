/* clock.h: the only place that reads the time. */
#ifndef LS_RUNTIME_OS_CLOCK_H
#define LS_RUNTIME_OS_CLOCK_H

/* Seconds of the monotonic clock, from an arbitrary origin. */
double ls_clock_s(void);
/* Seconds since 1970, for people and GNU parallel's joblog only. */
double ls_clock_calendar_s(void);
/* Seconds that the calling thread was ready to run and had no processor; 0 where the system does
 * not tell. */
double ls_clock_delayed_s(void);
/* Processor seconds of the calling thread. */
double ls_clock_processor_s(void);
/* Those of all threads of this process whose names begin so; 0 where the system does not tell. */
double ls_clock_threads_s(const char *prefix);

#endif
