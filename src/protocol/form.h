/* form.h: the fields of a message in their order, and how each travels.
 *
 * One table serves both directions, so they cannot drift apart.
 */
#ifndef LS_PROTOCOL_FORM_H
#define LS_PROTOCOL_FORM_H

#include "protocol/message.h"
#include "protocol/wire.h"

enum ls_field_type {
  LS_FIELD_WHOLE_8,
  LS_FIELD_WHOLE_32,
  LS_FIELD_WHOLE_64,
  LS_FIELD_INTEGER,
  LS_FIELD_REAL,
  LS_FIELD_TEXT,
  LS_FIELD_BLOB,
  LS_FIELD_OUTCOME, /* enum ls_outcome in 8 bits, one that a worker can say */
  LS_FIELD_COOKIE,  /* a binary of LS_COOKIE_BYTES, or an empty one */
  LS_FIELD_CONTENT, /* a binary of LS_CONTENT_BYTES */
  LS_FIELD_RANGES,  /* of a CHUNK: one array first, count, first, count, ... */
  LS_FIELD_TIMES,   /* of a RESULT: one array of seconds */
  LS_FIELD_STAGING, /* of a RESULT: one array stage_s, lead_s, exposed_s; empty: nothing was staged
                     */
  LS_FIELD_USAGE,   /* of a RESULT: one array user_s, system_s, peak_bytes; empty: not known */
  LS_FIELD_FILES,   /* of a RESULT: one array 1 + mode (0: not there), bytes, mode, ... */
  LS_FIELD_HELD     /* of a HELLO: one array chunk, first, count, chunk, ... */
};

struct ls_field {
  const char *name;
  enum ls_field_type type;
  size_t offset;        /* in struct ls_message */
  uint64_t least, most; /* of a whole number */
};

enum { LS_FORM_FIELDS_MAX = 18 };

struct ls_form {
  const char *name;
  size_t count;
  struct ls_field fields[LS_FORM_FIELDS_MAX];
};

/* Packs the values of the fields, without the array around them. */
void ls_form_pack(const struct ls_form *form, const struct ls_message *message,
                  struct ls_bytes *out);
/* Reads them into `*message`. LS_ENOMEM only: the reader keeps what is wrong with the frame. */
LS_CHECKED enum ls_status ls_form_read(const struct ls_form *form, struct ls_reader *reader,
                                       struct ls_decoder *decoder, struct ls_message *message,
                                       struct ls_error *err);

#endif
