/* Listings in logs: what is read of each form, through whatever stands around it, and what it answers. */
#include "core/analysis/listing/listing_fit.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- A listing in words ---- */

static void put_bytes(struct words *w, const char *name, struct listing_bytes b)
{
    if (b.known)
        put(w, " %s=%s%llu", name, b.off ? "~" : "", (unsigned long long)b.bytes);
}

static void put_buffer(struct words *w, const struct listing_buffer *b)
{
    char source[300];
    const char *from = listing_source(b, true, source, sizeof source);
    put(w, "  buffer");
    put_bytes(w, "size", b->size);
    put_bytes(w, "unpadded", b->unpadded);
    put_bytes(w, "offset", b->offset);
    if (b->count != 1)
        put(w, " count=%llu", (unsigned long long)b->count);
    put(w, " %s|%s|%s|%s|%s\n", b->kind ? b->kind : "", b->name ? b->name : "", b->shape ? b->shape : "",
        b->op_name ? b->op_name : "", from ? from : "");
}

static void put_listing(struct words *w, const struct listing *l)
{
    put(w, "%s %s", listing_form_name(l->form), l->space ? l->space : "-");
    if (l->times != 1)
        put(w, " x%u", (unsigned)l->times);
    if (l->cut)
        put(w, " cut=%u", (unsigned)l->cut);
    if (l->program)
        put(w, " program=%s", l->program);
    put_bytes(w, "requested", l->requested);
    put_bytes(w, "used", l->used);
    put_bytes(w, "capacity", l->capacity);
    put_bytes(w, "exceeded", l->exceeded);
    put_bytes(w, "total", l->total);
    put_bytes(w, "in_use", l->in_use);
    put_bytes(w, "free", l->free);
    put_bytes(w, "largest", l->largest_free);
    put_bytes(w, "budget", l->budget);
    put(w, "\n");
    for (uint32_t k = 0; k < l->figures.n; k++) {
        const struct listing_figure *f = listing_figure(l, k);
        put(w, "  %s: %s", listing_part_name(f->part), f->name);
        put_bytes(w, f->negative ? "-" : "", f->bytes);
        put(w, "\n");
    }
    for (uint32_t k = 0; k < l->buffers.n; k++)
        put_buffer(w, listing_buffer(l, k));
}

static void put_all(struct words *w, const char *text, size_t size)
{
    struct arena a = {0};
    struct list found = {0};
    const struct file f = {"log", text, size};
    w->used = 0;
    w->text[0] = '\0';
    listing_read(&a, &found, &f);
    for (uint32_t k = 0; k < found.n; k++)
        put_listing(w, ((struct listing **)found.items)[k]);
    arena_free(&a);
}

/* ---- Forms ---- */

struct form_case {
    const char *name, *text, *want;
};

static const struct form_case forms[] = {
    {"a message alone", "E1 x.cc:1] RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1024 bytes.\n",
     "message - requested=1024\n"},
    {"the same message again says nothing new; its size may be rounded",
     "Out of memory while trying to allocate 1.00KiB.\nx\nOut of memory while trying to allocate 1.00KiB.\n",
     "message - requested=~1024\n"},
    {"GPU: message, stats and buffers are one listing; exact sizes come from shapes",
     "Out of memory while trying to allocate 21475397440 bytes.\nBufferAssignment OOM Debugging.\n"
     "BufferAssignment stats:\n             parameter allocation:    4.00GiB\n"
     "  preallocated temp fragmentation:       512B (0.00%)\n                 total allocation:   24.00GiB\n"
     "Peak buffers:\n\tBuffer 1:\n\t\tSize: 1.00GiB\n"
     "\t\tOperator: op_name=\"jit(f)/a;jit(f)/b\" source_file=\"/home/user/t.py\" source_line=4 "
     "deduplicated_name=\"fusion.6\"\n\t\tXLA Label: fusion\n\t\tShape: f32[256,1048576]\n\t\t=====\n\n"
     "\tBuffer 2:\n\t\tSize: 24B\n\t\tXLA Label: async-start\n\t\tShape: ((f32[4]), f32[4])\n",
     "gpu - requested=21475397440 total=~25769803776\n"
     "  allocations: parameter allocation =~4294967296\n"
     "  allocations: preallocated temp fragmentation =512\n"
     "  allocations: total allocation =~25769803776\n"
     "  buffer size=1073741824 |fusion.6|f32[256,1048576]|jit(f)/a;jit(f)/b|/home/user/t.py:4\n"
     "  buffer size=24 |async-start|((f32[4]), f32[4])||\n"},
    {"GPU: a listing whose head is cut off; an entry parameter",
     "      Entry Parameter Subshape: f32[1]\n   Buffer 12:\n    Size: 1.62GiB\n    Entry Parameter Subshape: f32[8]\n",
     "gpu - cut=11\n  buffer size=~1739461754 parameter|parameter|f32[8]||\n"},
    {"two listings with one of them twice",
     "Peak buffers:\nBuffer 1:\nSize: 4B\nXLA Label: add\nPeak buffers:\nBuffer 1:\nSize: 8B\nXLA Label: add\n"
     "Peak buffers:\nBuffer 1:\nSize: 4B\nXLA Label: add\n",
     "gpu - x2\n  buffer size=4 |add|||\ngpu -\n  buffer size=8 |add|||\n"},
    {"TPU: sums, sections, padding, a label with its instruction",
     "Ran out of memory in memory space hbm. Used 21.30G of 15.75G hbm. Exceeded hbm capacity by 5.55G.\n\n"
     "Total hbm usage >= 21.55G:\n    reserved        258.00M \n    arguments       unknown size \n\n"
     "Output size 4.00G; shares 4.00G with arguments.\n\nProgram hbm requirement 17.29G:\n    global 72.0K\n"
     "    HLO temp         17.28G (97.4% utilization: Unpadded (16.83G) Padded (17.28G))\n\n"
     "  Largest program allocations in hbm:\n\n  1. Size: 512.00M\n"
     "     Operator: op_type=\"OneHot\" op_name=\"one_hot\"\n     Shape: f32[4,128,128,9,18]{4,3,0,2,1:T(8,128)}\n"
     "     Unpadded size: 40.50M\n     Extra memory due to padding: 471.50M (12.6x expansion)\n"
     "     XLA label: %fusion.1668 = f32[4]{0} fusion(f32[4]{0} %p), kind=kLoop\n     Allocation type: HLO temp\n",
     "tpu hbm used=~22870700851 capacity=~16911433728 exceeded=~5959267123 total=~23139136307\n"
     "  usage: reserved =~270532608\n  usage: output =~4294967296\n  program: global =~73728\n"
     "  program: HLO temp =~18554258718\n"
     "  buffer size=536870912 unpadded=42467328 HLO temp|fusion.1668|f32[4,128,128,9,18]{4,3,0,2,1:T(8,128)}|"
     "one_hot|\n"},
    {"TPU: padding told only as what it adds",
     "Largest program allocations in hbm:\n1. Size: 4.0K\nExtra memory due to padding: 3.0K (4.0x expansion)\n",
     "tpu hbm\n  buffer size=~4096 unpadded=~1024 ||||\n"},
    {"TPU: vmem, neither numbered nor sized",
     "Ran out of memory in memory space vmem. It should not be possible.\n\nLargest program allocations in vmem:\n\n"
     "  XLA label: register allocator spill slots\n  Allocation type: scoped\n\n  XLA label: %f.1 = x\n"
     "  Allocation type: scoped\n",
     "tpu vmem\n  buffer scoped|register allocator spill slots|||\n  buffer scoped|f.1|||\n"},
    {"TPU: a kernel's stack",
     "E1001: CompileTimeScopedVmemOom:\nRan out of memory in memory space vmem while allocating on stack for %g.1\n"
     "Scoped allocation with size 18.00M and limit 16.00M exceeded scoped vmem limit by 2.00M.\n",
     "tpu vmem used=~18874368 capacity=~16777216 exceeded=~2097152\n"},
    {"a reservation: exact figures in brackets, a negative one",
     "Error loading program 'jit_step': Attempting to reserve 3.95G at the bottom of memory. That was not possible. "
     "There are 1.92G free, 0B reserved, and 1.92G reservable.; \nHBM capacity 8.00G:\n"
     "       Top-of-Memory reserved:  529.00M (     554,696,704 bytes)\n"
     "      Available after request:   -2.55G (  -2,735,391,744 bytes)\n",
     "reservation hbm program=jit_step requested=~4241280204 capacity=~8589934592 exceeded=2735391744 "
     "free=~2061584302 largest=~2061584302\n  runtime: Top-of-Memory reserved =554696704\n"
     "  runtime: Available after request -=2735391744\n"},
    {"rows without a head, among other lines",
     "x\n  384.81GiB( 66%);  768.00MiB; 239578644480;                1; bf16[8,24576,8,256]\nE1 y.cc:1] Failed\n"
     "  385.56GiB( 66%);      4.0KiB; 0; 2; f32[8], u32[]\n",
     "rows -\n  buffer size=805306368 offset=239578644480 |at 239578644480|bf16[8,24576,8,256]||\n"
     "  buffer size=~4096 offset=0 |at 0|f32[8], u32[]||\n"},
    {"a report by memory space",
     "Memory Space: default (color=0)\nTotal bytes: 1073836544 (1.00GiB)\n"
     "  cumulative_size;       size;       offset; used_by_n_values; shapes_list\n  -----\n"
     "    1.00GiB(100%);    1.00GiB;            0;                2; 2×f32[1024,262144]\n\n"
     "Memory Space: vmem (color=1)\nTotal bytes: 512 (512B)\n",
     "report default (color=0) total=1073836544\n"
     "  buffer size=1073741824 offset=0 table 1|at 0|2×f32[1024,262144]||\n"
     "report vmem (color=1) total=512\n"},
    {"a report up to jax 0.9: values stand for their allocation",
     "Total bytes used: 8389148 (8.00MiB)\n\nAllocations sorted by size:\n\n"
     "cumulative_size; total_size - cumulative_size; allocation\n---\n"
     "   1.00MiB( 13%);    7.00MiB; allocation 8: size 1.00MiB, preallocated-temp:\n\n"
     "Allocations sorted by size with their values:\nallocation 8: size 1.00MiB, preallocated-temp:\n\n"
     "\tcumulative_size;       size;       offset; used_by_n_values; shapes_list\n\t---\n"
     "\t  1.00MiB(100%);    1.00MiB;            0;                1; f32[512,512]\n\n"
     "allocation 1: size 1.00MiB, parameter 0, shape |f32[512,512]| at ShapeIndex {}:\n"
     "allocation 2: size 1.00MiB, parameter 1, shape |f32[8]| at ShapeIndex {}, maybe-live-out:\n",
     "report - total=8389148\n  buffer size=1048576 offset=0 temp|at 0|f32[512,512]||\n"
     "  buffer size=1048576 parameter|allocation 1|f32[512,512]||\n"
     "  buffer size=~1048576 donated|allocation 2|f32[8]||\n"},
    {"a pool's chunks, and the message that belongs to it",
     "bfc.cc:5] Allocator (GPU_0_bfc) ran out of memory trying to allocate 4.00GiB (rounded to 4294967296)requested by op\n"
     "bfc.cc:6] Free  at 7f of size 1610612736 next 2\nbfc.cc:6] Free  at 7f of size 1073741824 next 3\n"
     "bfc.cc:7] 3 Chunks of size 2147483648 totalling 6.00GiB\nbfc.cc:8] Sum Total of in-use chunks: 6.00GiB\n"
     "bfc.cc:9] Total bytes in pool: 12884901888 memory_limit_: 12884901888 available bytes: 0\n"
     "bfc.cc:9] Stats: \nLimit:            12884901888\nInUse:             6442450944\n"
     "Out of memory while trying to allocate 4294967100 bytes.\nPeak buffers:\nBuffer 1:\nSize: 4B\n",
     "pool GPU_0_bfc requested=4294967296 capacity=12884901888 total=12884901888 in_use=6442450944 free=2684354560 "
     "largest=1610612736\n  buffer size=2147483648 count=3 in use|chunk|||\n"
     "gpu GPU_0_bfc requested=4294967100 capacity=12884901888 in_use=6442450944 free=2684354560 largest=1610612736\n"
     "  buffer size=4 ||||\n"},
    {"a pool that tells nothing is no listing of its own",
     "Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.97GiB (rounded to 2110783744)requested by op \n"
     "Out of memory while trying to allocate 2110783616 bytes.\n",
     "message GPU_0_bfc requested=2110783616\n"},
    {"rematerialization that did not get there, then the failure",
     "Can't reduce memory use below 2.58GiB by rematerialization; only reduced to 31.49GiB (33811139404 bytes)\n"
     "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 33762398024 bytes.\n",
     "message - requested=33762398024 used=33811139404 budget=~2770253905\n"},
    {"text that only sounds so", "Size: 4B\nShape: f32[8]\nBuffer 1: full\nProgram started\nusage >= many\n50%; 1; 2\n", ""},
    {"nothing at all", "", ""},
};

static void form(void **state)
{
    const struct form_case *c = *state;
    static struct words got;
    put_all(&got, c->text, strlen(c->text));
    assert_string_equal(got.text, c->want);
}

/* ---- Around it ---- */

static const char *const logs[] = {"gpu", "tpu", "reservation", "rows", "pool"};

/* How each line of a log may look; NULL marks the place of the line. */
static const struct {
    const char *name, *before, *after;
} arounds[] = {
    {"CRLF", "", "\r"},
    {"stderr |", "stderr | ", ""},
    {"a timestamp", "2026-11-02T10:11:12.131415Z ", ""},
    {"a CI step and a timestamp", "train\tRun tests\t2026-11-02T10:11:12.1314150Z ", ""},
    {"a rank", "[rank0]: ", ""},
    {"quoted", "> ", ""},
    {"a group of exceptions", "  | ", ""},
    {"a log level", "ERROR:absl: ", ""},
    {"colours", "\x1b[31m", "\x1b[0m"},
    {"blanks at its end", "", "   "},
    {"glog", "E1102 10:11:12.350251   27487 pjrt_client.cc:2826] ", ""},
};
#define N_AROUNDS (sizeof arounds / sizeof *arounds)

static char *dressed(const struct file *f, const char *before, const char *after)
{
    size_t room = f->size * 2 + (strlen(before) + strlen(after) + 2) * 200;
    char *out = malloc(room), *to = out;
    for (const char *at = f->text, *end = f->text + f->size; at < end;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        int len = (int)((nl ? nl : end) - at);
        to += sprintf(to, "%s%.*s%s\n", before, len, at, after);
        at += len + 1;
    }
    return out;
}

/* As Python's repr() and JSON write it: one line. */
static char *written_out(const struct file *f)
{
    char *out = malloc(f->size * 2 + 40), *to = out;
    to += sprintf(to, "{\"message\": \"");
    for (size_t k = 0; k < f->size; k++) {
        const char *sign = strchr("\nn\tt\"\"", f->text[k]);
        if (sign && f->text[k] != 'n' && f->text[k] != 't')
            to += sprintf(to, "\\%c", f->text[k] == '"' ? '"' : sign[1]);
        else
            *to++ = f->text[k];
    }
    sprintf(to, "\"}\n");
    return out;
}

static void read_log(struct arena *a, struct file *f, const char *name)
{
    char path[200];
    struct diag d;
    snprintf(path, sizeof path, "fixtures/forms/%s.log", name);
    assert_true(file_read(a, f, path, &d));
}

static void around(void **state)
{
    const char *name = *state;
    static struct words want, got;
    struct arena a = {0};
    struct file f;
    read_log(&a, &f, name);
    put_all(&want, f.text, f.size);
    assert_true(want.used > 40);
    for (size_t k = 0; k < N_AROUNDS; k++) {
        char *text = dressed(&f, arounds[k].before, arounds[k].after);
        put_all(&got, text, strlen(text));
        free(text);
        if (strcmp(got.text, want.text) != 0)
            print_message("%s: %s\n", name, arounds[k].name);
        assert_string_equal(got.text, want.text);
    }
    arena_free(&a);
}

static void in_one_line(void **state)
{
    const char *name = *state;
    static struct words want, got;
    struct arena a = {0};
    struct file f;
    read_log(&a, &f, name);
    put_all(&want, f.text, f.size);
    char *text = written_out(&f);
    put_all(&got, text, strlen(text));
    free(text);
    arena_free(&a);
    assert_string_equal(got.text, want.text);
}

/* Cut anywhere it is read without harm, and never says more than the whole. */
static void cut_short(void **state)
{
    const char *name = *state;
    struct arena a = {0};
    struct file f;
    read_log(&a, &f, name);
    for (size_t size = 0; size <= f.size; size++) {
        struct arena b = {0};
        struct list found = {0};
        char *text = malloc(size + 1);
        memcpy(text, f.text, size);
        text[size] = '\0';
        listing_read(&b, &found, &(struct file){"log", text, size});
        free(text);
        for (uint32_t k = 0; k < found.n; k++)
            assert_true(((struct listing **)found.items)[k]->buffers.n <= 4);
        arena_free(&b);
    }
    arena_free(&a);
}

/* ---- What it answers ---- */

struct fit_case {
    const char *name, *text;
    uint64_t limit;
    const char *want; /* "need of limit over; count buffers, bytes, enough" */
};

#define TPU(over) "Ran out of memory in memory space hbm. Used 10 of 6 hbm. Exceeded hbm capacity by " over ".\n"
#define BUFFER(n, size) n ". Size: " size "\n"

static const struct fit_case fits[] = {
    {"one buffer that is large enough, and the smallest such",
     TPU("4") BUFFER("1", "9B") BUFFER("2", "5B") BUFFER("3", "4B") BUFFER("4", "3B"), 0,
     "10 of 6, over 4; 1 buffers, 4 bytes, enough: 2x1"},
    {"two where no one is enough: the largest and the smallest that then suffices",
     TPU("10") BUFFER("1", "6B") BUFFER("2", "5B") BUFFER("3", "4B") BUFFER("4", "3B"), 0,
     "10 of 6, over 10; 2 buffers, 10 bytes, enough: 0x1 2x1"},
    {"all that are listed are not enough", TPU("100") BUFFER("1", "6B") BUFFER("2", "5B"), 0,
     "10 of 6, over 100; 2 buffers, 11 bytes, not enough: 0x1 1x1"},
    {"a limit that was asked for counts with what is reserved",
     TPU("4") "Total hbm usage >= 20:\n" BUFFER("1", "6B"), 16, "20 of 16, over 4; 1 buffers, 6 bytes, enough: 0x1"},
    {"a limit within which it fits", TPU("4") BUFFER("1", "6B"), 16, "10 of 16, over 0; 0 buffers, 0 bytes, not enough:"},
    {"no limit and none in the log: not known", "Peak buffers:\nBuffer 1:\nSize: 4B\n", 0,
     "? of ?, over 0; 0 buffers, 0 bytes, not enough:"},
    {"a pool's chunks go one by one",
     "Allocator (p) ran out of memory trying to allocate 30B\n4 Chunks of size 8 totalling 32B\n"
     "1 Chunks of size 20 totalling 20B\nLimit: 60\nInUse: 52\n", 0,
     "82 of 60, over 22; 2 buffers, 28 bytes, enough: 1x1 0x1"},
    {"so many chunks of one size as it takes, and a smaller one last",
     "Allocator (p) ran out of memory trying to allocate 34B\n9 Chunks of size 10 totalling 90B\n"
     "9 Chunks of size 5 totalling 45B\nLimit: 100\nInUse: 100\n", 0,
     "134 of 100, over 34; 4 buffers, 35 bytes, enough: 0x3 1x1"},
    {"sums that would overflow stop", TPU("18446744073709551615") BUFFER("1", "18446744073709551615B")
     BUFFER("2", "18446744073709551615B"), 0,
     "10 of 6, over 18446744073709551615; 1 buffers, 18446744073709551615 bytes, enough: 1x1"},
};

static void fit(void **state)
{
    const struct fit_case *c = *state;
    struct words w = {.used = 0};
    struct arena a = {0};
    struct list found = {0};
    struct listing_fit f;
    listing_read(&a, &found, &(struct file){"log", c->text, strlen(c->text)});
    assert_true(found.n == 1);
    listing_fit(&f, ((struct listing **)found.items)[0], c->limit, &a);
    put(&w, f.has_limit ? "%llu" : "?", (unsigned long long)f.need);
    put(&w, f.has_limit ? " of %llu" : " of ?", (unsigned long long)f.limit);
    put(&w, ", over %llu; %llu buffers, %llu bytes, %s:", (unsigned long long)f.over,
        (unsigned long long)f.go_count, (unsigned long long)f.go_bytes, f.enough ? "enough" : "not enough");
    for (uint32_t k = 0; k < f.n_go; k++)
        put(&w, " %ux%llu", (unsigned)f.go[k].buffer, (unsigned long long)f.go[k].count);
    arena_free(&a);
    assert_string_equal(w.text, c->want);
}

/* Against trying every set: so few, and none so few that suffices is left out. */
static void fewest(void **state)
{
    (void)state;
    unsigned seed = 7;
    for (int round = 0; round < 300; round++) {
        char text[600];
        uint64_t size[8], over;
        unsigned n = 1 + (seed = seed * 1103515245u + 12345u) / 65536u % 7;
        over = 1 + (seed = seed * 1103515245u + 12345u) / 65536u % 40;
        int used = snprintf(text, sizeof text, "Ran out of memory in memory space hbm. Used 1 of 1 hbm. Exceeded hbm capacity by %llu.\n",
                            (unsigned long long)over);
        for (unsigned k = 0; k < n; k++) {
            size[k] = 1 + (seed = seed * 1103515245u + 12345u) / 65536u % 20;
            used += snprintf(text + used, sizeof text - (size_t)used, "%u. Size: %lluB\n", k + 1, (unsigned long long)size[k]);
        }
        unsigned best = 99;
        for (unsigned set = 0; set < 1u << n; set++) {
            uint64_t sum = 0;
            unsigned count = 0;
            for (unsigned k = 0; k < n; k++)
                if (set >> k & 1) {
                    sum += size[k];
                    count++;
                }
            best = sum >= over && count < best ? count : best;
        }
        struct arena a = {0};
        struct list found = {0};
        struct listing_fit f;
        listing_read(&a, &found, &(struct file){"log", text, (size_t)used});
        listing_fit(&f, ((struct listing **)found.items)[0], 0, &a);
        bool enough = f.enough;
        uint64_t count = f.go_count, bytes = f.go_bytes;
        arena_free(&a);
        assert_int_equal(enough, best != 99);
        if (enough)
            assert_int_equal(count, best);
        assert_true(!enough || bytes >= over);
    }
}

static void groups(void **state)
{
    (void)state;
    static const char text[] = "Peak buffers:\nBuffer 1:\nSize: 4B\nOperator: op_name=\"a\" source_file=\"x/t.py\" source_line=4\n"
                               "Buffer 2:\nSize: 8B\nOperator: op_name=\"b\" source_file=\"x/t.py\" source_line=4\n"
                               "Buffer 3:\nSize: 5B\nEntry Parameter Subshape: f32[1]\n";
    struct arena a = {0};
    struct list found = {0};
    uint32_t n;
    listing_read(&a, &found, &(struct file){"log", text, sizeof text - 1});
    const struct listing_group *g = listing_groups(((struct listing **)found.items)[0], LISTING_BY_LINE, &n, &a);
    assert_int_equal(n, 2);
    assert_string_equal(g[0].name, "x/t.py:4");
    assert_int_equal(g[0].bytes, 12);
    assert_int_equal(g[0].largest, 1);
    assert_null(g[1].name);
    assert_int_equal(g[1].bytes, 5);
    arena_free(&a);
}

#define FORMS (sizeof forms / sizeof *forms)
#define FITS  (sizeof fits / sizeof *fits)
#define LOGS  (sizeof logs / sizeof *logs)

int main(void)
{
    static struct CMUnitTest tests[FORMS + FITS + 3 * LOGS + 2];
    static char names[3 * LOGS][60];
    size_t n = 0, k = 0;
    for (size_t i = 0; i < FORMS; i++)
        tests[n++] = (struct CMUnitTest){forms[i].name, form, NULL, NULL, (void *)&forms[i]};
    for (size_t i = 0; i < LOGS; i++) {
        static const CMUnitTestFunction how[] = {around, in_one_line, cut_short};
        static const char *const words[] = {"whatever stands around its lines", "written out in one line", "cut anywhere"};
        for (size_t j = 0; j < 3; j++, k++) {
            if (how[j] == in_one_line && (strcmp(logs[i], "pool") == 0 || strcmp(logs[i], "rows") == 0))
                continue; /* these are never in one message */
            snprintf(names[k], sizeof names[k], "%s: %s", logs[i], words[j]);
            tests[n++] = (struct CMUnitTest){names[k], how[j], NULL, NULL, (void *)logs[i]};
        }
    }
    for (size_t i = 0; i < FITS; i++)
        tests[n++] = (struct CMUnitTest){fits[i].name, fit, NULL, NULL, (void *)&fits[i]};
    ADD_AS(fewest, "the set is never larger than it need be");
    ADD_AS(groups, "groups add up");
    return _cmocka_run_group_tests("listing", tests, n, NULL, NULL);
}
