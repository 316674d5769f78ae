#include "cli/platform_source.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "formats/platform_json.h"
#include "formats/platform_line.h"

enum { KEY_PLATFORM = 'p', KEY_FLOPS = 0x300, KEY_BYTES, KEY_STAGE_AHEAD };

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Platform", 1},
    {"platform", KEY_PLATFORM, "PLATFORM", 0,
     "A file of JSON or SimGrid XML, or one line: \"10x(compute=0.3+1x, transfer=0.1+0.05x)\"", 1},
    {"unit-flops", KEY_FLOPS, "N", 0, "SimGrid XML: flops of one unit of load (default: 1e9)", 1},
    {"unit-bytes", KEY_BYTES, "N", 0, "SimGrid XML: bytes of one unit of load (default: 1e6)", 1},
    {"stage-ahead", KEY_STAGE_AHEAD, "K", 0,
     "Chunks that a worker has staged and not begun, 0 to 64 (default: 1)", 1},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_platform_source *source = state->input;
  struct ls_error err = {0};
  switch (key) {
    case KEY_PLATFORM:
      source->text = argument;
      return 0;
    case KEY_FLOPS:
      if (ls_console_real("--unit-flops", argument, (struct ls_real_range){DBL_MIN, DBL_MAX},
                          &source->unit.flops, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case KEY_BYTES:
      if (ls_console_real("--unit-bytes", argument, (struct ls_real_range){DBL_MIN, DBL_MAX},
                          &source->unit.bytes, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case KEY_STAGE_AHEAD: {
      uint64_t ahead = 0;
      if (ls_console_whole("--stage-ahead", argument,
                           (struct ls_whole_range){0, LS_STAGE_AHEAD_MOST}, &ahead, &err) != LS_OK)
        argp_error(state, "%s", err.text);
      source->stage_ahead = (uint32_t)ahead;
      return 0;
    }
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp ls_platform_source_argp = {.options = option_table, .parser = parse_option};

struct ls_platform_source ls_platform_source_default(void) {
  return (struct ls_platform_source){.unit = ls_simgrid_unit_default(),
                                     .stage_ahead = LS_STAGE_AHEAD_DEFAULT};
}

static enum ls_status read_content(const struct ls_platform_source *source, const char *name,
                                   const struct ls_bytes *text, struct ls_platform *platform,
                                   struct ls_error *err) {
  const struct ls_text body = {ls_bytes_text(text), text->length, name};
  switch (body.data[strspn(body.data, " \t\r\n")]) {
    case '{':
    case '[':
      return ls_platform_read(platform, body, err);
    case '<':
      return ls_platform_read_simgrid(platform, body, &source->unit, err);
    default:
      return ls_platform_read_line(platform, body, err);
  }
}

static enum ls_status read_source(const struct ls_platform_source *source,
                                  struct ls_platform *platform, struct ls_error *err) {
  const char *text = source->text;
  if (text == NULL)
    return ls_fail(err, LS_EINVAL,
                   "--platform is missing, expected a file or a line such as 4x(compute=1x)");
  bool is_line = strchr(text, '(') != NULL && access(text, F_OK) != 0;
  if (is_line)
    return ls_platform_read_line(platform, (struct ls_text){text, strlen(text), "--platform"}, err);
  struct ls_bytes content = {0};
  const char *name = strcmp(text, "-") == 0 ? "standard input" : text;
  enum ls_status status = ls_console_read(text, &content, err);
  if (status != LS_OK) {
    ls_bytes_close(&content);
    return ls_fail_while(err, status, "--platform");
  }
  status = read_content(source, name, &content, platform, err);
  ls_bytes_close(&content);
  return status;
}

enum ls_status ls_platform_source_read(const struct ls_platform_source *source,
                                       struct ls_platform *platform, struct ls_error *err) {
  enum ls_status status = read_source(source, platform, err);
  if (status == LS_OK) platform->stage_ahead = source->stage_ahead;
  return status;
}

enum ls_status ls_platform_source_write(const struct ls_platform *platform,
                                        const struct ls_simgrid_unit *unit, const char *path,
                                        struct ls_error *err) {
  struct ls_bytes text = {0};
  size_t length = strlen(path);
  bool is_xml = length > 4 && strcmp(path + length - 4, ".xml") == 0;
  enum ls_status status = LS_OK;
  if (is_xml)
    status = ls_platform_write_simgrid(platform, unit, &text, err);
  else
    ls_platform_write(platform, &text);
  if (status == LS_OK) status = ls_console_write_file(path, &text, err);
  ls_bytes_close(&text);
  return status;
}
