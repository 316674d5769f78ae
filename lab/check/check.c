/* check.c: `loadstar-lab check FILE`: evaluates test vectors, and says what was got. */
#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "lab/check/check_compare.h"
#include "lab/check/check_record.h"
#include "lab/lab.h"

enum { KEY_ONLY = 256, ONLY_MAX = 64, FAULTS_SHOWN = 5 };

struct options {
  const char *name, *file;
  bool wants_json;
  const char *only[ONLY_MAX];
  size_t only_count;
};

static const struct argp_option option_table[] = {
    {"only", KEY_ONLY, "ID", 0, "Evaluate this record only; ID may hold * and ? (repeatable)", 0},
    {"json", 'j', NULL, 0, "Write JSON, for machines", 0},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
    case KEY_ONLY:
      if (options->only_count == ONLY_MAX)
        argp_error(state, "--only can be given %d times", ONLY_MAX);
      options->only[options->only_count++] = argument;
      return 0;
    case 'j':
      options->wants_json = true;
      return 0;
    case ARGP_KEY_ARG:
      if (options->file != NULL) argp_error(state, "one FILE is expected, not '%s', too", argument);
      options->file = argument;
      return 0;
    case ARGP_KEY_END:
      if (options->file == NULL) argp_error(state, "FILE is missing (- is standard input)");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "FILE",
    .doc =
        "Evaluates the records of a file of test vectors, and says for each what was got and "
        "whether it meets what the record expects. The exit status is 1 when one does not."
        "\vFILE - is standard input. Examples:\n"
        "  loadstar-lab check tests/vectors/umr.json\n"
        "  loadstar-lab check tests/vectors/umr.json --only 'umr-het-*' --json\n"};

static bool is_chosen(const struct options *options, const char *id) {
  for (size_t i = 0; i < options->only_count; i++)
    if (fnmatch(options->only[i], id, 0) == 0) return true;
  return options->only_count == 0;
}

static void write_result_json(const struct ls_check_result *result, struct ls_bytes *out) {
  json_t *document =
      json_pack("{s:s, s:s, s:s, s:b, s:O?, s:O}", "id", result->id, "kind",
                result->kind == NULL ? "plan" : result->kind, "algorithm", result->algorithm, "met",
                json_array_size(result->faults) == 0, "got", result->got, "faults", result->faults);
  char *text = json_dumps(document, JSON_REAL_PRECISION(17));
  if (text == NULL)
    out->failed = true;
  else
    ls_bytes_append_text(out, text);
  free(text);
  json_decref(document);
}

/* The single figures that the record asks for, as they were got. */
static void write_figures(const struct ls_check_result *result, const json_t *expect,
                          struct ls_bytes *out) {
  const char *key;
  json_t *wanted;
  const char *separator = "  ";
  json_object_foreach((json_t *)expect, key, wanted) {
    const json_t *value = ls_check_find(result->got, key);
    if (json_is_number(value))
      ls_bytes_printf(out, "%s%s %.9g", separator, key, json_number_value(value));
    else if (json_is_string(value) || json_is_boolean(value))
      ls_bytes_printf(out, "%s%s %s", separator, key,
                      json_is_string(value) ? json_string_value(value)
                      : json_is_true(value) ? "true"
                                            : "false");
    else
      continue;
    separator = ", ";
  }
}

static void write_result(const struct ls_check_result *result, const json_t *expect,
                         struct ls_bytes *out) {
  size_t faults = json_array_size(result->faults);
  ls_bytes_printf(out, "%-6s %s  %s", faults == 0 ? "met" : "UNMET", result->id, result->algorithm);
  write_figures(result, expect, out);
  ls_bytes_append_char(out, '\n');
  for (size_t i = 0; i < faults && i < FAULTS_SHOWN; i++)
    ls_bytes_printf(out, "         %s\n", json_string_value(json_array_get(result->faults, i)));
  if (faults > FAULTS_SHOWN) ls_bytes_printf(out, "         and %zu more\n", faults - FAULTS_SHOWN);
}

struct tally {
  size_t met, unmet;
};

static enum ls_status judge_record(const struct options *options, const struct ls_json *place,
                                   struct tally *tally, struct ls_bytes *out,
                                   struct ls_error *err) {
  const char *id = json_string_value(json_object_get(place->value, "id"));
  struct ls_check_result result;
  if (id != NULL && !is_chosen(options, id)) return LS_OK;
  enum ls_status status = ls_check_record_judge(place, &result, err);
  if (status != LS_OK) return status;
  bool is_first = tally->met + tally->unmet == 0;
  if (json_array_size(result.faults) == 0)
    tally->met++;
  else
    tally->unmet++;
  if (options->wants_json) {
    ls_bytes_append_text(out, is_first ? "\n  " : ",\n  ");
    write_result_json(&result, out);
  } else {
    write_result(&result, json_object_get(place->value, "expect"), out);
  }
  ls_check_result_close(&result);
  return LS_OK;
}

static enum ls_status judge_records(const struct options *options, const struct ls_json *top,
                                    struct tally *tally, struct ls_bytes *out,
                                    struct ls_error *err) {
  struct ls_json records;
  enum ls_status status = ls_check_file_open(top, &records, err);
  if (status != LS_OK) return status;
  if (options->wants_json) ls_bytes_append_text(out, "{ \"records\": [");
  for (size_t i = 0; i < json_array_size(records.value) && status == LS_OK; i++) {
    struct ls_json place = ls_json_item(&records, i);
    status = judge_record(options, &place, tally, out, err);
  }
  if (status == LS_OK && tally->met + tally->unmet == 0)
    status = ls_fail(err, LS_EINVAL, "%s: there is no record%s", top->source,
                     options->only_count > 0 ? " that --only names" : "");
  if (options->wants_json)
    ls_bytes_printf(out, "],\n  \"met\": %zu, \"unmet\": %zu }\n", tally->met, tally->unmet);
  else
    ls_bytes_printf(out, "%zu records: %zu met, %zu unmet\n", tally->met + tally->unmet, tally->met,
                    tally->unmet);
  return status;
}

int ls_check_main(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  struct options options = {.name = argv[0]};
  if (ls_option_names_parse(&parser, argc, argv, 0, &options) != 0) return LS_EXIT_USAGE;
  struct ls_error err = {0};
  struct ls_bytes out = {0};
  struct tally tally = {0};
  json_t *document = NULL;
  enum ls_status status = ls_console_read_json(options.file, &document, &err);
  if (status == LS_OK) {
    struct ls_json top = ls_json_top(document, options.file);
    status = judge_records(&options, &top, &tally, &out, &err);
  }
  if (status == LS_OK && out.failed) status = ls_fail(&err, LS_ENOMEM, "out of memory");
  if (status == LS_OK && !ls_console_write(STDOUT_FILENO, ls_bytes_text(&out), out.length))
    status = ls_fail(&err, LS_EIO, "standard output: %s", strerror(errno));
  json_decref(document);
  ls_bytes_close(&out);
  if (status != LS_OK) return ls_console_fail(options.name, &err);
  return tally.unmet == 0 ? LS_EXIT_OK : LS_EXIT_FAILED;
}
