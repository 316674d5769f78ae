/* run_files.c: what the tasks of a run take with them. */
#include "cli/run/run_private.h"
#include "runtime/journal/journal_files.h"

enum ls_status ls_run_files_open(struct ls_run *run, struct ls_error *err) {
  const struct ls_file_options *options = &run->options.files_of_tasks;
  if (!ls_file_options_stages(options)) return LS_OK;
  run->commands.files = &run->files;
  run->file_source =
      (struct ls_file_source){.read = ls_file_table_read, .context = &run->files.table};
  run->commands.places =
      (struct ls_output_places){.files = &run->files, .is_synced = run->options.is_synced};
  run->file_target = (struct ls_output_target){.open = ls_output_places_open,
                                               .keep = ls_output_places_keep,
                                               .context = &run->commands.places};
  return ls_task_files_open(&run->files, options, &run->source, &run->words_of_tasks.grammar, err);
}

void ls_run_files_note(void *context, struct ls_journal *journal, uint32_t worker,
                       const struct ls_file_sent *sent) {
  const struct ls_run *run = context;
  const struct ls_file_entry *entry = ls_file_table_find_content(&run->files.table, sent->name);
  if (entry != NULL) ls_journal_file(journal, worker, entry->path, sent);
}
