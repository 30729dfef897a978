# ssd-whatif: build, test, install. `make run` and `make test` need nothing but this file: they call
# .ci/deps, which installs what is missing (Debian) or names it (elsewhere).

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
# A system that already has libfaiss_c: FAISS_PREFIX=/opt/faiss with lib/libfaiss_c.a (or .so).
FAISS_PREFIX ?=
CC ?= cc
CXX ?= c++
ifeq ($(origin CC),default)
CC := gcc
endif
OPT ?= -O2 -g
WERROR ?=
VERSION := 0.1.0

MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
FAISS_DIR := $(if $(FAISS_PREFIX),$(FAISS_PREFIX)/lib,build/faiss)
BLAS_A := /usr/lib/$(MULTIARCH)/openblas-serial/libopenblas.a

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wformat=2 -Wundef -Wpointer-arith -Wwrite-strings $(if $(WERROR),-Werror)
ALL_CPPFLAGS := -I. -I$(BUILD) -D_GNU_SOURCE -DWI_VERSION='"$(VERSION)"' $(CPPFLAGS)
ALL_CFLAGS := -std=c11 -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno $(WARN) $(OPT) $(CFLAGS)
LIBS := -L$(FAISS_DIR) -lfaiss_c -lfaiss -Wl,-Bstatic -lsqlite3 -llapacke $(BLAS_A) \
        -lgfortran -lquadmath -lgomp -lstdc++ -lpcre2-8 -lcsv -lnettle -Wl,-Bdynamic -lcjson -lnlopt \
        -lz -lm -ldl -lpthread -static-libgcc
CLI_LIBS := -lsmartcols

LIB_SRC := $(wildcard core/*.c knowledge/*.c prompts/*.c experiments/*.c)
CLI_SRC := $(wildcard cli/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/embedded_data.o
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
DATA := $(sort $(shell find data -type f) $(wildcard prompts/*.txt prompts/*.json))

.PHONY: all run test unit check clean debug asan deps
all: $(BUILD)/ssd-whatif

$(BUILD)/ssd-whatif: $(CLI_OBJ) $(BUILD)/libssdwhatif.a
	$(CC) $(OPT) $(LDFLAGS) -o $@ $(CLI_OBJ) $(BUILD)/libssdwhatif.a $(CLI_LIBS) $(LIBS)

$(BUILD)/libssdwhatif.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $(LIB_OBJ)

$(BUILD)/%.o: %.c | $(FAISS_DIR)/libfaiss_c.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# data/ and prompts/ templates, compiled in.
$(BUILD)/embedded_data.S $(BUILD)/embedded_data.c &: .ci/embed $(DATA)
	@mkdir -p $(@D)
	.ci/embed $(BUILD) $(DATA)
$(BUILD)/embedded_data.o: $(BUILD)/embedded_data.c $(BUILD)/embedded_data.S
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $(BUILD)/embedded_table.o $(BUILD)/embedded_data.c
	$(CC) -c -o $(BUILD)/embedded_bytes.o $(BUILD)/embedded_data.S
	ld -r -o $@ $(BUILD)/embedded_table.o $(BUILD)/embedded_bytes.o

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libssdwhatif.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Itests/unit $(ALL_CFLAGS) -MMD -MP -o $@ $< $(BUILD)/libssdwhatif.a -lcmocka $(LIBS)

ifeq ($(FAISS_PREFIX),)
$(FAISS_DIR)/libfaiss_c.a: .ci/faiss_c
	.ci/faiss_c $(FAISS_DIR)
endif

unit: $(UNIT_BIN)
	@for t in $(UNIT_BIN); do $$t || exit 1; done

test: all unit

debug:
	$(MAKE) BUILD=build-debug OPT="-O0 -g3" all
asan:
	$(MAKE) BUILD=build-asan OPT="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined" all

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(UNIT_BIN:=.d)
