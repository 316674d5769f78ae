#include "cli/report_slots.h"

#include <string.h>

#include "cli/console.h"
#include "runtime/journal/journal_slots.h"

enum { WHY_BYTES = 400, NAME_BYTES = 32 };

/* Slots one behind the other of which the same is told. */
struct row {
  double time_s;
  char pool[NAME_BYTES], kind[NAME_BYTES], why[WHY_BYTES];
  uint32_t first, last; /* 0: it is about the pool */
  uint64_t workers;
};

struct writing {
  struct ls_bytes *out;
  struct row row;
  bool has_row;
};

static void write_row(struct writing *writing) {
  const struct row *row = &writing->row;
  struct ls_bytes *out = writing->out;
  if (!writing->has_row) return;
  writing->has_row = false;
  ls_bytes_printf(out, "%10.1f s  ", row->time_s);
  if (row->pool[0] != '\0') ls_bytes_printf(out, "%s ", row->pool);
  if (row->pool[0] != '\0' || row->first > 0) ls_bytes_printf(out, "%s, ", row->kind);
  if (row->first > 0 && row->first < row->last)
    ls_bytes_printf(out, "slots %u to %u: ", row->first, row->last);
  else if (row->first > 0)
    ls_bytes_printf(out, "slot %u: ", row->first);
  else if (row->pool[0] != '\0')
    ls_bytes_printf(out, "%llu workers: ", (unsigned long long)row->workers);
  ls_bytes_printf(out, "%s\n", row->why);
}

static enum ls_status visit(void *context, const struct ls_journal_slot *slot) {
  struct writing *writing = context;
  struct row *row = &writing->row, next = {.time_s = slot->time_s,
                                           .first = slot->slot,
                                           .last = slot->slot,
                                           .workers = slot->workers};
  ls_console_show(slot->pool, next.pool, sizeof next.pool);
  ls_console_show(slot->kind, next.kind, sizeof next.kind);
  ls_console_show(slot->why, next.why, sizeof next.why);
  bool goes_on = writing->has_row && row->first > 0 && slot->slot == row->last + 1 &&
                 strcmp(row->kind, next.kind) == 0 && strcmp(row->why, next.why) == 0;
  if (goes_on) {
    row->last = slot->slot;
    return LS_OK;
  }
  write_row(writing);
  *row = next;
  writing->has_row = true;
  return LS_OK;
}

enum ls_status ls_report_slots_write(struct ls_journal *journal, struct ls_bytes *out,
                                     struct ls_error *err) {
  struct writing writing = {.out = out};
  size_t before = out->length;
  enum ls_status status = ls_journal_each_slot(journal, visit, &writing, err);
  write_row(&writing);
  if (status == LS_OK && out->length == before)
    ls_bytes_append_text(out, "no pool on other machines was asked for workers\n");
  return status;
}
