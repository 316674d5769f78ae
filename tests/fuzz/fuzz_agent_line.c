/* Any text is none of an agent's lines, or one whose own text says the same again. The first line
 * is found behind any text, too. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/agent_line.h"

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  struct ls_agent_line line, again;
  struct ls_bytes written = {0}, twice = {0};
  if (ls_agent_line_find_hello((struct ls_text){text, size, "fuzz"}, &line))
    assert(line.kind == LS_AGENT_HELLO && strlen(line.words) <= LS_AGENT_WORDS_MAX);
  fuzz_accepts = ls_agent_line_read((struct ls_text){text, size, "fuzz"}, &line);
  if (!fuzz_accepts) return 0;
  ls_agent_line_write(&line, &written);
  assert(memchr(written.data, '\n', written.length) == written.data + written.length - 1);
  bool is_read =
      ls_agent_line_read((struct ls_text){written.data, written.length - 1, "written"}, &again);
  assert(is_read);
  (void)is_read;
  ls_agent_line_write(&again, &twice);
  assert(strcmp(written.data, twice.data) == 0);
  ls_bytes_close(&written);
  ls_bytes_close(&twice);
  return 0;
}
