#include "cli/cli.h"

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, NULL);
}
