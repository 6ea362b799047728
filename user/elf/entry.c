// SPDX-License-Identifier: GPL-2.0-only
#include "elf/entry.h"
#include "elf/instruction.h"
#include "elf/stack_check.h"

/* More than this is never needed, and would be time of the call that nobody sees. */
#define SKIPPED_MAX 16
/* The kernel keeps as much unmapped below the first mapping: an offset so small is a field's. */
#define FIELD_MAX 4096

const char *const entry_class_names[ENTRY_CLASSES] = {
	[ENTRY_EMULATED] = "emulated",
	[ENTRY_NOP5] = "nop5",
	[ENTRY_STEPPED] = "stepped",
	[ENTRY_REFUSED] = "refused",
};

const char *const entry_bar_texts[ENTRY_BARS] = {
	[ENTRY_BAR_END] = "it ends before an emulated instruction",
	[ENTRY_BAR_DECODE] = "bytes that are no instruction",
	[ENTRY_BAR_STACK] = "changes the stack pointer first",
	[ENTRY_BAR_ARGUMENT] = "changes an argument first",
	[ENTRY_BAR_WRITE] = "writes memory first",
	[ENTRY_BAR_READ] = "reads the program's memory first",
	[ENTRY_BAR_OTHER] = "does something else first",
	[ENTRY_BAR_FAR] = "too many instructions first",
	[ENTRY_BAR_BRANCH] = "a branch leads back there",
	[ENTRY_BAR_INDIRECT] = "an indirect jump might lead back there",
	[ENTRY_BAR_OVERLAP] = "shares code with another function",
	[ENTRY_BAR_UNBOUND] = "of unknown size",
	[ENTRY_BAR_CHOICE] = "not asked for",
};

/* On the way from the entry to the site. */
struct walk {
	const struct entry_code *code;
	size_t at;	/* bytes from the entry */
	__u32 pointers; /* registers that hold an address of the file: bit n is register n */
};

static ZydisRegister widest(ZydisRegister reg)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
}

static __u32 bit_of(ZydisRegister reg)
{
	reg = widest(reg);
	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15
		       ? 1U << (reg - ZYDIS_REGISTER_RAX)
		       : 0;
}

static bool is_argument(ZydisRegister reg)
{
	switch (widest(reg)) {
	case ZYDIS_REGISTER_RDI:
	case ZYDIS_REGISTER_RSI:
	case ZYDIS_REGISTER_RDX:
	case ZYDIS_REGISTER_RCX:
	case ZYDIS_REGISTER_R8:
	case ZYDIS_REGISTER_R9:
		return true;
	default:
		return false;
	}
}

/* Does nothing but compute: it cannot wait, leave, trap, or tell the time. */
static bool only_computes(const ZydisDecodedInstruction *head)
{
	if ((head->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	     head->encoding != ZYDIS_INSTRUCTION_ENCODING_VEX) ||
	    (head->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP |
				 ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_IS_PRIVILEGED)))
		return false;
	switch (head->mnemonic) {
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_ENDBR32:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_VZEROALL:
	case ZYDIS_MNEMONIC_VZEROUPPER:
		return true;
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return false;
	default:
		break;
	}
	switch (head->meta.category) {
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		return true;
	default:
		return false;
	}
}

static bool is_in(__u64 address, __u64 start, __u64 end)
{
	return address >= start && address < end;
}

/* Where a rip-relative operand is, as the file is linked. */
static __u64 rip_target(const struct walk *walk, const struct instruction *in,
			const ZydisDecodedOperand *operand)
{
	return walk->code->address + walk->at + in->head.length + operand->mem.disp.value;
}

/*
 * Memory that is always there: the file's own, the arguments on the stack, the thread's. What an
 * argument points to need not be, and reading it may take the time of a page fault.
 */
static bool is_safe_read(const struct walk *walk, const struct instruction *in,
			 const ZydisDecodedOperand *operand)
{
	__s64 offset = operand->mem.disp.value;

	if (operand->mem.index != ZYDIS_REGISTER_NONE)
		return false;
	if (operand->mem.segment == ZYDIS_REGISTER_FS)
		return operand->mem.base == ZYDIS_REGISTER_NONE;
	if (operand->mem.segment == ZYDIS_REGISTER_GS)
		return false;
	if (operand->mem.base == ZYDIS_REGISTER_RIP)
		return is_in(rip_target(walk, in, operand), walk->code->file_start,
			     walk->code->file_end);
	if (offset < 0 || offset >= FIELD_MAX)
		return false;
	return operand->mem.base == ZYDIS_REGISTER_RSP ||
	       (walk->pointers & bit_of(operand->mem.base));
}

/* Why the probe cannot be moved past an operand. */
static enum entry_bar look_at(const struct walk *walk, const struct instruction *in,
			      const ZydisDecodedOperand *operand)
{
	bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			return ENTRY_BAR_NONE;
		if (writes || operand->mem.type != ZYDIS_MEMOP_TYPE_MEM)
			return ENTRY_BAR_WRITE;
		return is_safe_read(walk, in, operand) ? ENTRY_BAR_NONE : ENTRY_BAR_READ;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER || !writes)
		return ENTRY_BAR_NONE;
	if (widest(operand->reg.value) == ZYDIS_REGISTER_RSP)
		return ENTRY_BAR_STACK;
	if (is_argument(operand->reg.value))
		return ENTRY_BAR_ARGUMENT;
	switch (ZydisRegisterGetClass(operand->reg.value)) {
	case ZYDIS_REGCLASS_SEGMENT:
	case ZYDIS_REGCLASS_CONTROL:
	case ZYDIS_REGCLASS_DEBUG:
		return ENTRY_BAR_OTHER;
	default:
		return ENTRY_BAR_NONE;
	}
}

/* Does it load an address of the file: of something in it, or one that the loader left there? */
static bool loads_pointer(const struct walk *walk, const struct instruction *in)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];

	if (in->head.operand_count_visible != 2 || to->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    to->size != 64 || from->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    from->mem.base != ZYDIS_REGISTER_RIP)
		return false;
	if (in->head.mnemonic == ZYDIS_MNEMONIC_LEA)
		return is_in(rip_target(walk, in, from), walk->code->file_start,
			     walk->code->file_end);
	return in->head.mnemonic == ZYDIS_MNEMONIC_MOV && from->size == 64 &&
	       is_in(rip_target(walk, in, from), walk->code->relro_start, walk->code->relro_end);
}

static void note_writes(struct walk *walk, const struct instruction *in)
{
	bool pointer = loads_pointer(walk, in);

	for (int i = 0; i < in->head.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			walk->pointers &= ~bit_of(operand->reg.value);
	}
	if (pointer)
		walk->pointers |= bit_of(in->operands[0].reg.value);
}

/* Goes past an instruction, or says why not. */
static enum entry_bar step(struct walk *walk, const struct instruction *in)
{
	/* Its operands are for its length alone. */
	bool nop = in->head.meta.category == ZYDIS_CATEGORY_NOP ||
		   in->head.meta.category == ZYDIS_CATEGORY_WIDENOP;

	for (int i = 0; !nop && i < in->head.operand_count; i++) {
		enum entry_bar bar = look_at(walk, in, &in->operands[i]);

		if (bar)
			return bar;
	}
	if (!only_computes(&in->head))
		return ENTRY_BAR_OTHER;
	note_writes(walk, in);
	walk->at += in->head.length;
	return ENTRY_BAR_NONE;
}

void entry__stay(struct entry_site *entry, enum entry_bar bar)
{
	entry->site = entry->first;
	entry->moved = 0;
	entry->bar = bar;
}

void entry__find(struct entry_site *entry, const struct entry_code *code)
{
	struct walk walk = { .code = code, .at = stack_check__length(code->bytes, code->n) };
	enum entry_bar bar = ENTRY_BAR_NONE;
	__u32 past_refused = 0;

	*entry = (struct entry_site){ .bar = ENTRY_BAR_DECODE, .restarts = walk.at };
	for (int i = 0; i <= SKIPPED_MAX; i++) {
		struct instruction in;
		enum entry_class class;

		if (walk.at >= code->n) {
			bar = ENTRY_BAR_END;
			break;
		}
		if (!instruction__decode(&in, code->bytes + walk.at, code->n - walk.at)) {
			bar = ENTRY_BAR_DECODE;
			break;
		}
		class = instruction__class(&in);
		if (i == 0) {
			entry->first = entry->restarts ? ENTRY_REFUSED : class;
			entry->endbr = instruction__is_endbr(&in);
		}
		/* The kernel may put a call on a nop5, which further in overwrites the red zone. */
		if (class == ENTRY_EMULATED ||
		    (walk.at == 0 && class == ENTRY_NOP5 && !code->past_nop5)) {
			entry->site = class;
			entry->moved = walk.at;
			entry->bar = ENTRY_BAR_NONE;
			return;
		}
		/*
		 * Where no probe may be at the entry, the first place that takes one will do; but
		 * the return, which has one of its own.
		 */
		if (class == ENTRY_STEPPED && !past_refused &&
		    (entry->first == ENTRY_REFUSED || entry->first == ENTRY_NOP5) &&
		    in.head.meta.category != ZYDIS_CATEGORY_RET)
			past_refused = walk.at;
		bar = step(&walk, &in);
		if (bar)
			break;
	}
	entry__stay(entry, bar ?: ENTRY_BAR_FAR);
	if (past_refused) {
		entry->site = ENTRY_STEPPED;
		entry->moved = past_refused;
	}
}

const char *entry__name(const struct entry_site *entry)
{
	return entry->moved ? "moved" : entry_class_names[entry->site];
}
