/* Any text is refused in words, or tasks with names and times, by each of the readers. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "formats/task_times_text.h"
#include "fuzz.h"

static enum ls_status read_plain(struct ls_task_times *times, struct ls_text text,
                                 struct ls_error *err) {
  return ls_task_times_read_list(times, text, false, err);
}

static enum ls_status read_sizes(struct ls_task_times *times, struct ls_text text,
                                 struct ls_error *err) {
  return ls_task_times_read_list(times, text, true, err);
}

static void check(const struct ls_task_times *times) {
  for (size_t i = 0; i < times->count; i++) {
    const struct ls_task_time *item = &times->items[i];
    const char *name = ls_task_times_name(times, i);
    assert(item->length > 0 && strlen(name) == item->length && strchr(name, '\n') == NULL);
    assert(item->count == 0 || (item->mean_s >= 0 && item->mean_s <= LS_TASK_SECONDS_MAX));
    assert(item->squares >= 0 && isfinite(item->squares) && item->size >= 0);
    assert(ls_task_times_find(times, name, item->length) <= i);
  }
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ls_task_times_reader_fn readers[] = {ls_task_times_read_csv,
                                             ls_task_times_read_joblog,
                                             ls_task_times_read_sacct,
                                             ls_task_times_read_junit,
                                             ls_task_times_read_durations,
                                             read_plain,
                                             read_sizes};
  fuzz_accepts = false;
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
    struct ls_task_times times = {.same_names = (enum ls_same_names)(size % 3)};
    struct ls_text text = {(const char *)data, size, "input"};
    /* The same file twice: each task is measured again. */
    for (int turn = 0; turn < 2; turn++) {
      struct ls_error err = {0};
      enum ls_status status = readers[i](&times, text, &err);
      assert(status == LS_OK || err.text[0] != '\0');
      if (status == LS_OK && times.count > 0 && readers[i] != read_plain) fuzz_accepts = true;
    }
    check(&times);
    ls_task_times_close(&times);
  }
  (void)ls_task_times_is_csv((const char *)data, size);
  return 0;
}
