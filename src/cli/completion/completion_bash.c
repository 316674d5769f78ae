#include "cli/completion/completion_script.h"

/* "--policy" and "--policy=" for an option whose value may be the next word, else the latter. */
static void write_pattern(const json_t *option, struct ls_bytes *out) {
  json_t *spellings = ls_completion_spellings(option);
  bool is_optional = json_is_true(json_object_get(option, "argument_optional"));
  size_t index;
  const json_t *spelling;
  json_array_foreach(spellings, index, spelling) {
    const char *text = json_string_value(spelling), *before = index == 0 ? "" : " | ";
    if (is_optional)
      ls_bytes_printf(out, "%s%s=", before, text);
    else
      ls_bytes_printf(out, "%s%s | %s=", before, text, text);
  }
  json_decref(spellings);
}

/* What the value of an option may be: where that is not a file, or words after the options
 * (`has_operands`) could be taken for it. */
static void write_value(const json_t *option, bool has_operands, struct ls_bytes *out) {
  const json_t *words = json_object_get(option, "words");
  bool is_folder = ls_completion_takes_folder(option);
  bool is_file = has_operands && ls_completion_text(option, "argument") != NULL;
  if (!json_is_array(words) && !is_folder && !is_file) return;
  ls_bytes_append_text(out, "        ");
  write_pattern(option, out);
  ls_bytes_append_text(out, ") ");
  if (json_is_array(words)) {
    ls_bytes_append_text(out, "values='");
    ls_completion_join(words, " ", out);
    ls_bytes_append_text(out, "' ;;\n");
  } else {
    ls_bytes_printf(out, "operands='' kind=%s ;;\n", is_folder ? "directory" : "file");
  }
}

static void write_subcommand(const json_t *subcommand, struct ls_bytes *out) {
  const json_t *table = json_object_get(subcommand, "table");
  const json_t *options = json_object_get(table, "options"), *option;
  const json_t *operands = json_object_get(table, "words");
  size_t index;
  ls_bytes_printf(out, "    %s)\n      options='", ls_completion_text(subcommand, "name"));
  json_array_foreach(options, index, option) {
    json_t *spellings = ls_completion_spellings(option);
    if (index > 0) ls_bytes_append_char(out, ' ');
    ls_completion_join(spellings, " ", out);
    json_decref(spellings);
  }
  ls_bytes_append_text(out, "'\n      operands='");
  ls_completion_join(operands, " ", out);
  ls_bytes_printf(out, "'\n      after='%s'\n      case $before in\n",
                  ls_completion_takes_command(table, false) ? "command" : "file");
  json_array_foreach(options, index, option) write_value(option, json_is_array(operands), out);
  ls_bytes_append_text(out, "      esac\n      ;;\n");
}

static const char body[] =
    "  esac\n"
    "  # Words after -- are no options.\n"
    "  for ((index = 2; index < COMP_CWORD; index++)); do\n"
    "    if [ \"${COMP_WORDS[index]}\" == -- ]; then\n"
    "      options='' operands='' values='' kind=file\n"
    "      [ $((index + 1)) -eq \"$COMP_CWORD\" ] && kind=$after\n"
    "      break\n"
    "    fi\n"
    "  done\n"
    "  if [ -n \"$values\" ]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
    "  elif [[ $word == -* && -n $options && $before != *= ]]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
    "  elif [ -n \"$operands\" ]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$word\")\n"
    "  else\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -A \"$kind\" -- \"$word\")\n"
    "  fi\n"
    "}\n\n";

void ls_completion_bash(const struct ls_completion *completion, struct ls_bytes *out) {
  ls_bytes_printf(out,
                  "# Completion of %s for bash, made by `%s completion bash'.\n\n"
                  "_%s() {\n"
                  "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                  "  local subcommand=${COMP_WORDS[1]} subcommands index\n"
                  "  local options='' operands='' values='' kind=file after=file\n"
                  "  subcommands='",
                  completion->program, completion->program, completion->function);
  ls_completion_names(completion, out);
  ls_bytes_append_text(
      out,
      "'\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$subcommands help --help --version\" -- "
      "\"$word\")\n"
      "    return\n"
      "  fi\n"
      "  # \"--policy=g\" arrives as three words.\n"
      "  if [ \"$word\" == = ]; then\n"
      "    word='' before=$before=\n"
      "  elif [ \"$before\" == = ]; then\n"
      "    before=${COMP_WORDS[COMP_CWORD - 2]}=\n"
      "  fi\n"
      "  case $subcommand in\n"
      "    help) operands=$subcommands ;;\n");
  for (size_t i = 0; i < json_array_size(completion->subcommands); i++)
    write_subcommand(json_array_get(completion->subcommands, i), out);
  ls_bytes_append_text(out, body);
  ls_bytes_printf(out, "complete -F _%s %s\n", completion->function, completion->program);
}
