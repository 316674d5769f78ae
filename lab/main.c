#include "lab/lab.h"

int main(int argc, char **argv) {
  return ls_lab_main(argc, argv);
}
