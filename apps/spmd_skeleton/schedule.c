#include "schedule.h"

/* Made by loadstar plan --spmd=header: nWorkers, nRounds, sendOrder, nCoreTasks, nLast, nAuxiliary.
 */
#include <loadstar_spmd.h>

size_t schedule_workers(void) {
  return nWorkers;
}

unsigned long long schedule_number(size_t position) {
  return sendOrder[position];
}

uint64_t schedule_rounds(void) {
  return nRounds + 2;
}

uint64_t schedule_units(uint64_t round, size_t position) {
  if (round < nRounds) return nCoreTasks[position];
  return round == nRounds ? nLast[position] : nAuxiliary[position];
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

uint64_t schedule_units_most(void) {
  uint64_t most = 0;
  for (size_t i = 0; i < nWorkers; i++)
    most = larger(most, larger(nCoreTasks[i], larger(nLast[i], nAuxiliary[i])));
  return most;
}

uint64_t schedule_load(void) {
  uint64_t load = 0;
  for (size_t i = 0; i < nWorkers; i++) load += nRounds * nCoreTasks[i] + nLast[i] + nAuxiliary[i];
  return load;
}

uint64_t schedule_messages(void) {
  uint64_t messages = 0;
  for (size_t i = 0; i < nWorkers; i++)
    messages += (nCoreTasks[i] > 0 ? nRounds : 0) + (nLast[i] > 0) + (nAuxiliary[i] > 0);
  return messages;
}

static void print_list(FILE *file, const char *name, const unsigned long long *list) {
  fprintf(file, ", \"%s\": [", name);
  for (size_t i = 0; i < nWorkers; i++) fprintf(file, "%s%llu", i == 0 ? "" : ", ", list[i]);
  fputc(']', file);
}

void schedule_print(FILE *file) {
  fprintf(file, "{\"nWorkers\": %d", (int)nWorkers);
  print_list(file, "workers", sendOrder);
  fprintf(file, ", \"nRounds\": %llu", nRounds);
  print_list(file, "nCoreTasks", nCoreTasks);
  print_list(file, "last", nLast);
  print_list(file, "auxiliary", nAuxiliary);
  fputs("}\n", file);
}
