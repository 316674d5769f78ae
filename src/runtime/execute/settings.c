#include "runtime/execute/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/platform.h"
#include "protocol/message.h"

/* A JSON text holds UTF-8 only, but a word or a path may hold any byte except zero; such a one
 * travels as {"hex": "636166e9"}. */
static const char *const hex_keys[] = {"hex", NULL};
static const char *const setting_keys[] = {
    "verdict",   "words",        "slot",          "directory",   "asking",      "prefetch",
    "room",      "report_every", "history",       "stage_ahead", "timeout_s",   "heartbeat_s",
    "silence_s", "start_up_s",   "has_replicas",  "sandbox",     "cache_bytes", "makes_directory",
    "is_synced", "load",         "thread",        "speed",       "benchmark",   "task_units",
    "blocks",    "line_bytes",   "splits_failed", "showing",     "ending",      "manners",
    NULL};
static const double seconds_most = 1e12;
static const double beat_least_s = 1e-3;
static const double share_least = 1e-6;
/* JSON numbers are doubles to most readers; more waiting units than this mean "without limit". */
static const uint64_t whole_most = UINT64_C(1) << 53;

static json_t *make_hex(const char *text) {
  struct ls_bytes digits = {0};
  for (const char *c = text; *c != '\0'; c++) {
    ls_bytes_printf(&digits, "%02x", (unsigned)(unsigned char)*c);
  }
  json_t *hex = digits.failed ? NULL : json_pack("{s:s}", "hex", ls_bytes_text(&digits));
  ls_bytes_close(&digits);
  return hex;
}

/* NULL: no memory. */
static json_t *make_text(const char *text) {
  json_t *value = json_string(text);
  return value != NULL ? value : make_hex(text);
}

static json_t *make_words(const struct ls_settings *settings) {
  json_t *words = json_array();
  for (size_t i = 0; i < settings->words_count; i++) {
    if (json_array_append_new(words, make_text(settings->words[i])) != 0) {
      json_decref(words);
      return NULL;
    }
  }
  return words;
}

static int append_json(const char *data, size_t length, void *out) {
  ls_bytes_append(out, data, length);
  return 0;
}

static int set_whole(json_t *object, const char *key, uint64_t value) {
  uint64_t limited = value < whole_most ? value : whole_most;
  return json_object_set_new(object, key, json_integer((json_int_t)limited));
}

static int set_side(json_t *object, const struct ls_side_settings *side) {
  int failures = json_object_set_new(object, "asking", json_string(ls_asking_name(side->asking)));
  failures += set_whole(object, "prefetch", side->prefetch);
  failures += set_whole(object, "room", side->room);
  failures += set_whole(object, "report_every", side->report_every);
  return failures + set_whole(object, "history", side->history);
}

static int set_bundling(json_t *object, const struct ls_bundling *bundling) {
  int failures = set_whole(object, "task_units", bundling->units_max);
  if (bundling->line_bytes_max > 0)
    failures += set_whole(object, "line_bytes", bundling->line_bytes_max);
  if (bundling->are_blocks) failures += json_object_set_new(object, "blocks", json_true());
  if (bundling->splits_failed)
    failures += json_object_set_new(object, "splits_failed", json_true());
  return failures;
}

/* Times and shares by turns. */
static json_t *make_load(const struct ls_load_course *load) {
  json_t *numbers = json_array();
  int failures = 0;
  for (size_t i = 0; i < load->count; i++) {
    failures += json_array_append_new(numbers, json_real(load->pieces[i].from_s));
    failures += json_array_append_new(numbers, json_real(load->pieces[i].share));
  }
  if (failures == 0) return numbers;
  json_decref(numbers);
  return NULL;
}

void ls_settings_write(const struct ls_settings *settings, struct ls_bytes *out) {
  json_t *object = json_object();
  int failures = json_object_set_new(object, "words", make_words(settings));
  failures += set_whole(object, "slot", settings->slot);
  if (settings->directory != NULL) {
    failures += json_object_set_new(object, "directory", make_text(settings->directory));
  }
  failures += set_side(object, &settings->side);
  failures += set_whole(object, "stage_ahead", settings->stage_ahead);
  failures += json_object_set_new(object, "timeout_s", json_real(settings->timeout_s));
  failures += json_object_set_new(object, "heartbeat_s", json_real(settings->heartbeat_s));
  failures += json_object_set_new(object, "silence_s", json_real(settings->silence_s));
  if (!(settings->start_up_s < 0)) {
    failures += json_object_set_new(object, "start_up_s", json_real(settings->start_up_s));
  }
  if (settings->sandboxing != LS_SANDBOX_NONE) {
    const char *how = ls_sandboxing_name(settings->sandboxing);
    failures += json_object_set_new(object, "sandbox", json_string(how));
  }
  if (settings->has_files) failures += set_whole(object, "cache_bytes", settings->cache_bytes);
  if (settings->bundling.units_max > 0) failures += set_bundling(object, &settings->bundling);
  if (settings->has_replicas) failures += json_object_set_new(object, "has_replicas", json_true());
  if (settings->computes_in_thread) {
    failures += json_object_set_new(object, "thread", json_true());
  }
  if (settings->speed > 0) {
    failures += json_object_set_new(object, "speed", json_real(settings->speed));
  }
  if (settings->benchmark > 0) failures += set_whole(object, "benchmark", settings->benchmark);
  if (settings->makes_directory) {
    failures += json_object_set_new(object, "makes_directory", json_true());
  }
  if (settings->load.count > 0)
    failures += json_object_set_new(object, "load", make_load(&settings->load));
  if (settings->showing != LS_SHOW_NOTHING) {
    failures += set_whole(object, "showing", settings->showing);
  }
  if (settings->verdict != LS_VERDICT_NEVER) {
    failures += set_whole(object, "verdict", settings->verdict);
  }
  if (settings->ending != NULL) {
    failures += json_object_set_new(object, "ending", make_text(settings->ending));
  }
  failures += json_object_set_new(object, "manners", ls_command_manners_json(&settings->manners));
  if (settings->is_synced) failures += json_object_set_new(object, "is_synced", json_true());
  if (failures != 0 || json_dump_callback(object, append_json, out, JSON_COMPACT) != 0) {
    out->failed = true;
  }
  json_decref(object);
}

static int hex_value(char digit) {
  static const char digits[] = "0123456789abcdef";
  const char *found = digit != '\0' ? strchr(digits, digit) : NULL;
  return found != NULL ? (int)(found - digits) : -1;
}

/* `length` digits into half as many bytes; false: not pairs of digits, or a zero byte. */
static bool decode_hex(const char *digits, size_t length, char *bytes) {
  if (length % 2 != 0) return false;
  for (size_t i = 0; i < length / 2; i++) {
    int high = hex_value(digits[2 * i]), low = hex_value(digits[2 * i + 1]);
    if (high < 0 || low < 0 || high + low == 0) return false;
    bytes[i] = (char)(high * 16 + low);
  }
  return true;
}

/* The bytes behind {"hex": ...}; the caller frees them. */
static enum ls_status read_hex(const struct ls_json *place, char **text, struct ls_error *err) {
  enum ls_status status = ls_json_object(place, hex_keys, err);
  if (status != LS_OK) return status;
  struct ls_json member = ls_json_member(place, "hex");
  const char *digits;
  status = ls_json_string(&member, &digits, err);
  if (status != LS_OK) return status;
  size_t length = strlen(digits);
  char *bytes = calloc(length / 2 + 1, 1);
  if (bytes == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a word of the settings");
  if (!decode_hex(digits, length, bytes)) {
    free(bytes);
    return ls_json_refuse(&member, "pairs of the digits 0-9 and a-f, but not 00", err);
  }
  *text = bytes;
  return LS_OK;
}

/* A word in either form; the caller frees it. */
static enum ls_status read_text(const struct ls_json *place, char **text, struct ls_error *err) {
  if (json_is_object(place->value)) return read_hex(place, text, err);
  const char *borrowed;
  enum ls_status status = ls_json_string(place, &borrowed, err);
  if (status != LS_OK) return status;
  char *copy = strdup(borrowed);
  if (copy == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a word of the settings");
  *text = copy;
  return LS_OK;
}

static enum ls_status read_words(const struct ls_json *place, struct ls_settings *settings,
                                 struct ls_error *err) {
  size_t count;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status != LS_OK) return status;
  settings->words = calloc(count + 1, sizeof *settings->words);
  if (settings->words == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu words", count);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    status = read_text(&item, &settings->words[i], err);
    if (status == LS_OK) settings->words_count++;
  }
  return status;
}

static enum ls_status read_seconds(const struct ls_json *top, const char *key, double least,
                                   double *seconds, struct ls_error *err) {
  struct ls_json member = ls_json_member(top, key);
  return ls_json_real(&member, least, seconds_most, seconds, err);
}

static enum ls_status read_asking(const struct ls_json *place, enum ls_asking *asking,
                                  struct ls_error *err) {
  const char *text;
  enum ls_status status = ls_json_string(place, &text, err);
  if (status != LS_OK) return status;
  for (int i = 0; i < LS_ASKING_COUNT; i++) {
    *asking = (enum ls_asking)i;
    if (strcmp(text, ls_asking_name(*asking)) == 0) return LS_OK;
  }
  return ls_json_refuse(place, "\"room\", \"one\" or \"nothing\"", err);
}

static enum ls_status read_side(const struct ls_json *top, struct ls_side_settings *side,
                                struct ls_error *err) {
  const struct {
    const char *key;
    uint64_t *value;
  } numbers[] = {{"prefetch", &side->prefetch},
                 {"room", &side->room},
                 {"report_every", &side->report_every},
                 {"history", &side->history}};
  struct ls_json member = ls_json_member(top, "asking");
  enum ls_status status = read_asking(&member, &side->asking, err);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == LS_OK; i++) {
    member = ls_json_member(top, numbers[i].key);
    status = ls_json_whole(&member, 0, whole_most, numbers[i].value, err);
  }
  return status;
}

static enum ls_status read_slot(const struct ls_json *top, uint32_t *slot, struct ls_error *err) {
  uint64_t number;
  struct ls_json member = ls_json_member(top, "slot");
  enum ls_status status = ls_json_whole(&member, 0, UINT32_MAX, &number, err);
  if (status == LS_OK) *slot = (uint32_t)number;
  return status;
}

static enum ls_status read_stage_ahead(const struct ls_json *top, size_t *calls,
                                       struct ls_error *err) {
  uint64_t number;
  struct ls_json member = ls_json_member(top, "stage_ahead");
  enum ls_status status = ls_json_whole(&member, 0, LS_STAGE_AHEAD_MOST, &number, err);
  if (status == LS_OK) *calls = (size_t)number;
  return status;
}

static enum ls_status read_sandboxing(const struct ls_json *top, enum ls_sandboxing *how,
                                      struct ls_error *err) {
  const char *text;
  struct ls_json member = ls_json_member(top, "sandbox");
  enum ls_status status = member.value != NULL ? ls_json_string(&member, &text, err) : LS_OK;
  if (status != LS_OK || member.value == NULL) return status;
  for (int i = LS_SANDBOX_REMOVED; i < LS_SANDBOXING_COUNT; i++) {
    *how = (enum ls_sandboxing)i;
    if (strcmp(text, ls_sandboxing_name(*how)) == 0) return LS_OK;
  }
  return ls_json_refuse(&member, "\"removed\", \"kept-failed\" or \"kept\"", err);
}

/* One of an enumeration up to `most`; one that is not there is 0. */
static enum ls_status read_choice(const struct ls_json *top, const char *key, uint64_t most,
                                  uint64_t *choice, struct ls_error *err) {
  struct ls_json member = ls_json_member(top, key);
  *choice = 0;
  return member.value != NULL ? ls_json_whole(&member, 0, most, choice, err) : LS_OK;
}

static enum ls_status read_choices(const struct ls_json *top, struct ls_settings *settings,
                                   struct ls_error *err) {
  uint64_t showing = 0, verdict = 0;
  enum ls_status status = read_choice(top, "showing", LS_SHOW_DIRECTLY_TOLD, &showing, err);
  if (status == LS_OK) status = read_choice(top, "verdict", LS_VERDICT_ALWAYS, &verdict, err);
  settings->showing = (enum ls_showing)showing;
  settings->verdict = (enum ls_verdict)verdict;
  return status;
}

/* One that is not there is false. */
static enum ls_status read_flag(const struct ls_json *top, const char *key, bool *flag,
                                struct ls_error *err) {
  struct ls_json member = ls_json_member(top, key);
  return member.value != NULL ? ls_json_bool(&member, flag, err) : LS_OK;
}

/* One that is not there is 0. */
static enum ls_status read_count(const struct ls_json *top, const char *key, uint64_t *count,
                                 struct ls_error *err) {
  struct ls_json member = ls_json_member(top, key);
  return member.value != NULL ? ls_json_whole(&member, 1, whole_most, count, err) : LS_OK;
}

static enum ls_status read_bundling(const struct ls_json *top, struct ls_bundling *bundling,
                                    struct ls_error *err) {
  enum ls_status status = read_count(top, "task_units", &bundling->units_max, err);
  if (status == LS_OK) status = read_count(top, "line_bytes", &bundling->line_bytes_max, err);
  if (status == LS_OK) status = read_flag(top, "blocks", &bundling->are_blocks, err);
  return status == LS_OK ? read_flag(top, "splits_failed", &bundling->splits_failed, err) : status;
}

/* One that is not there is 0. */
static enum ls_status read_speed(const struct ls_json *top, double *speed, struct ls_error *err) {
  struct ls_json member = ls_json_member(top, "speed");
  if (member.value == NULL) return LS_OK;
  enum ls_status status = ls_json_real(&member, 0, 1, speed, err);
  if (status != LS_OK || *speed > 0) return status;
  return ls_json_refuse(&member, "a share of full speed, above 0", err);
}

static enum ls_status read_piece(const struct ls_json *list, size_t index,
                                 struct ls_load_course *load, struct ls_error *err) {
  double least_s = index > 0 ? load->pieces[index - 1].from_s : -seconds_most;
  struct ls_json from = ls_json_item(list, 2 * index), share = ls_json_item(list, 2 * index + 1);
  struct ls_availability *piece = &load->pieces[index];
  enum ls_status status = ls_json_real(&from, least_s, seconds_most, &piece->from_s, err);
  return status == LS_OK ? ls_json_real(&share, share_least, 1, &piece->share, err) : status;
}

static enum ls_status read_load(const struct ls_json *top, struct ls_load_course *load,
                                struct ls_error *err) {
  struct ls_json list = ls_json_member(top, "load");
  size_t count = 0;
  enum ls_status status = list.value != NULL ? ls_json_array(&list, &count, err) : LS_OK;
  if (status != LS_OK || count == 0) return status;
  if (count % 2 != 0 || count > 2 * (size_t)LS_SETTINGS_LOAD_MAX)
    return ls_json_refuse(&list, "pairs of times and shares, at most 100000", err);
  load->pieces = calloc(count / 2, sizeof *load->pieces);
  if (load->pieces == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the load of a worker");
  for (; load->count < count / 2 && status == LS_OK; load->count++)
    status = read_piece(&list, load->count, load, err);
  return status;
}

/* Those that are not there ask for nothing. */
static enum ls_status read_manners(const struct ls_json *top, struct ls_command_manners *manners,
                                   struct ls_error *err) {
  struct ls_json member = ls_json_member(top, "manners");
  return member.value != NULL ? ls_command_manners_read(&member, manners, err) : LS_OK;
}

static enum ls_status read_fields(const struct ls_json *top, struct ls_settings *settings,
                                  struct ls_error *err) {
  enum ls_status status = ls_json_object(top, setting_keys, err);
  if (status != LS_OK) return status;
  struct ls_json member = ls_json_member(top, "words");
  status = read_words(&member, settings, err);
  if (status != LS_OK) return status;
  status = read_slot(top, &settings->slot, err);
  if (status != LS_OK) return status;
  member = ls_json_member(top, "directory");
  if (member.value != NULL) status = read_text(&member, &settings->directory, err);
  if (status != LS_OK) return status;
  status = read_side(top, &settings->side, err);
  if (status != LS_OK) return status;
  status = read_stage_ahead(top, &settings->stage_ahead, err);
  if (status != LS_OK) return status;
  status = read_seconds(top, "timeout_s", 0, &settings->timeout_s, err);
  if (status != LS_OK) return status;
  status = read_seconds(top, "heartbeat_s", beat_least_s, &settings->heartbeat_s, err);
  if (status != LS_OK) return status;
  status = read_seconds(top, "silence_s", 0, &settings->silence_s, err);
  if (status != LS_OK) return status;
  settings->start_up_s = -1;
  member = ls_json_member(top, "start_up_s");
  if (member.value != NULL) status = read_seconds(top, "start_up_s", 0, &settings->start_up_s, err);
  if (status != LS_OK) return status;
  status = read_sandboxing(top, &settings->sandboxing, err);
  if (status != LS_OK) return status;
  member = ls_json_member(top, "cache_bytes");
  settings->has_files = member.value != NULL;
  if (settings->has_files)
    status = ls_json_whole(&member, 0, whole_most, &settings->cache_bytes, err);
  if (status != LS_OK) return status;
  status = read_bundling(top, &settings->bundling, err);
  if (status == LS_OK) status = read_speed(top, &settings->speed, err);
  if (status == LS_OK) status = read_count(top, "benchmark", &settings->benchmark, err);
  if (status == LS_OK) status = read_flag(top, "thread", &settings->computes_in_thread, err);
  if (status == LS_OK) status = read_flag(top, "has_replicas", &settings->has_replicas, err);
  if (status == LS_OK) status = read_flag(top, "is_synced", &settings->is_synced, err);
  if (status == LS_OK) status = read_load(top, &settings->load, err);
  if (status == LS_OK) status = read_choices(top, settings, err);
  member = ls_json_member(top, "ending");
  if (status == LS_OK && member.value != NULL) status = read_text(&member, &settings->ending, err);
  if (status == LS_OK) status = read_manners(top, &settings->manners, err);
  return status == LS_OK ? read_flag(top, "makes_directory", &settings->makes_directory, err)
                         : status;
}

enum ls_status ls_settings_read(struct ls_settings *settings, const void *text, size_t length,
                                struct ls_error *err) {
  json_t *document;
  enum ls_status status = ls_json_parse((struct ls_text){text, length, "settings"}, &document, err);
  if (status != LS_OK) return status;
  struct ls_settings result = {0};
  struct ls_json top = ls_json_top(document, "settings");
  status = read_fields(&top, &result, err);
  if (status == LS_OK) {
    *settings = result;
  } else {
    ls_settings_close(&result);
  }
  json_decref(document);
  return status;
}

void ls_settings_close(struct ls_settings *settings) {
  for (size_t i = 0; i < settings->words_count; i++) free(settings->words[i]);
  free(settings->words);
  free(settings->directory);
  free(settings->ending);
  free(settings->load.pieces);
  ls_command_manners_close(&settings->manners);
  *settings = (struct ls_settings){0};
}
