/* block.h: the standard input of a task, as its command carries it to a worker.
 *
 * A block is a part of a stream: its bytes, or where they lie in a file that the worker reads
 * itself.  Who names a file says what it was when it was cut, so that nobody computes with another
 * one.  A task of several blocks gets them one after the other, and the header once before them.
 */
#ifndef LS_PROTOCOL_BLOCK_H
#define LS_PROTOCOL_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/* How a command gets its blocks. */
enum ls_block_form {
  LS_BLOCK_INPUT, /* as standard input */
  LS_BLOCK_FILE,  /* as a file of their name, which goes with the task */
  LS_BLOCK_FIFO,  /* as a named pipe */
  LS_BLOCK_FORMS
};

/* What a file was: another size, time of change or inode is another file. The device is no part of
 * it: other machines number it otherwise. */
struct ls_block_source {
  uint64_t bytes, modified_ns, inode;
};

/* Borrowed. */
struct ls_block {
  enum ls_block_form form;
  const char *name; /* of the file or the named pipe; "" for LS_BLOCK_INPUT */
  const void *header;
  size_t header_length;
  const char *path; /* the file that holds the bytes; "": they are in `data` */
  uint64_t offset;  /* there */
  uint64_t length;
  bool is_whole;                 /* the file holds these bytes alone, and nobody changes it */
  struct ls_block_source source; /* of a file that others may change; else {0} */
  const void *data;              /* `length` bytes, or NULL */
};

enum { LS_BLOCK_FIELDS = 11 };

struct ls_reader;

/* Appends the block as one array of LS_BLOCK_FIELDS. */
void ls_block_encode(const struct ls_block *block, struct ls_bytes *out);
/* Reads the fields behind the head of that array; name and path, each with a zero byte, are
 * appended to `words` and to be pointed at by the caller. What is wrong is kept by the reader. */
void ls_block_read(struct ls_reader *reader, struct ls_bytes *words, struct ls_block *block);

#endif
