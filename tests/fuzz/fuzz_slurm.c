/* Any wish is refused in words or is one that sbatch can be given; any text of Slurm's commands is
 * read as what it says, or not at all. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/slurm_job.h"
#include "protocol/slurm_text.h"
#include "protocol/slurm_time.h"

bool fuzz_accepts;

static void try_wish(const char *text) {
  struct ls_slurm_wish wish;
  struct ls_error err = {0};
  struct ls_slurm_words words = {.count = 0};
  if (ls_slurm_wish_read(text, &wish, &err) != LS_OK) {
    assert(strncmp(err.text, "--slurm: ", 9) == 0);
    return;
  }
  fuzz_accepts = true;
  assert(wish.nodes >= 1 && wish.nodes_per_job >= 1 && wish.nodes % wish.nodes_per_job == 0);
  assert(wish.backlog >= 1 && wish.workers <= LS_SLURM_WORKERS_MAX);
  ls_slurm_submission_write(
      &(struct ls_slurm_submission){
          .wish = &wish, .workers = 1, .jobs = 1, .name = "n", .log = "l", .script = "s"},
      &words);
  char **list = ls_slurm_words_list(&words);
  assert(list != NULL && strcmp(list[words.count - 1], "s") == 0);
  for (size_t i = 1; i + 1 < words.count; i++) assert(strncmp(list[i], "--", 2) == 0);
  free(list);
  ls_slurm_words_close(&words);
}

static void try_texts(const char *text, size_t size) {
  struct ls_slurm_line line;
  char words[64];
  uint64_t job = 0, task = 0;
  double seconds = -1;
  if (ls_slurm_line_read(text, size, &line)) {
    fuzz_accepts = true;
    assert(line.state < LS_SLURM_STATE_COUNT && line.word[0] != '\0' && line.used_s >= 0);
    assert(strlen(line.reason) < sizeof line.reason && strlen(line.start) < sizeof line.start);
  }
  if (ls_slurm_reply_read(text, size, &job)) fuzz_accepts = job > 0;
  if (ls_slurm_task_read(text, size, &job, &task)) assert(task != LS_SLURM_TASKS_LEFT);
  ls_slurm_last_words(text, size, words, sizeof words);
  assert(strlen(words) < sizeof words);
  if (ls_slurm_refusal_of(words) != LS_SLURM_UNCLEAR) fuzz_accepts = true;
  struct ls_error err = {0};
  char *copy = strndup(text, size);
  if (ls_slurm_time_read(copy, &seconds)) assert(seconds >= 0);
  assert(ls_slurm_extra_check(copy, &err) == LS_OK || err.text[0] != '\0');
  try_wish(copy);
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_accepts = false;
  if (size > 0) try_texts((const char *)data, size);
  return 0;
}
