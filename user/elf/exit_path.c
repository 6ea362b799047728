// SPDX-License-Identifier: GPL-2.0-only
#include "elf/exit_path.h"
#include "tmtrace/exit.h"

#define NONE (-1)

static int number_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return NONE;
	return (int)(whole - ZYDIS_REGISTER_RAX);
}

/* Where an operand on the stack is, by what a register held before. */
static bool find_place(const struct exit_path *path, const ZydisDecodedOperand *operand,
		       struct exit_path_value *place)
{
	int base = number_of(operand->mem.base);

	if (base == NONE || operand->mem.index != ZYDIS_REGISTER_NONE ||
	    operand->mem.segment == ZYDIS_REGISTER_FS ||
	    operand->mem.segment == ZYDIS_REGISTER_GS ||
	    path->registers[base].kind != EXIT_PATH_REGISTER)
		return false;
	*place = path->registers[base];
	place->number += operand->mem.disp.value;
	return true;
}

static bool is_on_stack(const struct exit_path *path, const ZydisDecodedOperand *operand)
{
	struct exit_path_value place;

	return find_place(path, operand, &place) && place.holder == TM_EXIT_SP;
}

/* The low half of a value, with zeros above. */
static struct exit_path_value low_half(struct exit_path_value value)
{
	switch (value.kind) {
	case EXIT_PATH_REGISTER:
		value.kind = value.number ? EXIT_PATH_UNKNOWN : EXIT_PATH_REGISTER_LOW;
		break;
	case EXIT_PATH_REGISTER_INT:
		value.kind = EXIT_PATH_REGISTER_LOW;
		break;
	case EXIT_PATH_MEMORY:
	case EXIT_PATH_MEMORY_INT:
		value.kind = EXIT_PATH_MEMORY_LOW;
		break;
	case EXIT_PATH_CONSTANT:
		value.number = (__u32)value.number;
		break;
	default:
		break;
	}
	return value;
}

/* The same, with the sign above. */
static struct exit_path_value sign_extended(struct exit_path_value value)
{
	value = low_half(value);
	switch (value.kind) {
	case EXIT_PATH_REGISTER_LOW:
		value.kind = EXIT_PATH_REGISTER_INT;
		break;
	case EXIT_PATH_MEMORY_LOW:
		value.kind = EXIT_PATH_MEMORY_INT;
		break;
	case EXIT_PATH_CONSTANT:
		value.number = (__s32)value.number;
		break;
	default:
		break;
	}
	return value;
}

/* What an operand of 32 or 64 bits holds. */
static struct exit_path_value value_of(const struct exit_path *path,
				       const ZydisDecodedOperand *operand)
{
	struct exit_path_value value = { .kind = EXIT_PATH_UNKNOWN };
	int number;

	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		value.kind = EXIT_PATH_CONSTANT;
		value.number = operand->imm.value.s;
		return value;
	case ZYDIS_OPERAND_TYPE_REGISTER:
		number = number_of(operand->reg.value);
		if (number == NONE || operand->size < 32)
			return value;
		value = path->registers[number];
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (operand->size < 32 || !find_place(path, operand, &value))
			return value;
		value.kind = EXIT_PATH_MEMORY;
		break;
	default:
		return value;
	}
	return operand->size == 32 ? low_half(value) : value;
}

static struct exit_path_value plus(struct exit_path_value value, __s64 number)
{
	if (value.kind == EXIT_PATH_REGISTER)
		value.number += number;
	else
		value.kind = EXIT_PATH_UNKNOWN;
	return value;
}

static bool is_same_register(const struct instruction *in)
{
	return in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       in->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       in->operands[0].reg.value == in->operands[1].reg.value;
}

/* What an instruction leaves in its first operand, a register of 32 or 64 bits. */
static struct exit_path_value compute(const struct exit_path *path, const struct instruction *in)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];
	struct exit_path_value value = { .kind = EXIT_PATH_UNKNOWN };
	bool is_number = from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (in->head.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		value = value_of(path, from);
		break;
	case ZYDIS_MNEMONIC_MOVSXD:
		if (from->size == 32)
			value = sign_extended(value_of(path, from));
		break;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (is_number && to->size == 64)
			value = plus(value_of(path, to), in->head.mnemonic == ZYDIS_MNEMONIC_ADD
								 ? from->imm.value.s
								 : -from->imm.value.s);
		else if (in->head.mnemonic == ZYDIS_MNEMONIC_SUB && is_same_register(in))
			value.kind = EXIT_PATH_CONSTANT;
		break;
	case ZYDIS_MNEMONIC_LEA:
		if (to->size != 64 || in->head.address_width != 64 ||
		    !find_place(path, from, &value))
			value.kind = EXIT_PATH_UNKNOWN;
		break;
	case ZYDIS_MNEMONIC_XOR:
		if (is_same_register(in))
			value.kind = EXIT_PATH_CONSTANT;
		break;
	case ZYDIS_MNEMONIC_OR:
		if (is_number && from->imm.value.s == -1) {
			value.kind = EXIT_PATH_CONSTANT;
			value.number = -1;
		}
		break;
	default:
		break;
	}
	return to->size == 32 ? low_half(value) : value;
}

static bool is_harmless(const struct exit_path *path, const struct instruction *in)
{
	const ZydisDecodedInstruction *head = &in->head;

	if (head->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP |
				ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_IS_PRIVILEGED))
		return head->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
	switch (head->mnemonic) {
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_LEAVE:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_VZEROUPPER:
		return true;
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return false;
	default:
		break;
	}
	for (int i = 0; i < head->operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_SEGMENT)
			return false;
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
		    !is_on_stack(path, operand))
			return false;
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

void exit_path__start(struct exit_path *path)
{
	for (int i = 0; i < EXIT_PATH_REGISTERS; i++)
		path->registers[i] =
			(struct exit_path_value){ .kind = EXIT_PATH_REGISTER, .holder = (__u8)i };
}

bool exit_path__may_begin(const struct instruction *in)
{
	if (instruction__class(in) != ENTRY_EMULATED)
		return false;
	switch (in->head.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		return true;
	default: /* a call takes time, a push writes what is read later */
		return false;
	}
}

/* Takes a word from the stack. */
static struct exit_path_value pop(struct exit_path *path)
{
	struct exit_path_value *sp = &path->registers[TM_EXIT_SP], value = *sp;

	value.kind = sp->kind == EXIT_PATH_REGISTER ? EXIT_PATH_MEMORY : EXIT_PATH_UNKNOWN;
	*sp = plus(*sp, 8);
	return value;
}

/* Sets the registers that an instruction writes; value: of its first operand. */
static void write_all(struct exit_path *path, const struct instruction *in,
		      struct exit_path_value value)
{
	for (int i = 0; i < in->head.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operands[i];
		int number;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		number = number_of(operand->reg.value);
		if (number == NONE)
			continue;
		path->registers[number] = (struct exit_path_value){ .kind = EXIT_PATH_UNKNOWN };
		if (i == 0 && operand->size >= 32)
			path->registers[number] = value;
	}
}

bool exit_path__step(struct exit_path *path, const struct instruction *in)
{
	const int bp = number_of(ZYDIS_REGISTER_RBP);
	struct exit_path_value value = { .kind = EXIT_PATH_UNKNOWN };
	int number;

	if (!is_harmless(path, in))
		return false;
	switch (in->head.mnemonic) {
	case ZYDIS_MNEMONIC_LEAVE:
		if (in->head.operand_width != 64)
			return false;
		path->registers[TM_EXIT_SP] = path->registers[bp];
		path->registers[bp] = pop(path);
		return true;
	case ZYDIS_MNEMONIC_POP:
		number = in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
					 in->operands[0].size == 64
				 ? number_of(in->operands[0].reg.value)
				 : NONE;
		if (number == NONE || number == TM_EXIT_SP)
			return false;
		path->registers[number] = pop(path);
		return true;
	default:
		break;
	}
	if (in->head.operand_count_visible >= 2 &&
	    in->head.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		value = compute(path, in);
	write_all(path, in, value);
	return true;
}

static bool fits(__s64 number, int bits)
{
	return number >= -(1LL << (bits - 1)) && number < 1LL << (bits - 1);
}

/* Where the result is; false: nowhere that can be told. */
static bool code_result(struct exit_path_value result, __u64 *code)
{
	__u64 kind;

	if (!fits(result.number, 32) &&
	    (result.kind != EXIT_PATH_CONSTANT || (__u64)result.number > 0xffffffff))
		return false;
	switch (result.kind) {
	case EXIT_PATH_REGISTER:
		if (result.number)
			return false;
		kind = TM_EXIT_REGISTER;
		break;
	case EXIT_PATH_REGISTER_LOW:
		kind = TM_EXIT_REGISTER_LOW;
		break;
	case EXIT_PATH_REGISTER_INT:
		kind = TM_EXIT_REGISTER_INT;
		break;
	case EXIT_PATH_CONSTANT:
		kind = result.number > 0x7fffffff ? TM_EXIT_CONSTANT_LOW : TM_EXIT_CONSTANT;
		break;
	case EXIT_PATH_MEMORY:
		kind = TM_EXIT_MEMORY;
		break;
	case EXIT_PATH_MEMORY_LOW:
		kind = TM_EXIT_MEMORY_LOW;
		break;
	case EXIT_PATH_MEMORY_INT:
		kind = TM_EXIT_MEMORY_INT;
		break;
	default:
		return false;
	}
	*code |= kind << TM_EXIT_KIND_SHIFT | (__u64)result.holder << TM_EXIT_HOLDER_SHIFT |
		 (__u64)(__u32)result.number << TM_EXIT_VALUE_SHIFT;
	return true;
}

bool exit_path__code(const struct exit_path *path, unsigned int when, __u64 *code)
{
	const struct exit_path_value *sp = &path->registers[TM_EXIT_SP];

	if (sp->kind != EXIT_PATH_REGISTER || sp->number % 8 ||
	    !fits(sp->number / 8, TM_EXIT_WORDS_BITS))
		return false;
	*code = (__u64)when << TM_EXIT_WHEN_SHIFT | (__u64)sp->holder << TM_EXIT_BASE_SHIFT |
		((__u64)(sp->number / 8) & ((1ULL << TM_EXIT_WORDS_BITS) - 1))
			<< TM_EXIT_WORDS_SHIFT;
	return code_result(path->registers[TM_EXIT_AX], code) && *code;
}
