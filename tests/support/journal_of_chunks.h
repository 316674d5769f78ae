/* journal_of_chunks.h: the journal of a run of two workers, in a folder of its own. */
#ifndef LS_TESTS_SUPPORT_JOURNAL_OF_CHUNKS_H
#define LS_TESTS_SUPPORT_JOURNAL_OF_CHUNKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/journal/journal.h"

static char folder[] = "/tmp/calibrate-test-XXXXXX";
static char journal_path[64], file_path[64];

/* Worker 0 computes chunks 0, 2, 4, ..., worker 1 the others; chunk c has c + 1 units, each a
 * result that takes 0.1 s; the first of them took 0.01 s to receive. The last unit of all fails. */
enum { CHUNKS_MADE = 8 };

static inline void fill_journal(struct ls_journal *journal) {
  uint64_t unit = 0;
  for (uint32_t worker = 0; worker < 2; worker++) {
    char name[16];
    snprintf(name, sizeof name, "local-%u", (unsigned)worker + 1);
    struct ls_journal_worker one = {
        .worker = worker, .slot = worker + 1, .name = name, .left_s = (double)NAN};
    ls_journal_worker(journal, &one);
  }
  for (uint64_t chunk = 0; chunk < CHUNKS_MADE; chunk++) {
    for (uint64_t i = 0; i <= chunk; i++, unit++) {
      bool is_last = chunk + 1 == CHUNKS_MADE && i == chunk;
      struct ls_journal_result result = {.units = {unit, 1},
                                         .outcome = is_last ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE,
                                         .worker = (uint32_t)(chunk % 2),
                                         .attempt = 1,
                                         .chunk = chunk,
                                         .start_s = 1 + 0.2 * (double)unit,
                                         .seconds = i == 0 ? 0.11 : 0.1,
                                         .compute_s = 0.1};
      ls_journal_result(journal, &result);
    }
  }
}

static inline int make_journal(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(journal_path, sizeof journal_path, "%s/j", folder);
  snprintf(file_path, sizeof file_path, "%s/file", folder);
  struct ls_journal_job job = {
      .application = "run", .command = "true", .directory = "/", .units = 36, .policy = "ss"};
  struct ls_journal_request request = {.path = journal_path, .job = &job};
  struct ls_journal *journal = NULL;
  if (ls_journal_open(&request, &journal, NULL) != LS_OK) return -1;
  fill_journal(journal);
  ls_journal_end(journal, "finished", 9);
  enum ls_status status = ls_journal_commit(journal, NULL);
  ls_journal_close(journal);
  return status == LS_OK ? 0 : -1;
}

static inline int remove_journal(void **state) {
  (void)state;
  unlink(journal_path);
  unlink(file_path);
  return rmdir(folder);
}

#endif
