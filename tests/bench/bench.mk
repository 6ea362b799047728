# SPDX-License-Identifier: GPL-2.0-only
# The bench, tests/bench/run, with its loads and tools; included by tests/tests.mk.
ROUNDS	  ?= 9
BENCH	  ?=
BENCH_OUT := $(BUILD)/bench
BENCH_TOOLS := $(addprefix $(BENCH_OUT)/,libbench.so.1 bench-load bench-time bench-empty bench-drain bench-ring \
	bench-burst \
	bench-layers)

.PHONY: bench-tools
bench-tools: $(BENCH_TOOLS)

$(BENCH_OUT)/libbench.so.1: tests/bench/library.c
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC $(WARNINGS) $< -o $@ -Wl,-soname,$(@F)

# No caller may leave a call out, whatever the flags.
$(BENCH_OUT)/bench-load: tests/bench/load.c $(BENCH_OUT)/libbench.so.1
	$(call msg,LINK,$@)
	$(Q)$(CC) -std=gnu11 $(WARNINGS) -O2 -g $^ -o $@ -Wl,-rpath,'$$ORIGIN' -ldl

$(BENCH_OUT)/bench-burst: tests/bench/burst.c $(BENCH_OUT)/libbench.so.1
	$(call msg,LINK,$@)
	$(Q)$(CC) -std=gnu11 $(WARNINGS) -O2 -g $^ -o $@ -Wl,-rpath,'$$ORIGIN' -ldl -lpthread

$(BENCH_OUT)/bench-time: tests/bench/time.c
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -O2 -g $< -o $@

$(BENCH_OUT)/liblayerslower.so.1: tests/bench/layers/lower.c tests/bench/layers/layers.h
	$(call msg,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC $(WARNINGS) -O2 -g $< -o $@ -Wl,-soname,$(@F)

$(BENCH_OUT)/liblayersupper.so.1: tests/bench/layers/upper.c $(BENCH_OUT)/liblayerslower.so.1
	$(call msg,LINK,$@)
	$(Q)$(CC) -shared -fPIC $(WARNINGS) -O2 -g $(filter-out %.h,$^) -o $@ \
		-Wl,-soname,$(@F),-rpath,'$$ORIGIN'

$(BENCH_OUT)/bench-layers: tests/bench/layers/load.c $(BENCH_OUT)/liblayersupper.so.1 \
		$(BENCH_OUT)/liblayerslower.so.1
	$(call msg,LINK,$@)
	$(Q)$(CC) -std=gnu11 $(WARNINGS) -O2 -g $^ -o $@ -Wl,-rpath,'$$ORIGIN'

# The other tools are made of the program's own modules.
$(addprefix $(BENCH_OUT)/,bench-empty bench-drain bench-ring): \
		$(BENCH_OUT)/bench-%: $(BUILD)/tests/bench/%.o $(BUILD)/libtmtrace.a
	$(call msg,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# BENCH='PART...': only these; the document keeps the sections of the others.
.PHONY: bench bench-build
bench:
	$(Q)scripts/install-dependencies bench
	$(Q)$(MAKE) $(AGAIN) $(JOBS) bench-build
	$(Q)tests/bench/run --build $(BUILD) --rounds $(ROUNDS) --document docs/bench.md $(BENCH)
	$(GIVE_BACK)

bench-build: all bench-tools
