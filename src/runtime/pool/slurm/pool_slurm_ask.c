/* pool_slurm_ask.c: questions to Slurm before a run, which waits for the answer. */
#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/pool/slurm/pool_slurm_private.h"

static const double PATIENCE_S = 30;

static enum ls_status ask(const struct ls_slurm_words *words, struct ls_errand *errand,
                          struct ls_errand_end *end, struct ls_error *err) {
  char **argv = ls_slurm_words_list(words);
  if (argv == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a command of Slurm's");
  enum ls_status status = ls_errand_start(errand, argv, PATIENCE_S, -1, err);
  while (status == LS_OK && !ls_errand_attend(errand, end)) (void)poll(NULL, 0, 10);
  if (status == LS_OK && end->is_late)
    status = ls_fail(err, LS_EIO, "%s did not answer in %.0f s", argv[0], PATIENCE_S);
  free(argv);
  return status;
}

static enum ls_status refuse(const struct ls_errand *errand, enum ls_status status,
                             const char *what, struct ls_error *err) {
  char words[LS_SLURM_WHY_BYTES];
  const struct ls_bytes *text = &errand->texts[1];
  ls_slurm_last_words(ls_bytes_text(text), text->length, words, sizeof words);
  return ls_fail(err, status, "--slurm: %s: %s", what, words);
}

/* "32" or, where nodes differ, "32+"; several lines of a partition that is listed twice. */
enum ls_status ls_slurm_count_cpus(const char *partition, uint64_t *cpus, struct ls_error *err) {
  struct ls_slurm_words words = {.count = 0};
  struct ls_errand errand = LS_ERRAND_NONE;
  struct ls_errand_end end;
  uint64_t least = 0;
  ls_slurm_words_add(&words, "sinfo");
  ls_slurm_words_add(&words, "-h");
  ls_slurm_words_add(&words, "-o");
  ls_slurm_words_add(&words, "%s", "%P %c");
  if (partition[0] != '\0') ls_slurm_words_add(&words, "--partition=%s", partition);
  enum ls_status status = ask(&words, &errand, &end, err);
  if (status == LS_OK && !end.is_good)
    status = refuse(&errand, LS_EIO, "workers is not given, and sinfo fails", err);
  const char *line = status == LS_OK ? ls_bytes_text(&errand.texts[0]) : "";
  for (; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t name = strcspn(line, " \n");
    bool is_meant = partition[0] != '\0' || (name > 0 && line[name - 1] == '*');
    unsigned long long number = is_meant ? strtoull(line + name, NULL, 10) : 0;
    if (number > 0 && (least == 0 || number < least)) least = number;
  }
  if (status == LS_OK && least == 0)
    status = ls_fail(err, LS_EINVAL,
                     "--slurm: workers is not given, and sinfo knows of no processors of partition "
                     "'%s', expected workers=N",
                     partition);
  if (status == LS_OK) *cpus = least;
  ls_errand_close(&errand);
  ls_slurm_words_close(&words);
  return status;
}

/* ---- the rehearsal ---- */

static void show_words(const struct ls_slurm_words *words, struct ls_bytes *out) {
  char **list = ls_slurm_words_list(words);
  for (char **word = list; word != NULL && *word != NULL; ++word)
    ls_bytes_printf(out, "%s%s", word != list ? " " : "", *word);
  ls_bytes_append_char(out, '\n');
  free(list);
}

static enum ls_status test(const struct ls_slurm_submission *submission, struct ls_bytes *out,
                           struct ls_error *err) {
  struct ls_slurm_submission tested = *submission;
  struct ls_slurm_words words = {.count = 0};
  struct ls_errand errand = LS_ERRAND_NONE;
  struct ls_errand_end end;
  char said[LS_SLURM_WHY_BYTES];
  tested.is_test = true;
  ls_slurm_submission_write(&tested, &words);
  enum ls_status status = ask(&words, &errand, &end, err);
  if (status == LS_OK && !end.is_good)
    status = refuse(&errand, LS_EINVAL, "sbatch --test-only refuses the jobs", err);
  if (status == LS_OK) {
    const struct ls_bytes *text = &errand.texts[1];
    ls_slurm_last_words(ls_bytes_text(text), text->length, said, sizeof said);
    ls_bytes_printf(out, "sbatch --test-only: %s\n", said);
  }
  ls_errand_close(&errand);
  ls_slurm_words_close(&words);
  return status;
}

static enum ls_status write_script(char path[], const struct ls_bytes *text, struct ls_error *err) {
  int file = mkstemp(path);
  bool is_written = file >= 0 && write(file, text->data, text->length) == (ssize_t)text->length;
  if (file >= 0) (void)close(file);
  return is_written ? LS_OK : ls_fail(err, LS_EIO, "cannot write %s", path);
}

enum ls_status ls_slurm_rehearse(const struct ls_slurm_setup *setup, struct ls_bytes *out,
                                 struct ls_error *err) {
  char path[] = "/tmp/loadstar-job-XXXXXX";
  struct ls_slurm_words words = {.count = 0};
  struct ls_bytes script = {0};
  const struct ls_slurm_wish *wish = &setup->wish;
  uint64_t jobs = wish->nodes / wish->nodes_per_job;
  struct ls_slurm_submission submission = {.wish = wish,
                                           .workers = setup->workers,
                                           .jobs = jobs < wish->backlog ? jobs : wish->backlog,
                                           .name = "loadstar-RUN",
                                           .log = "loadstar-RUN/%A_%a.log",
                                           .script = "loadstar-RUN/job.sh",
                                           .more = setup->more};
  ls_slurm_submission_write(&submission, &words);
  show_words(&words, out);
  ls_slurm_files_script(setup, "loadstar-RUN/run.key", &script);
  ls_bytes_append(out, script.data, script.length);
  enum ls_status status = write_script(path, &script, err);
  submission.script = path;
  submission.log = "/dev/null";
  if (status == LS_OK) status = test(&submission, out, err);
  (void)unlink(path);
  ls_bytes_close(&script);
  ls_slurm_words_close(&words);
  return status;
}
