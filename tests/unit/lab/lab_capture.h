/* lab_capture.h: runs loadstar-lab in a child process and keeps what it prints. */
#ifndef TEST_LAB_CAPTURE_H
#define TEST_LAB_CAPTURE_H

#include "capture.h"
#include "lab/lab.h"

static inline int run_lab(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  return ls_lab_main(argc, argv);
}

#define CAPTURE_LAB(capture, input, ...)                                                        \
  capture_main((capture), run_lab, NULL, (char *[]){(char *)"loadstar-lab", __VA_ARGS__, NULL}, \
               (input))

#endif
