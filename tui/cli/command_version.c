/* --version: what was built in, which libraries it uses, where it can run programs. */
#include "built.h"
#include "gpu/exec.h"
#include "tui/cli/commands.h"
#include "tui/terminal/term.h"

#include <cjson/cJSON.h>
#include <lzma.h>
#include <protobuf-c/protobuf-c.h>
#include <zlib.h>

#ifndef TIDEMARK_VERSION
#define TIDEMARK_VERSION "unknown"
#endif

static void print_backend(FILE *out, const struct backend *b)
{
    char device[160];
    struct diag d;
    if (b->probe(device, sizeof device, &d))
        fprintf(out, "backend %s: %s\n", b->name, device);
    else
        fprintf(out, "backend %s: not usable: %s\n", b->name, d.what);
}

void version_print(FILE *out)
{
    fprintf(out, "tidemark %s\n", TIDEMARK_VERSION);
    fprintf(out, "built for %s by %s\n", BUILT_FOR, BUILT_BY);
    fprintf(out, "libraries: cJSON %s, protobuf-c %s, zlib %s, liblzma %s, %s\n", cJSON_Version(),
            protobuf_c_version(), zlibVersion(), lzma_version_string(), term_library());
#ifdef BUILT_CUDA
    fprintf(out, "CUDA: built in, %s\n", BUILT_CUDA);
#else
    fprintf(out, "CUDA: not built in: %s\n", BUILT_WITHOUT_CUDA);
#endif
    for (unsigned k = 0; exec_backend(k); k++)
        print_backend(out, exec_backend(k));
}
