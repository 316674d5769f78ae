#include "theory/overhead.h"

#include <math.h>

void ls_overhead_sent(struct ls_overhead *overhead, uint64_t units, double now_s) {
  if (overhead->here == 0) {
    overhead->since_s = now_s;
    overhead->begins++;
  }
  overhead->here += units;
  overhead->chunks++;
}

void ls_overhead_ended(struct ls_overhead *overhead, uint64_t units, double seconds, double now_s) {
  if (overhead->here == 0) return;
  overhead->beside_s += fmax(0, now_s - overhead->since_s - seconds);
  overhead->since_s = now_s;
  overhead->here -= units < overhead->here ? units : overhead->here;
}

double ls_overhead_per_chunk(const struct ls_overhead *overhead, double way_s) {
  if (overhead->chunks == 0) return 0;
  double ways_s = 2 * way_s * (double)overhead->begins;
  return fmax(0, overhead->beside_s - ways_s) / (double)overhead->chunks;
}
