/* A program executed on the host, within little memory and few steps, every guard on. */
#include "core/load/proto/hlo_proto.h"
#include "gpu/exec.h"
#include "tests/fuzz/fuzz.h"

#define STEPS_MOST 2000
#define MEMORY_MOST (UINT64_C(16) << 20)

static bool few(void *ctx, uint64_t steps)
{
    (void)ctx;
    return steps < STEPS_MOST;
}

static void execute(const struct program *p)
{
    struct exec_options o = {.guards = GUARDS_ON, .dynamic = true, .threads = 1, .memory_limit = MEMORY_MOST,
                             .progress = few};
    struct exec_result result;
    struct diag d;
    struct run *r = exec_open(p, &o, &d);
    if (r) {
        exec_run(r, &result, &d);
        exec_close(r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file f = fuzz_file(data, size);
    struct module m = {.name = "fuzz", .file = f.name, .platform = PLATFORM_CPU};
    struct program p;
    struct diag d;
    hlo_init(&m.hlo, &m.arena, f.name);
    m.assignment.arena = &m.arena;
    m.hlo.held = &f; /* what is executed is read again */
    m.has_hlo = hlo_proto_read(&m.hlo, &m.assignment, &m.has_assignment, &f, &d);
    m.has_assignment = m.has_hlo && m.has_assignment && assignment_check(&m.assignment, &d);
    if (m.has_hlo && program_build(&p, &m, &d)) {
        execute(&p);
        program_free(&p);
    }
    free((char *)f.text);
    arena_free(&m.arena);
    return 0;
}
