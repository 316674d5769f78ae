/* study.c: `loadstar-lab study NAME`: reproduces a published experiment. */
#include "lab/studies/study.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/nearest.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "lab/lab.h"
#include "runtime/os/parallel_map.h"

enum { KEY_SAMPLE = 256, KEY_SEED, KEY_SET, KEY_OUT, KEY_JSON, KEY_MEASURED };
enum { SETTINGS_MAX = LS_ARGUMENTS_MAX, PROCESSES_MAX = 1024, REASONS_MAX = 16 };

struct request {
  const char *name; /* of the study; NULL: list them */
  const char *folder;
  const char *measured; /* the file; NULL: none */
  bool wants_json;
  uint64_t jobs;
  struct ls_study_options options;
  const char *settings[SETTINGS_MAX];
  size_t settings_count;
};

static const struct argp_option option_table[] = {
    {"sample", KEY_SAMPLE, "N", 0, "Only N cases, chosen by the seed (default: all)", 0},
    {"seed", KEY_SEED, "S", 0, "Seed of everything that is chosen at random (default 1)", 0},
    {"jobs", 'j', "N", 0, "Processes (default: the processors that there are)", 0},
    {"set", KEY_SET, "NAME=VALUE", 0, "Set a parameter of the study; may be repeated", 0},
    {"out", KEY_OUT, "DIR", 0, "Write the drawings into this folder, as SVG", 0},
    {"json", KEY_JSON, NULL, 0, "Print JSON, for machines", 0},
    {"measured", KEY_MEASURED, "FILE", 0,
     "Of studies named pool-...: show and judge what real runs gave, as `make bench-pool' writes "
     "it",
     0},
    {0}};

static error_t add_setting(struct request *request, const char *argument,
                           struct argp_state *state) {
  if (strchr(argument, '=') == NULL)
    argp_error(state, "--set is '%s', expected NAME=VALUE", argument);
  if (request->settings_count == SETTINGS_MAX)
    argp_error(state, "--set is given too often, at most %d times", SETTINGS_MAX);
  request->settings[request->settings_count++] = argument;
  return 0;
}

static error_t read_number(struct argp_state *state, const char *field, const char *text,
                           struct ls_whole_range range, uint64_t *number) {
  struct ls_error err = {0};
  if (ls_console_whole(field, text, range, number, &err) != LS_OK)
    argp_error(state, "%s", err.text);
  return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct request *request = state->input;
  switch (key) {
    case KEY_SAMPLE:
      return read_number(state, "--sample", argument, (struct ls_whole_range){1, UINT32_MAX},
                         &request->options.sample);
    case KEY_SEED:
      return read_number(state, "--seed", argument, (struct ls_whole_range){0, UINT64_MAX},
                         &request->options.seed);
    case 'j':
      return read_number(state, "--jobs", argument, (struct ls_whole_range){1, PROCESSES_MAX},
                         &request->jobs);
    case KEY_SET:
      return add_setting(request, argument, state);
    case KEY_OUT:
      request->folder = argument;
      return 0;
    case KEY_JSON:
      request->wants_json = true;
      return 0;
    case KEY_MEASURED:
      request->measured = argument;
      return 0;
    case ARGP_KEY_ARG:
      if (request->name != NULL)
        argp_error(state, "one study is expected, not '%s', too", argument);
      request->name = argument;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "[NAME]",
    .doc =
        "Reproduces a published experiment and prints the values that it should give next to ours, "
        "and whose they are: printed by the source, recomputed by its formulas, or specified by "
        "this project; without a NAME, lists the studies. The exit status is 1 when a value leaves "
        "the tolerance that it is judged by.\vExamples:\n"
        "  loadstar-lab study\n"
        "  loadstar-lab study umr-table2\n"
        "  loadstar-lab study umr-table2 --sample 5000 --seed 7\n"
        "  loadstar-lab study umr-fig9 --out figures\n"
        "  loadstar-lab study pool-loss --measured measured.json\n"};

/* ---- which studies there are ---- */

static void list_text(struct ls_bytes *out) {
  size_t widest = 0;
  for (size_t i = 0; ls_studies[i] != NULL; i++) {
    size_t length = strlen(ls_studies[i]->name);
    if (length > widest) widest = length;
  }
  for (size_t i = 0; ls_studies[i] != NULL; i++) {
    const struct ls_study *study = ls_studies[i];
    ls_bytes_printf(out, "  %-*s  %s [%s]\n", (int)widest, study->name, study->summary,
                    study->reference);
    const struct ls_parameter *parameter = study->parameters;
    for (; parameter != NULL && parameter->name != NULL; parameter++)
      ls_bytes_printf(out, "  %-*s    %s: %s\n", (int)widest, "", parameter->name,
                      parameter->summary);
  }
}

static void list_json(struct ls_bytes *out) {
  ls_bytes_append_char(out, '[');
  for (size_t i = 0; ls_studies[i] != NULL; i++) {
    ls_bytes_append_text(out, i > 0 ? ",\n {\"name\": " : "{\"name\": ");
    ls_json_write_string(out, ls_studies[i]->name);
    ls_bytes_append_text(out, ", \"summary\": ");
    ls_json_write_string(out, ls_studies[i]->summary);
    ls_bytes_append_text(out, ", \"source\": ");
    ls_json_write_string(out, ls_studies[i]->reference);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_text(out, "]\n");
}

static enum ls_status find_study(const char *name, const struct ls_study **study,
                                 struct ls_error *err) {
  *study = ls_study_find(name);
  if (*study != NULL) return LS_OK;
  struct ls_bytes known = {0};
  char shown[64];
  ls_console_show(name, shown, sizeof shown);
  const char *nearest = NULL;
  for (size_t i = 0; ls_studies[i] != NULL; i++) {
    const char *names[] = {nearest, ls_studies[i]->name};
    nearest = ls_nearest_name(name, names, 2);
    ls_bytes_printf(&known, "%s%s", i > 0 ? ", " : "", ls_studies[i]->name);
  }
  enum ls_status status =
      nearest != NULL ? ls_fail(err, LS_EINVAL,
                                "there is no study '%s', did you mean '%s'? (`loadstar-lab study' "
                                "names all)",
                                shown, nearest)
                      : ls_fail(err, LS_EINVAL, "there is no study '%s', expected one of: %s",
                                shown, ls_bytes_text(&known));
  ls_bytes_close(&known);
  return status;
}

/* ---- what a study found ---- */

static const char *const relation_words[] = {"", "<= ", ">= "};

static void write_number(const char *before, double value, struct ls_bytes *out) {
  char text[48] = "";
  if (!isnan(value)) (void)snprintf(text, sizeof text, "%s%.6g", before, value);
  ls_bytes_printf(out, " %11s", text);
}

/* The reasons of a report for not judging a value, each once. */
struct reasons {
  const char *items[REASONS_MAX];
  size_t count;
};

/* Its number from 1; what would be one too many has 0. */
static size_t number_reason(struct reasons *reasons, const char *reason) {
  for (size_t i = 0; i < reasons->count; i++)
    if (strcmp(reasons->items[i], reason) == 0) return i + 1;
  if (reasons->count == REASONS_MAX) return 0;
  reasons->items[reasons->count++] = reason;
  return reasons->count;
}

static void write_figure(const struct ls_study_figure *figure, int width, struct reasons *reasons,
                         struct ls_bytes *out) {
  const struct ls_study_expected *expected = &figure->expected;
  ls_bytes_printf(out, "%-*s", width, figure->name);
  write_number(relation_words[expected->relation], expected->value, out);
  ls_bytes_printf(out, "  %-10s", ls_study_origin_names[expected->origin]);
  if (isnan(figure->ours))
    ls_bytes_printf(out, " %11s", "nan");
  else
    write_number("", figure->ours, out);
  if (ls_study_figure_is_judged(figure)) {
    bool is_near = expected->relation == LS_STUDY_NEAR;
    write_number("", is_near ? expected->tolerance : (double)NAN, out);
    ls_bytes_printf(out, "  %s", ls_study_figure_is_met(figure) ? "ok" : "MISSED");
  } else if (expected->why_not != NULL) {
    ls_bytes_printf(out, " %11s  [%zu]", "", number_reason(reasons, expected->why_not));
  }
  ls_bytes_append_char(out, '\n');
}

static void write_figures(const struct ls_study_report *report, struct ls_bytes *out) {
  struct reasons reasons = {.count = 0};
  size_t judged = 0, widest = 8;
  for (size_t i = 0; i < report->figures_count; i++) {
    size_t length = strlen(report->figures[i].name);
    if (length > widest) widest = length;
    judged += ls_study_figure_is_judged(&report->figures[i]);
  }
  if (report->figures_count > 0)
    ls_bytes_printf(out, "%-*s %11s  %-10s %11s %11s\n", (int)widest, "", "expected", "whose",
                    "ours", "tolerance");
  for (size_t i = 0; i < report->figures_count; i++)
    write_figure(&report->figures[i], (int)widest, &reasons, out);
  for (size_t i = 0; i < reasons.count; i++)
    ls_bytes_printf(out, "[%zu] not judged: %s\n", i + 1, reasons.items[i]);
  size_t missed = ls_study_missed(report);
  if (judged > 0)
    ls_bytes_printf(out, "%zu values judged, %zu missed\n", judged, missed);
  else
    ls_bytes_append_text(out, "no value judged\n");
}

static void write_text(const struct request *request, const struct ls_study *study,
                       const struct ls_study_report *report, struct ls_bytes *out) {
  ls_bytes_printf(out, "%s: %s [%s]\nseed %llu", study->name, study->summary, study->reference,
                  (unsigned long long)request->options.seed);
  if (request->options.sample > 0)
    ls_bytes_printf(out, ", sample %llu", (unsigned long long)request->options.sample);
  ls_bytes_append_text(out, "\n\n");
  ls_bytes_append(out, report->text.data, report->text.length);
  if (report->text.length > 0) ls_bytes_append_char(out, '\n');
  write_figures(report, out);
  for (size_t i = 0; i < report->drawings_count; i++)
    ls_bytes_printf(out, "drawing: %s%s%s%s\n", request->folder == NULL ? "" : request->folder,
                    request->folder == NULL ? "" : "/", report->drawings[i].name,
                    request->folder == NULL ? " (not written: no --out DIR)" : "");
}

static void write_member(const char *name, double value, struct ls_bytes *out) {
  ls_bytes_printf(out, ", \"%s\": ", name);
  if (isfinite(value))
    ls_json_write_number(out, value);
  else
    ls_bytes_append_text(out, "null");
}

static void write_figure_json(const struct ls_study_figure *figure, struct ls_bytes *out) {
  static const char *const relations[] = {"near", "at most", "at least"};
  const struct ls_study_expected *expected = &figure->expected;
  bool has_expected = expected->origin != LS_STUDY_NOBODYS;
  ls_bytes_append_text(out, "{\"name\": ");
  ls_json_write_string(out, figure->name);
  write_member("ours", figure->ours, out);
  write_member("expected", expected->value, out);
  if (has_expected) {
    ls_bytes_printf(out, ", \"whose\": \"%s\", \"relation\": \"%s\"",
                    ls_study_origin_names[expected->origin], relations[expected->relation]);
  }
  if (ls_study_figure_is_judged(figure)) {
    write_member("tolerance", expected->tolerance, out);
    ls_bytes_printf(out, ", \"met\": %s", ls_study_figure_is_met(figure) ? "true" : "false");
  } else if (has_expected) {
    ls_bytes_append_text(out, ", \"not_judged\": ");
    ls_json_write_string(out, expected->why_not);
  }
  ls_bytes_append_char(out, '}');
}

static void write_json(const struct request *request, const struct ls_study *study,
                       const struct ls_study_report *report, struct ls_bytes *out) {
  ls_bytes_append_text(out, "{\"study\": ");
  ls_json_write_string(out, study->name);
  ls_bytes_append_text(out, ", \"source\": ");
  ls_json_write_string(out, study->reference);
  ls_bytes_printf(out, ", \"seed\": %llu, \"sample\": %llu, \"missed\": %zu,\n \"figures\": [",
                  (unsigned long long)request->options.seed,
                  (unsigned long long)request->options.sample, ls_study_missed(report));
  for (size_t i = 0; i < report->figures_count; i++) {
    ls_bytes_append_text(out, i > 0 ? ",\n  " : "\n  ");
    write_figure_json(&report->figures[i], out);
  }
  ls_bytes_append_text(out, "],\n \"drawings\": [");
  for (size_t i = 0; i < report->drawings_count; i++) {
    if (i > 0) ls_bytes_append_text(out, ", ");
    ls_json_write_string(out, report->drawings[i].name);
  }
  ls_bytes_append_text(out, "]}\n");
}

static enum ls_status write_drawing(const char *folder, const struct ls_study_drawing *drawing,
                                    struct ls_error *err) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", folder, drawing->name) < 0)
    return ls_fail(err, LS_ENOMEM, "no memory for the name of a drawing");
  enum ls_status status = ls_console_write_file(path, &drawing->svg, err);
  free(path);
  return status;
}

static enum ls_status write_drawings(const char *folder, const struct ls_study_report *report,
                                     struct ls_error *err) {
  if (folder == NULL || report->drawings_count == 0) return LS_OK;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return ls_fail(err, LS_EINVAL, "--out: %s cannot be made: %s", folder, strerror(errno));
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < report->drawings_count && status == LS_OK; i++)
    status = write_drawing(folder, &report->drawings[i], err);
  return status;
}

static enum ls_status put_out(struct ls_bytes *out, struct ls_error *err) {
  if (out->failed) return ls_fail(err, LS_ENOMEM, "no memory for the output");
  if (ls_console_write(STDOUT_FILENO, ls_bytes_text(out), out->length)) return LS_OK;
  return ls_fail(err, LS_EIO, "standard output: cannot be written: %s", strerror(errno));
}

/* ---- one study ---- */

static enum ls_status set_parameters(struct request *request, const struct ls_study *study,
                                     struct ls_error *err) {
  enum ls_status status = LS_OK;
  ls_arguments_init(&request->options.arguments, study->parameters);
  for (size_t i = 0; i < request->settings_count && status == LS_OK; i++) {
    const char *setting = request->settings[i], *value = strchr(setting, '=');
    char *parameter = strndup(setting, (size_t)(value - setting));
    status = parameter == NULL ? ls_fail(err, LS_ENOMEM, "no memory for a name")
                               : ls_arguments_set(&request->options.arguments, study->parameters,
                                                  parameter, value + 1, err);
    free(parameter);
  }
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--set, study %s", study->name);
}

/* What real runs gave for the study; the names of others' figures are not looked at. */
static enum ls_status find_measured(const struct request *request, const struct ls_study *study,
                                    const json_t *document, struct ls_json *measured,
                                    struct ls_error *err) {
  const char *format = "";
  struct ls_json top = ls_json_top(document, request->measured);
  struct ls_json member = ls_json_member(&top, "format");
  enum ls_status status = ls_json_string(&member, &format, err);
  if (status == LS_OK && strcmp(format, "loadstar-measured-1") != 0)
    status = ls_json_refuse(&member, "\"loadstar-measured-1\"", err);
  if (status != LS_OK) return status;
  *measured = ls_json_member(&top, study->name);
  return measured->value != NULL ? LS_OK : ls_json_refuse(measured, "an object of figures", err);
}

static enum ls_status play_study(struct request *request, const struct ls_study *study,
                                 struct ls_study_report *report, struct ls_error *err) {
  json_t *document = NULL;
  struct ls_json measured;
  if (request->measured == NULL) return study->run(&request->options, report, err);
  if (!study->takes_measured)
    return ls_fail(err, LS_EINVAL, "--measured is given, and the study %s looks at no real runs",
                   study->name);
  enum ls_status status = ls_console_read_json(request->measured, &document, err);
  if (status == LS_OK) status = find_measured(request, study, document, &measured, err);
  if (status == LS_OK) {
    request->options.measured = &measured;
    status = study->run(&request->options, report, err);
  }
  json_decref(document);
  return status;
}

static enum ls_status run_study(struct request *request, size_t *missed, struct ls_error *err) {
  const struct ls_study *study;
  struct ls_study_report report = {0};
  struct ls_bytes out = {0};
  enum ls_status status = find_study(request->name, &study, err);
  if (status != LS_OK) return status;
  status = set_parameters(request, study, err);
  if (status == LS_OK) status = play_study(request, study, &report, err);
  if (status == LS_OK && report.failure.status != LS_OK) {
    *err = report.failure;
    status = err->status;
  }
  if (status == LS_OK) status = write_drawings(request->folder, &report, err);
  if (status == LS_OK) {
    (request->wants_json ? write_json : write_text)(request, study, &report, &out);
    status = put_out(&out, err);
  }
  *missed = ls_study_missed(&report);
  ls_bytes_close(&out);
  ls_study_report_close(&report);
  ls_arguments_close(&request->options.arguments);
  return status;
}

static enum ls_status list_studies(const struct request *request, struct ls_error *err) {
  if (request->settings_count > 0)
    return ls_fail(err, LS_EINVAL, "--set is given without a NAME of a study");
  if (request->measured != NULL)
    return ls_fail(err, LS_EINVAL, "--measured is given without a NAME of a study");
  struct ls_bytes out = {0};
  (request->wants_json ? list_json : list_text)(&out);
  enum ls_status status = put_out(&out, err);
  ls_bytes_close(&out);
  return status;
}

int ls_study_main(int argc, char **argv, const struct ls_app *app) {
  (void)app; /* the experiments need no application */
  const char *name = argv[0];
  struct request request = {.jobs = ls_parallel_processes(), .options = {.seed = 1}};
  argp_err_exit_status = LS_EXIT_USAGE;
  if (ls_option_names_parse(&parser, argc, argv, 0, &request) != 0) return LS_EXIT_USAGE;
  request.options.processes = (size_t)request.jobs;
  struct ls_error err = {0};
  size_t missed = 0;
  enum ls_status status =
      request.name == NULL ? list_studies(&request, &err) : run_study(&request, &missed, &err);
  if (status != LS_OK) return ls_console_fail(name, &err);
  return missed > 0 ? LS_EXIT_FAILED : LS_EXIT_OK;
}
