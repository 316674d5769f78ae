#include "protocol/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "protocol/wire.h"

void ls_command_encode(const char *const *argv, size_t argv_count, struct ls_bytes *out) {
  assert(argv_count >= 1);
  msgpack_packer packer;
  ls_wire_pack_into(&packer, out);
  msgpack_pack_array(&packer, argv_count);
  /* Words are binaries, not strings: names of files need not be UTF-8. */
  for (size_t i = 0; i < argv_count; i++) {
    size_t length = strlen(argv[i]);
    msgpack_pack_bin(&packer, length);
    msgpack_pack_bin_body(&packer, argv[i], length);
  }
}

/* Reads all words into `words`, a zero byte behind each; the number of words. */
static size_t read_words(struct ls_reader *reader, struct ls_bytes *words) {
  size_t count = ls_reader_array(reader, "words", SIZE_MAX);
  if (count == 0) ls_reader_refuse(reader, "words", "at least one word");
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++) {
    struct ls_blob word = ls_reader_blob(reader, "word");
    if (word.length > 0 && memchr(word.data, 0, word.length) != NULL) {
      ls_reader_refuse(reader, "word", "no zero byte in it");
    }
    ls_bytes_append(words, word.data, word.length);
    ls_bytes_append_char(words, '\0');
  }
  return count;
}

enum ls_status ls_command_decode(struct ls_command *command, const void *input, size_t length,
                                 size_t *offset, struct ls_error *err) {
  assert(*offset <= length);
  command->argv_count = 0;
  ls_bytes_clear(&command->words);
  struct ls_reader reader;
  ls_reader_init(&reader, input != NULL ? (const char *)input + *offset : NULL, length - *offset);
  size_t count = read_words(&reader, &command->words);
  if (!ls_reader_is_well(&reader)) {
    return ls_fail(err, LS_ECORRUPT, "command at byte %zu of the input: %s", *offset,
                   reader.problem);
  }
  /* All the words are there, so the memory for their pointers follows what was sent. */
  if (command->words.failed || ls_array_reserve((void **)&command->argv, &command->argv_capacity,
                                                count + 1, sizeof *command->argv) != LS_OK) {
    return ls_fail(err, LS_ENOMEM, "no memory for a command of %zu words", count);
  }
  char *word = command->words.data;
  for (size_t i = 0; i < count; i++) {
    command->argv[i] = word;
    word += strlen(word) + 1;
  }
  command->argv[count] = NULL;
  command->argv_count = count;
  *offset = length - ls_reader_left(&reader);
  return LS_OK;
}

void ls_command_close(struct ls_command *command) {
  free(command->argv);
  ls_bytes_close(&command->words);
  *command = (struct ls_command){0};
}
