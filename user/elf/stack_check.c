// SPDX-License-Identifier: GPL-2.0-only
#include "elf/instruction.h"
#include "elf/stack_check.h"

/* Instructions of the look itself, and of the way back to the begin. */
#define LOOK_MAX 8
#define BACK_MAX 64

/* Where a direct jump at this place leads to, in bytes from the function's begin. */
static size_t target_of(const struct instruction *in, size_t at)
{
	return at + in->head.length + (size_t)in->operands[0].imm.value.s;
}

static bool is_register(const ZydisDecodedOperand *operand, ZydisRegister reg)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == reg;
}

/* Reads memory by a register that holds the address of the goroutine's data (Go's ABI: r14). */
static bool reads_bound(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.index == ZYDIS_REGISTER_NONE && operand->size == 64 &&
	       (operand->mem.base == ZYDIS_REGISTER_R14 ||
		operand->mem.base == ZYDIS_REGISTER_RCX) &&
	       (operand->mem.disp.value == 0x10 || operand->mem.disp.value == 0x18);
}

/* Compares the stack pointer, or what r12 was made of it, with the end of the stack. */
static bool compares_stack(const struct instruction *in)
{
	return in->head.mnemonic == ZYDIS_MNEMONIC_CMP &&
	       (is_register(&in->operands[0], ZYDIS_REGISTER_RSP) ||
		is_register(&in->operands[0], ZYDIS_REGISTER_R12)) &&
	       reads_bound(&in->operands[1]);
}

/* Makes r12 of the stack pointer, or finds the goroutine's data by the thread's (rcx, ABI0). */
static bool prepares(const struct instruction *in)
{
	switch (in->head.mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_SUB:
		return is_register(&in->operands[0], ZYDIS_REGISTER_R12);
	case ZYDIS_MNEMONIC_MOV:
		return is_register(&in->operands[0], ZYDIS_REGISTER_R12) ||
		       (is_register(&in->operands[0], ZYDIS_REGISTER_RCX) &&
			in->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			in->operands[1].mem.segment == ZYDIS_REGISTER_FS);
	default:
		return false;
	}
}

/* Does the code at this place do nothing but call once, and jump back to the begin? */
static bool leads_back(const unsigned char *code, size_t n, size_t at)
{
	int calls = 0;

	for (int i = 0; i < BACK_MAX && at < n; i++) {
		struct instruction in;

		if (!instruction__decode(&in, code + at, n - at))
			return false;
		switch (in.head.meta.category) {
		case ZYDIS_CATEGORY_DATAXFER:
		case ZYDIS_CATEGORY_NOP:
		case ZYDIS_CATEGORY_WIDENOP:
			break;
		case ZYDIS_CATEGORY_CALL:
			calls++;
			break;
		case ZYDIS_CATEGORY_UNCOND_BR:
			return calls == 1 && in.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			       target_of(&in, at) == 0;
		default:
			return false;
		}
		at += in.head.length;
	}
	return false;
}

size_t stack_check__length(const unsigned char *code, size_t n)
{
	size_t at = 0, back = 0;
	bool compared = false;

	for (int i = 0; i < LOOK_MAX && at < n; i++) {
		struct instruction in;

		if (!instruction__decode(&in, code + at, n - at))
			return 0;
		if (in.head.meta.category == ZYDIS_CATEGORY_COND_BR) {
			if (back && target_of(&in, at) != back)
				return 0;
			back = target_of(&in, at);
			if (compared)
				return leads_back(code, n, back) ? at + in.head.length : 0;
		} else if (!compares_stack(&in) && !prepares(&in)) {
			return 0;
		}
		compared |= compares_stack(&in);
		at += in.head.length;
	}
	return 0;
}
