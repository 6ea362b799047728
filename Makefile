# SPDX-License-Identifier: GPL-2.0-only
#
#   make            build/tmtrace
#   make demo       install what is missing, build, trace the sample stack
#   make test       install what is missing, build, run every test
#   make help       the other targets
#
# V=1 shows the commands. BUILD=DIR builds there. SANITIZE=1 builds with ASan, UBSan and what
# libFuzzer needs, by clang, into a folder of its own.

VERSION	 := 0.1.0
PREFIX	 ?= /usr/local
SANITIZE ?=
BUILD	 ?= build$(if $(SANITIZE),/sanitize)
# Where the kernel side is: whatever the program's flags are, it is the same.
KERNEL_SIDE ?= $(BUILD)

CC	?= gcc
CLANG	?= clang
ifneq ($(SANITIZE),)
CC	:= $(CLANG)
endif
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
INSTALL ?= install

ifeq ($(V),1)
Q   :=
msg :=
else
Q   := @
msg  = @printf '  %-8s %s\n' '$(1)' '$(2)'
endif

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wno-missing-field-initializers
# What is sanitized is built for tests alone: it is compiled once for each run of them.
CFLAGS	 ?= $(if $(SANITIZE),-O1 -gline-tables-only,-O2 -g)
LDFLAGS	 ?=
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) $(if $(SANITIZE),$(SANITIZERS)) \
	     -Iheaders -Iuser -I$(KERNEL_SIDE) -DTMTRACE_VERSION='"$(VERSION)"' \
	     -DTMTRACE_DATA_DIR='"$(PREFIX)/share/tmtrace"'
SANITIZERS := -fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer -fno-sanitize-recover=all
# SQLite in the program: as a library it costs the service 180 KiB of memory that it never uses.
LIBS	 ?= -l:libbpf.a -l:libsqlite3.a -lelf -lz -lyaml -ljson-c -lZydis -lm -lncursesw -ltinfo
# Of packages: what lets paths of the build machine out of what is built.
MAP_PATHS  ?=
BPF_CFLAGS := -g -O2 $(MAP_PATHS) -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -std=gnu11 -Wall -Wextra -Werror \
	      -Wno-unused-function -Wno-unused-parameter -Ivmlinux -Iheaders -Ibpf \
	      -idirafter /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
# What the compiler leaves beside an object: the headers that it depends on.
DEPFLAGS := -MMD -MP

.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all
.PHONY: all
all: $(BUILD)/tmtrace $(BUILD)/tmtrace-metrics

# A file that holds a text and changes only when the text does: what depends on it is made again
# when the flags change, or the list of objects and its order. $(1): file, $(2): text
define REMEMBER
$(1): FORCE
	@mkdir -p $$(@D)
	@printf '%s\n' '$(subst ','\'',$(2))' | cmp -s - $$@ || printf '%s\n' '$(subst ','\'',$(2))' > $$@
endef
.PHONY: FORCE

# The kernel side: an object per layer, linked into one, with one skeleton.
# The definitions come first: bpftool 7.1 loses a map's offset when it meets its extern before.
BPF_SOURCES := bpf/maps.bpf.c $(sort $(filter-out bpf/maps.bpf.c,$(wildcard bpf/*.bpf.c)))
BPF_OBJECTS := $(patsubst bpf/%.bpf.c,$(KERNEL_SIDE)/bpf/%.bpf.o,$(BPF_SOURCES))

$(eval $(call REMEMBER,$(KERNEL_SIDE)/bpf/flags,$(CLANG) $(BPF_CFLAGS)))
$(eval $(call REMEMBER,$(KERNEL_SIDE)/bpf/objects,$(BPF_OBJECTS)))

$(KERNEL_SIDE)/bpf/%.bpf.o: bpf/%.bpf.c $(KERNEL_SIDE)/bpf/flags
	$(call msg,BPF,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(KERNEL_SIDE)/tmtrace.bpf.o: $(BPF_OBJECTS) $(KERNEL_SIDE)/bpf/objects
	$(call msg,LINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $(BPF_OBJECTS)

$(KERNEL_SIDE)/tmtrace.skel.h: $(KERNEL_SIDE)/tmtrace.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name tmtrace_bpf > $@

# The program. Everything but main.c is in a library that the unit tests link too.
USER_SOURCES := $(sort $(filter-out user/main.c,$(wildcard user/*/*.c user/*/*.S)))
USER_OBJECTS := $(patsubst %,$(BUILD)/%.o,$(basename $(USER_SOURCES)))

$(eval $(call REMEMBER,$(BUILD)/user/flags,$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(LIBS)))
$(eval $(call REMEMBER,$(BUILD)/user/objects,$(USER_OBJECTS)))

$(BUILD)/user/%.o: user/%.c $(BUILD)/user/flags | $(KERNEL_SIDE)/tmtrace.skel.h
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(BUILD)/user/%.o: user/%.S $(BUILD)/user/flags
	$(call msg,AS,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(DEPFLAGS) -Wa,-I,$(BUILD) -c $< -o $@

# What the assembler includes is in no list of headers.
$(BUILD)/user/export/sql.o: user/export/tables.sql user/export/views.sql

# A page of HTML may load nothing: its policy has the hashes of its style and its script.
PAGE_PARTS   := base units table chart columns times load layers tables files waterfall runs main
PAGE_SCRIPTS := $(addprefix user/page/script/,$(addsuffix .js,$(PAGE_PARTS)))
hash_of = sha256-$$(sha256sum < $(1) | cut -c1-64 | tr a-f A-F | basenc -d --base16 | base64)

$(BUILD)/page/style: user/page/style.css
	$(Q)mkdir -p $(@D) && cp $< $@

$(BUILD)/page/script: $(PAGE_SCRIPTS) Makefile
	$(Q)mkdir -p $(@D) && cat $(PAGE_SCRIPTS) > $@

$(BUILD)/page/policy: $(BUILD)/page/style $(BUILD)/page/script
	$(call msg,PAGE,$@)
	$(Q)printf "default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; \
	form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'" \
		"$(call hash_of,$(BUILD)/page/style)" "$(call hash_of,$(BUILD)/page/script)" > $@

$(BUILD)/user/page/page_files.o: $(addprefix $(BUILD)/page/,style script policy)

$(BUILD)/libtmtrace.a: $(USER_OBJECTS) $(BUILD)/user/objects
	$(call msg,AR,$@)
	$(Q)rm -f $@ && $(AR) crs $@ $(USER_OBJECTS)

# Where the program in a build folder finds the catalogue.
$(BUILD)/probes:
	$(Q)mkdir -p $(@D) && ln -sfn $(CURDIR)/probes $@

$(BUILD)/tmtrace: $(BUILD)/user/main.o $(BUILD)/libtmtrace.a | $(BUILD)/probes
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# Metrics by HTTP, a program of its own: neither its library nor its clients come near the other one.
$(BUILD)/tmtrace-metrics: $(BUILD)/user/metrics_main.o $(BUILD)/libtmtrace.a
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--as-needed $^ $(LIBS) -lmicrohttpd -o $@

# Installing. The program finds the catalogue beside itself: ../share/tmtrace/probes.
BIN_DIR	 := $(DESTDIR)$(PREFIX)/bin
DATA_DIR := $(DESTDIR)$(PREFIX)/share/tmtrace
DOC_DIR	 := $(DESTDIR)$(PREFIX)/share/doc/tmtrace
MAN_DIR	 := $(DESTDIR)$(PREFIX)/share/man
UNIT_DIR := $(DESTDIR)$(PREFIX)/lib/systemd/system
USERS_DIR := $(DESTDIR)$(PREFIX)/lib/sysusers.d
COMPLETION_DIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
MAN_PAGES := tmtrace.1 tmtrace.yaml.5 tmtrace-service.8 tmtrace-metrics.8
UNITS := tmtrace.service tmtrace-metrics.service tmtrace-metrics.socket

.PHONY: install uninstall
install: all
	$(call msg,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)$(INSTALL) -d $(BIN_DIR) $(DATA_DIR)/probes $(DATA_DIR)/slurm $(DATA_DIR)/prometheus $(DOC_DIR) \
		$(COMPLETION_DIR) $(UNIT_DIR)
	$(Q)$(INSTALL) -m 755 $(BUILD)/tmtrace $(BUILD)/tmtrace-metrics $(BIN_DIR)
	$(Q)$(INSTALL) -m 644 probes/*.yaml $(DATA_DIR)/probes
	$(Q)$(INSTALL) -m 755 scripts/slurm/epilog.sh $(DATA_DIR)/slurm
	$(Q)$(INSTALL) -m 644 README.md CHANGELOG.md docs/*.md $(DOC_DIR)
	$(Q)$(INSTALL) -D -m 644 -t $(DOC_DIR)/pictures docs/pictures/*.svg
	$(Q)for page in $(MAN_PAGES); do \
		$(INSTALL) -D -m 644 docs/$$page $(MAN_DIR)/man$${page##*.}/$$page; done
	$(Q)$(INSTALL) -m 644 scripts/service/tmtrace.yaml $(DATA_DIR)/tmtrace.yaml
	$(Q)$(INSTALL) -m 644 scripts/prometheus/*.yml $(DATA_DIR)/prometheus
	$(Q)for unit in $(UNITS); do \
		sed 's|/usr/local/bin|$(PREFIX)/bin|' scripts/service/$$unit >$(UNIT_DIR)/$$unit && \
		chmod 644 $(UNIT_DIR)/$$unit || exit; done
	$(Q)$(INSTALL) -D -m 644 scripts/service/tmtrace.sysusers $(USERS_DIR)/tmtrace.conf
	$(Q)$(INSTALL) -m 644 scripts/completion/tmtrace.bash $(COMPLETION_DIR)/tmtrace

# Leaves catalogue files that are not from here.
uninstall:
	$(call msg,REMOVE,$(DESTDIR)$(PREFIX))
	$(Q)rm -f $(BIN_DIR)/tmtrace $(BIN_DIR)/tmtrace-metrics $(COMPLETION_DIR)/tmtrace $(wildcard $(addprefix $(MAN_DIR)/man?/,$(MAN_PAGES))) \
		$(addprefix $(UNIT_DIR)/,$(UNITS)) $(USERS_DIR)/tmtrace.conf $(DATA_DIR)/tmtrace.yaml \
		$(DATA_DIR)/slurm/epilog.sh $(patsubst scripts/%,$(DATA_DIR)/%,$(wildcard scripts/prometheus/*))
	$(Q)rm -f $(patsubst %,$(DATA_DIR)/%,$(wildcard probes/*.yaml))
	$(Q)rm -f $(patsubst %,$(DOC_DIR)/%,$(notdir README.md CHANGELOG.md $(wildcard docs/*.md)))
	$(Q)rm -f $(patsubst docs/%,$(DOC_DIR)/%,$(wildcard docs/pictures/*.svg))
	$(Q)for d in $(DATA_DIR)/probes $(DATA_DIR)/slurm $(DATA_DIR)/prometheus $(DATA_DIR) $(DOC_DIR)/pictures $(DOC_DIR); do \
		if [ -d $$d ]; then rmdir --ignore-fail-on-non-empty $$d; fi; done

# An installable package of Debian, in $(BUILD)/package. REVISION=N: of the same version, a later one.
.PHONY: deb
deb:
	$(Q)scripts/install-dependencies package
	$(Q)scripts/package/build --revision $(or $(REVISION),1) $(VERSION) $(BUILD)/package

.PHONY: clean
clean:
	$(call msg,CLEAN,$(BUILD))
	$(Q)rm -rf $(BUILD)

.PHONY: help
help:
	@echo 'make                   the program, $(BUILD)/tmtrace'
	@echo 'make stack             the sample stack, $(BUILD)/stack'
	@echo 'make demo              installs what is missing, builds, traces the sample stack (root)'
	@echo 'make test              installs what is missing, builds, runs every test (root)'
	@echo 'make test-unit         the unit tests; SANITIZE=1: under ASan and UBSan'
	@echo 'make test-integration  the integration tests; TESTS="PATTERN...": only these (root)'
	@echo 'make test-kernels      these tests in kernels of Debian, by qemu; KERNELS="6.1 6.12 newest" (root)'
	@echo 'make test-harm         programs that tracing could break, here and in these kernels; PROGRAMS="NAME..." (root)'
	@echo 'make test-system       the Debian package, in a machine with systemd, too; PARTS="package root machine" KERNELS=6.1 (root)'
	@echo 'make fuzz              the fuzz targets until stopped; FUZZ=NAME: one, FUZZ_TIME=SEC: so long'
	@echo 'make soak              a service under hours of mixed load, every total compared; MINUTES=N, TRIALS="..." (root)'
	@echo 'make soak-bound        the same where its bounds cannot afford to count everything'
	@echo 'make bench             what tracing costs, beside other tracers; ROUNDS=N BENCH="PART..." (root)'
	@echo 'make pictures          docs/pictures: the page and top, of runs on this machine (root)'
	@echo 'make lint              clang-format, clang-tidy, cppcheck, and the like'
	@echo 'make install           into PREFIX ($(PREFIX)), below DESTDIR; make uninstall'
	@echo 'make deb               a package of Debian with the service, in $(BUILD)/package; REVISION=N'
	@echo 'make clean             removes $(BUILD)'
	@echo
	@echo 'V=1 shows the commands; BUILD=DIR builds in another folder; SANITIZE=1 with ASan and UBSan'

include tests/tests.mk

-include $(wildcard $(addsuffix /*.d,$(KERNEL_SIDE)/bpf $(addprefix $(BUILD)/,user user/* tests/*)))
