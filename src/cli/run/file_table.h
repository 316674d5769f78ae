/* file_table.h: the files that the tasks of a run need: what they are, and the bytes that are sent.
 *
 * A file is what it was when it was added: one that has changed since is not sent any more.
 */
#ifndef LS_CLI_RUN_FILE_TABLE_H
#define LS_CLI_RUN_FILE_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/status.h"
#include "protocol/staging.h"
#include "runtime/master/sending/file_sender.h"

struct ls_file_entry {
  char *path;
  unsigned char content[LS_CONTENT_BYTES];
  bool is_read; /* and its content known */
  struct stat facts;
};

enum { LS_FILE_TABLE_OPEN = 8 };

/* Starts as {0}. */
struct ls_file_table {
  struct ls_file_entry *entries;
  size_t count, capacity;
  uint32_t *by_path, *by_content; /* 1 + index of an entry; 0: none. A power of two of places */
  size_t places;
  struct {
    uint32_t entry; /* 1 + index; 0: none */
    int file;
  } open[LS_FILE_TABLE_OPEN]; /* that were read last */
  size_t next_open;
};

/* Adds a regular file that can be read, unless it is there; `option` is what asked for it.
 * LS_EINVAL. */
LS_CHECKED enum ls_status ls_file_table_add(struct ls_file_table *table, const char *path,
                                            const char *option, struct ls_error *err);
/* Reads all, so that their contents are known. LS_EINVAL: one cannot be read, or changes meanwhile.
 */
LS_CHECKED enum ls_status ls_file_table_read_all(struct ls_file_table *table, struct ls_error *err);
/* NULL: it was not added. */
const struct ls_file_entry *ls_file_table_find(const struct ls_file_table *table, const char *path);
const struct ls_file_entry *ls_file_table_find_content(const struct ls_file_table *table,
                                                       const unsigned char *content);
/* For struct ls_file_source: the context is the table. */
LS_CHECKED enum ls_status ls_file_table_read(void *context, const struct ls_file_part *part,
                                             struct ls_file_bytes *out, struct ls_error *err);
void ls_file_table_close(struct ls_file_table *table);

#endif
