# SPDX-License-Identifier: GPL-2.0-only
# The sample stack: libraries with real symbols and layouts, and the program that drives them.
# Include it from the top Makefile, or: make -f tests/stack/stack.mk BUILD=DIR stack
BUILD ?= build
STACK := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
STACK_OUT := $(BUILD)/stack

ifeq ($(origin msg),undefined)
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
msg = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(2)';)
endif

# Warnings are the repository's; the rest is what the truth needs: calls go through the symbols,
# every function returns to its caller, and an exception passes without running cleanups.
STACK_WARN := -Wall -Wextra -Werror
STACK_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O2 -g $(STACK_WARN) -fno-optimize-sibling-calls \
	-fno-exceptions -fasynchronous-unwind-tables $(STACK_EXTRA)
STACK_PIC := -fPIC -fsemantic-interposition
STACK_LDFLAGS = -pthread -Wl,-rpath,'$$ORIGIN' -Wl,-z,defs

STACK_SRC_libstacktruth.so := truth truth_json
STACK_SRC_libsample.so.1 := sample sample_red sample_tail
STACK_SRC_libmotr.so.2 := motr_client motr_launch motr_worker motr_op motr_sm motr_addb2 motr_sensor \
	motr_store motr_index motr_wire motr_inject motr_chain
STACK_SRC_libmio.so := mio_init mio_op mio_obj mio_io mio_attrs mio_kvs mio_hints mio_telemetry
STACK_SRC_libmaestro.so := maestro maestro_cdo maestro_pool maestro_event
STACK_SRC_motr-server := server
STACK_SRC_load := load load_tools load_all load_mio load_mstro load_cdos load_m0 load_process load_threads \
	load_unwind load_red load_addb load_addb_bare load_addb_states load_stacks load_vfs load_files load_aio \
	load_uring \
	load_ops load_ops_truth load_story load_processors
STACK_SRC_chain := chain
STACK_SRC_load-plain := $(patsubst load_stacks,load_no_stacks,$(STACK_SRC_load))

# A comma inside a function's argument.
, := ,

# What each of them is linked with.
STACK_DEP_libsample.so.1 := libstacktruth.so
STACK_DEP_libmotr.so.2 := libstacktruth.so
STACK_DEP_libmio.so := libmotr.so.2 libstacktruth.so
STACK_DEP_libmaestro.so := libmio.so libstacktruth.so
STACK_DEP_motr-server := libmotr.so.2
STACK_DEP_load := libmaestro.so libmio.so libmotr.so.2 libsample.so.1 libstacktruth.so
STACK_DEP_load-plain := $(STACK_DEP_load)
STACK_DEP_chain := libsample.so.1 libstacktruth.so

STACK_LIBS := libstacktruth.so libsample.so.1 libmotr.so.2 libmio.so libmaestro.so
STACK_PROGRAMS := motr-server load load-plain chain
STACK_HEADERS := $(wildcard $(STACK)/*.h)

# Optional: liburing for "load uring", a C++ compiler for "load exception".
STACK_HAS_URING := $(shell echo 'int main(void){return 0;}' | \
	$(CC) -include liburing.h -x c - -luring -o /dev/null 2>/dev/null && echo yes)
STACK_HAS_CXX := $(shell echo 'int main(){try{throw 1;}catch(int e){return e;}}' | \
	$(CXX) -x c++ - -o /dev/null 2>/dev/null && echo yes)

.PHONY: stack
stack: $(addprefix $(STACK_OUT)/,$(STACK_LIBS) $(STACK_PROGRAMS) late/libsample.so.1) \
	$(if $(STACK_HAS_CXX),$(STACK_OUT)/libthrow.so)

# A second file of the library, for the one that is loaded late.
$(STACK_OUT)/late/libsample.so.1: $(STACK_OUT)/libsample.so.1
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@

$(STACK_OUT)/libthrow.so: $(STACK)/throw.cpp $(STACK_OUT)/libsample.so.1
	$(call msg,LINK,$@)
	$(Q)$(CXX) -O2 -g $(STACK_WARN) -fPIC -shared $^ -o $@ $(STACK_LDFLAGS)

ifeq ($(STACK_HAS_URING),yes)
$(STACK_OUT)/obj/load_uring.o: STACK_EXTRA += -DSTACK_LIBURING
$(STACK_OUT)/load $(STACK_OUT)/load-plain: STACK_LDLIBS += -luring
endif

$(STACK_OUT)/obj $(STACK_OUT)/obj/pic:
	$(Q)mkdir -p $@

$(STACK_OUT)/obj/pic/%.o: $(STACK)/%.c $(STACK_HEADERS) | $(STACK_OUT)/obj/pic
	$(call msg,CC,$@)
	$(Q)$(CC) $(STACK_CFLAGS) $(STACK_PIC) -c $< -o $@

$(STACK_OUT)/obj/%.o: $(STACK)/%.c $(STACK_HEADERS) | $(STACK_OUT)/obj
	$(call msg,CC,$@)
	$(Q)$(CC) $(STACK_CFLAGS) -c $< -o $@

# The one function that has to end in a jump.
$(STACK_OUT)/obj/pic/sample_tail.o: STACK_EXTRA += -foptimize-sibling-calls

# The one with frame pointers.
$(STACK_OUT)/obj/chain.o: STACK_EXTRA += -fno-omit-frame-pointer

# The server brings the store along itself: libmotr keeps its own hidden.
STACK_OBJ_motr-server := motr_store motr_index motr_wire motr_chain

# $(1): library or program, $(2): folder of its objects, $(3): how to link it
define STACK_LINK
$(STACK_OUT)/$(1): $(patsubst %,$(STACK_OUT)/obj/$(2)%.o,$(STACK_SRC_$(1)) $(STACK_OBJ_$(1))) \
		$(addprefix $(STACK_OUT)/,$(STACK_DEP_$(1)))
	$$(call msg,LINK,$$@)
	$$(Q)$$(CC) $(3) $$^ -o $$@ $$(STACK_LDFLAGS) $$(STACK_LDLIBS)
endef
$(foreach l,$(STACK_LIBS),$(eval $(call STACK_LINK,$(l),pic/,-shared -Wl$(,)-soname$(,)$(l))))
$(foreach p,$(STACK_PROGRAMS),$(eval $(call STACK_LINK,$(p),,)))
