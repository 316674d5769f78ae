/* master_transfers.c: inputs and files on their way to workers: what they took, and which are slow.
 */
#include <math.h>
#include <stdio.h>

#include "runtime/journal/journal_packs.h"
#include "runtime/master/master_private.h"

/* The way of a piece and back is part of every transfer, and none of it. */
static void note_transfer(struct ls_master *master, const struct ls_transfer *ended) {
  double seconds = master->now_s - ended->begun_s;
  double way_s = fmin(master->connections.items[ended->worker].answer_s,
                      master->port.lanes[ended->worker].least_s);
  const struct ls_journal_pack row = {.worker = ended->worker,
                                      .chunk = ended->chunk,
                                      .units = ended->units,
                                      .start_s = fmax(0, ended->begun_s),
                                      .seconds = seconds > way_s ? seconds - way_s : seconds};
  struct ls_course_rows *course = master->options->course;
  if (course != NULL && course->course.transfers_count < LS_MASTER_COURSE_MOST)
    (void)!ls_course_rows_add_transfer(
        course, &(struct ls_journal_pack){.worker = master->books.workers_base + row.worker,
                                          .chunk = row.chunk,
                                          .units = row.units,
                                          .start_s = row.start_s,
                                          .seconds = row.seconds});
  if (master->books.journal != NULL) ls_journal_transfer(master->books.journal, &row);
}

/* So much of an input is there; a worker that receives lives. */
void ls_master_on_arrived(struct ls_master *master, uint32_t number,
                          const struct ls_message *message) {
  bool is_wanted = message->offset <= LS_PORT_INPUT_MAX;
  const struct ls_transfer said = {
      .to = master->connections.items[number].peer,
      .number = message->transfer,
      .arrived = is_wanted ? (size_t)message->offset : LS_TRANSFER_UNWANTED};
  struct ls_transfer ended;
  struct ls_error err = {0};
  if (ls_port_hear(&master->port, &said, master->now_s, &ended, &err) != LS_OK) {
    ls_master_expel(master, number, err.text);
  } else if (ended.number > 0 && ended.is_paced) {
    note_transfer(master, &ended);
  }
}

/* "worker w3 has 1.2 of 64.0 MB of an input after 20 s", to whoever sees warnings. */
static void tell_slow(struct ls_master *master, uint32_t worker, const struct ls_slow *slow) {
  const struct ls_master_options *options = master->options;
  char words[160];
  (void)snprintf(words, sizeof words, "worker %s has %.1f of %.1f MB of %s after %.0f s",
                 master->connections.items[worker].facts.name, 1e-6 * (double)slow->arrived,
                 1e-6 * (double)slow->total, slow->what, slow->seconds);
  if (options->warn != NULL) options->warn(options->context, words);
}

void ls_master_tell_slow(struct ls_master *master) {
  struct ls_slow slow;
  uint32_t worker;
  while (ls_port_find_slow(&master->port, master->now_s, &worker, &slow))
    tell_slow(master, worker, &slow);
  while (ls_file_sender_find_slow(&master->files, master->now_s, &worker, &slow))
    tell_slow(master, worker, &slow);
}
