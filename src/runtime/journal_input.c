/* journal_input.c: the words that a run was begun with, and its inputs, many in a row. */
#include <inttypes.h>
#include <string.h>

#include "runtime/journal_private.h"

void ls_journal_words(struct ls_journal *journal, enum ls_journal_word kind,
                      const char *const *words, size_t count) {
  sqlite3_stmt *drop = ls_journal_statement(journal, LS_JOURNAL_DROP_WORDS);
  if (drop == NULL) return;
  ls_journal_bind(drop, 1, kind);
  ls_journal_run(journal, drop);
  for (size_t i = 0; i < count; i++) {
    sqlite3_stmt *add = ls_journal_statement(journal, LS_JOURNAL_ADD_WORD);
    if (add == NULL) return;
    /* Words need not be UTF-8: a text that is none would be a trap for those who read it. */
    ls_journal_bind(add, 1, kind);
    sqlite3_bind_blob64(add, 2, words[i], strlen(words[i]), SQLITE_STATIC);
    ls_journal_run(journal, add);
    sqlite3_clear_bindings(add);
  }
}

enum ls_status ls_journal_read_words(struct ls_journal *journal, enum ls_journal_word kind,
                                     struct ls_bytes *words, size_t *count, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  size_t found = 0;
  enum ls_status status =
      ls_journal_prepare(journal, "SELECT word FROM words WHERE kind = ?1 ORDER BY id", &row, err);
  if (status != LS_OK) return status;
  ls_journal_bind(row, 1, kind);
  int code;
  while ((code = sqlite3_step(row)) == SQLITE_ROW) {
    ls_bytes_append(words, sqlite3_column_blob(row, 0), (size_t)sqlite3_column_bytes(row, 0));
    ls_bytes_append_char(words, '\0');
    found++;
  }
  if (code != SQLITE_DONE) status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  if (status == LS_OK && words->failed)
    status = ls_fail(err, LS_ENOMEM, "%s: no memory for its words", journal->path);
  if (status == LS_OK) *count = found;
  return status;
}

void ls_journal_forget_inputs(struct ls_journal *journal) {
  sqlite3_stmt *drop = ls_journal_statement(journal, LS_JOURNAL_DROP_INPUTS);
  if (drop != NULL) ls_journal_run(journal, drop);
}

void ls_journal_inputs(struct ls_journal *journal, const struct ls_journal_inputs *inputs) {
  sqlite3_stmt *add = ls_journal_statement(journal, LS_JOURNAL_ADD_INPUTS);
  if (add == NULL) return;
  ls_journal_bind(add, 1, inputs->source);
  ls_journal_bind(add, 2, inputs->is_linked);
  ls_journal_bind(add, 3, inputs->count);
  sqlite3_bind_blob64(add, 4, inputs->text, inputs->length, SQLITE_STATIC);
  ls_journal_run(journal, add);
  sqlite3_clear_bindings(add);
}

void ls_journal_units(struct ls_journal *journal, uint64_t units) {
  sqlite3_stmt *set = ls_journal_statement(journal, LS_JOURNAL_SET_UNITS);
  if (set == NULL) return;
  ls_journal_bind(set, 1, units);
  ls_journal_run(journal, set);
}

/* The text holds `count` values, each ended by a zero byte. */
static bool is_sound(const struct ls_journal_inputs *inputs) {
  uint64_t ends = 0;
  for (size_t i = 0; i < inputs->length; i++) ends += inputs->text[i] == '\0';
  bool is_ended = inputs->length == 0 || inputs->text[inputs->length - 1] == '\0';
  return is_ended && ends == inputs->count;
}

enum ls_status ls_journal_each_inputs(struct ls_journal *journal, ls_journal_inputs_fn visit,
                                      void *context, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  int code = SQLITE_DONE;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT source, linked, count, text FROM inputs ORDER BY source, id", &row, err);
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    struct ls_journal_inputs inputs = {.source = (uint32_t)sqlite3_column_int64(row, 0),
                                       .is_linked = sqlite3_column_int(row, 1) != 0,
                                       .count = (uint64_t)sqlite3_column_int64(row, 2),
                                       .text = sqlite3_column_blob(row, 3),
                                       .length = (size_t)sqlite3_column_bytes(row, 3)};
    status = is_sound(&inputs)
                 ? visit(context, &inputs)
                 : ls_fail(err, LS_ECORRUPT, "%s: its inputs are damaged (%" PRIu64 " values)",
                           journal->path, inputs.count);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  return status;
}
