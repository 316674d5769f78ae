/* Any text is refused in words, or measurements that can be fitted, by each of the readers. */
#include <assert.h>
#include <math.h>

#include "calibrate/calibration.h"
#include "formats/measurements_text.h"
#include "fuzz.h"

/* More take long to fit and show nothing new. */
enum { FITTED_MAX = 64 };

static void fit(const struct ls_measurements *measurements) {
  const struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  struct ls_calibration calibration;
  struct ls_platform platform;
  if (measurements->workers_count == 0 || measurements->count > FITTED_MAX) return;
  enum ls_status status = ls_calibrate(measurements, &options, &calibration, NULL);
  assert(status == LS_OK);
  (void)status;
  if (ls_calibration_platform(&calibration, measurements, 0, &platform, NULL) == LS_OK) {
    assert(platform.workers_count == measurements->workers_count);
    ls_platform_close(&platform);
  }
  ls_calibration_close(&calibration);
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum ls_status (*const readers[])(struct ls_measurements *, struct ls_text,
                                    struct ls_measurements_read *, struct ls_error *) = {
      ls_measurements_read_csv, ls_measurements_read_joblog, ls_measurements_read_sacct};
  fuzz_accepts = false;
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
    struct ls_measurements measurements = {.items = NULL};
    struct ls_measurements_read read;
    struct ls_error err = {0};
    struct ls_text text = {(const char *)data, size, "input"};
    enum ls_status status = readers[i](&measurements, text, &read, &err);
    assert(status == LS_OK || err.text[0] != '\0');
    assert(status != LS_OK || read.lines == read.failed + measurements.count);
    if (status == LS_OK && measurements.count > 0) fuzz_accepts = true;
    for (size_t k = 0; k < measurements.count; k++) {
      const struct ls_measurement *item = &measurements.items[k];
      assert(item->units > 0 && isfinite(item->units));
      assert(item->seconds >= 0 && isfinite(item->seconds));
      assert(item->worker < measurements.workers_count || item->measured == LS_OPERATION_PREPARE);
    }
    if (status == LS_OK) fit(&measurements);
    ls_measurements_close(&measurements);
  }
  return 0;
}
