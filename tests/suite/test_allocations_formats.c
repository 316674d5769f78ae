/* Whichever allocation fails, formats, protocol and report say so and leave nothing behind.
 *
 * Tokens of the JSON texts are short: jansson 2.14 drops a byte of a token, and says nothing, when
 * its buffer for a long one cannot grow.
 */
#include "formats/account_json.h"
#include "formats/plan_json.h"
#include "formats/platform_json.h"
#include "formats/platform_line.h"
#include "formats/platform_simgrid.h"
#include "formats/timeline_json.h"
#include "model/replay.h"
#include "protocol/command.h"
#include "protocol/message.h"
#include "report/plot.h"
#include "report/report.h"
#include "scarce_model.h"

/* ---- formats ---- */

static struct ls_text text_of(const char *words) {
  return (struct ls_text){words, strlen(words), "scarce"};
}

static enum ls_status take_platform(enum ls_status status, struct ls_platform *platform) {
  memory_is_plenty();
  if (status == LS_OK)
    ls_platform_close(platform);
  else
    scarce_require_untouched("platform", platform, sizeof *platform);
  return status;
}

static enum ls_status try_read_json(const void *context, struct ls_error *err) {
  struct ls_platform platform;
  scarce_mark(&platform, sizeof platform);
  return take_platform(ls_platform_read(&platform, text_of(context), err), &platform);
}

static enum ls_status try_read_line(const void *context, struct ls_error *err) {
  struct ls_platform platform;
  scarce_mark(&platform, sizeof platform);
  return take_platform(ls_platform_read_line(&platform, text_of(context), err), &platform);
}

static enum ls_status try_read_simgrid(const void *context, struct ls_error *err) {
  struct ls_platform platform;
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  scarce_mark(&platform, sizeof platform);
  return take_platform(ls_platform_read_simgrid(&platform, text_of(context), &unit, err),
                       &platform);
}

static enum ls_status try_write_simgrid(const void *context, struct ls_error *err) {
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  struct ls_bytes out = {0};
  enum ls_status status = ls_platform_write_simgrid(context, &unit, &out, err);
  memory_is_plenty();
  if (status == LS_OK) status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

static enum ls_status try_write_json(const void *context, struct ls_error *err) {
  struct ls_bytes out = {0};
  ls_platform_write(context, &out);
  memory_is_plenty();
  enum ls_status status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

static const char platform_json[] =
    "{\"workers\": [{\"name\": \"a\", \"compute\": {\"latency\": 1, \"per_unit\": 2}},"
    " {\"name\": \"b\", \"count\": 3, \"window\": {\"from\": 1, \"to\": 9}, \"cost\": 2},"
    " {\"windows\": [{\"to\": 4}, {\"from\": 5, \"compute\": {\"latency\": 1}}]}],"
    " \"master\": {\"prepare\": {\"latency\": 1}}, \"ports\": \"one-port\"}";
static const char platform_line[] =
    "3x(name=node, compute=0.3+1x, transfer=0.1+0.05x); (compute=2x, window=1:9); prepare=0.1";

static void platforms_survive(void **state) {
  struct ls_platform platform;
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  struct ls_bytes xml = {0};
  (void)state;
  scarce_require("platform as JSON", try_read_json, platform_json);
  scarce_require("platform in one line", try_read_line, platform_line);
  scarce_open_platform(LS_PORTS_MULTI, &platform);
  scarce_require("JSON written", try_write_json, &platform);
  ls_worker_take_window(&platform.workers[1], 0); /* XML has no words for several */
  assert_int_equal(ls_platform_write_simgrid(&platform, &unit, &xml, NULL), LS_OK);
  scarce_require("SimGrid's XML read", try_read_simgrid, ls_bytes_text(&xml));
  scarce_require("SimGrid's XML written", try_write_simgrid, &platform);
  ls_bytes_close(&xml);
  ls_platform_close(&platform);
}

static const char plan_json[] =
    "{\"algorithm\": \"scarce\", \"load\": 9, \"chunks\": [{\"worker\": 0, \"units\": 1},"
    " {\"worker\": 1, \"units\": 2}, {\"worker\": 2, \"units\": 3}, {\"worker\": 0, \"units\": 3}],"
    " \"returns\": [3, 0, 1, 2], \"parameters\": {\"theta\": 0.5, \"note\": \"none\"}}";
static const char repeating_json[] =
    "{\"chunks\": [{\"worker\": 0, \"units\": 1}, {\"worker\": 1, \"units\": 2}],"
    " \"repeat\": {\"from\": 0, \"to\": 2, \"times\": 30}, \"parameters\": {\"theta\": 1}}";

struct plan_reading {
  const char *text;
  const struct ls_platform *platform; /* NULL: not at hand */
};

static enum ls_status try_read_plan(const void *context, struct ls_error *err) {
  const struct plan_reading *reading = context;
  struct ls_plan plan;
  scarce_mark(&plan, sizeof plan);
  enum ls_status status =
      reading->platform != NULL
          ? ls_plan_read(&plan, text_of(reading->text), reading->platform, err)
          : ls_plan_read_chunks(&plan, text_of(reading->text), SCARCE_WORKERS, err);
  memory_is_plenty();
  if (status == LS_OK)
    ls_plan_close(&plan);
  else
    scarce_require_untouched("plan", &plan, sizeof plan);
  return status;
}

struct plan_writing {
  const struct ls_plan *plan;
  const struct ls_platform *platform;
};

static enum ls_status try_write_plan(const void *context, struct ls_error *err) {
  const struct plan_writing *writing = context;
  struct ls_bytes out = {0};
  ls_plan_write(writing->plan, writing->platform, &out);
  memory_is_plenty();
  enum ls_status status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

static enum ls_status try_plan_text(const void *context, struct ls_error *err) {
  const struct plan_writing *writing = context;
  struct ls_report_options options = {.title = "scarce"};
  struct ls_bytes out = {0};
  ls_report_plan(writing->plan, writing->platform, &options, &out);
  memory_is_plenty();
  enum ls_status status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

static void plans_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < SCARCE_PLANS; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    scarce_open_platform(scarce_plans[i].ports, &platform);
    scarce_build_plan(&scarce_plans[i], &plan);
    struct plan_writing writing = {&plan, &platform};
    scarce_require("plan not replayed written", try_write_plan, &writing);
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
    scarce_require("plan written", try_write_plan, &writing);
    scarce_require("plan as text", try_plan_text, &writing);
    const char *const texts[] = {plan_json, repeating_json};
    for (size_t k = 0; k < 2; k++) {
      scarce_require("plan read", try_read_plan, &(struct plan_reading){texts[k], &platform});
      scarce_require("chunks read", try_read_plan, &(struct plan_reading){texts[k], NULL});
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* ---- report ---- */

struct report {
  const struct ls_report_format *format;
  const struct ls_timeline *timeline;
};

static enum ls_status try_report(const void *context, struct ls_error *err) {
  const struct report *report = context;
  struct ls_report_options options = {.title = "scarce", .perfect_workers = 2};
  struct ls_bytes out = {0};
  report->format->write(report->timeline, &options, &out);
  memory_is_plenty();
  enum ls_status status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

static enum ls_status try_write_timeline(const void *context, struct ls_error *err) {
  struct ls_bytes out = {0};
  ls_timeline_write(context, &(struct ls_timeline_extras){.has_spans = true, .has_notes = true},
                    &out);
  memory_is_plenty();
  enum ls_status status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

static enum ls_status try_comparison(const void *context, struct ls_error *err) {
  struct ls_comparison read;
  struct ls_bytes out = {0};
  ls_comparison_write(context, &out);
  enum ls_status status = scarce_bytes(&out, err);
  scarce_mark(&read, sizeof read);
  if (status == LS_OK)
    status = ls_comparison_read((struct ls_text){ls_bytes_text(&out), out.length, "j"}, &read, err);
  memory_is_plenty();
  if (status != LS_OK) scarce_require_untouched("comparison", &read, sizeof read);
  ls_bytes_close(&out);
  return status;
}

static enum ls_status try_plot(const void *context, struct ls_error *err) {
  static const double x[] = {1, 2, 4, 8}, y[] = {0, 3, (double)NAN, 5};
  static const struct ls_plot_series series[] = {
      {"one", x, y, 4, true, true}, {"other", x, y, 4, true, true}, {"", y, x, 4, false, true}};
  struct ls_plot plot = {.title = "a title",
                         .subtitle = "a subtitle",
                         .x = {.label = "x", .is_log = true},
                         .y = {.label = "y", .has_zero = true},
                         .series = series,
                         .series_count = 3};
  struct ls_bytes out = {0};
  (void)context;
  ls_plot_write(&plot, &out);
  memory_is_plenty();
  enum ls_status status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

/* Few spans are drawn one by one, many as a crowd. */
static void reports_survive(void **state) {
  (void)state;
  for (int is_crowd = 0; is_crowd < 2; is_crowd++) {
    struct ls_timeline timeline;
    scarce_build_timeline(&timeline, false);
    for (int k = 0; is_crowd != 0 && k < 30000; k++) {
      struct ls_span span = {.resource = LS_RESOURCE_WORKER,
                             .operation = LS_OPERATION_COMPUTE,
                             .chunk = 1,
                             .units = 1,
                             .start_s = 15 + k,
                             .end_s = 15.75 + k};
      ls_timeline_add_span(&timeline, &span);
      timeline.makespan_s = span.end_s;
    }
    for (size_t i = 0; ls_report_formats[i] != NULL; i++) {
      struct report report = {ls_report_formats[i], &timeline};
      if (is_crowd != 0 && report.format != &ls_report_svg) continue;
      scarce_require(report.format->name, try_report, &report);
    }
    if (is_crowd == 0) scarce_require("timeline as JSON", try_write_timeline, &timeline);
    if (is_crowd == 0)
      scarce_require("comparison", try_comparison, &(struct ls_comparison){.has_happened = true});
    ls_timeline_close(&timeline);
  }
  scarce_require("plot", try_plot, NULL);
}

/* ---- protocol ---- */

static enum ls_status try_encode(const void *context, struct ls_error *err) {
  struct ls_bytes out = {0};
  ls_message_encode(context, &out);
  memory_is_plenty();
  enum ls_status status = scarce_bytes(&out, err);
  ls_bytes_close(&out);
  return status;
}

static enum ls_status try_decode(const void *context, struct ls_error *err) {
  const struct ls_blob *frame = context;
  struct ls_decoder decoder = {0};
  struct ls_message message;
  size_t offset = 0;
  scarce_mark(&message, sizeof message);
  enum ls_status status = ls_message_decode_next(&decoder, frame, &offset, &message, err);
  memory_is_plenty();
  if (status != LS_OK) {
    scarce_require_untouched("message", &message, sizeof message);
    assert_int_equal(offset, 0);
  }
  ls_decoder_close(&decoder);
  return status;
}

static void messages_survive(void **state) {
  static const struct ls_range ranges[] = {{3, 4}, {9, 1}, {20, 5}};
  static const double times[] = {0.5, 1, 2};
  static const unsigned char content[LS_CONTENT_BYTES];
  static const struct ls_message_held held[] = {{1, {3, 2}}, {2, {7, 1}}};
  (void)state;
  for (int kind = 0; kind < LS_MESSAGE_COUNT; kind++) {
    struct ls_message message = {.kind = (enum ls_message_kind)kind,
                                 .version = LS_PROTOCOL_VERSION,
                                 .units = 3,
                                 .transfer = 1,
                                 .offset = 1,
                                 .name = {"worker", 6},
                                 .text = {"{}", 2},
                                 .held = held,
                                 .held_count = 2,
                                 .ranges = ranges,
                                 .ranges_count = 3,
                                 .input = {"input", 5},
                                 .content = {content, sizeof content},
                                 .range = {5, kind == LS_MESSAGE_OUTPUT ? 1 : 4},
                                 .latest = times,
                                 .latest_count = 3,
                                 .output = {"out", 3},
                                 .error_output = {"err", 3},
                                 .stream = LS_STREAM_OUT};
    struct ls_bytes frame = {0};
    const char *name = ls_message_name(message.kind);
    scarce_require(name, try_encode, &message);
    ls_message_encode(&message, &frame);
    struct ls_blob blob = {frame.data, frame.length};
    bool is_kept =
        kind == LS_MESSAGE_HELLO || kind == LS_MESSAGE_CHUNK || kind == LS_MESSAGE_RESULT;
    (is_kept ? scarce_require : scarce_require_none)(name, try_decode, &blob);
    ls_bytes_close(&frame);
  }
}

static enum ls_status try_command(const void *context, struct ls_error *err) {
  static const char *const words[] = {"echo", "one", "two words", ""};
  struct ls_bytes input = {0};
  struct ls_command command = {0};
  size_t offset = 0;
  (void)context;
  ls_command_encode(words, 4, NULL, &input);
  enum ls_status status = scarce_bytes(&input, err);
  if (status == LS_OK) status = ls_command_decode(&command, input.data, input.length, &offset, err);
  memory_is_plenty();
  if (status == LS_OK)
    assert_string_equal(command.argv[2], "two words");
  else
    assert_int_equal(offset, 0);
  ls_command_close(&command);
  ls_bytes_close(&input);
  return status;
}

static void commands_survive(void **state) {
  (void)state;
  scarce_require("command", try_command, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(platforms_survive), cmocka_unit_test(plans_survive),
      cmocka_unit_test(reports_survive),   cmocka_unit_test(messages_survive),
      cmocka_unit_test(commands_survive),
  };
  scarce_open();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
