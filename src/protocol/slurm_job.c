#include "protocol/slurm_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/slurm_time.h"

/* ---- the script ---- */

/* For a shell: 'it'\''s'. */
static void quote(const char *text, struct ls_bytes *out) {
  ls_bytes_append_char(out, '\'');
  for (; *text != '\0'; ++text) {
    if (*text == '\'')
      ls_bytes_append_text(out, "'\\''");
    else
      ls_bytes_append_char(out, *text);
  }
  ls_bytes_append_char(out, '\'');
}

/* The time left is that of the job, as Slurm has it: its variables do not say it.  Where squeue
 * says nothing, or UNLIMITED, nothing is known.  Each node of a job says which one it is. */
void ls_slurm_script_write(const struct ls_slurm_script *script, struct ls_bytes *out) {
  ls_bytes_append_text(
      out,
      "#!/bin/sh\n"
      "job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n"
      "left=$(squeue -h -j \"$job\" -o %L 2>/dev/null)\n"
      "case $left in\n"
      "*[0-9]*) set -- --lifetime \"$left\" ;;\n"
      "*) set -- ;;\n"
      "esac\n"
      "exec srun --kill-on-bad-exit=0 --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" sh -c "
      "'place=$1; shift; exec \"$@\" --place \"$place/$SLURM_PROCID\"' sh "
      "\"slurm:$job\" \\\n  ");
  quote(script->program, out);
  ls_bytes_printf(out, " worker --workers %llu --key ", (unsigned long long)script->workers);
  quote(script->key, out);
  ls_bytes_printf(out, " --wait %.6g \"$@\"\n", script->wait_s);
}

/* ---- words ---- */

void ls_slurm_words_add(struct ls_slurm_words *words, const char *format, ...) {
  va_list arguments;
  char text[4096];
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text) {
    words->text.failed = true;
    return;
  }
  ls_bytes_append(&words->text, text, (size_t)length + 1);
  words->count++;
}

char **ls_slurm_words_list(const struct ls_slurm_words *words) {
  char **list = calloc(words->count + 1, sizeof *list);
  if (list == NULL || words->text.failed) {
    free(list);
    return NULL;
  }
  char *at = words->text.data;
  for (size_t i = 0; i < words->count; i++) {
    list[i] = at;
    at += strlen(at) + 1;
  }
  return list;
}

void ls_slurm_words_close(struct ls_slurm_words *words) {
  ls_bytes_close(&words->text);
  *words = (struct ls_slurm_words){.count = 0};
}

static void add_text(struct ls_slurm_words *words, const char *option, const char *value) {
  if (value[0] != '\0') ls_slurm_words_add(words, "--%s=%s", option, value);
}

static void add_time(struct ls_slurm_words *words, double seconds) {
  struct ls_bytes text = {0};
  ls_slurm_time_write(seconds, &text);
  if (text.failed) words->text.failed = true;
  add_text(words, "time", ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static void add_more(struct ls_slurm_words *words, const char *more) {
  while (more != NULL && *(more += strspn(more, " \t")) != '\0') {
    size_t length = strcspn(more, " \t");
    ls_slurm_words_add(words, "%.*s", (int)length, more);
    more += length;
  }
}

/* One task a node, which has all the processors that were asked for: its workers share them. */
void ls_slurm_submission_write(const struct ls_slurm_submission *submission,
                               struct ls_slurm_words *out) {
  const struct ls_slurm_wish *wish = submission->wish;
  unsigned long long cpus = wish->cpus > 0 ? wish->cpus : submission->workers;
  ls_slurm_words_add(out, "sbatch");
  if (submission->is_test) ls_slurm_words_add(out, "--test-only");
  ls_slurm_words_add(out, "--parsable");
  ls_slurm_words_add(out, "--array=1-%llu", (unsigned long long)submission->jobs);
  ls_slurm_words_add(out, wish->requeues ? "--requeue" : "--no-requeue");
  ls_slurm_words_add(out, "--job-name=%s", submission->name);
  ls_slurm_words_add(out, "--nodes=%llu", (unsigned long long)wish->nodes_per_job);
  ls_slurm_words_add(out, "--ntasks-per-node=1");
  ls_slurm_words_add(out, "--cpus-per-task=%llu", cpus);
  ls_slurm_words_add(out, "--output=%s", submission->log);
  add_text(out, "partition", wish->partition);
  add_text(out, "account", wish->account);
  add_text(out, "qos", wish->qos);
  add_text(out, "constraint", wish->constraint);
  add_text(out, "mem", wish->memory);
  if (wish->time_s > 0) add_time(out, wish->time_s);
  /* Slurm tells all processes of a job: of URG, a command that does not know it takes no notice. */
  if (wish->notice_s > 0) ls_slurm_words_add(out, "--signal=URG@%.0f", wish->notice_s);
  add_more(out, submission->more);
  ls_slurm_words_add(out, "%s", submission->script);
}

/* Is the word this option, with or without a value? */
static bool is_option(const char *word, size_t length, const char *option) {
  size_t own = strlen(option);
  return length >= own && memcmp(word, option, own) == 0 && (length == own || word[own] == '=');
}

enum ls_status ls_slurm_extra_check(const char *more, struct ls_error *err) {
  static const char *const own[] = {"--array",     "-a",           "--job-name", "-J",     "--wrap",
                                    "--parsable",  "--wait",       "-W",         "--hold", "-H",
                                    "--test-only", "--dependency", "-d"};
  bool is_first = true;
  for (const char *word = more + strspn(more, " \t"); *word != '\0'; is_first = false) {
    size_t length = strcspn(word, " \t");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
      if (is_option(word, length, own[i]))
        return ls_fail(err, LS_EINVAL,
                       "--slurm-extra: '%s' is the pool's own, expected other options of sbatch",
                       own[i]);
    if (is_first && *word != '-')
      return ls_fail(err, LS_EINVAL, "--slurm-extra is '%.60s', expected options of sbatch", more);
    word += length;
    word += strspn(word, " \t");
  }
  if (is_first)
    return ls_fail(err, LS_EINVAL, "--slurm-extra is empty, expected options of sbatch");
  return LS_OK;
}
