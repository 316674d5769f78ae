/* json.h: strict reading of JSON objects, on jansson, and the two pieces every writer needs.
 *
 * Every reader checks every field: a field that is missing, has the wrong type or value, or has no
 * meaning here is an error that names the file, the path of the field, its value and what was
 * expected ("p.json: workers[2].compute.per_unit is -1, expected a number >= 0").
 * A struct ls_json is a place in a document: borrowed value plus its path in words.
 */
#ifndef LS_BASE_JSON_H
#define LS_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"

enum { LS_JSON_PATH_BYTES = 160 };

struct ls_json {
  const json_t *value;           /* borrowed from the document */
  const char *source;            /* name of the file, for messages; borrowed */
  char path[LS_JSON_PATH_BYTES]; /* "workers[2].compute"; "" at the top */
};

/* Parses a text (duplicate keys are errors); the caller owns `*document` (json_decref).  LS_ENOMEM,
 * but for one thing that jansson 2.14 does not tell: where its buffer for a long token cannot grow,
 * it drops a byte of the token. */
LS_CHECKED enum ls_status ls_json_parse(struct ls_text text, json_t **document,
                                        struct ls_error *err);
/* The place at the top of a document. */
struct ls_json ls_json_top(const json_t *document, const char *source);
/* Fails unless the value is an object whose keys are all in `known` (NULL-terminated). */
LS_CHECKED enum ls_status ls_json_object(const struct ls_json *place, const char *const *known,
                                         struct ls_error *err);
/* The member `key`; `.value` is NULL when it is absent or null. */
struct ls_json ls_json_member(const struct ls_json *object, const char *key);
/* Item `index` of an array. */
struct ls_json ls_json_item(const struct ls_json *array, size_t index);
/* Fails unless the value is an array; its length into `*count`. */
LS_CHECKED enum ls_status ls_json_array(const struct ls_json *place, size_t *count,
                                        struct ls_error *err);
/* A finite number within [least, most]. */
LS_CHECKED enum ls_status ls_json_real(const struct ls_json *place, double least, double most,
                                       double *number, struct ls_error *err);
/* A whole number within [least, most] (2^53 at most; 3.0 is whole). */
LS_CHECKED enum ls_status ls_json_whole(const struct ls_json *place, uint64_t least, uint64_t most,
                                        uint64_t *number, struct ls_error *err);
LS_CHECKED enum ls_status ls_json_bool(const struct ls_json *place, bool *flag,
                                       struct ls_error *err);
/* A string, borrowed from the document. */
LS_CHECKED enum ls_status ls_json_string(const struct ls_json *place, const char **text,
                                         struct ls_error *err);
/* Fails with "SOURCE: PATH is VALUE, expected WHAT" (or "is missing"). */
enum ls_status ls_json_refuse(const struct ls_json *place, const char *expected,
                              struct ls_error *err);

/* Is it well-formed UTF-8, of which a string loses nothing? */
bool ls_json_is_text(const char *text, size_t length);
/* Writes a string in quotes; bytes that are no UTF-8 become U+FFFD. */
void ls_json_write_string(struct ls_bytes *out, const char *text);
/* Writes a number as %.17g; null when it is not finite. */
void ls_json_write_number(struct ls_bytes *out, double number);
/* Writes `before` ("" or ", "), the name in quotes, a colon and the number. */
void ls_json_write_field(struct ls_bytes *out, const char *before, const char *name, double number);

#endif
