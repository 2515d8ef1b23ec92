/* Dumps in directories: which files belong together. */
#include "core/load/dump/module.h"
#include "core/load/text/target_config.h"
#include "tests/support/tables.h"
#include "tests/support/dump_tree.h"
#include "tests/support/large_text.h"

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
    file_remove_tree(t.root);
    assert_string_equal(got.text, c->want);
}

#define FLAGS    "XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_as_proto\""
#define MAKE_ONE "make one: " FLAGS " python train.py"
#define EXPECTED                                                                                   \
    "expected an HLO program (*after_optimizations.hlo.pb, .txt), a *-buffer-assignment.txt, a "   \
    "profile or a log with an out-of-memory listing"

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
    file_remove_tree(t.root);
    assert_string_equal(got.text, "@ module_0001.jit_f jit_f cpu: text\n"
                                  "warning: @/closed: cannot be searched: Permission denied\n"
                                  "tidemark: @/closed: cannot be searched: Permission denied\n");
}

static void many_modules(void **state)
{
    (void)state;
    struct tree t;
    struct dump d;
    struct diag diag;
    tree_make(&t);
    large_modules(t.root, LARGE_MODULES);
    bool ok = dump_find(&d, t.root, &diag);
    uint32_t n = d.entries.n, whole = 0;
    for (uint32_t k = 0; ok && k < n; k++) {
        const struct dump_entry *e = dump_entry(&d, k);
        whole += e->path[DUMP_HLO_PROTO] && e->path[DUMP_HLO_TEXT] && e->path[DUMP_ASSIGNMENT];
    }
    dump_free(&d);
    file_remove_tree(t.root);
    assert_true(ok);
    assert_int_equal(n, LARGE_MODULES);
    assert_int_equal(whole, LARGE_MODULES);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(finds) + 2];
    size_t n = 0;
    ADD_TABLE(finds, find_case, name);
    ADD_AS(unreadable, "unreadable directories");
    ADD_AS(many_modules, LARGE_MODULES_NAME);
    return _cmocka_run_group_tests("dump", tests, n, NULL, NULL);
}
