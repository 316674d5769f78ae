#include "cli/completion/completion_script.h"

#include <string.h>

const char *ls_completion_text(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static void add_spellings(json_t *spellings, const json_t *names) {
  const char *name = ls_completion_text(names, "long"),
             *letter = ls_completion_text(names, "short");
  if (name != NULL) (void)json_array_append_new(spellings, json_sprintf("--%s", name));
  if (letter != NULL) (void)json_array_append_new(spellings, json_sprintf("-%s", letter));
}

json_t *ls_completion_spellings(const json_t *option) {
  json_t *spellings = json_array();
  size_t index;
  const json_t *synonym;
  add_spellings(spellings, option);
  json_array_foreach(json_object_get(option, "synonyms"), index, synonym)
      add_spellings(spellings, synonym);
  return spellings;
}

bool ls_completion_takes_folder(const json_t *option) {
  const char *argument = ls_completion_text(option, "argument");
  return argument != NULL && strcmp(argument, "DIR") == 0;
}

bool ls_completion_takes_command(const json_t *table, bool is_first) {
  static const char first[] = "[--] COMMAND";
  const char *usage = ls_completion_text(table, "usage");
  if (usage == NULL) return false;
  return is_first ? strncmp(usage, first, strlen(first)) == 0 : strstr(usage, "COMMAND") != NULL;
}

void ls_completion_join(const json_t *words, const char *between, struct ls_bytes *out) {
  for (size_t i = 0; i < json_array_size(words); i++)
    ls_bytes_printf(out, "%s%s", i == 0 ? "" : between,
                    json_string_value(json_array_get(words, i)));
}

void ls_completion_names(const struct ls_completion *completion, struct ls_bytes *out) {
  for (size_t i = 0; i < json_array_size(completion->subcommands); i++)
    ls_bytes_printf(out, "%s%s", i == 0 ? "" : " ",
                    ls_completion_text(json_array_get(completion->subcommands, i), "name"));
}

void ls_completion_escape(const char *text, size_t length, const char *special, const char *quote,
                          struct ls_bytes *out) {
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') {
      ls_bytes_append_text(out, quote);
      continue;
    }
    if (strchr(special, text[i]) != NULL) ls_bytes_append_char(out, '\\');
    ls_bytes_append_char(out, text[i]);
  }
}
