#include "cli/run/input_options.h"

#include <string.h>

/* Away from those of the other tables. Those of strings with spellings of their own stand in the
 * order of these. */
enum {
  KEY_LINK_INPUTS = 3584,
  KEY_CSV,
  KEY_HEADER,
  KEY_TRIM,
  KEY_ARG_SEP,
  KEY_ARG_FILE_SEP,
  KEY_PLUS,
  KEY_PARENS,
  KEY_RPL,
  KEY_SPELLING, /* with the number of the spelling added */
  KEY_END = KEY_SPELLING + LS_SPELLINGS
};

const struct argp_option ls_input_options_table[] = {
    {NULL, 0, NULL, 0, "Inputs", 2},
    {"null", '0', NULL, 0, "Inputs in files end in a zero byte, not in a line end", 2},
    {"delimiter", 'd', "TEXT", 0, "Inputs in files end in TEXT, such as , or ; or \\t or \\x1f", 2},
    {"colsep", 'C', "RE", 0,
     "Each input is a row: {1} {2/.} ... are its columns, which RE separates", 2},
    {"csv", KEY_CSV, NULL, 0,
     "Each input, or record of data in blocks, is a row of CSV; --colsep names another separator",
     2},
    {"header", KEY_HEADER, "H", 0,
     "H is : -- the first input of each source names its columns: {NAME} {NAME.} ...; with data in "
     "blocks: the first H lines (: is 1), or what the expression H matches, come before each block",
     2},
    {0}};

const struct argp_option ls_input_dialect_table[] = {
    {"trim", KEY_TRIM, "ENDS", 0, NULL, 2},
    {"eof", 'E', "TEXT", 0, NULL, 2},
    {"no-run-if-empty", 'r', NULL, 0, NULL, 2},
    {"link", KEY_LINK_INPUTS, NULL, 0, NULL, 2},
    {"arg-sep", KEY_ARG_SEP, "WORD", 0, NULL, 2},
    {"arg-file-sep", KEY_ARG_FILE_SEP, "WORD", 0, NULL, 2},
    {"plus", KEY_PLUS, NULL, 0, NULL, 2},
    {"rpl", KEY_RPL, "TAG CODE", 0, NULL, 2},
    {"parens", KEY_PARENS, "BRACKETS", 0, NULL, 2},
    {"replace-string", 'I', "TEXT", 0, NULL, 2},
    {"extensionreplace", KEY_SPELLING + LS_SPELLING_STEM, "TEXT", 0, NULL, 2},
    {"basenamereplace", KEY_SPELLING + LS_SPELLING_BASE, "TEXT", 0, NULL, 2},
    {"dirnamereplace", KEY_SPELLING + LS_SPELLING_DIRECTORY, "TEXT", 0, NULL, 2},
    {"basenameextensionreplace", KEY_SPELLING + LS_SPELLING_BASE_STEM, "TEXT", 0, NULL, 2},
    {"seqreplace", KEY_SPELLING + LS_SPELLING_SEQUENCE, "TEXT", 0, NULL, 2},
    {"slotreplace", KEY_SPELLING + LS_SPELLING_SLOT, "TEXT", 0, NULL, 2},
    {0}};

bool ls_input_options_has(int key) {
  bool is_letter = key > 0 && key < 128 && strchr("0dCErI", key) != NULL;
  return is_letter || (key >= KEY_LINK_INPUTS && key < KEY_END);
}

static enum ls_status read_trim(struct ls_input_options *options, const char *text,
                                struct ls_error *err) {
  static const char *const ends[] = {"n", "l", "r", "lr", "rl"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    if (strcmp(ends[i], text) != 0) continue;
    options->has_trim = true;
    options->trims_left = strchr(text, 'l') != NULL;
    options->trims_right = strchr(text, 'r') != NULL;
    return LS_OK;
  }
  return ls_fail(err, LS_EINVAL, "--trim is '%.40s', expected n, l, r or lr", text);
}

static enum ls_status keep(const char *option, const char *text, const char **out,
                           struct ls_error *err) {
  if (text[0] == '\0') return ls_fail(err, LS_EINVAL, "%s is empty, expected a text", option);
  *out = text;
  return LS_OK;
}

static enum ls_status add_rule(struct ls_input_options *options, const char *text,
                               struct ls_error *err) {
  if (options->rules_count == LS_INPUT_RULES_MAX)
    return ls_fail(err, LS_EINVAL, "--rpl '%.40s': at most %d of them can be given", text,
                   LS_INPUT_RULES_MAX);
  options->rules[options->rules_count++] = text;
  return LS_OK;
}

static enum ls_status read_parens(struct ls_input_options *options, const char *text,
                                  struct ls_error *err) {
  size_t length = strlen(text);
  options->parens = text;
  if (length >= 2 && length % 2 == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--parens is '%.40s', expected two halves of one length, such as {==} or ,,,,",
                 text);
}

enum ls_status ls_input_options_read(struct ls_input_options *options, int key, const char *text,
                                     struct ls_error *err) {
  switch (key) {
    case '0':
      options->form.stop[0] = '\0';
      options->form.stop_length = 1;
      return LS_OK;
    case 'd':
      return ls_input_form_read_stop(&options->form, text, err);
    case 'C':
      options->colsep = text;
      return LS_OK;
    case 'E':
      options->form.last = text;
      return LS_OK;
    case 'r':
      options->form.skips_blank = true;
      return LS_OK;
    case 'I':
      return keep("-I", text, &options->spellings[LS_SPELLING_VALUE], err);
    case KEY_LINK_INPUTS:
      options->is_linked = true;
      return LS_OK;
    case KEY_CSV:
      options->form.is_csv = true;
      return LS_OK;
    case KEY_HEADER:
      options->header = text;
      return LS_OK;
    case KEY_TRIM:
      return read_trim(options, text, err);
    case KEY_ARG_SEP:
      return keep("--arg-sep", text, &options->marks.values, err);
    case KEY_ARG_FILE_SEP:
      return keep("--arg-file-sep", text, &options->marks.files, err);
    case KEY_PLUS:
      options->has_plus = true;
      return LS_OK;
    case KEY_PARENS:
      return read_parens(options, text, err);
    case KEY_RPL:
      return add_rule(options, text, err);
    default:
      return keep("a replacement string", text, &options->spellings[key - KEY_SPELLING], err);
  }
}

enum ls_status ls_input_options_check(struct ls_input_options *options, struct ls_error *err) {
  const struct ls_source_marks *marks = &options->marks;
  const char *values = marks->values == NULL ? ":::" : marks->values;
  const char *files = marks->files == NULL ? "::::" : marks->files;
  if (strcmp(values, files) == 0)
    return ls_fail(err, LS_EINVAL, "--arg-sep and --arg-file-sep both are '%s'", values);
  if (options->header != NULL && strcmp(options->header, ":") != 0)
    return ls_fail(
        err, LS_EINVAL,
        "--header is '%.40s', expected : (the first input of each source; with --pipe or "
        "--pipe-part also a number of lines, or an expression)",
        options->header);
  if (!options->form.is_csv) return LS_OK;
  if (options->form.stop_length > 0)
    return ls_fail(err, LS_EINVAL, "--csv excludes --null and --delimiter: rows end in line ends");
  if (options->colsep == NULL) return LS_OK;
  const char *separator = strcmp(options->colsep, "\\t") == 0 ? "\t" : options->colsep;
  options->form.csv_separator = separator[0];
  if (strlen(separator) == 1 && strchr("\"\n\r", separator[0]) == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--colsep is '%.40s', with --csv one character is expected",
                 options->colsep);
}

bool ls_input_options_need_all(const struct ls_input_options *options, const char *text,
                               size_t length) {
  static const char *const strings[] = {"##}", "0#}", "choose_k}", "uniq}"};
  bool needs_all = options->header != NULL;
  for (size_t i = 0; i < sizeof strings / sizeof *strings && options->has_plus; i++)
    needs_all = needs_all || memmem(text, length, strings[i], strlen(strings[i])) != NULL;
  return needs_all;
}
