# tidemark.  `make run` and `make check` install what is missing; plain `make` only names it.
#   SAN=1   address and undefined-behaviour sanitizers, objects of their own
#   NVCC=   build without CUDA even where nvcc is found
PREFIX ?= /usr/local
NVCC   ?= $(firstword $(wildcard /usr/local/cuda/bin/nvcc) $(shell command -v nvcc))
CUDA   := $(if $(and $(NVCC),$(if $(SAN),,yes)),$(NVCC))# sanitizers and CUDA do not share a process
B      := build/$(if $(SAN),san,rel)$(if $(CUDA),-cuda)
TIDEMARK := build/$(if $(SAN),san/)tidemark
VERSION  := 0.1.0

# ---- What the build needs: a test for each Debian package ----
lacks = $(if $(shell pkg-config --exists $1 2>/dev/null && echo yes),,$2)
tool  = $(if $(shell command -v $1),,$2)
NEED_BUILD := $(strip $(call tool,cc,gcc libc6-dev) $(call tool,pkg-config,pkg-config) \
  $(call tool,protoc-c,protobuf-c-compiler) $(call lacks,ncursesw,libncurses-dev) \
  $(call lacks,libcjson,libcjson-dev) $(call lacks,libprotobuf-c,libprotobuf-c-dev) \
  $(call lacks,zlib,zlib1g-dev) $(call lacks,liblzma,liblzma-dev))
NEED_CHECK := $(NEED_BUILD) $(call lacks,cmocka,libcmocka-dev) $(call tool,g++,g++) $(call tool,tmux,tmux) \
  $(call tool,xz,xz-utils) $(call tool,python3,python3)

NEED_BROWSER := $(NEED_BUILD) $(call tool,python3,python3) $(call tool,chromium,chromium)

CFLAGS  ?= $(if $(SAN),-O1,-O2) -g
comma   := ,
# Why there is no CUDA, for --version.
NO_CUDA := $(if $(CUDA),,$(if $(SAN),it was built with sanitizers,$(if $(filter command environment,$(firstword \
           $(origin NVCC))),make was told NVCC=,nvcc was not found)))
CUDA_ARCHS := sm_80$(comma) sm_90$(comma) PTX compute_90
# Hardening, where the compiler knows it; sanitizers watch more than that, and get in its way.
takes   = $(shell for f in $1; do $(CC) $(CFLAGS) $2 -Werror "$$f" -include features.h -x c -c -o /dev/null /dev/null \
            2>/dev/null && echo "$$f"; done)
HARDEN  := $(if $(SAN),,-fPIE $(call takes,-fstack-protector-strong -fstack-clash-protection -fcf-protection) \
           $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE \
           $(lastword $(call takes,-D_FORTIFY_SOURCE=2 -D_FORTIFY_SOURCE=3,-U_FORTIFY_SOURCE))))
SANITIZE := -fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined
WARN    := -Wall -Wextra -Wshadow -Wconversion $(if $(CI),-Werror)
BASE    := -std=c11 -D_POSIX_C_SOURCE=200809L -I. -Ibuild/gen -I$B -ffp-contract=off -MMD -MP \
           $(shell pkg-config --cflags libcjson libprotobuf-c ncursesw 2>/dev/null) \
           $(shell pkg-config --cflags cmocka 2>/dev/null) \
           -DTIDEMARK_VERSION='"$(VERSION)"' -DTIDEMARK_SHARE='"$(PREFIX)/share/tidemark"' \
           $(if $(SAN),$(SANITIZE) -fno-omit-frame-pointer,$(HARDEN))
LDFLAGS += $(if $(SAN),$(SANITIZE),-pie -Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
CORE_LIBS := -lcjson -lprotobuf-c -lz -llzma -lm -lpthread
CUDA_LIBS := $(if $(CUDA),-L$(dir $(CUDA))../lib64 -lcudart_static -lstdc++ -lpthread -ldl -lrt)

o     = $(patsubst %,$B/%.o,$(basename $1))
GEN   := $(patsubst core/load/proto/%.proto,build/gen/%.pb-c.c,$(wildcard core/load/proto/*.proto))
CORE  := $(call o,$(wildcard core/*/*.c core/*/*/*.c)) $(patsubst build/gen/%.c,$B/%.o,$(GEN))
PAGE  := $(wildcard core/output/export/page/*)
CORE  += $B/export_page.o
# The CUDA backend, or its stub; tests that have no GPU run its sources on tests/emulated.
STUB  := $(call o,gpu/cuda/stub.c)
HOST  := $(call o,$(filter-out $(wildcard gpu/cuda/*.c),$(wildcard gpu/*.c gpu/*/*.c)))
DEVICE := $(filter-out $(STUB),$(call o,$(wildcard gpu/cuda/*.c)))
KERNELS := $(notdir $(basename $(wildcard gpu/cuda/*.cu)))
GPU   := $(HOST) $(if $(CUDA),$(DEVICE) $(KERNELS:%=$B/gpu/cuda/%.cu.o),$(STUB))
EMULATED := $(HOST) $(DEVICE) $(KERNELS:%=$B/emulated/%.o) $B/emulated/emulated.o
MAIN  := $(call o,tui/terminal/term.c tui/explorer/explorer.c tui/cli/main.c $(wildcard tui/cli/command_*.c))
VIEW  := $(filter-out $(MAIN),$(call o,$(wildcard tui/*/*.c)))

# What a test links is the layering, by its folder: core alone; core and views without ncurses; core and
# gpu, on the emulated device where there is no CUDA, or even where it is.
tests_in = $(patsubst %.c,$B/%,$(wildcard tests/$1/test_*.c))
TESTS   := $(foreach folder,core tui gpu emulated,$(call tests_in,$(folder)))
# Started first: what takes long, and what mostly waits (tmux).
LONGEST := inject_test.sh,tmux_test.sh,tmux_hands_test.sh,tmux_faults_test.sh,test_exec,hostile_test.sh,cli_test.sh,export_test.sh,test_capture,test_export,test_app
STRAY   := $(wildcard tests/test_*.c tests/*_test.sh)
$(if $(STRAY),$(error $(STRAY): in no folder, so it would not run; see tests/README.md))
FUZZ    := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAYS := $(addprefix $B/tests/fuzz/replay_,$(FUZZ))
# Programs that are no tests: for make corpus, models, device-check, bench.
CORPUS  := $(addprefix $B/tests/corpus/,corpus corpus_hints corpus_lesson whatif_table)
RUNONE  := $B/tests/corpus/runone
CHECK   := $B/tests/device/device_check
FRAMES  := $B/tests/bench/frames
LARGE   := $B/tests/bench/large

tidemark: need-build $(TIDEMARK)
	@:
.PHONY: always device-check tidemark run check check-browser test corpus models whatif-table bench bench-pack golden man install uninstall clean need-build need-check \
        deb deb-check tidy tidy-fast cppcheck valgrind \
        packages-build packages-check packages-browser packages-deb packages-tidy packages-cppcheck packages-valgrind

need-build:
	@$(if $(NEED_BUILD),echo "missing Debian packages; as root: apt-get install $(NEED_BUILD)" >&2; exit 2)
packages-build: ; @$(call install,$(NEED_BUILD))
packages-check: ; @$(call install,$(NEED_CHECK))
packages-browser: ; @$(call install,$(NEED_BROWSER))
install = need="$(strip $1)"; if [ -n "$$need" ]; then \
  if [ "$$(id -u)" = 0 ]; then as=; elif command -v sudo >/dev/null; then as=sudo; else \
    echo "missing Debian packages, and neither root nor sudo; as root: apt-get install $$need" >&2; exit 2; fi; \
  echo "installing with $${as:+$$as }apt-get: $$need" >&2; mkdir -p build; \
  { $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends $$need; } >build/apt.log 2>&1 || \
    { tail -n 20 build/apt.log >&2; exit 2; }; fi

# make decides what is missing when it starts, so the build is a second make; on all cores, unless told.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
run: packages-build
	@$(MAKE) $(JOBS) --no-print-directory -s tidemark >&2
	@exec build/tidemark
check: packages-check
	@$(MAKE) $(JOBS) --no-print-directory tidemark >&2
	@sh tests/checkers.sh "$(MAKE)" >&2
	@$(MAKE) $(JOBS) --no-print-directory SAN=1 test
check-browser: packages-browser
	@$(MAKE) --no-print-directory tidemark >&2
	@TIDEMARK=$(TIDEMARK) python3 tests/run.py tests/shell/browser_test.sh
test: need-build $(TIDEMARK) $(TESTS) $(REPLAYS) $B/tests/inject/inject.so
	@TIDEMARK=$(TIDEMARK) TESTS=$B/tests python3 tests/run.py --first $(LONGEST) $(TESTS) $(wildcard tests/shell/*_test.sh)
corpus: need-build $(CORPUS)
	@sh tests/corpus/corpus.sh sh -ec 'for check in $(CORPUS); do $$check "$$1"; done' sh
whatif-table: need-build $B/tests/corpus/whatif_table
	@$B/tests/corpus/whatif_table -v fixtures/grid
device-check: need-build
	@mkdir -p build
	@sh tests/device/device_check.sh "$(NVCC)" "$(MAKE)"
models: need-build $(RUNONE)
	@MODELS_SECONDS=$(MODELS_SECONDS) sh tests/corpus/corpus.sh sh tests/corpus/models.sh $(RUNONE)
golden: need-build $(TIDEMARK) $B/tests/tui/test_screens
	@TIDEMARK_GOLDEN=write $B/tests/tui/test_screens
	@TIDEMARK=$(TIDEMARK) TIDEMARK_GOLDEN=write sh tests/shell/readme_test.sh
# The lists of commands and options in the man page, from the tables in tui/cli/cli_table.c.
man: need-build $B/tests/tui/test_cli_manual
	@TIDEMARK_GOLDEN=write $B/tests/tui/test_cli_manual
bench-pack: need-build $(TIDEMARK) $B/tests/bench/packgen
	@sh tests/bench/pack_bench.sh $(TIDEMARK) $B/tests/bench/packgen
bench: need-build $(TIDEMARK) $B/tests/bench/measure $(FRAMES) $(LARGE)
	@sh tests/corpus/corpus.sh python3 tests/bench/bench.py $(TIDEMARK) $B/tests/bench/measure $(FRAMES)
	@$(LARGE)
	@python3 tests/bench/bench_run.py $(TIDEMARK)

# Each variant links a program of its own; build/tidemark is the one that was made last.
ifneq ($(TIDEMARK),$B/tidemark)
$(TIDEMARK): $B/tidemark always
	@cmp -s $< $@ || cp -fp $< $@
endif
$B/tidemark: $(CORE) $(GPU) $(VIEW) $(MAIN)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(CORE_LIBS) $(shell pkg-config --libs ncursesw) $(CUDA_LIBS)
LIBS :=
$(call tests_in,tui): $(VIEW)
$(call tests_in,gpu): $(if $(CUDA),$(GPU),$(EMULATED))
$(call tests_in,gpu): LIBS := $(CUDA_LIBS)
$(call tests_in,emulated): $(EMULATED)
$(TESTS): %: %.o $(CORE)
	$(CC) $(LDFLAGS) -o $@ $^ $(CORE_LIBS) $(LIBS) -lcmocka

$B/tests/corpus/corpus: $B/tests/corpus/corpus_loops.o $B/tests/corpus/corpus_roles.o
$(FRAMES) $(LARGE): $(VIEW)
$(RUNONE): $B/tests/corpus/pair.o
$(RUNONE) $(CHECK): $(GPU)
$(RUNONE) $(CHECK): LIBS := $(CUDA_LIBS)
$(CORPUS) $(RUNONE) $(CHECK) $(FRAMES) $(LARGE): %: %.o $(CORE)
	$(CC) $(LDFLAGS) -o $@ $^ $(CORE_LIBS) $(LIBS)
# What make device-check runs, without a device: to try it where there is none.
$(CHECK)_emulated: $(CHECK).o $(CORE) $(EMULATED)
	$(CC) $(LDFLAGS) -o $@ $^ $(CORE_LIBS)
$B/tests/bench/measure $B/tests/bench/packgen: %: %.o
	$(CC) $(LDFLAGS) -o $@ $^

$B/tests/fuzz/replay_%: $B/tests/fuzz/replay.o $B/tests/fuzz/fuzz_%.o $(CORE)
	$(CC) $(LDFLAGS) -o $@ $^ $(CORE_LIBS)
$(addprefix $B/tests/fuzz/replay_,keys config state): $B/tests/fuzz/replay_%: $B/tests/fuzz/replay.o $B/tests/fuzz/fuzz_%.o $(CORE) $(VIEW)
	$(CC) $(LDFLAGS) -o $@ $^ $(CORE_LIBS)
$B/tests/fuzz/replay_run: $B/tests/fuzz/replay.o $B/tests/fuzz/fuzz_run.o $(CORE) $(HOST) $(STUB)
	$(CC) $(LDFLAGS) -o $@ $^ $(CORE_LIBS)

# Not sanitized: it stands between the program and the sanitizer's own allocator.
$B/tests/inject/inject.so: tests/inject/inject.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 -g -Wall -Wextra $(if $(CI),-Werror) -fPIC -shared -o $@ $< -ldl -lpthread

# make fuzz-hlo_text FUZZ_SECONDS=600: libFuzzer, seeds from the fixtures, finds in build/fuzz.
FUZZ_SECONDS ?= 60
fuzz-keys fuzz-config fuzz-state: FUZZ_MORE := $(patsubst $B/%.o,%.c,$(VIEW))
fuzz-run: FUZZ_MORE := $(patsubst $B/%.o,%.c,$(HOST) $(STUB))
fuzz-%: | $(GEN) build/gen/export_page.c $B/built.h
	@mkdir -p build/fuzz/$*/corpus
	clang -g -O1 $(filter-out -MMD $(HARDEN),$(BASE)) -fsanitize=fuzzer$(comma)address$(comma)undefined \
	  -fno-sanitize-recover=undefined -o build/fuzz/$*/fuzz tests/fuzz/fuzz_$*.c $(FUZZ_MORE) core/*/*.c core/*/*/*.c $(GEN) build/gen/export_page.c $(CORE_LIBS)
	@sh tests/fuzz/seeds.sh $* build/fuzz/$*/corpus
	@sh tests/fuzz/dict.sh $* >build/fuzz/$*/dict
	cd build/fuzz/$* && ./fuzz -dict=dict -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	  -print_final_stats=1 corpus

# The compiler as it calls itself, not as it was called: gcc --version begins with the command's name.
BUILT_BY = $(shell $(CC) --version | sed -n '1s/^[^ ]*cc[^ ]* \((.*)\)/gcc \1/; 1p')
# Written anew only when it says something new.
$B/built.h: always
	@mkdir -p $(@D)
	@{ echo '#define BUILT_FOR "$(shell $(CC) -dumpmachine)"'; \
	  echo '#define BUILT_BY "$(BUILT_BY)"'; \
	  echo '#define $(if $(CUDA),BUILT_CUDA "$(CUDA_ARCHS)",BUILT_WITHOUT_CUDA "$(NO_CUDA)")'; } >$@.part
	@cmp -s $@.part $@ && rm $@.part || mv $@.part $@
$(call o,tui/cli/command_version.c) $(STUB): $B/built.h

$B/%.o: %.c | $(GEN)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE) $(WARN) -c -o $@ $<
$B/gpu/%.o: gpu/%.c | $(GEN)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(if $(SAN),,-O3) -fno-math-errno -fno-trapping-math $(BASE) $(WARN) -c -o $@ $<
$B/%.cu.o: %.cu | $(GEN)
	@mkdir -p $(@D)
	$(CUDA) -O2 -std=c++17 -I. -Ibuild/gen -fmad=false -gencode arch=compute_80,code=sm_80 \
	  -gencode arch=compute_90,code=[sm_90,compute_90] \
	  -Xcompiler -fPIE,-fstack-protector-strong,-fstack-clash-protection -MD -MP -c -o $@ $<
CXX_EMULATED = $(CXX) -x c++ -std=c++17 $(if $(SAN),-O1,-O2) -g -fPIE -fno-exceptions -fno-rtti -ffp-contract=off -Itests/emulated -I. -Ibuild/gen \
  -MMD -MP -Wall -Wextra $(if $(CI),-Werror) $(if $(SAN),$(SANITIZE) -fno-omit-frame-pointer)
$B/emulated/%.o: gpu/cuda/%.cu | $(GEN)
	@mkdir -p $(@D)
	$(CXX_EMULATED) -c -o $@ $<
$B/emulated/%.o: tests/emulated/%.cpp
	@mkdir -p $(@D)
	$(CXX_EMULATED) -c -o $@ $<
$B/%.pb-c.o: build/gen/%.pb-c.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE) -c -o $@ $<
build/gen/export_page.c: $(PAGE)
	@mkdir -p $(@D)
	sh core/output/export/page/embed.sh core/output/export/page >$@.part && mv $@.part $@
$B/export_page.o: build/gen/export_page.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE) $(WARN) -c -o $@ $<
build/gen/%.pb-c.c: core/load/proto/%.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=$(<D) --c_out=$(@D) $(<F)

# What the program looks for in its share folder; grid and remedies hold the compiled programs.
SHIPPED := $(wildcard fixtures/*.json fixtures/*.py fixtures/*.txtpb)
BASH_COMPLETIONS := share/bash-completion/completions/tidemark
ZSH_COMPLETIONS  := share/zsh/site-functions/_tidemark
FISH_COMPLETIONS := share/fish/vendor_completions.d/tidemark.fish
install: tidemark
	install -D -m 755 $(TIDEMARK) "$(DESTDIR)$(PREFIX)/bin/tidemark"
	install -D -m 644 tidemark.1 "$(DESTDIR)$(PREFIX)/share/man/man1/tidemark.1"
	install -D -m 644 README.md "$(DESTDIR)$(PREFIX)/share/doc/tidemark/README.md"
	install -D -m 644 fixtures/README.md "$(DESTDIR)$(PREFIX)/share/doc/tidemark/fixtures/README.md"
	@for to in bash:$(BASH_COMPLETIONS) zsh:$(ZSH_COMPLETIONS) fish:$(FISH_COMPLETIONS); do \
	  $(TIDEMARK) --completion $${to%%:*} >build/completion.part && \
	  install -D -m 644 build/completion.part "$(DESTDIR)$(PREFIX)/$${to#*:}" || exit 1; done; rm build/completion.part
	@find $(SHIPPED) fixtures/grid fixtures/remedies -type f | while IFS= read -r f; do \
	  install -D -m 644 "$$f" "$(DESTDIR)$(PREFIX)/share/tidemark/$${f#fixtures/}" || exit 1; done
uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/tidemark" "$(DESTDIR)$(PREFIX)/share/man/man1/tidemark.1"
	rm -f $(foreach f,$(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS),"$(DESTDIR)$(PREFIX)/$f")
	rm -rf "$(DESTDIR)$(PREFIX)/share/tidemark" "$(DESTDIR)$(PREFIX)/share/doc/tidemark"

# ---- The Debian package: build/tidemark_*.deb, without CUDA unless DEB_NVCC names an nvcc ----
deb: packages-deb
	@sh debian/deb.sh "$(MAKE)" "$(VERSION)" "$(DEB_NVCC)"
deb-check: packages-deb
	@sh debian/check.sh "$(MAKE)" "$(VERSION)" "$(DEB_NVCC)"
packages-deb: ; @$(call install,$(NEED_BUILD) $(call tool,dpkg-shlibdeps,dpkg-dev) $(call tool,lintian,lintian))

# ---- Checkers that read the sources or watch the program ----
SOURCES    = $(shell find core gpu tui -name '*.c')
# tidy-fast: without the analyzer, which follows paths, so that tests and CI can have it; see .clang-tidy.
TIDY_ARGS := $(filter-out -MMD -MP -DTIDEMARK% -I$B $(SANITIZE) $(HARDEN),$(BASE)) -Ibuild/tidy -Itests/emulated
tidy-fast: CHECKS := --checks=-clang-analyzer-*
tidy tidy-fast: packages-tidy $(GEN) build/gen/export_page.c
	@mkdir -p build/tidy && printf '#define %s ""\n' BUILT_FOR BUILT_BY BUILT_WITHOUT_CUDA >build/tidy/built.h
	@printf '%s\n' $(SOURCES) $(if $(CHECKS),$(shell find tests -name '*.c')) | \
	  xargs -P "$$(nproc)" -n 4 sh tests/tidy.sh --warnings-as-errors='*' $(CHECKS) $(TIDY_ARGS) --
cppcheck: packages-cppcheck
	@mkdir -p build/cppcheck
	@cppcheck --quiet --cppcheck-build-dir=build/cppcheck -j "$$(nproc)" --std=c11 --enable=warning,performance,portability --inline-suppr \
	  --suppressions-list=.cppcheck --error-exitcode=1 -D_POSIX_C_SOURCE=200809L -I. core gpu tui
valgrind: packages-valgrind need-build $(TIDEMARK)
	@TIDEMARK=$(TIDEMARK) python3 tests/run.py tests/shell/valgrind.sh
packages-tidy: ; @$(call install,$(NEED_BUILD) $(call tool,clang-tidy,clang-tidy))
packages-cppcheck: ; @$(call install,$(call tool,cppcheck,cppcheck))
packages-valgrind: ; @$(call install,$(NEED_BUILD) $(call tool,python3,python3) $(call tool,valgrind,valgrind))
clean:
	rm -rf build

.PRECIOUS: $B/%.o
-include $(shell find build -type f -name '*.d' 2>/dev/null)
