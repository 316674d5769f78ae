/* journal_input.c: the words that a run was begun with, and its inputs, many in a row. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "runtime/journal/journal_private.h"

/* A row's number says where its values stand: the source, then the values before them, and 1. */
enum { SOURCE_BITS = 40 };

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
  assert(inputs->first >> SOURCE_BITS == 0);
  ls_journal_bind(add, 5, ((uint64_t)inputs->source << SOURCE_BITS) + inputs->first + 1);
  ls_journal_bind(add, 1, inputs->source);
  ls_journal_bind(add, 2, inputs->is_linked);
  ls_journal_bind(add, 3, inputs->count);
  sqlite3_bind_blob64(add, 4, inputs->text, inputs->length, SQLITE_STATIC);
  ls_journal_run(journal, add);
  sqlite3_clear_bindings(add);
}

void ls_journal_units(struct ls_journal *journal, uint64_t units, bool is_open) {
  sqlite3_stmt *set = ls_journal_statement(journal, LS_JOURNAL_SET_UNITS);
  if (set == NULL) return;
  ls_journal_bind(set, 1, units);
  ls_journal_bind(set, 2, is_open);
  ls_journal_run(journal, set);
}

/* The text holds `count` values, each ended by a zero byte. */
static bool is_sound(const struct ls_journal_inputs *inputs) {
  uint64_t ends = 0;
  for (size_t i = 0; i < inputs->length; i++) ends += inputs->text[i] == '\0';
  bool is_ended = inputs->length == 0 || inputs->text[inputs->length - 1] == '\0';
  return is_ended && ends == inputs->count;
}

/* Visits the rows, and releases the statement. */
static enum ls_status walk_rows(struct ls_journal *journal, sqlite3_stmt *row,
                                ls_journal_inputs_fn visit, void *context, struct ls_error *err) {
  int code = SQLITE_DONE;
  enum ls_status status = LS_OK;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    uint64_t place = (uint64_t)sqlite3_column_int64(row, 0) - 1;
    struct ls_journal_inputs inputs = {.source = (uint32_t)(place >> SOURCE_BITS),
                                       .is_linked = sqlite3_column_int(row, 1) != 0,
                                       .first = place & ((UINT64_C(1) << SOURCE_BITS) - 1),
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

enum ls_status ls_journal_each_inputs(struct ls_journal *journal, ls_journal_inputs_fn visit,
                                      void *context, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT id, linked, count, text FROM inputs ORDER BY id", &row, err);
  return status == LS_OK ? walk_rows(journal, row, visit, context, err) : status;
}

enum ls_status ls_journal_each_inputs_of(struct ls_journal *journal, struct ls_range values,
                                         ls_journal_inputs_fn visit, void *context,
                                         struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status =
      ls_journal_prepare(journal,
                         "SELECT id, linked, count, text FROM inputs WHERE id >= (SELECT max(id) "
                         "FROM inputs WHERE id <= ?1) AND id < ?1 + ?2 ORDER BY id",
                         &row, err);
  if (status != LS_OK) return status;
  ls_journal_bind(row, 1, values.first + 1);
  ls_journal_bind(row, 2, values.count);
  return walk_rows(journal, row, visit, context, err);
}

enum ls_status ls_journal_inputs_known(struct ls_journal *journal,
                                       struct ls_journal_inputs_known *known,
                                       struct ls_error *err) {
  int64_t last = 0, count = 0, is_open = 0;
  enum ls_status status = ls_journal_number(journal, "SELECT max(id) FROM inputs", &last, err);
  if (status == LS_OK)
    status = ls_journal_number(journal, "SELECT count FROM inputs ORDER BY id DESC LIMIT 1", &count,
                               err);
  if (status == LS_OK) status = ls_journal_number(journal, "SELECT open FROM job", &is_open, err);
  if (status != LS_OK) return status;
  uint64_t place = (uint64_t)last - 1;
  *known = (struct ls_journal_inputs_known){.is_open = is_open != 0};
  if (last == 0) return LS_OK;
  known->sources = (size_t)(place >> SOURCE_BITS) + 1;
  known->values = (place & ((UINT64_C(1) << SOURCE_BITS) - 1)) + (uint64_t)count;
  return LS_OK;
}
