#include "cli/run/dealer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/run/dealt_pipe.h"

/* So much is read at once, and so much ahead of the block that waits. */
enum { READ_BYTES = 1 << 17, AHEAD_BYTES = 1 << 20, FIRST_FILES = 2 };

struct process {
  struct ls_dealt_pipe pipe;
  uint64_t fed; /* the number of its last block */
  bool is_over;
};

struct dealer {
  const struct ls_dealer_setup *setup;
  struct process *processes;
  size_t count, capacity, over;
  uint64_t given; /* blocks */

  struct ls_bytes arrived; /* from `at` on in no block */
  size_t at;
  struct ls_next_block next; /* of these; is_block: it waits for a process */
  struct ls_returned_blocks returned;

  struct pollfd *files; /* orders, data, then those of processes */
  size_t files_capacity;
  bool is_at_end; /* of the data */
  bool is_stopped, has_told_end, may_leave, has_failed;
};

/* ---- what is told ---- */

static void tell(const struct dealer *dealer, enum ls_dealer_news news, uint32_t number) {
  const struct ls_dealer_report report = {news, number};
  /* A run that is gone is noticed by its orders. */
  (void)!write(dealer->setup->reports, &report, sizeof report);
}

/* The processes must not take this for the end of their input: all stays open until the run, which
 * fails, has ended them. */
static void fail(struct dealer *dealer, const struct ls_error *err) {
  struct {
    struct ls_dealer_report report;
    struct ls_error err;
  } message = {.report = {.news = LS_DEALER_FAILS}, .err = *err};
  if (dealer->has_failed) return;
  dealer->has_failed = true;
  (void)!write(dealer->setup->reports, &message, sizeof message);
}

/* ---- the data ---- */

static bool has_block(const struct dealer *dealer) {
  return dealer->next.is_block || ls_returned_blocks_has(&dealer->returned);
}

/* May another process begin? */
static bool may_begin(const struct dealer *dealer) {
  bool is_open = !dealer->is_stopped && !dealer->has_told_end;
  return is_open && dealer->count < dealer->setup->processes;
}

static bool wants_data(const struct dealer *dealer) {
  size_t ahead = dealer->arrived.length - dealer->at;
  bool is_deserted = dealer->over == dealer->setup->processes;
  if (dealer->is_at_end || dealer->is_stopped || is_deserted) return false;
  return !dealer->next.is_block || ahead - dealer->next.used < AHEAD_BYTES;
}

static void read_data(struct dealer *dealer) {
  const struct ls_dealer_setup *setup = dealer->setup;
  struct ls_bytes *arrived = &dealer->arrived;
  char data[READ_BYTES];
  struct ls_error err;
  ssize_t got = read(setup->file, data, sizeof data);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got < 0) {
    (void)ls_fail(&err, LS_EINVAL, "%s: %s", setup->name, strerror(errno));
    fail(dealer, &err);
    return;
  }
  if (dealer->at > arrived->length / 2) {
    arrived->length -= dealer->at;
    memmove(arrived->data, arrived->data + dealer->at, arrived->length);
    dealer->at = 0;
  }
  ls_bytes_append(arrived, data, (size_t)got);
  dealer->is_at_end = got == 0;
  if (!arrived->failed) return;
  (void)ls_fail(&err, LS_ENOMEM, "%s: out of memory", setup->name);
  fail(dealer, &err);
}

/* The next block, if it has come whole. */
static void cut(struct dealer *dealer) {
  struct ls_next_block *next = &dealer->next;
  struct ls_error err = {.status = LS_OK};
  bool is_over = dealer->is_stopped || dealer->has_told_end;
  while (!next->is_block && !dealer->has_failed && !is_over) {
    const struct ls_subject data = {ls_bytes_text(&dealer->arrived) + dealer->at,
                                    dealer->arrived.length - dealer->at};
    *next = (struct ls_next_block){.is_end = dealer->is_at_end};
    if (ls_blocks_next(dealer->setup->blocks, data, next, &err) != LS_OK) fail(dealer, &err);
    if (next->is_block || next->used == 0) return;
    dealer->at += next->used;
  }
}

/* What is read ahead may have moved it. */
static struct ls_subject find_block(const struct dealer *dealer) {
  struct ls_subject block = dealer->next.block;
  if (!dealer->setup->blocks->options->removes)
    block.data = ls_bytes_text(&dealer->arrived) + dealer->at;
  return block;
}

/* ---- the processes ---- */

static void give(struct dealer *dealer, struct process *process) {
  const struct ls_bytes *header = &dealer->setup->blocks->header;
  struct ls_subject first = {ls_bytes_text(header), process->fed == 0 ? header->length : 0};
  struct ls_error err;
  bool has_returned = ls_returned_blocks_has(&dealer->returned);
  struct ls_subject block =
      has_returned ? ls_returned_blocks_take(&dealer->returned) : find_block(dealer);
  process->fed = ++dealer->given;
  if (ls_dealt_pipe_give(&process->pipe, first, block, &err) != LS_OK) fail(dealer, &err);
  if (has_returned) return;
  dealer->at += dealer->next.used;
  dealer->next = (struct ls_next_block){.is_block = false};
}

/* The next process begins with this block. */
static void begin(struct dealer *dealer) {
  struct ls_error err;
  const struct ls_returned_blocks *returned = &dealer->returned;
  size_t bytes = ls_returned_blocks_has(returned) ? returned->lengths[returned->next]
                                                  : dealer->next.block.length;
  if (ls_array_reserve((void **)&dealer->processes, &dealer->capacity, dealer->count + 1,
                       sizeof *dealer->processes) != LS_OK) {
    (void)ls_fail(&err, LS_ENOMEM, "out of memory for %zu processes", dealer->count + 1);
    fail(dealer, &err);
    return;
  }
  struct process *process = &dealer->processes[dealer->count];
  *process = (struct process){.fed = 0};
  if (ls_dealt_pipe_open(&process->pipe, bytes, &dealer->setup->given[dealer->count], &err) !=
      LS_OK) {
    fail(dealer, &err);
    return;
  }
  dealer->count++;
  give(dealer, process);
  tell(dealer, LS_DEALER_WANTS, (uint32_t)process->pipe.ends[0]);
}

static void end_process(struct dealer *dealer, uint32_t number) {
  struct ls_error err;
  if (number >= dealer->count || dealer->processes[number].is_over) return;
  struct process *process = &dealer->processes[number];
  process->is_over = true;
  dealer->over++;
  if (ls_dealt_pipe_end(&process->pipe, &dealer->returned, &err) != LS_OK) fail(dealer, &err);
}

/* ---- waiting ---- */

/* With a block in hand all that may take it are asked, else those that have not got theirs whole.
 */
static short find_events(const struct dealer *dealer, const struct process *process) {
  if (process->pipe.ends[1] < 0) return 0;
  return !ls_dealt_pipe_has_room(&process->pipe) || has_block(dealer) ? POLLOUT : 0;
}

static bool wait_for_something(struct dealer *dealer) {
  size_t count = FIRST_FILES + dealer->count;
  if (ls_array_reserve((void **)&dealer->files, &dealer->files_capacity, count,
                       sizeof *dealer->files) != LS_OK)
    return false;
  const struct ls_dealer_setup *setup = dealer->setup;
  bool has_failed = dealer->has_failed;
  dealer->files[0] = (struct pollfd){.fd = setup->orders, .events = POLLIN};
  dealer->files[1] =
      (struct pollfd){.fd = !has_failed && wants_data(dealer) ? setup->file : -1, .events = POLLIN};
  for (size_t i = 0; i < dealer->count; i++) {
    short events = has_failed ? 0 : find_events(dealer, &dealer->processes[i]);
    dealer->files[FIRST_FILES + i] = (struct pollfd){
        .fd = events != 0 ? dealer->processes[i].pipe.ends[1] : -1, .events = events};
  }
  return poll(dealer->files, count, -1) >= 0 || errno == EINTR;
}

/* More orders than one read takes are read in the next round. */
static void take_orders(struct dealer *dealer) {
  uint32_t orders[1024];
  if (dealer->files[0].revents == 0) return;
  ssize_t got = read(dealer->setup->orders, orders, sizeof orders);
  if (got < 0 && errno == EINTR) return;
  dealer->may_leave = got <= 0;
  for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *orders; i++) {
    if (orders[i] == LS_DEALER_LEAVE)
      dealer->may_leave = true;
    else if (orders[i] == LS_DEALER_STOP)
      dealer->is_stopped = true;
    else
      end_process(dealer, orders[i]);
  }
}

/* Of those that were seen to be ready, the one that was fed longest ago; NULL: none. */
static struct process *find_free(struct dealer *dealer, size_t seen) {
  struct process *found = NULL;
  for (size_t i = 0; i < seen; i++) {
    struct process *process = &dealer->processes[i];
    bool is_ready = (dealer->files[FIRST_FILES + i].revents & POLLOUT) != 0 && !process->is_over &&
                    ls_dealt_pipe_has_room(&process->pipe);
    if (is_ready && (found == NULL || process->fed < found->fed)) found = process;
  }
  return found;
}

/* Nobody is given two blocks without a look between them. */
static void deal(struct dealer *dealer, size_t seen) {
  struct ls_error err;
  for (size_t i = 0; i < seen; i++) {
    struct pollfd *file = &dealer->files[FIRST_FILES + i];
    struct ls_dealt_pipe *pipe = &dealer->processes[i].pipe;
    if ((file->revents & POLLOUT) == 0 || pipe->ends[1] < 0 || ls_dealt_pipe_has_room(pipe))
      continue;
    file->revents = 0;
    if (ls_dealt_pipe_push(pipe, &err) != LS_OK) fail(dealer, &err);
  }
  while (!dealer->has_failed) {
    cut(dealer);
    if (!has_block(dealer)) return;
    if (may_begin(dealer)) {
      begin(dealer);
      continue;
    }
    struct process *process = find_free(dealer, seen);
    if (process == NULL) return;
    dealer->files[FIRST_FILES + (size_t)(process - dealer->processes)].revents = 0;
    give(dealer, process);
  }
}

/* ---- the end ---- */

/* Blocks that nobody can have any more. */
static void count_unread(struct dealer *dealer) {
  uint64_t unread = has_block(dealer) ? dealer->next.is_block : 1;
  while (ls_returned_blocks_has(&dealer->returned)) {
    (void)ls_returned_blocks_take(&dealer->returned);
    unread++;
  }
  dealer->next.is_block = false;
  dealer->at = dealer->arrived.length;
  if (!dealer->is_stopped) tell(dealer, LS_DEALER_UNREAD, (uint32_t)unread);
}

/* Once no block follows, each process finds its end as soon as it has its last block. */
static void look_for_end(struct dealer *dealer) {
  bool has_taker = may_begin(dealer), is_written = true;
  for (size_t i = 0; i < dealer->count && !has_taker; i++)
    has_taker = dealer->processes[i].pipe.ends[1] >= 0;
  if (dealer->has_failed) return;
  /* Also what has come of a block that is not whole. */
  bool has_rest = dealer->arrived.length > dealer->at;
  if (!has_taker && (has_block(dealer) || has_rest)) count_unread(dealer);
  if (has_taker && !dealer->is_stopped && !(dealer->is_at_end && !has_block(dealer))) return;
  for (size_t i = 0; i < dealer->count; i++) {
    struct ls_dealt_pipe *pipe = &dealer->processes[i].pipe;
    bool has_all = ls_dealt_pipe_has_room(pipe);
    if (has_all) ls_dealt_pipe_finish(pipe);
    is_written = is_written && has_all;
  }
  if (!is_written || dealer->has_told_end) return;
  dealer->has_told_end = true;
  tell(dealer, LS_DEALER_ENDS, 0);
}

static void close_dealer(struct dealer *dealer) {
  for (size_t i = 0; i < dealer->count; i++) ls_dealt_pipe_close(&dealer->processes[i].pipe);
  ls_returned_blocks_close(&dealer->returned);
  ls_bytes_close(&dealer->arrived);
  free(dealer->processes);
  free(dealer->files);
}

void ls_dealer_run(const struct ls_dealer_setup *setup) {
  struct dealer dealer = {.setup = setup};
  while (!dealer.may_leave && wait_for_something(&dealer)) {
    size_t seen = dealer.count;
    take_orders(&dealer);
    if (dealer.files[1].revents != 0) read_data(&dealer);
    deal(&dealer, seen);
    look_for_end(&dealer);
  }
  close_dealer(&dealer);
}
