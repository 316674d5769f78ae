#include "cli/completion/completion_script.h"
#include "cli/short_help.h"

#include <string.h>

enum { HELP_BYTES = 60 };
static const char quote[] = "'\\''";

static void write_escaped(const char *text, size_t length, const char *special,
                          struct ls_bytes *out) {
  ls_completion_escape(text, length, special, quote, out);
}

/* What stands behind a name of an option: [help]:argument:what completes it. */
static void write_rest(const json_t *option, struct ls_bytes *out) {
  const char *help = ls_completion_text(option, "help");
  const char *argument = ls_completion_text(option, "argument");
  const json_t *words = json_object_get(option, "words");
  ls_bytes_append_char(out, '[');
  if (help != NULL) write_escaped(help, ls_short_help_measure(help, HELP_BYTES), "\\[]", out);
  ls_bytes_append_char(out, ']');
  if (argument == NULL) return;
  bool is_optional = json_is_true(json_object_get(option, "argument_optional"));
  ls_bytes_append_text(out, is_optional ? "::" : ":");
  write_escaped(argument, strlen(argument), "\\:", out);
  if (json_is_array(words)) {
    ls_bytes_append_text(out, ":(");
    ls_completion_join(words, " ", out);
    ls_bytes_append_char(out, ')');
  } else {
    ls_bytes_append_text(out, ls_completion_takes_folder(option) ? ":_files -/" : ":_files");
  }
}

/* How the value follows: "=" or "+" in the same word or the next one, "-" in the same one only. */
static const char *find_mark(const json_t *option, bool is_long) {
  bool is_optional = json_is_true(json_object_get(option, "argument_optional"));
  if (ls_completion_text(option, "argument") == NULL) return "";
  if (is_long) return is_optional ? "=-" : "=";
  return is_optional ? "-" : "+";
}

static void write_option(const json_t *option, struct ls_bytes *out) {
  json_t *spellings = ls_completion_spellings(option);
  size_t index;
  const json_t *spelling;
  json_array_foreach(spellings, index, spelling) {
    const char *text = json_string_value(spelling);
    ls_bytes_printf(out, "        '*%s%s", text, find_mark(option, text[1] == '-'));
    write_rest(option, out);
    ls_bytes_append_text(out, "' \\\n");
  }
  json_decref(spellings);
}

static void write_subcommand(const json_t *subcommand, struct ls_bytes *out) {
  const json_t *table = json_object_get(subcommand, "table"), *option;
  const json_t *words = json_object_get(table, "words");
  size_t index;
  ls_bytes_printf(out, "    %s)\n      _arguments -s -S \\\n",
                  ls_completion_text(subcommand, "name"));
  json_array_foreach(json_object_get(table, "options"), index, option) write_option(option, out);
  if (json_is_array(words)) {
    ls_bytes_append_text(out, "        '*:word:(");
    ls_completion_join(words, " ", out);
    ls_bytes_append_text(out, ")'\n");
  } else if (ls_completion_takes_command(table, true)) {
    ls_bytes_append_text(out, "        '*::command:_normal'\n");
  } else {
    ls_bytes_append_text(out, "        '*:file:_files'\n");
  }
  ls_bytes_append_text(out, "      ;;\n");
}

void ls_completion_zsh(const struct ls_completion *completion, struct ls_bytes *out) {
  const char *function = completion->function, *program = completion->program;
  ls_bytes_printf(out,
                  "#compdef %s\n"
                  "# Completion of %s for zsh, made by `%s completion zsh'.\n\n"
                  "_%s() {\n"
                  "  local name=$words[2]\n"
                  "  local -a subcommands=(\n",
                  program, program, program, function);
  size_t index;
  const json_t *subcommand;
  json_array_foreach(completion->subcommands, index, subcommand) {
    const char *summary = ls_completion_text(subcommand, "summary");
    ls_bytes_printf(out, "    '%s:", ls_completion_text(subcommand, "name"));
    write_escaped(summary, strlen(summary), "\\", out);
    ls_bytes_append_text(out, "'\n");
  }
  ls_bytes_append_text(out,
                       "  )\n"
                       "  if [[ $CURRENT -eq 2 || $name == help ]]; then\n"
                       "    _describe -t commands subcommand subcommands\n"
                       "    return\n"
                       "  fi\n"
                       "  shift words\n"
                       "  ((CURRENT--))\n"
                       "  case $name in\n");
  json_array_foreach(completion->subcommands, index, subcommand) write_subcommand(subcommand, out);
  ls_bytes_printf(out,
                  "  esac\n"
                  "}\n\n"
                  "# As a file of $fpath this is the body of the function itself.\n"
                  "if [ \"$funcstack[1]\" = _%s ]; then\n"
                  "  _%s \"$@\"\n"
                  "else\n"
                  "  compdef _%s %s\n"
                  "fi\n",
                  function, function, function, program);
}
