/* channel.h: messages between two local processes, whole or not at all.
 *
 * This is all that would change on another network: with MPI, send and receive are MPI_Send and
 * MPI_Recv.  No message tells its size, since both sides know it from the schedule.
 */
#ifndef SPMD_SKELETON_CHANNEL_H
#define SPMD_SKELETON_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* False, with errno: there are no descriptors. */
bool channel_open(int ends[2]);
/* False, with errno (0: the other side has ended): not all of the bytes went out, came in. */
bool channel_send(int channel, const void *bytes, size_t count);
bool channel_receive(int channel, void *bytes, size_t count);

#endif
