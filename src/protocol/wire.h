/* wire.h: MessagePack between our structs and bytes.
 *
 * The six types in use have a writer and a cursor of our own.  Writing appends to an ls_bytes, each
 * value in the fewest bytes that MessagePack has for it.  The cursor allocates nothing, never reads
 * behind the end and borrows texts and blobs from the frame.  Of msgpack-c there would be the
 * writer alone, at 168 MB of packages: its unpacker builds a tree of objects whose size follows the
 * counts that the frame claims, so a frame of 20 bytes could ask for gigabytes.
 *
 * The reader is sticky: after the first failure every read gives 0 and `problem` keeps the words.
 */
#ifndef LS_PROTOCOL_WIRE_H
#define LS_PROTOCOL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "protocol/message.h"

/* Sticky on memory, as `out` is. */
void ls_wire_put_array(struct ls_bytes *out, size_t count); /* the count; the items follow */
void ls_wire_put_whole(struct ls_bytes *out, uint64_t number);
void ls_wire_put_integer(struct ls_bytes *out, int32_t number);
void ls_wire_put_real(struct ls_bytes *out, double number);
/* At most 2^32 - 1 bytes; `data` may be NULL where there are none. */
void ls_wire_put_text(struct ls_bytes *out, const void *data, size_t length);
void ls_wire_put_blob(struct ls_bytes *out, const void *data, size_t length);

struct ls_reader {
  const unsigned char *start, *at, *end;
  char problem[160]; /* "" while all is well */
};

void ls_reader_init(struct ls_reader *reader, const void *data, size_t length);
bool ls_reader_is_well(const struct ls_reader *reader);
size_t ls_reader_left(const struct ls_reader *reader);
/* Below, `field` is a static name for messages. The items of an array that follows: at most `most`,
 * and no more than there are bytes left, for an item takes at least one. */
size_t ls_reader_array(struct ls_reader *reader, const char *field, size_t most);
/* Is the next value an array? */
bool ls_reader_is_at_array(const struct ls_reader *reader);
/* Is it a whole number? */
bool ls_reader_is_at_whole(const struct ls_reader *reader);
/* A whole number within [least, most], in any width that MessagePack has. */
uint64_t ls_reader_whole(struct ls_reader *reader, const char *field, uint64_t least,
                         uint64_t most);
/* A whole number with sign, 32 bits. */
int32_t ls_reader_integer(struct ls_reader *reader, const char *field);
/* A finite double >= 0. */
double ls_reader_real(struct ls_reader *reader, const char *field);
/* A string or a binary, borrowed; of length 0 after a failure. */
struct ls_blob ls_reader_text(struct ls_reader *reader, const char *field);
struct ls_blob ls_reader_blob(struct ls_reader *reader, const char *field);
/* Records a failure that the caller found in what it had read; the first one stays. */
void ls_reader_refuse(struct ls_reader *reader, const char *field, const char *expected);

#endif
