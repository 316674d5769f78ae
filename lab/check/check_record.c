#include "lab/check/check_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_json.h"
#include "lab/check/check.h"
#include "lab/check/check_compare.h"

#define LS_CHECK_KIND(id) &ls_check_kind_##id,
const struct ls_check_kind *const ls_check_kinds[] = {
#include "lab/check/check_list.h"
    NULL};
#undef LS_CHECK_KIND

static const double TOLERANCE_DEFAULT = 1e-9;

enum ls_status ls_check_file_open(const struct ls_json *top, struct ls_json *records,
                                  struct ls_error *err) {
  /* Records of kind matched refer to images; the facts of kernels are for the unit test. */
  static const char *const known[] = {"format", "note", "vectors", "images", "kernels", NULL};
  enum ls_status status = ls_json_object(top, known, err);
  struct ls_json format = ls_json_member(top, "format");
  const char *text = NULL;
  size_t count = 0;
  if (status == LS_OK) status = ls_json_string(&format, &text, err);
  if (status == LS_OK && strcmp(text, "loadstar-vectors-1") != 0)
    status = ls_json_refuse(&format, "\"loadstar-vectors-1\"", err);
  struct ls_json list = ls_json_member(top, "vectors");
  if (status == LS_OK) status = ls_json_array(&list, &count, err);
  if (status == LS_OK) *records = list;
  return status;
}

static const struct ls_check_kind *find_kind(const char *name, size_t length) {
  for (size_t i = 0; ls_check_kinds[i] != NULL; i++)
    if (strncmp(ls_check_kinds[i]->name, name, length) == 0 &&
        ls_check_kinds[i]->name[length] == '\0')
      return ls_check_kinds[i];
  return NULL;
}

/* Without a kind, the word before the colon of `algorithm` is one, or the record is a plan. */
static const struct ls_check_kind *choose_kind(const char *given, const char *algorithm) {
  if (given != NULL) return find_kind(given, strlen(given));
  const struct ls_check_kind *kind = find_kind(algorithm, strcspn(algorithm, ":"));
  return kind != NULL ? kind : find_kind("plan", strlen("plan"));
}

static enum ls_status read_mode(const struct ls_json *place, enum ls_check_mode *mode,
                                struct ls_error *err) {
  static const char *const names[] = {
      [LS_CHECK_EXACT] = "exact", [LS_CHECK_AT_LEAST] = "at_least", [LS_CHECK_AT_MOST] = "at_most"};
  struct ls_json member = ls_json_member(place, "compare");
  const char *text = NULL;
  *mode = LS_CHECK_EXACT;
  if (member.value == NULL) return LS_OK;
  enum ls_status status = ls_json_string(&member, &text, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], text) != 0) continue;
    *mode = (enum ls_check_mode)i;
    return LS_OK;
  }
  return ls_json_refuse(&member, "\"exact\", \"at_least\" or \"at_most\"", err);
}

static enum ls_status read_rules(const struct ls_json *place, struct ls_check_rules *rules,
                                 struct ls_error *err) {
  struct ls_json tolerance = ls_json_member(place, "tolerance");
  struct ls_json free_names = ls_json_member(place, "free");
  size_t count = 0;
  enum ls_status status = read_mode(place, &rules->mode, err);
  rules->tolerance = TOLERANCE_DEFAULT;
  if (status == LS_OK && tolerance.value != NULL)
    status = ls_json_real(&tolerance, 0, 1, &rules->tolerance, err);
  if (status == LS_OK && free_names.value != NULL) status = ls_json_array(&free_names, &count, err);
  rules->free = free_names.value;
  return status;
}

static enum ls_status read_platform(const struct ls_json *place, struct ls_check_record *record,
                                    struct ls_error *err) {
  struct ls_json member = ls_json_member(place, "platform");
  if (member.value == NULL) return LS_OK;
  char *text = json_dumps(member.value, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
  if (text == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", place->source);
  enum ls_status status =
      ls_platform_read(&record->platform, (struct ls_text){text, strlen(text), "platform"}, err);
  record->has_platform = status == LS_OK;
  free(text);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s: %s", place->source, place->path);
}

static enum ls_status read_texts(const struct ls_json *place, struct ls_check_result *result,
                                 struct ls_error *err) {
  static const char *const known[] = {"id",        "kind",      "algorithm", "load",
                                      "platform",  "arguments", "compare",   "free",
                                      "tolerance", "note",      "expect",    NULL};
  struct ls_json id = ls_json_member(place, "id");
  struct ls_json kind = ls_json_member(place, "kind");
  struct ls_json algorithm = ls_json_member(place, "algorithm");
  enum ls_status status = ls_json_object(place, known, err);
  if (status == LS_OK) status = ls_json_string(&id, &result->id, err);
  if (status == LS_OK && kind.value != NULL) status = ls_json_string(&kind, &result->kind, err);
  if (status == LS_OK) status = ls_json_string(&algorithm, &result->algorithm, err);
  return status;
}

static enum ls_status read_record(const struct ls_json *place, struct ls_check_record *record,
                                  struct ls_check_rules *rules, struct ls_error *err) {
  struct ls_json load = ls_json_member(place, "load");
  record->arguments = ls_json_member(place, "arguments");
  record->expect = ls_json_member(place, "expect");
  enum ls_status status = LS_OK;
  if (load.value != NULL) status = ls_json_real(&load, 0, (double)INFINITY, &record->load, err);
  if (status == LS_OK && !json_is_object(record->expect.value))
    status = ls_json_refuse(&record->expect, "an object", err);
  if (status == LS_OK && record->arguments.value != NULL &&
      !json_is_object(record->arguments.value))
    status = ls_json_refuse(&record->arguments, "an object", err);
  if (status == LS_OK) status = read_rules(place, rules, err);
  if (status == LS_OK) status = read_platform(place, record, err);
  rules->load = record->load;
  rules->workers_count = record->platform.workers_count;
  return status;
}

static bool add_fault(json_t *faults, const char *text) {
  return json_array_append_new(faults, json_string(text)) == 0;
}

/* A refusal of the evaluator stands beside the record as unmet. */
static enum ls_status evaluate(const struct ls_check_kind *kind,
                               const struct ls_check_record *record,
                               const struct ls_check_rules *rules, struct ls_check_result *result,
                               struct ls_error *err) {
  struct ls_error reason = {0};
  enum ls_status status = kind->evaluate(record, &result->got, &reason);
  bool is_kept = status == LS_OK
                     ? ls_check_compare(rules, record->expect.value, result->got, result->faults)
                     : add_fault(result->faults, reason.text);
  if (!is_kept || status == LS_ENOMEM)
    return ls_fail(err, LS_ENOMEM, "%s: out of memory", record->id);
  return LS_OK;
}

enum ls_status ls_check_record_judge(const struct ls_json *place, struct ls_check_result *result,
                                     struct ls_error *err) {
  struct ls_check_result made = {.faults = json_array()};
  struct ls_check_record record = {.load = 0};
  struct ls_check_rules rules = {.load = 0};
  enum ls_status status = made.faults == NULL ? ls_fail(err, LS_ENOMEM, "out of memory")
                                              : read_texts(place, &made, err);
  if (status == LS_OK) status = read_record(place, &record, &rules, err);
  if (status == LS_OK) {
    const struct ls_check_kind *kind = choose_kind(made.kind, made.algorithm);
    record.id = made.id;
    record.algorithm = made.algorithm;
    if (kind != NULL) {
      made.kind = record.kind = kind->name;
      status = evaluate(kind, &record, &rules, &made, err);
    } else if (!add_fault(made.faults, "there is no evaluator of this kind")) {
      status = ls_fail(err, LS_ENOMEM, "out of memory");
    }
  }
  if (record.has_platform) ls_platform_close(&record.platform);
  if (status == LS_OK)
    *result = made;
  else
    ls_check_result_close(&made);
  return status;
}

void ls_check_result_close(struct ls_check_result *result) {
  json_decref(result->got);
  json_decref(result->faults);
  *result = (struct ls_check_result){.got = NULL};
}
