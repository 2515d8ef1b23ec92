/* What an entry of a dump reserves, without loading the module: a glance at its files, for lists of
 * thousands.
 *
 * Of a proto only the buffer assignment is read (the program before it is skipped by its length);
 * of the text only the part with the allocations.  Nothing is checked: where a file is broken the
 * answer is "not known", and dump_load() says why.  O(size of the assignment) in time and memory. */
#ifndef CORE_LOAD_DUMP_SIZE_UP_H
#define CORE_LOAD_DUMP_SIZE_UP_H

#include "core/load/dump/dump.h"

struct size_up {
    uint64_t file_bytes; /* of the files that dump_load() would read */
    bool known;          /* there is an assignment */
    uint64_t reserved;   /* bytes of its allocations in the main memory space, thread-local ones left
                            out.  Where names do not tell the platform, other spaces may be among
                            them: it is never less than what dump_load() finds. */
};
/* Bytes of the files that dump_load() would read. */
uint64_t size_up_files(const struct dump *d, uint32_t entry);
void size_up(const struct dump *d, uint32_t entry, struct size_up *s);

#endif
