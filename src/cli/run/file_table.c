#include "cli/run/file_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/digest.h"
#include "cli/console.h"
#include "runtime/os/content.h"

enum { PLACES_LEAST = 64, SHOWN_BYTES = 200 };

/* ---- places ---- */

static uint64_t scatter(const void *data, size_t length) {
  return ls_digest_add(LS_DIGEST_START, data, length);
}

/* The place of a path, or the free one where it would be. */
static size_t place_of_path(const struct ls_file_table *table, const char *path) {
  size_t place = (size_t)scatter(path, strlen(path)) & (table->places - 1);
  for (;; place = (place + 1) & (table->places - 1)) {
    uint32_t index = table->by_path[place];
    if (index == 0 || strcmp(table->entries[index - 1].path, path) == 0) return place;
  }
}

static size_t place_of_content(const struct ls_file_table *table, const unsigned char *content) {
  size_t place = (size_t)scatter(content, LS_CONTENT_BYTES) & (table->places - 1);
  for (;; place = (place + 1) & (table->places - 1)) {
    uint32_t index = table->by_content[place];
    if (index == 0 || memcmp(table->entries[index - 1].content, content, LS_CONTENT_BYTES) == 0)
      return place;
  }
}

/* Twice as many places as entries, at least. */
static enum ls_status grow(struct ls_file_table *table, struct ls_error *err) {
  if (2 * (table->count + 1) <= table->places) return LS_OK;
  size_t places = table->places == 0 ? PLACES_LEAST : 2 * table->places;
  uint32_t *by_path = calloc(places, sizeof *by_path);
  uint32_t *by_content = calloc(places, sizeof *by_content);
  if (by_path == NULL || by_content == NULL || places > UINT32_MAX) {
    free(by_path);
    free(by_content);
    return ls_fail(err, LS_ENOMEM, "out of memory for %zu files", table->count);
  }
  free(table->by_path);
  free(table->by_content);
  table->by_path = by_path;
  table->by_content = by_content;
  table->places = places;
  for (size_t i = 0; i < table->count; i++) {
    const struct ls_file_entry *entry = &table->entries[i];
    table->by_path[place_of_path(table, entry->path)] = (uint32_t)(i + 1);
    if (entry->is_read)
      table->by_content[place_of_content(table, entry->content)] = (uint32_t)(i + 1);
  }
  return LS_OK;
}

/* ---- files ---- */

static enum ls_status fail_file(const char *path, const char *option, const char *why,
                                struct ls_error *err) {
  char shown[SHOWN_BYTES];
  ls_console_show(path, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL, "%s '%s': %s", option, shown, why);
}

/* Of how many bytes is not known before they are read. */
static bool has_text(const char *path) {
  char byte;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  bool has = file >= 0 && read(file, &byte, 1) > 0;
  if (file >= 0) close(file);
  return has;
}

enum ls_status ls_file_table_add(struct ls_file_table *table, const char *path, const char *option,
                                 struct ls_error *err) {
  struct ls_file_entry entry = {0};
  if (ls_file_table_find(table, path) != NULL) return LS_OK;
  if (stat(path, &entry.facts) != 0) return fail_file(path, option, strerror(errno), err);
  if (!S_ISREG(entry.facts.st_mode))
    return fail_file(path, option, "is no regular file, expected one", err);
  if (access(path, R_OK) != 0) return fail_file(path, option, strerror(errno), err);
  if (entry.facts.st_size == 0 && has_text(path))
    return fail_file(path, option, "has text, and a size of 0 (as files of the kernel do)", err);
  enum ls_status status = grow(table, err);
  if (status != LS_OK) return status;
  entry.path = strdup(path);
  if (entry.path == NULL || ls_array_reserve((void **)&table->entries, &table->capacity,
                                             table->count + 1, sizeof entry) != LS_OK) {
    free(entry.path);
    return ls_fail(err, LS_ENOMEM, "out of memory for %zu files", table->count);
  }
  table->entries[table->count++] = entry;
  table->by_path[place_of_path(table, path)] = (uint32_t)table->count;
  return LS_OK;
}

const struct ls_file_entry *ls_file_table_find(const struct ls_file_table *table,
                                               const char *path) {
  uint32_t index = table->places > 0 ? table->by_path[place_of_path(table, path)] : 0;
  return index > 0 ? &table->entries[index - 1] : NULL;
}

const struct ls_file_entry *ls_file_table_find_content(const struct ls_file_table *table,
                                                       const unsigned char *content) {
  uint32_t index = table->places > 0 ? table->by_content[place_of_content(table, content)] : 0;
  return index > 0 ? &table->entries[index - 1] : NULL;
}

static bool is_unchanged(const struct ls_file_entry *entry, int file) {
  struct stat now;
  const struct stat *then = &entry->facts;
  return fstat(file, &now) == 0 && now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
         now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
}

static const char changed[] = "has changed since the run began";

static enum ls_status read_entry(struct ls_file_entry *entry, struct ls_error *err) {
  int file = open(entry->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return fail_file(entry->path, "input", strerror(errno), err);
  enum ls_status status = LS_OK;
  if (!ls_content_of_file(file, entry->content))
    status = fail_file(entry->path, "input", strerror(errno), err);
  else if (!is_unchanged(entry, file))
    status = fail_file(entry->path, "input", changed, err);
  close(file);
  entry->is_read = status == LS_OK;
  return status;
}

enum ls_status ls_file_table_read_all(struct ls_file_table *table, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < table->count && status == LS_OK; i++) {
    struct ls_file_entry *entry = &table->entries[i];
    if (entry->is_read) continue;
    status = read_entry(entry, err);
    if (status == LS_OK)
      table->by_content[place_of_content(table, entry->content)] = (uint32_t)(i + 1);
  }
  return status;
}

/* ---- sending ---- */

/* A descriptor of an entry, which stays the table's. */
static int open_entry(struct ls_file_table *table, const struct ls_file_entry *entry) {
  uint32_t index = (uint32_t)(entry - table->entries) + 1;
  for (size_t i = 0; i < LS_FILE_TABLE_OPEN; i++)
    if (table->open[i].entry == index) return table->open[i].file;
  int file = open(entry->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return -1;
  size_t place = table->next_open++ % LS_FILE_TABLE_OPEN;
  if (table->open[place].entry > 0) close(table->open[place].file);
  table->open[place].entry = index;
  table->open[place].file = file;
  return file;
}

enum ls_status ls_file_table_read(void *context, const struct ls_file_part *part,
                                  struct ls_file_bytes *out, struct ls_error *err) {
  struct ls_file_table *table = context;
  const struct ls_file_entry *entry = ls_file_table_find_content(table, part->name);
  if (entry == NULL) return ls_fail(err, LS_EINVAL, "no task of this run has such an input");
  uint64_t bytes = (uint64_t)entry->facts.st_size;
  if (part->offset >= bytes)
    return ls_fail(err, LS_EINVAL, "input '%s' has %llu bytes", entry->path,
                   (unsigned long long)bytes);
  int file = open_entry(table, entry);
  if (file < 0) return fail_file(entry->path, "input", strerror(errno), err);
  size_t wanted =
      bytes - part->offset < LS_PIECE_BYTES ? (size_t)(bytes - part->offset) : LS_PIECE_BYTES;
  for (size_t got = 0; got < wanted;) {
    ssize_t more = pread(file, out->data + got, wanted - got, (off_t)(part->offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return fail_file(entry->path, "input", strerror(errno), err);
    if (more == 0) return fail_file(entry->path, "input", changed, err);
    got += (size_t)more;
  }
  /* Looked at behind the read: what was read is what it was, or is not sent. */
  if (!is_unchanged(entry, file)) return fail_file(entry->path, "input", changed, err);
  out->length = wanted;
  out->total = bytes;
  return LS_OK;
}

void ls_file_table_close(struct ls_file_table *table) {
  for (size_t i = 0; i < table->count; i++) free(table->entries[i].path);
  for (size_t i = 0; i < LS_FILE_TABLE_OPEN; i++)
    if (table->open[i].entry > 0) close(table->open[i].file);
  free(table->entries);
  free(table->by_path);
  free(table->by_content);
  *table = (struct ls_file_table){0};
}
