#include "hostile_journal.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/account_json.h"
#include "runtime/journal/journal_account.h"
#include "runtime/journal/journal_private.h"

enum { LINE_BYTES = 2048, EDITS_MAX = 8 };

const struct ls_journal_job hostile_job = {.application = "run",
                                           .command = "echo {}",
                                           .directory = "/tmp",
                                           .input_digest = 1,
                                           .units = HOSTILE_UNITS,
                                           .policy = "ss",
                                           .seed = 7,
                                           .workers = 2};

static const char *const tables[] = {
    "job",         "identity", "words", "inputs",  "sessions", "workers", "advices", "iterations",
    "checkpoints", "heard",    "ended", "reasons", "sent",     "outputs", "accounts"};

static struct {
  char folder[64], path[96];
  unsigned char *sound; /* the bytes of the sound journal */
  size_t sound_bytes;
} store;

static void need(bool is_fine, const char *what) {
  if (is_fine) return;
  fprintf(stderr, "hostile_journal: %s\n", what);
  abort();
}

/* ---- the sound journal ---- */

static void hear(struct ls_journal *journal, struct ls_event event, double now_s) {
  event.now_s = now_s;
  ls_journal_event(journal, &event);
}

static void send(struct ls_journal *journal, uint32_t worker, uint64_t chunk,
                 struct ls_range units) {
  struct ls_actions actions = {.ranges = &units, .ranges_count = 1};
  struct ls_action action = {
      .kind = LS_ACTION_SEND, .worker = worker, .send = {.chunk = chunk, .ranges_count = 1}};
  ls_journal_decision(journal, &actions, &action);
}

/* A RESULT of one unit, and what it comes to. */
static void end(struct ls_journal *journal, uint64_t unit, enum ls_outcome outcome, bool is_final) {
  const double seconds[] = {0.25};
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = (uint32_t)(unit % 2),
                           .result = {.chunk = unit / 2,
                                      .units = {unit, 1},
                                      .outcome = outcome,
                                      .seconds = 0.25,
                                      .squares = 0.0625,
                                      .latest = seconds,
                                      .latest_count = 1}};
  struct ls_journal_result result = {.units = {unit, 1},
                                     .outcome = outcome,
                                     .worker = event.worker,
                                     .slot = event.worker + 1,
                                     .attempt = 1,
                                     .chunk = unit / 2,
                                     .exit_code = outcome == LS_OUTCOME_FAILED ? 3 : 0,
                                     .start_s = (double)unit,
                                     .seconds = 0.5,
                                     .compute_s = 0.25,
                                     .output_bytes = unit == 1 ? 5 : 0};
  hear(journal, event, (double)unit + 1);
  if (is_final)
    ls_journal_result(journal, &result);
  else
    ls_journal_attempt(journal, &result);
}

static void hear_workers(struct ls_journal *journal) {
  static const struct ls_event_held held[] = {{0, {0, 2}}, {1, {3, 1}}};
  static const struct ls_range idle[] = {{7, 1}};
  hear(journal,
       (struct ls_event){.kind = LS_EVENT_ITERATION,
                         .worker = LS_WORKER_NONE,
                         .iteration_units = HOSTILE_UNITS,
                         .idle = idle,
                         .idle_count = 1},
       0);
  for (uint32_t i = 0; i < 2; i++) {
    hear(journal,
         (struct ls_event){.kind = LS_EVENT_JOINED,
                           .worker = i,
                           .joined = {.lifetime_s = 60, .held = held, .held_count = i}},
         0);
    hear(journal, (struct ls_event){.kind = LS_EVENT_READY, .worker = i, .ready_units = 2}, 0);
    send(journal, i, i, (struct ls_range){2 * i, 2});
    struct ls_journal_worker worker = {.worker = i,
                                       .slot = i + 1,
                                       .name = i == 0 ? "local-1" : "local-2",
                                       .left_s = (double)NAN,
                                       .away_s = i,
                                       .price_per_s = 1};
    ls_journal_worker(journal, &worker);
  }
  hear(journal, (struct ls_event){.kind = LS_EVENT_SUSPENDED, .suspended = {LS_AWAY_CUT, true}}, 8);
  hear(journal,
       (struct ls_event){.kind = LS_EVENT_RESUMED,
                         .resumed = {.held = held, .held_count = 2, .is_told = true}},
       9);
}

static void hear_others(struct ls_journal *journal) {
  const struct ls_event events[] = {
      {.kind = LS_EVENT_GRANTED, .granted = 1},
      {.kind = LS_EVENT_REFUSED, .refused = 1},
      {.kind = LS_EVENT_ADVICE, .advice = {.policy = 1, .prefetch = 2, .workers = 2}},
      {.kind = LS_EVENT_HEARTBEAT, .worker = 1, .answer_s = 2, .speed = 0.5},
      {.kind = LS_EVENT_TIMER},
      {.kind = LS_EVENT_FREE},
      {.kind = LS_EVENT_ADDED, .added = {.units = 2, .is_last = true}},
      {.kind = LS_EVENT_LEAVING, .worker = 1},
      {.kind = LS_EVENT_LOST, .worker = 1, .lost = LS_LOSS_SILENT},
      {.kind = LS_EVENT_STOP, .is_hard = true}};
  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    hear(journal, events[i], 10 + (double)i);
}

/* The earlier session has none of what happened. */
static void keep_account(struct ls_journal *journal, bool has_happened) {
  struct ls_comparison comparison = {.has_happened = has_happened, .basis = "ss on \"p.json\""};
  struct ls_bytes text = {0};
  comparison.predicted = (struct ls_account){.makespan_s = 4, .workers = 2};
  comparison.predicted.parts_s[LS_ACCOUNT_WORK] = 4;
  comparison.happened = (struct ls_account){.makespan_s = 5, .workers = 2};
  comparison.happened.parts_s[LS_ACCOUNT_WORK] = 4.5;
  comparison.happened.parts_s[LS_ACCOUNT_AWAY] = 0.5;
  ls_comparison_write(&comparison, &text);
  need(!text.failed, "no memory");
  ls_journal_account(journal, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static void record_run(struct ls_journal *journal) {
  static const char *const options[] = {"--retries=2", "-k"}, *const command[] = {"echo", "{}"};
  ls_journal_words(journal, LS_JOURNAL_OPTION, options, 2);
  ls_journal_words(journal, LS_JOURNAL_COMMAND, command, 2);
  ls_journal_inputs(journal,
                    &(struct ls_journal_inputs){
                        .count = HOSTILE_UNITS, .text = "a\0b\0c\0d\0e\0f\0g\0h", .length = 16});
  for (uint32_t k = 0; k < 2; k++) ls_journal_iteration(journal, k, HOSTILE_UNITS);
  hear_workers(journal);
  end(journal, 0, LS_OUTCOME_DONE, true);
  end(journal, 1, LS_OUTCOME_DONE, true);
  end(journal, 2, LS_OUTCOME_FAILED, false);
  end(journal, 3, LS_OUTCOME_FAILED, true);
  struct ls_journal_blob output = {
      .unit = 1, .stream = 1, .data = "four\n", .length = 5, .file = -1};
  ls_journal_output(journal, &output);
  ls_journal_reason(journal, 0, 3, "no luck");
  struct ls_journal_advice advice = {5, "gss", 2, 2, "it is faster"};
  ls_journal_advice(journal, &advice);
  hear_others(journal);
}

static void make_sound(void) {
  struct ls_error err = {0};
  for (int session = 0; session < 2; session++) {
    struct ls_journal_request request = {
        .path = store.path, .mode = LS_JOURNAL_RESUME, .job = &hostile_job};
    struct ls_journal *journal = NULL;
    need(ls_journal_open(&request, &journal, &err) == LS_OK, err.text);
    if (session == 0)
      record_run(journal);
    else
      end(journal, 5, LS_OUTCOME_DONE, true);
    keep_account(journal, session == 1);
    ls_journal_end(journal, session == 0 ? "stopped" : "finished", 30);
    need(ls_journal_commit(journal, &err) == LS_OK, err.text);
    ls_journal_close(journal);
  }
}

/* ---- edits ---- */

static size_t read_hex(const char *text, unsigned char *bytes) {
  size_t count = 0;
  for (; isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]); text += 2) {
    const char digits[] = {text[0], text[1], '\0'};
    bytes[count++] = (unsigned char)strtoul(digits, NULL, 16);
  }
  return count;
}

static void bind_value(sqlite3_stmt *statement, char kind, const char *text) {
  unsigned char bytes[LINE_BYTES];
  if (kind == 'i') sqlite3_bind_int64(statement, 1, strtoll(text, NULL, 10));
  if (kind == 'r') sqlite3_bind_double(statement, 1, strtod(text, NULL));
  if (kind == 't') sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
  if (kind == 'x')
    sqlite3_bind_blob(statement, 1, bytes, (int)read_hex(text, bytes), SQLITE_TRANSIENT);
}

/* Runs `sql` with the value of the edit, if it is one that can be run. */
static void run_edit(sqlite3 *database, const char *sql, const char *line) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK) {
    bind_value(statement, line[3], line + 4);
    (void)sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
}

/* In place of a table a view of endless rows with its columns, or a trigger that undoes results. */
static void edit_schema(sqlite3 *database, const char *table, sqlite3_stmt *columns, char kind) {
  struct ls_bytes sql = {0};
  if (kind == 'v') {
    ls_bytes_printf(&sql,
                    "DROP TABLE %s; CREATE VIEW %s AS WITH RECURSIVE n(x) AS (SELECT 0 UNION "
                    "ALL SELECT x FROM n) SELECT ",
                    table, table);
    for (int i = 0; i < sqlite3_column_count(columns); i++)
      ls_bytes_printf(&sql, "%sx AS %s", i > 0 ? ", " : "", sqlite3_column_name(columns, i));
    ls_bytes_append_text(&sql, " FROM n");
  } else {
    ls_bytes_printf(&sql, "CREATE TRIGGER more AFTER INSERT ON %s BEGIN DELETE FROM ended; END",
                    table);
  }
  need(!sql.failed, "no memory");
  (void)sqlite3_finalize(columns);
  (void)sqlite3_exec(database, ls_bytes_text(&sql), NULL, NULL, NULL);
  ls_bytes_close(&sql);
}

static void edit_row(sqlite3 *database, const char *line) {
  char sql[LINE_BYTES], where[128];
  const char *table = tables[(unsigned char)(line[0] - 'a') % (sizeof tables / sizeof *tables)];
  bool has_rows = strcmp(table, "reasons") != 0;
  sqlite3_stmt *columns = NULL;
  (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
  if (sqlite3_prepare_v2(database, sql, -1, &columns, NULL) != SQLITE_OK) return;
  if (line[3] == 'v' || line[3] == 'g') {
    edit_schema(database, table, columns, line[3]);
    return;
  }
  int column = (unsigned char)(line[1] - 'a') % sqlite3_column_count(columns);
  (void)snprintf(where, sizeof where,
                 "rowid = (SELECT rowid FROM %s LIMIT 1 OFFSET %d %% max(1, (SELECT count(*) FROM "
                 "%s)))",
                 table, (unsigned char)(line[2] - '0'), table);
  const char *which = has_rows ? where : "1";
  if (strcmp(table, "checkpoints") == 0) /* the sound journal has none */
    (void)snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s VALUES (?1, x'00', NULL)", table);
  else if (line[3] == 'd')
    (void)snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s", table, which);
  else if (line[3] == 'c')
    (void)snprintf(sql, sizeof sql, "INSERT INTO %s SELECT * FROM %s WHERE %s", table, table,
                   which);
  else
    (void)snprintf(sql, sizeof sql, "UPDATE %s SET %s = ?1 WHERE %s", table,
                   sqlite3_column_name(columns, column), which);
  run_edit(database, sql, line);
  sqlite3_finalize(columns);
}

/* An enemy knows how the sums are made. */
static void sum_again(sqlite3 *database) {
  static const char *const updates =
      "UPDATE job SET sum = ls_sum(application, command, directory, input_digest, units, open);"
      "UPDATE words SET sum = ls_sum(kind, word);"
      "UPDATE inputs SET sum = ls_sum(id, source, linked, count, text);"
      "UPDATE iterations SET sum = ls_sum(iteration, units);"
      "UPDATE checkpoints SET sum = ls_sum(iteration, state);"
      "UPDATE outputs SET whose = ls_sum(iteration, unit, stream);"
      "UPDATE ended SET sum = ls_sum(" LS_JOURNAL_ENDED("settled") ");";
  struct ls_journal journal = {.database = database};
  need(ls_journal_sum_add(&journal, NULL) == LS_OK, "no sums");
  for (const char *at = updates; *at != '\0';) {
    /* A table may be none any more. */
    sqlite3_stmt *statement = NULL;
    const char *end = strchr(at, ';') + 1;
    if (sqlite3_prepare_v2(database, at, (int)(end - at), &statement, NULL) == SQLITE_OK)
      (void)sqlite3_step(statement);
    sqlite3_finalize(statement);
    at = end;
  }
}

static void edit_bytes(unsigned char *bytes, size_t length, const char *line) {
  char *end = NULL;
  size_t at = strtoull(line + 1, &end, 10) % length;
  unsigned char wanted[LINE_BYTES];
  size_t count = read_hex(end + (*end == ' '), wanted);
  memcpy(bytes + at, wanted, count < length - at ? count : length - at);
}

/* The lines that are edits: of rows where `database` is given, else of bytes. */
static void edit(const uint8_t *data, size_t size, sqlite3 *database, unsigned char *bytes,
                 size_t length) {
  size_t edits = 0;
  for (size_t at = 0; at < size && edits < EDITS_MAX; edits++) {
    const uint8_t *stop = memchr(data + at, '\n', size - at);
    size_t count = stop == NULL ? size - at : (size_t)(stop - (data + at));
    char line[LINE_BYTES] = "";
    memcpy(line, data + at, count < sizeof line ? count : sizeof line - 1);
    at += count + 1;
    bool is_bytes = line[0] == '!';
    if (is_bytes && bytes != NULL) edit_bytes(bytes, length, line);
    if (!is_bytes && database != NULL && strlen(line) >= 4) edit_row(database, line);
  }
}

static void write_file(const unsigned char *bytes, size_t length) {
  char beside[128];
  static const char *const endings[] = {"-wal", "-shm"};
  for (size_t i = 0; i < 2; i++) {
    (void)snprintf(beside, sizeof beside, "%s%s", store.path, endings[i]);
    (void)unlink(beside);
  }
  int file = open(store.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  need(file >= 0 && write(file, bytes, length) == (ssize_t)length, "the journal cannot be written");
  close(file);
}

/* ---- the file ---- */

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf %s", store.folder);
  if (system(command) != 0) perror(command);
}

static void prepare(void) {
  const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  (void)snprintf(store.folder, sizeof store.folder, "%s/fuzz-journal-XXXXXX", parent);
  need(mkdtemp(store.folder) != NULL, "no folder");
  (void)atexit(remove_folder);
  (void)snprintf(store.path, sizeof store.path, "%s/journal", store.folder);
  make_sound();
  int file = open(store.path, O_RDONLY | O_CLOEXEC);
  off_t length = file < 0 ? 0 : lseek(file, 0, SEEK_END);
  store.sound_bytes = (size_t)length;
  store.sound = malloc(store.sound_bytes + 1);
  need(
      store.sound != NULL && length > 0 && pread(file, store.sound, store.sound_bytes, 0) == length,
      "the sound journal cannot be read");
  close(file);
  /* Format numbers of a database without a log: one in memory has none. */
  store.sound[18] = store.sound[19] = 1;
}

const char *hostile_journal_write(const uint8_t *data, size_t size) {
  if (store.sound == NULL) prepare();
  sqlite3 *database = NULL;
  sqlite3_int64 length = (sqlite3_int64)store.sound_bytes;
  unsigned char *bytes = sqlite3_malloc64(store.sound_bytes);
  need(bytes != NULL, "no memory");
  memcpy(bytes, store.sound, store.sound_bytes);
  need(sqlite3_open(":memory:", &database) == SQLITE_OK &&
           sqlite3_deserialize(database, "main", bytes, length, length,
                               SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) ==
               SQLITE_OK,
       "the sound journal cannot be opened");
  edit(data, size, database, NULL, 0);
  sum_again(database);
  unsigned char *edited = sqlite3_serialize(database, "main", &length, 0);
  need(edited != NULL, "the journal cannot be serialized");
  edit(data, size, NULL, edited, (size_t)length);
  write_file(edited, (size_t)length);
  sqlite3_free(edited);
  sqlite3_close(database);
  return store.path;
}
