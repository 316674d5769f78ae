/* note.c: the words of notes. */
#include <assert.h>
#include <inttypes.h>

#include "coordinator/action.h"
#include "coordinator/event.h"
#include "policies/chunking.h"

static const char *end_plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static void write_loss(const struct ls_note *note, const char *noun, struct ls_bytes *out) {
  enum ls_loss cause = (enum ls_loss)note->extra;
  if (cause == LS_LOSS_SILENT) {
    ls_bytes_append_text(out, "silent for too long");
  } else {
    ls_bytes_append_text(out, "lost");
    if (cause != LS_LOSS_CRASHED) ls_bytes_printf(out, " (%s)", ls_loss_name(cause));
  }
  if (note->units == 0) {
    ls_bytes_append_text(out, ": it had nothing");
  } else {
    ls_bytes_printf(out, ": chunk %" PRIu64 ", %" PRIu64 " %s%s, to be sent again", note->chunk,
                    note->units, noun, end_plural(note->units));
  }
}

static void write_worker(const struct ls_note *note, const char *noun, struct ls_bytes *out) {
  uint32_t worker = note->worker;
  assert(worker != LS_WORKER_NONE);
  ls_bytes_printf(out, "worker %" PRIu32 " ", worker);
  switch (note->kind) {
    case LS_NOTE_JOINED:
      ls_bytes_printf(out, "joined, %" PRIu64 " present", note->extra);
      break;
    case LS_NOTE_ASKED_NOTHING:
      ls_bytes_printf(out, "asked for %" PRIu64 " and waits, %" PRIu64 " %s%s left", note->units,
                      note->extra, noun, end_plural(note->extra));
      break;
    case LS_NOTE_SUSPENDED:
      ls_bytes_printf(out, "suspended (%s): %" PRIu64 " %s%s, to be sent again",
                      ls_away_name((enum ls_away)note->extra), note->units, noun,
                      end_plural(note->units));
      break;
    case LS_NOTE_RESUMED:
      ls_bytes_append_text(out, "resumed");
      break;
    case LS_NOTE_RELEASED:
      ls_bytes_printf(out, "released: %" PRIu64 " present, %" PRIu64 " wanted", note->units,
                      note->extra);
      break;
    case LS_NOTE_REPLICA:
      ls_bytes_printf(out, "chunk %" PRIu64 ": a replica of %s %" PRIu64 " of worker %" PRIu64,
                      note->chunk, noun, note->units + 1, note->extra);
      break;
    case LS_NOTE_RECALLED:
      ls_bytes_printf(
          out, "is to give back %" PRIu64 " %s%s that wait%s, worker %" PRIu64 " is idle",
          note->units, noun, end_plural(note->units), note->units == 1 ? "s" : "", note->extra);
      break;
    case LS_NOTE_LEAVING:
      ls_bytes_printf(out, "leaves, %" PRIu64 " %s%s still there", note->units, noun,
                      note->units == 1 ? " is" : "s are");
      break;
    case LS_NOTE_LOST:
      write_loss(note, noun, out);
      break;
    case LS_NOTE_OUTLASTED:
    case LS_NOTE_OUTLASTED_FINALLY:
      ls_bytes_printf(
          out, "has no time left: %s %" PRIu64 " is stopped so for the %" PRIu64 ". time%s", noun,
          note->units + 1, note->extra, note->kind == LS_NOTE_OUTLASTED ? "" : ", and abandoned");
      break;
    default:
      ls_bytes_append_text(out, "said something, ignored");
      break;
  }
}

static void write_chunk(const struct ls_note *note, const char *noun, struct ls_bytes *out) {
  assert(note->worker != LS_WORKER_NONE);
  ls_bytes_printf(out, "worker %" PRIu32 " chunk %" PRIu64 ": ", note->worker, note->chunk);
  switch (note->kind) {
    case LS_NOTE_SENT:
      ls_bytes_printf(out, "%" PRIu64 " %s%s sent, %" PRIu64 " left", note->units, noun,
                      end_plural(note->units), note->extra);
      break;
    case LS_NOTE_DONE:
      ls_bytes_printf(out, "%" PRIu64 " %s%s done, %" PRIu64 " to go", note->units, noun,
                      end_plural(note->units), note->extra);
      break;
    case LS_NOTE_FAILED:
      ls_bytes_printf(out, "%" PRIu64 " %s%s failed (attempt %" PRIu64 "), to be tried again",
                      note->units, noun, end_plural(note->units), note->extra);
      break;
    case LS_NOTE_LEFT:
      ls_bytes_printf(out,
                      "%" PRIu64 " %s%s failed (attempt %" PRIu64 "), another worker runs %s, too",
                      note->units, noun, end_plural(note->units), note->extra,
                      note->units == 1 ? "it" : "them");
      break;
    case LS_NOTE_FAILED_FINALLY:
      ls_bytes_printf(out, "%" PRIu64 " %s%s failed for good (attempt %" PRIu64 ")", note->units,
                      noun, end_plural(note->units), note->extra);
      break;
    case LS_NOTE_GIVEN_UP:
      ls_bytes_printf(out, "%s %" PRIu64 " abandoned, %" PRIu64 " worker%s lost with it", noun,
                      note->units + 1, note->extra, note->extra == 1 ? " was" : "s were");
      break;
    case LS_NOTE_BACK:
      ls_bytes_printf(out, "%" PRIu64 " %s%s came back, %" PRIu64 " left", note->units, noun,
                      end_plural(note->units), note->extra);
      break;
    default:
      ls_bytes_printf(out, "result of %" PRIu64 " %s%s dropped", note->units, noun,
                      end_plural(note->units));
      break;
  }
}

static void write_run(const struct ls_note *note, const char *noun, struct ls_bytes *out) {
  assert(note->kind < LS_NOTE_COUNT);
  switch (note->kind) {
    case LS_NOTE_STOPPING:
      ls_bytes_printf(out, "stopping%s, %" PRIu64 " %s%s at workers",
                      note->extra != 0 ? " at once" : "", note->units, noun,
                      note->units == 1 ? " is" : "s are");
      break;
    case LS_NOTE_ITERATION:
      ls_bytes_printf(out, "iteration %" PRIu64 ": %" PRIu64 " %s%s", note->extra, note->units,
                      noun, end_plural(note->units));
      break;
    case LS_NOTE_NEVER_CAME:
      ls_bytes_printf(out, "%" PRIu64 " workers were granted and did not come", note->units);
      break;
    case LS_NOTE_ADDED:
      ls_bytes_printf(out, "%" PRIu64 " %s%s added, %" PRIu64 " left", note->units, noun,
                      end_plural(note->units), note->extra);
      break;
    case LS_NOTE_FINISHED:
      ls_bytes_printf(out, "finished: %" PRIu64 " %s%s done, %" PRIu64 " not", note->units, noun,
                      end_plural(note->units), note->extra);
      break;
    case LS_NOTE_WANTED:
      ls_bytes_printf(out, "%" PRIu64 " more workers requested, %" PRIu64 " wanted", note->units,
                      note->extra);
      break;
    case LS_NOTE_REPLICATION:
      ls_bytes_printf(out, "replication: %" PRIu64 " extra workers, %" PRIu64 " replicas in front",
                      note->extra, note->units);
      break;
    case LS_NOTE_NOBODY_LASTS:
      ls_bytes_printf(out, "no worker has the %" PRIu64 " s left that %s %" PRIu64 " needs",
                      note->extra, noun, note->units + 1);
      break;
    case LS_NOTE_POLICY:
      ls_bytes_printf(out, "policy %s from here on, %" PRIu64 " %s%s left",
                      ls_chunkings[note->extra]->name, note->units, noun, end_plural(note->units));
      break;
    default:
      ls_bytes_printf(out, "advised: prefetch %" PRIu64 ", workers %" PRIu64, note->units,
                      note->extra);
      break;
  }
}

void ls_note_write(const struct ls_note *note, const char *noun, struct ls_bytes *out) {
  assert((unsigned)note->kind < LS_NOTE_COUNT);
  ls_bytes_printf(out, "[%6.2f] ", note->now_s);
  switch (note->kind) {
    case LS_NOTE_STOPPING:
    case LS_NOTE_NEVER_CAME:
    case LS_NOTE_ITERATION:
    case LS_NOTE_ADDED:
    case LS_NOTE_FINISHED:
    case LS_NOTE_WANTED:
    case LS_NOTE_ADVISED:
    case LS_NOTE_POLICY:
    case LS_NOTE_REPLICATION:
    case LS_NOTE_NOBODY_LASTS:
      write_run(note, noun, out);
      break;
    case LS_NOTE_SENT:
    case LS_NOTE_DONE:
    case LS_NOTE_FAILED:
    case LS_NOTE_LEFT:
    case LS_NOTE_FAILED_FINALLY:
    case LS_NOTE_GIVEN_UP:
    case LS_NOTE_DROPPED:
    case LS_NOTE_BACK:
      write_chunk(note, noun, out);
      break;
    default:
      write_worker(note, noun, out);
      break;
  }
}
