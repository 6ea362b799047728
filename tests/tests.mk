# SPDX-License-Identifier: GPL-2.0-only
# How the tests are built and run; included by the top Makefile.
#
# Every test ends as a line "ok NAME", "FAIL NAME: reason" or "skip NAME: reason" in a file of
# $(RESULTS); tests/run counts them together with its own.

RESULTS	  := $(BUILD)/results
FUZZ_TIME ?= 0
FUZZ	  ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
TESTS	  ?=
KERNELS	  ?=
BEGIN_WITHIN ?=

# Files that root makes in a user's clone are given to that user.
GIVE_BACK := $(Q)if [ -n "$$SUDO_UID" ] && [ "$$SUDO_UID" != 0 ] && [ -d $(BUILD) ]; then \
	chown -hR "$$SUDO_UID:$$SUDO_GID" $(BUILD); fi
# Makes of their own: what is installed on the way is looked for only then.
AGAIN	  := --no-print-directory
# On all processors, unless -j says otherwise.
JOBS	   = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
SANITIZED := SANITIZE=1 BUILD=$(BUILD)/sanitize KERNEL_SIDE=$(BUILD)

# The sample stack has a Makefile of its own.
.PHONY: stack
stack:
	$(Q)$(MAKE) $(if $(Q),-s) -f tests/stack/stack.mk BUILD=$(BUILD) stack

include tests/bench/bench.mk

# Hours of mixed load: see tests/soak/run. TRIALS="starts ...": what loads a service most, each alone.
MINUTES ?= 120
TRIALS	?=
SOAK_PROGRAMS := $(addprefix $(BUILD)/soak/soak-,starts nothing rebuild)

$(SOAK_PROGRAMS): $(BUILD)/soak/soak-%: tests/soak/%.c
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -O2 -g $< -o $@ $(if $(filter nothing,$*),\
		-nostdlib -static -fno-stack-protector,-lpthread)

.PHONY: soak soak-programs
soak-programs: $(SOAK_PROGRAMS)
soak: all stack soak-programs
	$(Q)$(if $(TRIALS),tests/soak/trials $(TRIALS),tests/soak/run --minutes $(MINUTES)) --build $(BUILD)
	$(GIVE_BACK)

# A load that the service's bounds cannot afford to count: see tests/soak/bound.
.PHONY: soak-bound
soak-bound: all stack
	$(Q)tests/soak/bound --minutes $(MINUTES) --build $(BUILD)
	$(GIVE_BACK)

# The same, with functions that begin with endbr64.
.PHONY: stack-endbr64
stack-endbr64:
	$(Q)$(MAKE) $(if $(Q),-s) -f tests/stack/stack.mk BUILD=$(BUILD)/endbr64 \
		CC='$(CC) -fcf-protection' stack

# Unit tests: each file is a program.
UNIT_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# A test that also stands alone defines _GNU_SOURCE; the same definition twice is none too many.
TEST_CFLAGS = $(ALL_CFLAGS) -U_GNU_SOURCE -D_GNU_SOURCE=

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/user/flags
	$(call msg,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(UNIT_PROGRAMS): %: %.o $(BUILD)/libtmtrace.a
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LIBS) -lcmocka -o $@

$(FUZZ_PROGRAMS): %: %.o $(BUILD)/libtmtrace.a
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@

.PHONY: unit-programs fuzz-programs
unit-programs: $(UNIT_PROGRAMS)
fuzz-programs: $(FUZZ_PROGRAMS)

.PHONY: test-unit
test-unit: $(UNIT_PROGRAMS)
	$(Q)scripts/run-unit --results $(RESULTS)/unit $(if $(SANITIZE),--prefix sanitize.) \
		$(UNIT_PROGRAMS)

.PHONY: test-integration
test-integration: all stack stack-endbr64 bench-tools
	$(Q)tests/run --build $(BUILD) $(TESTS)

# The integration tests that depend on the kernel, in kernels of Debian; TESTS='*' for all.
.PHONY: test-kernels
test-kernels:
	$(Q)scripts/install-dependencies test
	$(Q)$(MAKE) $(AGAIN) $(JOBS) all stack stack-endbr64 bench-tools
	$(GIVE_BACK)
	$(Q)set -f; tests/kernels/run --build $(BUILD) $(if $(BEGIN_WITHIN),--begin-within $(BEGIN_WITHIN)) \
		$(KERNELS) $(if $(TESTS),-- $(TESTS))

# Programs that tracing could break: here, and in the same kernels. PROGRAMS='cxx go_*': only these.
PROGRAMS ?=
.PHONY: harm-programs test-harm
harm-programs:
	$(Q)tests/harm/run --build $(BUILD) --build-only

test-harm:
	$(Q)scripts/install-dependencies test
	$(Q)$(MAKE) $(AGAIN) $(JOBS) all harm-programs
	$(GIVE_BACK)
	$(Q)mkdir -p $(RESULTS)
	$(Q)set -f; tests/harm/run --build $(BUILD) --results $(RESULTS)/harm $(PROGRAMS) $(COUNTED)
	$(Q)set -f; tests/kernels/run --build $(BUILD) --results $(RESULTS)/kernels-harm $(KERNELS) -- \
		$(if $(PROGRAMS),$(PROGRAMS:%=harm.%.*),'harm.*') $(COUNTED)
	$(Q)tests/harm/table.py $(RESULTS)/harm $(RESULTS)/kernels-harm
	$(GIVE_BACK)
	$(Q)tests/run --only-add --add $(RESULTS)/harm $(RESULTS)/kernels-harm

# The Debian package: as a file, in a clean root, in a machine with systemd. PARTS="root machine".
.PHONY: test-system
test-system:
	$(Q)scripts/install-dependencies system
	$(Q)$(MAKE) $(AGAIN) $(JOBS) stack
	$(Q)tests/system/run --build $(BUILD) $(addprefix --kernel ,$(KERNELS)) $(PARTS)
	$(GIVE_BACK)

.PHONY: fuzz
fuzz: $(KERNEL_SIDE)/tmtrace.skel.h
	$(Q)$(MAKE) $(AGAIN) $(JOBS) $(SANITIZED) fuzz-programs
	$(Q)scripts/run-fuzz --time $(FUZZ_TIME) --build $(BUILD) $(FUZZ)

# Everything. A failing test does not keep the others from running; a failing build does.
# Kernels come while it builds; one that cannot be had is told by the tests that would need it.
.PHONY: test test-build test-run
test:
	$(Q)scripts/install-dependencies test
	$(Q)[ "$$(id -u)" != 0 ] || nice tests/kernels/run --fetch >/dev/null 2>&1 & \
	$(MAKE) $(AGAIN) $(JOBS) test-build; built=$$?; wait; exit $$built
	$(Q)$(MAKE) $(AGAIN) test-run

test-build: all stack stack-endbr64 bench-tools unit-programs harm-programs
	$(Q)$(MAKE) $(AGAIN) $(SANITIZED) unit-programs fuzz-programs
	$(GIVE_BACK)

# Machines with other kernels have the processors that tests here leave idle.
IN_KERNELS = tests/kernels/run --brief --build $(BUILD) --results $(RESULTS)/kernels

# A step ends with 1 where tests have failed: they are in its results, and the run goes on.
COUNTED := || [ $$? = 1 ]
test-run:
	$(Q)rm -rf $(RESULTS) && mkdir -p $(RESULTS)
	$(Q)scripts/check --build $(BUILD) --results $(RESULTS)/scripts & checks=$$!; \
	{ scripts/run-unit --results $(RESULTS)/unit $(UNIT_PROGRAMS) $(COUNTED); } && \
	{ scripts/run-unit --results $(RESULTS)/sanitize --prefix sanitize. \
		$(UNIT_PROGRAMS:$(BUILD)/%=$(BUILD)/sanitize/%) $(COUNTED); }; units=$$?; \
	{ wait $$checks $(COUNTED); } && exit $$units
	$(Q)scripts/run-fuzz --time 10 --build $(BUILD) --results $(RESULTS)/fuzz $(FUZZ) $(COUNTED)
	$(Q)[ "$$(id -u)" != 0 ] || \
		tests/harm/run --build $(BUILD) --results $(RESULTS)/harm $(COUNTED)
	$(GIVE_BACK)
	$(Q)if [ "$$(id -u)" = 0 ]; then \
		exec tests/run --build $(BUILD) --add $(RESULTS)/* --add-beside $(RESULTS)/kernels \
			--beside 'exec $(IN_KERNELS)'; fi; \
	{ $(IN_KERNELS) $(COUNTED); } || exit; \
	echo 'skip integration: probing needs root, run: sudo make test' | \
		tee $(RESULTS)/integration; \
	tests/run --build $(BUILD) --only-add --add $(RESULTS)/*

# The sample stack under tmtrace, as tables.
.PHONY: demo
demo:
	$(Q)scripts/install-dependencies demo
	$(Q)$(MAKE) $(AGAIN) $(JOBS) all stack
	$(GIVE_BACK)
	$(Q)tests/demo.sh $(BUILD)

# The pictures of the documentation, of runs on this machine.
.PHONY: pictures
pictures:
	$(Q)scripts/install-dependencies pictures
	$(Q)$(MAKE) $(AGAIN) $(JOBS) all stack
	$(Q)scripts/pictures/run --build $(BUILD)
	$(GIVE_BACK)

# Lint.
LINT_FILES := $(sort $(wildcard user/*.c user/*/*.[ch] bpf/*.[ch] headers/tmtrace/*.h \
	tests/*/*.[ch] tests/harm/*/*.[ch]))
LINT_TIDY  := $(sort $(wildcard user/*.c user/*/*.c tests/unit/*.c tests/fuzz/*.c))

LINT_STEPS := lint-format lint-tidy lint-cppcheck lint-scripts

# All steps, also where one has found something.
.PHONY: lint $(LINT_STEPS)
lint:
	$(Q)$(MAKE) $(AGAIN) -k $(LINT_STEPS)
lint-format:
	$(Q)scripts/lint format $(LINT_FILES)
lint-tidy: $(KERNEL_SIDE)/tmtrace.skel.h
	$(Q)scripts/lint tidy $(LINT_TIDY) -- $(filter-out -W% -I$(BUILD),$(TEST_CFLAGS)) \
		-isystem $(BUILD)
# Without the generated skeleton: with all of its bytes, each file takes more than ten minutes.
lint-cppcheck:
	$(Q)scripts/lint cppcheck user tests/unit tests/fuzz -- -Iheaders -Iuser
lint-scripts:
	$(Q)scripts/lint scripts
