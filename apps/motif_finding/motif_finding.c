#include "motif_finding.h"

#include <stdlib.h>

#include "masters.h"

void motif_close(void *context) {
  struct motif *motif = context;
  rows_close(&motif->rows);
  levels_close(&motif->levels);
  space_close(&motif->space);
  planted_close(&motif->planted);
  sequences_close(&motif->sequences);
  free(motif);
}

static enum ls_status open_records(struct motif *motif, struct ls_error *err) {
  const struct words *words = &motif->words;
  enum ls_status status =
      sequences_read_records(&motif->sequences, words->records, SEQUENCES_MAX, err);
  if (status == LS_OK && words->sends_rows && !sequences_are_plain(&motif->sequences)) {
    status = ls_fail(err, LS_EINVAL,
                     "motif: --data rows sends letters A, C, G, T only, and %s has others",
                     words->records);
  }
  return status;
}

static enum ls_status open_sequences(struct motif *motif, struct ls_error *err) {
  const struct words *words = &motif->words;
  if (words->records != NULL) return open_records(motif, err);
  enum ls_status status = sequences_open(&motif->sequences, words->sequences, words->letters, err);
  if (status == LS_OK && words->fasta != NULL) {
    status = sequences_read(&motif->sequences, words->fasta, words->seed, err);
  } else if (status == LS_OK) {
    sequences_draw(&motif->sequences, words->seed);
  }
  if (status != LS_OK || !words->has_plant) return status;
  motif->planted.length = words->length;
  motif->planted.mutations = words->mutations;
  return sequences_plant(&motif->sequences, &motif->planted, words_positions(words), words->seed,
                         err);
}

enum ls_status motif_open(int argc, char **argv, void **out, struct ls_error *err) {
  struct motif *motif = calloc(1, sizeof *motif);
  if (motif == NULL) return ls_fail(err, LS_ENOMEM, "motif: out of memory");
  const struct words *words = &motif->words;
  enum ls_status status = words_read(&motif->words, argc, argv, err);
  if (status == LS_OK && words->masters > 0) {
    status = ls_fail(err, LS_EINVAL, "motif: --masters K goes with `run OPTION... --', in full");
  }
  if (status == LS_OK) status = open_sequences(motif, err);
  if (status == LS_OK) {
    status = space_open(&motif->space, &motif->sequences, words->length, words->has_last, err);
  }
  if (status == LS_OK) {
    status = words_check_shares(words, motif->space.positions[0], words->shares, err);
  }
  if (status != LS_OK) {
    motif_close(motif);
    return status;
  }
  uint64_t all = words->is_branching ? motif->space.positions[0] : motif->space.vectors;
  motif->share = words_share(all, words->share, words->shares);
  *out = motif;
  return LS_OK;
}

static const struct ls_app motif_finding = {
    .name = "motif_finding",
    .summary = "finds the most similar words, one in each of some sequences of DNA",
    .usage =
        "{--fasta FILE | --records FILE | --random} [-t SEQUENCES] [-l LENGTH] [-m LETTERS] "
        "[--seed S] "
        "[--plant MUTATIONS] [--positions {all | thesis}] [--search {brute | branch}] [--data "
        "{numbers | rows}] "
        "[--masters K | --share K/N] [--check | --serial]",
    .open = motif_open,
    .close = motif_close,
    .fingerprint = motif_fingerprint,
    .units = motif_units,
    .broadcast = motif_broadcast,
    .pack = motif_pack,
    .merge = motif_merge,
    .checkpoint = motif_checkpoint,
    .restore = motif_restore,
    .receive = motif_receive,
    .compute = motif_compute,
};

int main(int argc, char **argv) {
  if (masters_are_wanted(argc, argv)) return masters_run(argc, argv);
  return ls_cli_main(argc, argv, &motif_finding);
}
