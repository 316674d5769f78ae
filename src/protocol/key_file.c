#include "protocol/key_file.h"

#include <stdint.h>
#include <string.h>

#include "base/json.h"

static const char worker_format[] = "loadstar-key-1", master_format[] = "loadstar-master-key-1";

static const char z85[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
static const char base_16[] = "0123456789abcdef";

/* ---- writing ---- */

static void write_text(struct ls_bytes *out, const char *name, const char *text) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  ls_json_write_string(out, text);
}

static void write_pair(struct ls_bytes *out, const char *name, const struct ls_key_pair *pair) {
  ls_bytes_printf(out, ", \"%s\": {\"public\": \"%s\", \"secret\": \"%s\"}", name, pair->public_key,
                  pair->secret_key);
}

void ls_key_file_write(const struct ls_key_file *file, struct ls_bytes *out) {
  ls_bytes_printf(out, "{\"format\": \"%s\"", file->is_master ? master_format : worker_format);
  write_text(out, "run", file->run);
  write_text(out, "address", file->address);
  if (file->is_master) {
    write_text(out, "asked", file->asked);
    write_text(out, "bound", file->bound);
    write_pair(out, "server", &file->server);
  } else {
    write_text(out, "server", file->server.public_key);
  }
  write_pair(out, "client", &file->client);
  ls_bytes_append_text(out, "}\n");
}

/* ---- reading ---- */

/* A text of `length` of these letters; the message does not show it, for it may be a secret. */
static enum ls_status read_letters(const struct ls_json *place, const char *letters, size_t length,
                                   char *out, struct ls_error *err) {
  const char *text = json_string_value(place->value);
  size_t given = text == NULL ? 0 : json_string_length(place->value);
  if (text == NULL || given != length || strspn(text, letters) != length) {
    return ls_fail(err, LS_EINVAL, "%s: %s is %s, expected %zu %s", place->source, place->path,
                   place->value == NULL ? "missing"
                   : text == NULL       ? "no text"
                   : given != length    ? "of another length"
                                        : "of other letters",
                   length, letters == z85 ? "letters of Z85" : "digits of base 16");
  }
  memcpy(out, text, length + 1);
  return LS_OK;
}

/* Five letters stand for four bytes; not all do. */
static bool stands_for_bytes(const char *key) {
  for (size_t at = 0; at < LS_KEY_BYTES - 1; at += 5) {
    uint64_t number = 0;
    for (size_t i = at; i < at + 5; i++)
      number = number * 85 + (uint64_t)(strchr(z85, key[i]) - z85);
    if (number > UINT32_MAX) return false;
  }
  return true;
}

static enum ls_status read_key(const struct ls_json *object, const char *name, char *out,
                               struct ls_error *err) {
  const struct ls_json place = ls_json_member(object, name);
  enum ls_status status = read_letters(&place, z85, LS_KEY_BYTES - 1, out, err);
  if (status != LS_OK || stands_for_bytes(out)) return status;
  return ls_fail(err, LS_EINVAL, "%s: %s stands for more than 32 bytes, expected a key in Z85",
                 place.source, place.path);
}

static enum ls_status read_pair(const struct ls_json *object, const char *name,
                                struct ls_key_pair *pair, struct ls_error *err) {
  static const char *const keys[] = {"public", "secret", NULL};
  const struct ls_json place = ls_json_member(object, name);
  if (!json_is_object(place.value)) {
    return ls_fail(err, LS_EINVAL, "%s: %s is %s, expected an object of public and secret",
                   place.source, place.path, place.value == NULL ? "missing" : "none");
  }
  enum ls_status status = ls_json_object(&place, keys, err);
  if (status == LS_OK) status = read_key(&place, "public", pair->public_key, err);
  return status == LS_OK ? read_key(&place, "secret", pair->secret_key, err) : status;
}

static enum ls_status read_address(const struct ls_json *object, const char *name, char *out,
                                   struct ls_error *err) {
  const struct ls_json place = ls_json_member(object, name);
  const char *text = NULL;
  enum ls_status status = ls_json_string(&place, &text, err);
  if (status != LS_OK) return status;
  size_t length = json_string_length(place.value);
  if (length == 0 || length >= LS_KEY_ADDRESS_BYTES || strlen(text) != length) {
    return ls_fail(err, LS_EINVAL, "%s: %s has %zu bytes, expected an address of 1 to %d",
                   place.source, place.path, length, LS_KEY_ADDRESS_BYTES - 1);
  }
  memcpy(out, text, length + 1);
  return LS_OK;
}

static enum ls_status check_format(const struct ls_json *top, bool is_master,
                                   struct ls_error *err) {
  const char *expected = is_master ? master_format : worker_format;
  const struct ls_json place = ls_json_member(top, "format");
  const char *text = json_string_value(place.value);
  if (text != NULL && strcmp(text, expected) == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s: format is '%.40s', expected '%s'", place.source,
                 text != NULL ? text : "", expected);
}

static enum ls_status read_fields(const struct ls_json *top, struct ls_key_file *file,
                                  struct ls_error *err) {
  static const char *const worker_keys[] = {"format", "run", "address", "server", "client", NULL};
  static const char *const master_keys[] = {"format", "run",    "address", "asked",
                                            "bound",  "server", "client",  NULL};
  if (!json_is_object(top->value))
    return ls_fail(err, LS_EINVAL, "%s is no JSON object, expected the keys of a run", top->source);
  enum ls_status status = check_format(top, file->is_master, err);
  if (status == LS_OK)
    status = ls_json_object(top, file->is_master ? master_keys : worker_keys, err);
  if (status == LS_OK) {
    const struct ls_json run = ls_json_member(top, "run");
    status = read_letters(&run, base_16, LS_KEY_RUN_BYTES - 1, file->run, err);
  }
  if (status == LS_OK) status = read_address(top, "address", file->address, err);
  if (status == LS_OK && file->is_master) status = read_address(top, "asked", file->asked, err);
  if (status == LS_OK && file->is_master) status = read_address(top, "bound", file->bound, err);
  if (status == LS_OK)
    status = file->is_master ? read_pair(top, "server", &file->server, err)
                             : read_key(top, "server", file->server.public_key, err);
  return status == LS_OK ? read_pair(top, "client", &file->client, err) : status;
}

enum ls_status ls_key_file_read(struct ls_text text, bool is_master, struct ls_key_file *file,
                                struct ls_error *err) {
  struct ls_error why = {0};
  json_t *document = NULL;
  *file = (struct ls_key_file){.is_master = is_master};
  enum ls_status status = ls_json_parse(text, &document, &why);
  /* The parser's words show what it stumbled over, which may be a part of a key. */
  if (status == LS_EINVAL)
    return ls_fail(err, status, "%s is no JSON (%zu bytes), expected the keys of a run",
                   text.source, text.length);
  if (status != LS_OK) return ls_fail(err, status, "%s", why.text);
  const struct ls_json top = ls_json_top(document, text.source);
  status = read_fields(&top, file, err);
  json_decref(document);
  return status;
}
