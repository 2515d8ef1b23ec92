/* A path -> the modules XLA dumped there, each with its files paired by name.
 *
 * A directory is searched deep; links to files are followed, directory cycles are not.  Finding
 * reads names only, the first bytes of files whose name says nothing, and profiles, so that thousands
 * of files are indexed without loading them.  dump_load() (module.h) then reads one module.
 *
 * Any file may be packed with gzip or xz ("….hlo.pb.gz").  Where a directory has no program, logs and
 * memory usage reports in it are searched for listings (see listing.h).
 *
 * Names:  [TIMESTAMP.]module_NNNN.NAME.<infix>after_optimizations<rest>
 *   infix "cpu_", "sm_8.0_gpu_" / "gpu_", "cl_933746096." (TPU); rest ".hlo.pb", ".txt",
 *   "-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt",
 *   "-memory-usage-report.txt".  "*_before_buffer_assignment", "*_after_buffer_assignment" and
 *   "after_codegen" files are other passes and are left out.  A single file given by name may be
 *   called anything: its content tells its kind, and its siblings are found by its stem.
 *   Beside them "module_NNNN.NAME.gpu_target_config.pbtxt", else any in the same directory. */
#ifndef CORE_LOAD_DUMP_DUMP_H
#define CORE_LOAD_DUMP_DUMP_H

#include "core/base/file.h"
#include "core/load/listing/listing.h"
#include "core/model/assignment.h"
#include "core/model/hlo.h"

enum dump_kind {
    DUMP_HLO_PROTO, DUMP_HLO_TEXT, DUMP_ASSIGNMENT, DUMP_VALUES, DUMP_RANGES, DUMP_REPORT,
    DUMP_TARGET,
    DUMP_ASSIGNMENT_PROTO, /* serialized_buffer_assignment_proto of JAX's memory_analysis() */
    DUMP_PROFILE,          /* *.xplane.pb: programs in a profile */
    DUMP_KINDS
};

struct dump_entry {
    const char *name;              /* "jit_step" */
    const char *stem;              /* "module_0001.jit_step": unique within a directory */
    const char *dir;               /* where its files are */
    enum platform platform;        /* by file name; PLATFORM_UNKNOWN when it says nothing */
    const char *path[DUMP_KINDS];  /* NULL: there is none */
    struct file held;              /* text not NULL: the one file, in memory already, whose name
                                      path[] has: standard input, or a part of another file */
    const struct listing *listing; /* not NULL: no program, but what a log or a report lists */
};

struct dump {
    struct arena arena;
    struct list entries; /* struct dump_entry, by directory and module number */
    struct list warnings; /* const char *: something odd but usable, one line each */
};

/* False when there is nothing to open; the hint then says how to make a dump, and there is nothing
 * to free. */
bool dump_find(struct dump *d, const char *path, struct diag *diag);
void dump_free(struct dump *d);

/* Adds one line, made safe to print, to a list of warnings. */
void dump_warn(struct arena *a, struct list *warnings, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline struct dump_entry *dump_entry(const struct dump *d, uint32_t i)
{
    return (struct dump_entry *)d->entries.items + i;
}

#endif
