/* places_text.c: how many workers there were, by pool and by time, as two tables. */
#include "model/places.h"
#include "report/report.h"
#include "report/text_private.h"

enum { MOMENTS = 12 };

static void write_pool(const char *name, const struct ls_places_counts *counts,
                       struct ls_bytes *out) {
  ls_bytes_append_text(out, "  ");
  ls_report_pad(name, false, 16, out);
  ls_bytes_printf(out, " %8llu %8llu %8llu %10llu %8llu %8llu\n",
                  (unsigned long long)counts->granted, (unsigned long long)counts->joined,
                  (unsigned long long)counts->working, (unsigned long long)counts->suspensions,
                  (unsigned long long)counts->left, (unsigned long long)counts->lost);
}

static void write_moment(const struct ls_places *places, double time_s, struct ls_bytes *out) {
  struct ls_places_counts counts = ls_places_at(places, LS_PLACES_ALL, time_s);
  ls_bytes_printf(out, "  %-16.6g %8llu %8llu %8llu %10llu %8llu %8llu\n", time_s,
                  (unsigned long long)counts.wanted, (unsigned long long)counts.pending,
                  (unsigned long long)counts.working, (unsigned long long)counts.suspended,
                  (unsigned long long)counts.left, (unsigned long long)counts.lost);
}

void ls_report_places(const struct ls_places *places, struct ls_bytes *out) {
  ls_bytes_printf(out, "  %-16s %8s %8s %8s %10s %8s %8s\n", "pool", "granted", "joined", "at work",
                  "suspended", "left", "lost");
  for (size_t i = 0; i < places->pools_count; i++) {
    struct ls_places_counts counts = ls_places_at(places, (uint32_t)i, places->end_s);
    write_pool(places->pools[i], &counts, out);
  }
  ls_bytes_printf(out, "\n  %-16s %8s %8s %8s %10s %8s %8s\n", "until s", "wanted", "pending",
                  "at work", "suspended", "left", "lost");
  for (int i = 1; i <= MOMENTS; i++) write_moment(places, places->end_s * i / MOMENTS, out);
}
