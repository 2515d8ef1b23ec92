#include "core/load/dump/dump.h"
#include "core/load/text/target_config.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include "tests/support/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- A directory of its own for every case ---- */

struct tree {
    char root[200];
};

static void tree_make(struct tree *t)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(t->root, sizeof t->root, "%s/tidemark-test-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(t->root));
}

static void tree_remove(const char *path)
{
    struct stat st;
    char below[2048];
    if (lstat(path, &st) != 0)
        return;
    DIR *dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            snprintf(below, sizeof below, "%s/%s", path, e->d_name);
            tree_remove(below);
        }
    if (dir)
        closedir(dir);
    remove(path);
}

static void make_parents(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static void write_file(const char *path, const char *content, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(content, 1, size, f), size);
    fclose(f);
}

/* "0:x 1:y" -> the report of live ranges that has this sequence. */
static void write_sequence(const char *path, const char *steps)
{
    char text[1024];
    unsigned n = 1;
    for (const char *at = steps; *at; at++)
        n += *at == ' ';
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "HloLiveRange (max %u):\n  InstructionSequence:\n    ", n);
    for (const char *at = steps; *at; at++)
        used +=
            (size_t)(*at == ' ' ? sprintf(text + used, "\n    ") : sprintf(text + used, "%c", *at));
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "\n  BufferLiveRange:\n  Live ranges at 0 (peak):\n");
    write_file(path, text, used);
}

/* "a/b" is an empty file, "a/b=TEXT" one with text, "a/b=@0:x 1:y" live ranges of that sequence,
 * "a/b>c" a link to c, "a/" a directory. */
static void tree_add(const struct tree *t, const char *what)
{
    size_t name = strcspn(what, "=>");
    char path[2048];
    snprintf(path, sizeof path, "%s/%.*s", t->root, (int)name, what);
    make_parents(path);
    if (what[name] == '>')
        assert_int_equal(symlink(what + name + 1, path), 0);
    else if (what[name] && what[name + 1] == '@')
        write_sequence(path, what + name + 2);
    else if (name && what[name - 1] != '/')
        write_file(path, what[name] ? what + name + 1 : "",
                   what[name] ? strlen(what + name + 1) : 0);
}

/* Copies a shipped file, or its first `most` bytes. */
static void tree_copy(const struct tree *t, const char *from, const char *to, size_t most)
{
    char path[2048];
    snprintf(path, sizeof path, "fixtures/grid/%s", from);
    struct arena a = {0};
    struct file f;
    struct diag d;
    assert_true(file_read(&a, &f, path, &d));
    snprintf(path, sizeof path, "%s/%s", t->root, to);
    make_parents(path);
    write_file(path, f.text, f.size < most ? f.size : most);
    arena_free(&a);
}

/* ---- What was found, in words; the root is written "@" ---- */

static void hide_root(struct words *o, const char *root)
{
    size_t len = strlen(root);
    for (char *at = o->text; (at = strstr(at, root)); at++) {
        *at = '@';
        memmove(at + 1, at + len, strlen(at + len) + 1);
    }
}

static void put_warnings(struct words *o, const struct list *warnings)
{
    for (uint32_t i = 0; i < warnings->n; i++)
        put(o, "warning: %s\n", ((const char *const *)warnings->items)[i]);
}

static void put_entries(struct words *o, const struct dump *d)
{
    static const char *const kinds[DUMP_KINDS] = {"proto",  "text",   "assignment", "values",
                                                  "ranges", "report", "target", "assignment-proto",
                                                  "profile"};
    for (uint32_t i = 0; i < d->entries.n; i++) {
        const struct dump_entry *e = dump_entry(d, i);
        const char *platform = platform_name(e->platform);
        put(o, "%s %s %s %s:", e->dir, e->stem, e->name, platform ? platform : "?");
        for (int k = 0; k < DUMP_KINDS; k++)
            if (e->path[k])
                put(o, " %s", e->listing ? "listing" : kinds[k]);
        put(o, "\n");
    }
    put_warnings(o, &d->warnings);
}

static void put_diag(struct words *o, const struct diag *d)
{
    char text[4096];
    put(o, "%s\n", diag_text(d, text, sizeof text));
}

/* ---- Finding ---- */

struct find_case {
    const char *name;
    const char *tree[12];
    const char *open; /* below the root */
    const char *want;
};

static void find_case(void **state)
{
    const struct find_case *c = *state;
    static struct words got;
    struct tree t;
    struct dump d;
    struct diag diag;
    char path[512];
    got.used = 0;
    got.text[0] = '\0';
    tree_make(&t);
    for (size_t i = 0; i < COUNT(c->tree) && c->tree[i]; i++)
        tree_add(&t, c->tree[i]);
    snprintf(path, sizeof path, "%s%s%s", t.root, *c->open ? "/" : "", c->open);
    if (dump_find(&d, path, &diag))
        put_entries(&got, &d);
    else
        put_diag(&got, &diag);
    dump_free(&d);
    hide_root(&got, t.root);
    tree_remove(t.root);
    assert_string_equal(got.text, c->want);
}

#define FLAGS    "XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_as_proto\""
#define MAKE_ONE "make one: " FLAGS " python train.py"
#define EXPECTED                                                                                   \
    "expected an HLO program (*after_optimizations.hlo.pb, .txt), a *-buffer-assignment.txt, a "   \
    "profile or a log with an out-of-memory listing"
#define CPU(n, rest) "module_" n ".jit_f.cpu_after_optimizations" rest
#define GPU(n, rest) "module_" n ".jit_f.sm_8.0_gpu_after_optimizations" rest
#define TPU(n, rest) "module_" n ".jit_f.cl_933746096.after_optimizations" rest

static const struct find_case finds[] = {
    {"packed files, beside each other and beside others that are not",
     {CPU("0001", ".hlo.pb.gz"), CPU("0001", ".txt.xz"), CPU("0001", "-buffer-assignment.txt"),
      CPU("0002", "-buffer-assignment.txt.gz")},
     "",
     "@ module_0001.jit_f jit_f cpu: proto text assignment\n@ module_0002.jit_f jit_f cpu: assignment\n"},
    {"a log's listings are not looked for beside programs",
     {CPU("0001", ".txt"), "run.log=Program hbm requirement 1.00G:\n"},
     "",
     "@ module_0001.jit_f jit_f cpu: text\n"},
    {"a log in a directory without programs",
     {"run.log=Program hbm requirement 1.00G:\n", "train.py=import jax\n"},
     "",
     "@ run.log:1 run.log tpu: listing\n"},
    {"a report without its program is a listing for each memory",
     {CPU("0001", "-memory-usage-report.txt=Memory Space: a (color=0)\nTotal bytes: 4 (4B)\n"
                  "Memory Space: b (color=1)\nTotal bytes: 8 (8B)\n")},
     "",
     "@ module_0001.jit_f a (color=0) jit_f cpu: listing\n@ module_0001.jit_f b (color=1) jit_f cpu: listing\n"},
    {"several listings in one log, each once",
     {"a.txt=x\nProgram hbm requirement 1.00G:\n\nProgram hbm requirement 2.00G:\n"
      "Program hbm requirement 1.00G:\n"},
     "a.txt",
     "@ a.txt:2 a.txt tpu: listing\n@ a.txt:4 a.txt tpu: listing\n"},
    {"all files of one module, the passes left out",
     {GPU("0001", ".hlo.pb"), GPU("0001", ".txt"), GPU("0001", "-buffer-assignment.txt"),
      GPU("0001", "-buffer-assignment-values.txt"), GPU("0001", "-live-range.txt"),
      GPU("0001", "-memory-usage-report.txt"), GPU("0001", "-memory-usage-report.pb"),
      "module_0001.jit_f.before_optimizations.hlo.pb", "module_0001.jit_f.debug_options",
      "module_0001.jit_f.gpu_target_config.pbtxt", "module_0001.jit_f.thunk_sequence.txt"},
     "",
     "@ module_0001.jit_f jit_f gpu: proto text assignment values ranges report target\n"},
    {"TPU names; files before and after buffer assignment left out",
     {TPU("0018", ".hlo.pb"), TPU("0018", "_before_buffer_assignment.hlo.pb"),
      TPU("0018", "_after_buffer_assignment.hlo.pb"), TPU("0018", "_after_buffer_assignment.txt"),
      "module_0018.jit_f.cl_933746096.after_codegen.hlo.pb"},
     "",
     "@ module_0018.jit_f jit_f tpu: proto\n"},
    {"several modules of one name stand in the order of their numbers",
     {CPU("0009", ".txt"), CPU("0010", ".txt"), CPU("10000", ".txt"), CPU("9999", ".hlo.pb")},
     "",
     "@ module_0009.jit_f jit_f cpu: text\n@ module_0010.jit_f jit_f cpu: text\n"
     "@ module_9999.jit_f jit_f cpu: proto\n@ module_10000.jit_f jit_f cpu: text\n"},
    {"names with a timestamp before them",
     {"1796035605834840." CPU("0002", ".hlo.pb"), "1796035605834840." CPU("0002", ".txt"),
      "1796035605834840.module_0002.jit_f.before_optimizations.hlo.pb",
      "1796035605834999." CPU("0001", ".txt")},
     "",
     "@ 1796035605834999.module_0001.jit_f jit_f cpu: text\n"
     "@ 1796035605834840.module_0002.jit_f jit_f cpu: proto text\n"},
    {"other platforms' names; a name with dots; no number",
     {"module_0001.jit_a.b.gfx90a_gpu_after_optimizations.txt",
      "module_0002.jit_c.after_optimizations.txt", "scan.tpu_after_optimizations.txt",
      "after_optimizations.hlo.pb"},
     "",
     "@ after_optimizations after_optimizations ?: proto\n@ scan scan tpu: text\n"
     "@ module_0001.jit_a.b jit_a.b gpu: text\n@ module_0002.jit_c jit_c ?: text\n"},
    {"two backends that dumped one name into one place",
     {CPU("0001", ".txt"), GPU("0001", ".txt"), GPU("0001", ".hlo.pb"),
      "module_0001.jit_f.gpu_target_config.pbtxt"},
     "",
     "@ module_0001.jit_f.cpu jit_f cpu: text\n"
     "@ module_0001.jit_f.sm_8.0_gpu jit_f gpu: proto text target\n"},
    {"a backend's dump beside a file of one's own with its name",
     {"jit_f.hlo.pb", "jit_f.cpu_after_optimizations.hlo.pb", "jit_f.gpu_after_optimizations.txt"},
     "",
     "@ jit_f jit_f ?: proto\n@ jit_f.cpu jit_f cpu: proto\n@ jit_f.gpu jit_f gpu: text\n"},
    {"a target config of another module is better than none, but not for a CPU",
     {GPU("0001", ".txt"), CPU("0002", ".txt"), "module_0007.jit_x.gpu_target_config.pbtxt",
      "module_0003.jit_x.gpu_target_config.pbtxt", "b/" GPU("0001", ".txt")},
     "",
     "@ module_0001.jit_f jit_f gpu: text target\n@ module_0002.jit_f jit_f cpu: text\n"
     "@/b module_0001.jit_f jit_f gpu: text\n"},
    {"deep directories, a slash behind the path",
     {"b/c/d/" CPU("0001", ".txt"), "a/" CPU("0002", ".txt"), "e/"},
     "//",
     "@/a module_0002.jit_f jit_f cpu: text\n@/b/c/d module_0001.jit_f jit_f cpu: text\n"},
    {"links to files are followed, dangling ones said",
     {"store/x=HloModule f\n", CPU("0001", ".txt>store/x"), CPU("0002", ".txt>gone"), "y>gone"},
     "",
     "@ module_0001.jit_f jit_f cpu: text\nwarning: @/" CPU("0002",
                                                            ".txt") ": cannot be followed: No "
                                                                    "such file or directory\n"},
    {"links to directories are followed once, cycles not",
     {"a/" CPU("0001", ".txt"), "a/up>..", "a/self>.", "z>a"},
     "",
     "@/a module_0001.jit_f jit_f cpu: text\n"},
    {"names with newlines and escape sequences",
     {"a\n\033[2J/" CPU("0001", ".txt"), "module_0002.\033]0;x\007.cpu_after_optimizations.txt"},
     "",
     "@ module_0002.\033]0;x\007 \033]0;x\007 cpu: text\n"
     "@/a\n\033[2J module_0001.jit_f jit_f cpu: text\n"},
    {"files of the user's own names are paired, too",
     {"scan.hlo.pb", "scan.txt=HloModule jit_f\n", "scan-live-range.txt", "notes.txt=HloWorld\n",
      "old.txt=BufferAssignment:\n", "x.before_optimizations.hlo.pb"},
     "",
     "@ old old ?: assignment\n@ scan scan ?: proto text ranges\n"},
    {"live ranges without a program are left out",
     {CPU("0001", "-live-range.txt"), CPU("0002", ".txt")},
     "",
     "@ module_0002.jit_f jit_f cpu: text\n"},

    {"one file brings its siblings, not the others",
     {GPU("0001", ".hlo.pb"), GPU("0001", ".txt"),
      GPU("0001", "-live-range.txt=HloLiveRange (max 1"), GPU("0002", ".txt"), CPU("0001", ".txt"),
      "module_0001.jit_f.gpu_target_config.pbtxt"},
     GPU("0001", "-live-range.txt"),
     "@ module_0001.jit_f jit_f gpu: proto text ranges target\n"},
    {"a file of any name is told by its content",
     {"program=HloModule jit_f, is_scheduled=true\n", "program-buffer-assignment.txt"},
     "program",
     "@ program program ?: text assignment\n"},
    {"a file whose name lies is told by its content",
     {"x.hlo.pb=BufferAssignment:\n", "x.txt"},
     "x.hlo.pb",
     "@ x x ?: text assignment\n"},
    {"a file of another pass, when asked for",
     {TPU("0018", "_before_buffer_assignment.txt=HloModule jit_f\n")},
     TPU("0018", "_before_buffer_assignment.txt"),
     "@ module_0018.jit_f.cl_933746096.after_optimizations_before_buffer_assignment "
     "jit_f.cl_933746096.after_optimizations_before_buffer_assignment ?: text\n"},

    {"an empty directory", {"e/"}, "e", "tidemark: @/e: holds no XLA dump (" MAKE_ONE ")\n"},
    {"a directory of other things",
     {"train.py=import jax\n", "README.txt=# Hello\n", "a/b/data.bin=x"},
     "",
     "tidemark: @: holds no XLA dump (" MAKE_ONE ")\n"},
    {"no such file", {0}, "gone", "tidemark: @/gone: cannot open: No such file or directory\n"},
    {"a directory whose name would steer the terminal",
     {"\033[2J/"},
     "\033[2J",
     "tidemark: @/\\x1B[2J: holds no XLA dump (" MAKE_ONE ")\n"},
    {"dumped as graphs only",
     {CPU("0001", ".dot"), "module_0001.jit_f.before_optimizations.dot"},
     "",
     "tidemark: @: holds *after_optimizations* files, but none as text or proto (add "
     "--xla_dump_hlo_as_text --xla_dump_hlo_as_proto to XLA_FLAGS)\n"},
    {"dumped without programs",
     {"module_0001.jit_f.debug_options", "module_0001.jit_f.gpu_target_config.pbtxt"},
     "",
     "tidemark: @: holds files of XLA, but no *after_optimizations* among them (add "
     "--xla_dump_hlo_as_text --xla_dump_hlo_as_proto to XLA_FLAGS)\n"},
    {"a compile that did not end",
     {"module_0001.jit_f.before_optimizations.txt", "module_0001.jit_f.debug_options"},
     "",
     "tidemark: @: holds no *after_optimizations* files, only earlier ones (XLA writes them at the "
     "end of a compile: did it end? " MAKE_ONE ")\n"},
    {"reports only",
     {CPU("0001", "-memory-usage-report.txt")},
     "",
     "tidemark: @: holds live ranges or reports, but no program they belong to (add "
     "--xla_dump_hlo_as_text --xla_dump_hlo_as_proto to XLA_FLAGS)\n"},
    {"an empty file",
     {CPU("0001", ".txt")},
     CPU("0001", ".txt"),
     "tidemark: @/" CPU("0001", ".txt") ": is empty (" EXPECTED ")\n"},
    {"a file of another kind",
     {"train.py=import jax\n"},
     "train.py",
     "tidemark: @/train.py: is no file of an XLA dump, and lists no buffers: some other text (" EXPECTED ")\n"},
    {"the program before it was compiled",
     {"f.mlir=module @jit_f {\n"},
     "f.mlir",
     "tidemark: @/f.mlir: is StableHLO, the program before it was compiled (" MAKE_ONE ")\n"},
    {"a packed file that is cut short",
     {"f.hlo.pb.gz=\x1f\x8b\x08"},
     "f.hlo.pb.gz",
     "tidemark: @/f.hlo.pb.gz:@3: the gzip file is cut short (copy or pack it again)\n"},
    {"a packed file with damage",
     {"f.gz=\x1f\x8b\x09xxxxxxxxxxxx"},
     "f.gz",
     "tidemark: @/f.gz:@4: cannot be unpacked as gzip: unknown compression method (copy or pack it again)\n"},
    {"a report that reports nothing",
     {"report=Memory Space: default (color=0)\n"},
     "report",
     "tidemark: @/report: is no file of an XLA dump, and lists no buffers: some other text (" EXPECTED ")\n"},
    {"a GPU's description",
     {"module_0001.jit_f.gpu_target_config.pbtxt=gpu_device_info {\n"},
     "module_0001.jit_f.gpu_target_config.pbtxt",
     "tidemark: @/module_0001.jit_f.gpu_target_config.pbtxt: describes a GPU, not a program (open "
     "the "
     "*after_optimizations* file beside it)\n"},
    {"live ranges alone",
     {CPU("0001", "-live-range.txt=HloLiveRange (max 1):\n")},
     CPU("0001", "-live-range.txt"),
     "tidemark: @/" CPU(
         "0001", "-live-range.txt") ": the program it belongs to is missing "
                                    "(put " CPU("0001", "") ".hlo.pb or its -buffer-assignment.txt "
                                                            "beside it)\n"},
};

static void unreadable(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        print_message("skipped: root can read everything\n");
        skip();
    }
    static struct words got;
    struct tree t;
    struct dump d;
    struct diag diag;
    char closed[256];
    tree_make(&t);
    tree_add(&t, CPU("0001", ".txt"));
    tree_add(&t, "closed/");
    snprintf(closed, sizeof closed, "%s/closed", t.root);
    chmod(closed, 0);
    if (dump_find(&d, t.root, &diag))
        put_entries(&got, &d);
    dump_free(&d);
    if (!dump_find(&d, closed, &diag))
        put_diag(&got, &diag);
    dump_free(&d);
    chmod(closed, 0700);
    hide_root(&got, t.root);
    tree_remove(t.root);
    assert_string_equal(got.text, "@ module_0001.jit_f jit_f cpu: text\n"
                                  "warning: @/closed: cannot be searched: Permission denied\n"
                                  "tidemark: @/closed: cannot be searched: Permission denied\n");
}

#define MODULES       3000
#define LIMIT_SECONDS 5.0 /* ten times what it needs under sanitizers on a slow disk */

static void many_modules(void **state)
{
    (void)state;
    static const char *const rests[] = {".txt", ".hlo.pb", "-buffer-assignment.txt"};
    struct tree t;
    struct dump d;
    struct diag diag;
    char name[128];
    tree_make(&t);
    for (int i = 0; i < MODULES; i++)
        for (size_t k = 0; k < COUNT(rests); k++) {
            snprintf(name, sizeof name, "module_%04d.jit_f.cpu_after_optimizations%s", i, rests[k]);
            tree_add(&t, name);
        }
    clock_t start = clock();
    bool ok = dump_find(&d, t.root, &diag);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    uint32_t n = d.entries.n;
    bool whole = ok && dump_entry(&d, n - 1)->path[DUMP_ASSIGNMENT];
    dump_free(&d);
    tree_remove(t.root);
    assert_true(whole);
    assert_int_equal(n, MODULES);
    assert_true(seconds < LIMIT_SECONDS);
}

/* ---- Loading ---- */

static void put_module(struct words *o, const struct module *m)
{
    const struct assignment *a = &m->assignment;
    const char *platform = platform_name(m->platform);
    put(o, "%s %s of %s", m->name, platform ? platform : "?", m->file);
    if (m->has_hlo)
        put(o, ", %u instructions%s", m->hlo.insts.n, m->hlo.scheduled ? " in order" : "");
    for (uint32_t k = 0; m->hlo.implied_gtes && k < m->hlo.order.n; k++)
        put(o, "%s %s", k ? "" : ":", hlo_inst(&m->hlo, ((inst_id *)m->hlo.order.items)[k])->name);
    if (m->has_assignment)
        put(o, ", %u allocations, %u values", a->allocs.n, a->values.n);
    if (a->ranges.n)
        put(o, ", %u ranges", a->ranges.n);
    if (a->recent)
        put(o, " (recent)");
    if (m->device_memory)
        put(o, ", %s %llu", m->device, (unsigned long long)m->device_memory);
    put(o, "\n");
    put_warnings(o, &m->warnings);
}

static void load_all(struct words *got, const char *path, enum dump_form form)
{
    struct dump d;
    struct diag diag;
    got->used = 0;
    got->text[0] = '\0';
    if (!dump_find(&d, path, &diag))
        put_diag(got, &diag);
    for (uint32_t i = 0; i < d.entries.n; i++) {
        struct module m;
        if (dump_load(&d, i, form, &m, &diag)) {
            put_module(got, &m);
            module_free(&m);
        } else
            put_diag(got, &diag);
    }
    dump_free(&d);
}

struct load_case {
    const char *name;
    const char *tree[8];
    enum dump_form form;
    const char *want;
};

static void load_case(void **state)
{
    const struct load_case *c = *state;
    static struct words got;
    struct tree t;
    tree_make(&t);
    for (size_t i = 0; i < COUNT(c->tree) && c->tree[i]; i++)
        tree_add(&t, c->tree[i]);
    load_all(&got, t.root, c->form);
    hide_root(&got, t.root);
    tree_remove(t.root);
    assert_string_equal(got.text, c->want);
}

#define STEM CPU("0001", "")
#define PROGRAM(flags)                                                                             \
    "HloModule jit_f" flags ", entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n"              \
    "ENTRY %main.3 (x.1: f32[4]) -> f32[4] {\n"                                                    \
    "  %x.1 = f32[4]{0} parameter(0)\n"                                                            \
    "  ROOT %add.2 = f32[4]{0} add(f32[4]{0} %x.1, f32[4]{0} %x.1)\n}\n"
#define HLO PROGRAM(", is_scheduled=true")
#define PLACED                                                                                     \
    "BufferAssignment:\nallocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n"    \
    " value: <0 x.1 @0> (size=16,offset=0): f32[4]{0}\n"                                           \
    "allocation 1: size 16, output shape is |f32[4]|, maybe-live-out:\n"                           \
    " value: <1 add.2 @0> (size=16,offset=0): f32[4]{0}\n"
#define RANGES                                                                                     \
    "HloLiveRange (max 2):\n  InstructionSequence:\n    0:x.1\n    1:add.2\n  BufferLiveRange:\n"  \
    "    x.1{}:0-2\n    add.2{}:1-2\n  Live ranges at 1 (peak):\n    x.1{}: 16 bytes\n"
/* A text whose get-tuple-elements have no lines, and what XLA says beside it. */
#define ELEMENTS                                                                                   \
    "HloModule jit_f, is_scheduled=true\n\nENTRY %e (t: (f32[], f32[])) -> f32[] {\n"              \
    "  %t = (f32[], f32[]) parameter(0)\n  %p = f32[] constant(1)\n"                               \
    "  %a = f32[] add(%t#1, %p)\n  ROOT %b = f32[] add(%a, %t#0)\n}\n"
#define CALLED                                                                                     \
    "HloModule jit_f, is_scheduled=true\n\n%f (q: (f32[])) -> f32[] {\n"                           \
    "  %q = (f32[]) parameter(0)\n  ROOT %n = f32[] negate(%q#0)\n}\n\n"                           \
    "ENTRY %e (t: (f32[])) -> f32[] {\n  %t = (f32[]) parameter(0)\n  %x = f32[] constant(1)\n"    \
    "  %c = f32[] call(%t), to_apply=%f\n  ROOT %r = f32[] add(%c, %t#0)\n}\n"
#define SEQUENCE(steps) "@" steps /* write_sequence() makes the report of it */
#define VALUES                                                                                     \
    "\nTotal bytes used: 0 (0B)\n\nUsed values:\n<0 t{0} @0>\n positions:\n  t {0}\n  gte.7\n"     \
    " uses:\n  b, operand 1\n from instruction: %t = (f32[], f32[]) parameter(0)\n<1 t{1} @0>\n"   \
    " positions:\n  t {1}\n  gte.1\n uses:\n  a, operand 0\n"                                      \
    " from instruction: %t = (f32[], f32[]) parameter(0)\n"
#define UNPLACED                                                                                   \
    "warning: @/" STEM "-live-range.txt: does not tell where the get-tuple-elements that @/" STEM  \
    ".txt leaves out are: "
#define COUNTED ": steps are counted differently\n"
#define TARGET                                                                                     \
    "gpu_device_info {\n  device_memory_size: 85100068864\n  name: \"NVIDIA A100-SXM4-80GB\"\n}\n"

static const struct load_case loads[] = {
    {"text alone",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=" PLACED,
      STEM
      "-buffer-assignment-values.txt=\nTotal bytes used: 32 (32B)\n\nUsed values:\n<0 x.1 @0>\n",
      STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 allocations, 2 values, 2 ranges "
     "(recent)\n"},
    {"one file with every section is not recent",
     {STEM ".txt=" HLO,
      STEM "-buffer-assignment.txt=" PLACED "\nTotal bytes used: 32 (32B)\n\n" RANGES},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 allocations, 2 values, 2 ranges\n"},
    {"the program alone",
     {STEM ".txt=" HLO},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order\n"},
    {"the assignment alone",
     {STEM "-buffer-assignment.txt=" PLACED, STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM "-buffer-assignment.txt, 2 allocations, 2 values, 2 ranges (recent)\n"},
    {"a program with live ranges only",
     {STEM ".txt=" HLO, STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 ranges (recent)\n"},
    {"a schedule from the live ranges",
     {STEM ".txt=" PROGRAM(""), STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 ranges (recent)\n"},
    {"a file of the user's own name is called as its module",
     {"scan.txt=" HLO, "scan-buffer-assignment.txt=" PLACED},
     FORM_ANY,
     "jit_f ? of @/scan.txt, 2 instructions in order, 2 allocations, 2 values\n"},
    {"a GPU is known by its target config",
     {"scan.txt=" HLO, "gpu_target_config.pbtxt=" TARGET},
     FORM_ANY,
     "jit_f gpu of @/scan.txt, 2 instructions in order, NVIDIA A100-SXM4-80GB 85100068864\n"},
    {"a TPU is known by its tiles",
     {"scan-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 4096:\n"
      " value: <0 x.1 @0> (size=4096,offset=0): f32[8,128]{1,0:T(8,128)}\n"},
     FORM_ANY,
     "scan tpu of @/scan-buffer-assignment.txt, 1 allocations, 1 values\n"},
    {"the schedule of a text without get-tuple-elements, one choice for each",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p gte.1 a gte.7 b (recent)\n"},
    {"its places are the dump's, not the text's",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.1 2:p 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t gte.1 p a gte.7 b (recent)\n"},
    {"where there is a choice, the first user's comes first, and keeps the text's name",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.7 2:gte.1 3:p 4:a 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t t#1 t#0 p a b (recent)\n"},
    {"the values say which is which",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.7 2:gte.1 3:p 4:a 5:b"),
      STEM "-buffer-assignment-values.txt=" VALUES},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t gte.7 gte.1 p a b (recent)\n"},
    {"values that say the impossible are not believed",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.7 3:a 4:gte.1 5:b"),
      STEM "-buffer-assignment-values.txt=" VALUES},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p gte.7 a gte.1 b (recent)\n"},
    {"the computation of a name is the one that has begun",
     {STEM ".txt=" CALLED,
      STEM "-live-range.txt=" SEQUENCE("0:t 1:x 2:q 3:gte.1 4:n 5:c 6:gte.2 7:r")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 8 instructions in order: q gte.1 n t x c gte.2 r (recent)\n"},
    {"an element of an element, in a text that has no schedule",
     {STEM ".txt=HloModule jit_f\nENTRY e {\n t = ((f32[])) parameter(0)\n"
           " ROOT n = f32[] negate(t#0#0)\n}\n",
      STEM "-live-range.txt=" SEQUENCE("0:t 1:gte.5 2:gte.4 3:n")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 4 instructions in order: t gte.5 gte.4 n (recent)\n"},
    {"too few get-tuple-elements",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:a 4:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "the schedule has 1 get-tuple-elements of e that have no line, expected 2" COUNTED},
    {"one too late for its user",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:a 3:gte.1 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 3 of the schedule, gte.1, can be none of the get-tuple-elements that have no "
     "line" COUNTED},
    {"one too early for its operand",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:p 1:gte.1 2:t 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 1 of the schedule, gte.1, can be none of the get-tuple-elements that have no "
     "line" COUNTED},
    {"one before anything else",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:gte.1 1:t 2:p 3:a 4:gte.7 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 0 of the schedule, gte.1, is not in the program" COUNTED},
    {"one twice",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:a 4:gte.1 5:b")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b (recent)\n" UNPLACED
     "step 4 of the schedule, gte.1, is there twice" COUNTED},
    {"computations that are mixed up",
     {STEM ".txt=" CALLED,
      STEM "-live-range.txt=" SEQUENCE("0:t 1:q 2:x 3:gte.1 4:n 5:c 6:gte.2 7:r")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 8 instructions in order: q q#0 n t x c t#0 r (recent)\n" UNPLACED
     "step 2 of the schedule, x, stands among those of another computation" COUNTED},
    {"the live ranges of another program beside a text without get-tuple-elements",
     {STEM ".txt=" ELEMENTS, STEM "-live-range.txt=" SEQUENCE("0:t 1:p 2:gte.1 3:mul.7")},
     FORM_TEXT,
     "jit_f cpu of @/" STEM ".txt, 6 instructions in order: t p t#1 a t#0 b\n"
     "warning: @/" STEM "-live-range.txt: names gte.1, which @/" STEM
     ".txt does not have: they are of different programs, the live ranges are not used\n"},
    {"a target config that is cut",
     {GPU("0001", ".txt=") HLO, "gpu_target_config.pbtxt=gpu_device_info {\n"},
     FORM_ANY,
     "jit_f gpu of @/" GPU(
         "0001", ".txt") ", 2 instructions in order\n"
                         "warning: @/gpu_target_config.pbtxt:2:1: the device is not known: "
                         "expected the end of a message: "
                         "the file was cut (this is no GpuTargetConfigProto in text form)\n"},

    {"an assignment of another program is not used",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 16:\n"
                             " value: <0 mul.7 @0> (size=16,offset=0): f32[4]{0}\n"},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order\n"
     "warning: @/" STEM "-buffer-assignment.txt: names mul.7, which @/" STEM
     ".txt does not have: they "
     "are of different programs, the buffer assignment is not used\n"},
    {"live ranges of another program are not used",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=" PLACED,
      STEM "-live-range.txt=HloLiveRange (max 1):\n  InstructionSequence:\n    0:mul.7\n"
           "  BufferLiveRange:\n  Live ranges at 0 (peak):\n"},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 allocations, 2 values\n"
     "warning: @/" STEM "-live-range.txt: names mul.7, which @/" STEM
     ".txt does not have: they are of "
     "different programs, the live ranges are not used\n"},
    {"a half-written assignment is not used",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=" PLACED "\nTotal bytes used: 36 (36B)\n"},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order\n"
     "warning: @/" STEM
     "-buffer-assignment.txt: buffer assignment is not usable: its 2 allocations "
     "have 32 bytes, but the total stated is 36\n"},
    {"a broken report leaves the program",
     {STEM ".txt=" HLO, STEM "-buffer-assignment.txt=BufferAssignment:\nallocation 0: si",
      STEM "-live-range.txt=" RANGES},
     FORM_ANY,
     "jit_f cpu of @/" STEM ".txt, 2 instructions in order, 2 ranges (recent)\n"
     "warning: @/" STEM "-buffer-assignment.txt:2:15: not used: expected \"size \", not \"si\"\n"},
    {"a broken program leaves the assignment",
     {STEM ".hlo.pb=\x0a\x7f", STEM "-buffer-assignment.txt=" PLACED},
     FORM_PROTO,
     "jit_f cpu of @/" STEM "-buffer-assignment.txt, 2 allocations, 2 values\n"
     "warning: @/" STEM ".hlo.pb:@0: not used: field 1 wants 127 bytes, but only 0 are left (the "
     "file is cut short or is no HloProto: dump it again)\n"},
    {"neither half is sound: the first failure is told",
     {STEM "-buffer-assignment.txt=BufferAssignment:\nallocation 0: si"},
     FORM_ANY,
     "tidemark: @/" STEM "-buffer-assignment.txt:2:15: expected \"size \", not \"si\"\n"},
    {"an assignment of nothing",
     {STEM "-buffer-assignment.txt=BufferAssignment:\n"},
     FORM_ANY,
     "tidemark: @/" STEM "-buffer-assignment.txt: no allocation in it, expected at least one\n"},
    {"a form that is not there",
     {STEM ".txt=" HLO},
     FORM_PROTO,
     "tidemark: module_0001.jit_f: there is no *.hlo.pb of it\n"},
    {"the other form that is not there",
     {STEM ".hlo.pb"},
     FORM_TEXT,
     "tidemark: module_0001.jit_f: there is no text of it\n"},
};

/* ---- Loading what XLA wrote ---- */

#define S4          "a100-d1048576-s4-u1/"
#define FULL        "a100-d1048576-s4-ufull/"
#define REAL        "module_0001.jit_step.sm_8.0_gpu_after_optimizations"
#define REAL_TARGET "module_0001.jit_step.gpu_target_config.pbtxt"
#define WHOLE       SIZE_MAX

struct real_case {
    const char *name;
    const struct {
        const char *from, *to;
        size_t most;
    } files[6];
    enum dump_form form;
    const char *want;
};

static void real_case(void **state)
{
    const struct real_case *c = *state;
    static struct words got;
    struct tree t;
    tree_make(&t);
    for (size_t i = 0; i < COUNT(c->files) && c->files[i].from; i++)
        tree_copy(&t, c->files[i].from, c->files[i].to, c->files[i].most);
    load_all(&got, t.root, c->form);
    hide_root(&got, t.root);
    tree_remove(t.root);
    assert_string_equal(got.text, c->want);
}

static const struct real_case reals[] = {
    {"proto with the text's claims",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE},
      {S4 REAL "-buffer-assignment.txt", REAL "-buffer-assignment.txt", WHOLE},
      {S4 REAL "-buffer-assignment-values.txt", REAL "-buffer-assignment-values.txt", WHOLE},
      {S4 REAL "-live-range.txt", REAL "-live-range.txt", WHOLE},
      {S4 REAL_TARGET, REAL_TARGET, WHOLE}},
     FORM_ANY,
     "jit_step gpu of @/" REAL ".hlo.pb, 258 instructions in order, 18 allocations, 91 values, 79 "
     "ranges (recent), NVIDIA A100-SXM4-80GB 85100068864\n"},
    {"proto alone: the order of its fields tells that it is recent",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE}},
     FORM_PROTO,
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\n"},
    {"a proto that is cut: the text stands in",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", 20000},
      {S4 REAL ".txt", REAL ".txt", WHOLE},
      {S4 REAL "-buffer-assignment.txt", REAL "-buffer-assignment.txt", WHOLE}},
     FORM_ANY,
     "jit_step gpu of @/" REAL
     ".txt, 258 instructions in order, 18 allocations, 91 values\nwarning: @/" REAL
     ".hlo.pb:@0: not used: field 1 wants 39173 bytes, but only 19996 are left (the file is cut "
     "short or is no HloProto: dump it again)\n"},
    {"halves of different modules: other names",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE},
      {FULL REAL "-buffer-assignment.txt", REAL "-buffer-assignment.txt", WHOLE},
      {FULL REAL "-live-range.txt", REAL "-live-range.txt", WHOLE}},
     FORM_ANY,
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\nwarning: @/" REAL
     "-buffer-assignment.txt: names input_reduce_fusion.11, which @/" REAL
     ".hlo.pb does not have: they are of different programs, the buffer assignment is not "
     "used\nwarning: @/" REAL "-live-range.txt: names bitcast.59.0, which @/" REAL
     ".hlo.pb does not have: they are of different programs, the live ranges are not used\n"},
    {"live ranges that are cut",
     {{S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE},
      {S4 REAL "-live-range.txt", REAL "-live-range.txt", 3000}},
     FORM_ANY,
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\nwarning: @/" REAL
     "-live-range.txt:105:22: not used: expected \"{\", but the line ends here\n"},
};

/* A real proto with something behind it, and a small report beside it. */
struct patched_case {
    const char *name, *behind, *report, *want;
};

static void patched_case(void **state)
{
    const struct patched_case *c = *state;
    static struct words got;
    struct tree t;
    char path[512];
    tree_make(&t);
    tree_copy(&t, S4 REAL ".hlo.pb", REAL ".hlo.pb", WHOLE);
    snprintf(path, sizeof path, "%s/%s.hlo.pb", t.root, REAL);
    FILE *f = fopen(path, "ab");
    assert_non_null(f);
    fputs(c->behind, f);
    fclose(f);
    if (c->report)
        tree_add(&t, c->report);
    load_all(&got, t.root, FORM_ANY);
    hide_root(&got, t.root);
    tree_remove(t.root);
    assert_string_equal(got.text, c->want);
}

static const struct patched_case patched[] = {
    {"names agree, sizes do not", "",
     REAL "-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 16, constant:\n",
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\n"
     "warning: @/" REAL "-buffer-assignment.txt: its allocations are not those of @/" REAL
     ".hlo.pb: "
     "they are of different programs, the live ranges beside it are not used\n"},
    {"the total is another program's", "",
     REAL "-buffer-assignment-values.txt=\nTotal bytes used: 80730 (78.8KiB)\n",
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 18 allocations, 91 values (recent)\n"
     "warning: @/" REAL "-buffer-assignment-values.txt: its allocations are not those of @/" REAL
     ".hlo.pb: they are of different programs, the live ranges beside it are not used\n"},
    {"an assignment in the proto that is broken", "\x1a\x02\x1a\x05", NULL,
     "jit_step gpu of @/" REAL ".hlo.pb, 258 instructions in order\nwarning: @/" REAL
     ".hlo.pb:@51265: buffer assignment is not usable: field 3 wants 5 bytes, but only 0 are left "
     "(the file is cut short or is no HloProto: dump it again)\n"},
    {"an assignment in the proto of nothing: the text stands in", "\x1a\x02\x20\x01",
     REAL "-buffer-assignment.txt=BufferAssignment:\nallocation 0: size 16, constant:\n",
     "jit_step gpu of @/" REAL
     ".hlo.pb, 258 instructions in order, 1 allocations, 0 values\nwarning: @/" REAL
     ".hlo.pb: buffer assignment is not usable: no allocation in it, expected at least one\n"},
};

/* ---- Standard input ---- */

static void standard_input(void **state)
{
    (void)state;
    static struct words got;
    static const char text[] = HLO;
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    load_all(&got, "-", FORM_ANY);
    dup2(kept, STDIN_FILENO);
    close(kept);
    assert_string_equal(got.text, "jit_f ? of <stdin>, 2 instructions in order\n");
}

static void pipes_are_read_once(void **state)
{
    (void)state;
    static struct words got;
    static const char text[] = PLACED;
    char path[64];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    load_all(&got, path, FORM_ANY);
    close(ends[0]);
    hide_root(&got, path);
    assert_string_equal(got.text + strcspn(got.text, " "), " ? of @, 2 allocations, 2 values\n");
}

/* ---- The device ---- */

struct target_case {
    const char *name, *text, *want;
};

static void target_case(void **state)
{
    const struct target_case *c = *state;
    struct arena a = {0};
    struct file f = {"t", c->text, strlen(c->text)};
    struct target_config t;
    struct diag d;
    char got[512];
    if (target_config_read(&a, &t, &f, &d))
        snprintf(got, sizeof got, "%s %llu", t.device ? t.device : "?",
                 (unsigned long long)t.device_memory);
    else
        diag_text(&d, got, sizeof got);
    arena_free(&a);
    assert_string_equal(got, c->want);
}

#define NO_TARGET " (this is no GpuTargetConfigProto in text form)"

static const struct target_case targets[] = {
    {"as XLA writes it",
     "gpu_device_info {\n  core_count: 108\n  clock_rate_ghz: 1.41\n  device_memory_size: "
     "85100068864\n"
     "  cuda_compute_capability {\n    major: 8\n    feature_extension: NONE\n  }\n"
     "  name: \"NVIDIA A100-SXM4-80GB\"\n}\nplatform_name: \"CUDA\"\n"
     "device_description_str: \"another\"\n",
     "NVIDIA A100-SXM4-80GB 85100068864"},
    {"in one line, with comments, colons and other braces",
     "# a comment\ngpu_device_info: < name: 'H200', device_memory_size: 5; >", "H200 5"},
    {"the description stands in for the name",
     "gpu_device_info { device_memory_size: 7 }\ndevice_description_str: \"A100\"", "A100 7"},
    {"a name elsewhere is not the device's",
     "x { name: \"no\" device_memory_size: 9 }\ngpu_device_info { y { name: \"no\" } "
     "device_memory_size: 7 }",
     "? 7"},
    {"nothing in it", "", "tidemark: t: no gpu_device_info with name or device_memory_size in it"},
    {"a size that is no number", "gpu_device_info {\n  device_memory_size: 80GB\n}",
     "tidemark: t:2:23: expected a number of bytes" NO_TARGET},
    {"a message that ends too often", "}",
     "tidemark: t:1:1: expected a field, not the end of a message" NO_TARGET},
    {"a string without its end", "platform_name: \"CU\n",
     "tidemark: t:1:16: expected a string that ends on its line" NO_TARGET},
    {"no value", "platform_name\n", "tidemark: t:2:1: expected a value" NO_TARGET},
    {"no field", "= 3", "tidemark: t:1:1: expected the name of a field" NO_TARGET},
};

#define ADD(table, test)                                                                           \
    for (size_t i = 0; i < COUNT(table); i++)                                                      \
        t[n++] = (struct CMUnitTest)                                                               \
        {                                                                                          \
            .name = table[i].name, .test_func = test, .initial_state = (void *)&table[i]           \
        }

int main(void)
{
    static struct CMUnitTest
        t[COUNT(finds) + COUNT(loads) + COUNT(reals) + COUNT(patched) + COUNT(targets) + 4];
    size_t n = 0;
    ADD(finds, find_case);
    t[n++] = (struct CMUnitTest){.name = "unreadable directories", .test_func = unreadable};
    t[n++] = (struct CMUnitTest){.name = "9,000 files in linear time", .test_func = many_modules};
    ADD(loads, load_case);
    ADD(reals, real_case);
    ADD(patched, patched_case);
    t[n++] = (struct CMUnitTest){.name = "standard input", .test_func = standard_input};
    t[n++] = (struct CMUnitTest){.name = "pipes are read once", .test_func = pipes_are_read_once};
    ADD(targets, target_case);
    return _cmocka_run_group_tests("dump", t, n, NULL, NULL);
}
