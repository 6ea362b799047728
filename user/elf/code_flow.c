// SPDX-License-Identifier: GPL-2.0-only
#include "elf/code_flow.h"

#define U32_MAX 0xffffffffULL
#define S32_MAX 0x7fffffffULL

/* Registers that a called function may change (System V ABI, AMD64): bit n is register n. */
#define CALLER_SAVED 0x0fc7

#define NOT_GENERAL   (-1)
#define ID_OF_MEETING (1ULL << 63)

static __u64 least(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __u64 most(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* Makes the bounds of a value agree: those of a part follow from those of the whole, and back. */
static struct flow_value settle(struct flow_value value)
{
	if (value.max <= U32_MAX)
		value.low = (__u32)least(value.low, value.max);
	if (value.low <= 0xffff)
		value.word = (__u16)least(value.word, value.low);
	if (value.word <= 0xff)
		value.byte = (__u8)least(value.byte, value.word);
	if (value.word <= 0xff)
		value.word = value.byte;
	if (value.low <= 0xffff)
		value.low = value.word;
	if (value.max <= U32_MAX)
		value.max = value.low;
	return value;
}

static struct flow_value up_to(__u64 max)
{
	return settle((struct flow_value){
		.kind = FLOW_NUMBER, .max = max, .low = 0xffffffff, .word = 0xffff, .byte = 0xff });
}

static __u64 ones(int width)
{
	return width >= 64 ? ~0ULL : (1ULL << width) - 1;
}

/* 0 to 15; NOT_GENERAL: it is none of these, or the second byte of one. */
static int number_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return NOT_GENERAL;
	return (int)(whole - ZYDIS_REGISTER_RAX);
}

static bool is_second_byte(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
}

/* The id of what an instruction leaves in a register. */
static __u64 id_of_result(__u64 address, int number)
{
	return (address * FLOW_REGISTERS + (__u64)number + 1) & ~ID_OF_MEETING;
}

/* The id of what a register holds where several ways meet. */
static __u64 id_of_meeting(__u64 address, int number)
{
	return id_of_result(address, number) | ID_OF_MEETING;
}

void flow__start(struct flow_state *state)
{
	*state = (struct flow_state){ 0 };
	for (int i = 0; i < FLOW_REGISTERS; i++) {
		state->registers[i] = up_to(~0ULL);
		state->registers[i].id = id_of_result(0, i);
	}
}

static struct flow_memory memory_of(const ZydisDecodedOperand *operand)
{
	return (struct flow_memory){
		.offset = operand->mem.disp.value,
		.base = (__u16)operand->mem.base,
		.index = (__u16)operand->mem.index,
		.segment = (__u16)operand->mem.segment,
		.scale = operand->mem.scale,
	};
}

static bool same_memory(const struct flow_memory *a, const struct flow_memory *b)
{
	return a->offset == b->offset && a->base == b->base && a->index == b->index &&
	       a->segment == b->segment && a->scale == b->scale;
}

static struct flow_value part_of(const struct flow_state *state, ZydisRegister reg, int width)
{
	int n = number_of(reg);
	struct flow_value value, part;

	if (n == NOT_GENERAL || is_second_byte(reg))
		return up_to(ones(width));
	value = state->registers[n];
	if (width == 64)
		return value;
	part = up_to(ones(width));
	if (value.kind != FLOW_NUMBER)
		return part;
	if (width == 32 || value.max <= ones(width))
		part.id = value.id;
	part.low = (__u32)least(part.low, value.low);
	part.word = value.word;
	part.byte = value.byte;
	if (width == 16)
		part.max = value.word;
	else if (width == 8)
		part.max = value.byte;
	return settle(part);
}

/* An entry of a table that begins at an address, by an index that is known. */
static bool read_entry(const struct flow_state *state, const ZydisDecodedOperand *operand,
		       struct flow_value *entry)
{
	int base = number_of(operand->mem.base), index = number_of(operand->mem.index);
	bool no_base = operand->mem.base == ZYDIS_REGISTER_NONE;

	if (index == NOT_GENERAL || operand->mem.scale * 8 != operand->size ||
	    operand->mem.segment == ZYDIS_REGISTER_FS ||
	    operand->mem.segment == ZYDIS_REGISTER_GS ||
	    state->registers[index].kind != FLOW_NUMBER ||
	    (!no_base && (base == NOT_GENERAL || state->registers[base].kind != FLOW_ADDRESS)))
		return false;
	*entry = (struct flow_value){
		.kind = operand->size == 64 ? FLOW_POINTER : FLOW_ENTRY,
		.address = (no_base ? 0 : state->registers[base].address) +
			   (__u64)operand->mem.disp.value,
		.max = state->registers[index].max,
	};
	return true;
}

static struct flow_value in_memory(const struct flow_state *state,
				   const ZydisDecodedOperand *operand)
{
	struct flow_memory memory = memory_of(operand);
	struct flow_value value;

	if (operand->size == 64 && read_entry(state, operand, &value))
		return value;
	value = up_to(ones(operand->size));
	if (state->known.width == operand->size && same_memory(&state->known.memory, &memory))
		return up_to(least(value.max, state->known.limit));
	return value;
}

struct flow_value flow__value(const struct flow_state *state, const struct instruction *in,
			      const ZydisDecodedOperand *operand, __u64 address)
{
	struct flow_value value;

	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return part_of(state, operand->reg.value, operand->size);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return up_to(operand->imm.value.u & ones(in->operands[0].size));
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			return in_memory(state, operand);
		if (operand->mem.base != ZYDIS_REGISTER_RIP)
			break;
		value = up_to(~0ULL);
		value.kind = FLOW_ADDRESS;
		value.address = address + in->head.length + (__u64)operand->mem.disp.value;
		return value;
	default:
		break;
	}
	return up_to(~0ULL);
}

/* A distance from a table and the table's address make an address. */
static bool add_table(const struct flow_value *a, const struct flow_value *b,
		      struct flow_value *target)
{
	const struct flow_value *entry = a->kind == FLOW_ENTRY ? a : b;
	const struct flow_value *table = entry == a ? b : a;

	if (entry->kind != FLOW_ENTRY || table->kind != FLOW_ADDRESS ||
	    entry->address != table->address)
		return false;
	*target = *entry;
	target->kind = FLOW_TARGET;
	return true;
}

/* Extends the low 32 bits with their sign, where it is known to be none. */
static struct flow_value extend(struct flow_value value)
{
	if (value.kind == FLOW_NUMBER && value.low <= S32_MAX)
		value.max = value.low;
	else
		value = up_to(~0ULL);
	return settle(value);
}

static struct flow_value lesser(const struct flow_value *a, const struct flow_value *b)
{
	struct flow_value value = up_to(least(a->max, b->max));

	value.low = (__u32)least(a->low, b->low);
	value.word = (__u16)least(a->word, b->word);
	value.byte = (__u8)least(a->byte, b->byte);
	return settle(value);
}

static bool is_same_register(const struct instruction *in)
{
	return in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       in->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       in->operands[0].reg.value == in->operands[1].reg.value;
}

static struct flow_value sum_at(const struct flow_state *state, const struct instruction *in,
				__u64 address)
{
	const ZydisDecodedOperand *from = &in->operands[1];
	struct flow_value a, b, sum = flow__value(state, in, from, address);
	int base = number_of(from->mem.base), index = number_of(from->mem.index);

	if (base == NOT_GENERAL || index == NOT_GENERAL || from->mem.scale != 1 ||
	    from->mem.disp.value || in->head.address_width != 64)
		return sum;
	a = state->registers[base];
	b = state->registers[index];
	add_table(&a, &b, &sum);
	return sum;
}

/* What an instruction leaves in its first operand, a register of 32 or 64 bits, if that is known.
 */
static bool compute(const struct flow_state *state, const struct instruction *in, __u64 address,
		    struct flow_value *result)
{
	struct flow_value from = flow__value(state, in, &in->operands[1], address);
	struct flow_value to = flow__value(state, in, &in->operands[0], address);

	switch (in->head.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
		*result = from;
		return true;
	case ZYDIS_MNEMONIC_MOVSXD:
		if (in->operands[1].size != 32)
			return false;
		if (in->operands[1].type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    !read_entry(state, &in->operands[1], result))
			*result = extend(from);
		return true;
	case ZYDIS_MNEMONIC_AND:
		if (to.kind != FLOW_NUMBER || from.kind != FLOW_NUMBER)
			return false;
		*result = lesser(&to, &from);
		return true;
	case ZYDIS_MNEMONIC_SHR:
		if (to.kind != FLOW_NUMBER || in->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return false;
		*result = up_to(to.max >> (in->operands[1].imm.value.u & 31));
		return true;
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
		*result = up_to(0);
		return is_same_register(in);
	case ZYDIS_MNEMONIC_ADD:
		return add_table(&to, &from, result);
	case ZYDIS_MNEMONIC_LEA:
		*result = sum_at(state, in, address);
		return result->kind != FLOW_NUMBER;
	default:
		return false;
	}
}

/* What depends on a register is no longer known. */
static void forget_uses(struct flow_state *state, int number)
{
	struct flow_limit *limits[] = { &state->compared, &state->known };

	for (int i = 0; i < 2; i++) {
		if (limits[i]->number == number)
			limits[i]->number = NOT_GENERAL;
		if (limits[i]->in_memory && (number_of(limits[i]->memory.base) == number ||
					     number_of(limits[i]->memory.index) == number))
			limits[i]->width = 0;
	}
}

/* Fields of one object that do not overlap: a store to one leaves the other. */
static bool is_apart(const struct flow_limit *limit, const ZydisDecodedOperand *stored)
{
	const struct flow_memory *memory = &limit->memory;
	__s64 distance = stored->mem.disp.value - memory->offset;

	if (memory->base != stored->mem.base || memory->index != ZYDIS_REGISTER_NONE ||
	    stored->mem.index != ZYDIS_REGISTER_NONE || memory->segment != stored->mem.segment ||
	    stored->mem.type != ZYDIS_MEMOP_TYPE_MEM)
		return false;
	return distance >= limit->width / 8 || -distance >= stored->size / 8;
}

/* NULL: something is stored, nobody knows where. */
static void forget_memory(struct flow_state *state, const ZydisDecodedOperand *stored)
{
	if (!stored || !is_apart(&state->known, stored))
		state->known.width = 0;
	if (state->compared.in_memory && (!stored || !is_apart(&state->compared, stored)))
		state->compared.width = 0;
}

static void set_register(struct flow_state *state, int number, struct flow_value value,
			 __u64 address)
{
	__u64 id = id_of_result(address, number);

	forget_uses(state, number);
	if (!value.id) {
		/* What this instruction left the last time is another value. */
		for (int i = 0; i < FLOW_REGISTERS; i++)
			if (state->registers[i].id == id)
				state->registers[i].id = 0;
		if (state->compared.id == id)
			state->compared.id = 0;
		value.id = id;
	}
	state->registers[number] = value;
}

/* One that may write its result, or may not, need not do so. */
static bool clears_upper_half(const struct instruction *in, const ZydisDecodedOperand *operand)
{
	return operand->size == 32 && (operand->actions & ZYDIS_OPERAND_ACTION_WRITE) &&
	       in->head.mnemonic != ZYDIS_MNEMONIC_BSF && in->head.mnemonic != ZYDIS_MNEMONIC_BSR;
}

/* Every register and all memory that it writes is unknown afterwards. */
static void forget_written(struct flow_state *state, const struct instruction *in, __u64 address)
{
	for (int i = 0; i < in->head.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operands[i];
		int number;

		if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			forget_memory(state, operand);
		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		number = number_of(operand->reg.value);
		if (number == NOT_GENERAL)
			continue;
		set_register(state, number, up_to(clears_upper_half(in, operand) ? U32_MAX : ~0ULL),
			     address);
	}
}

static void forget_called(struct flow_state *state, __u64 address)
{
	for (int i = 0; i < FLOW_REGISTERS; i++)
		if (CALLER_SAVED >> i & 1)
			set_register(state, i, up_to(~0ULL), address);
	forget_memory(state, NULL);
	state->compared.width = 0;
}

static bool changes_flags(const ZydisDecodedInstruction *head)
{
	return head->cpu_flags && (head->cpu_flags->modified | head->cpu_flags->set_0 |
				   head->cpu_flags->set_1 | head->cpu_flags->undefined);
}

static void follow_comparison(struct flow_state *state, const struct instruction *in)
{
	const ZydisDecodedOperand *what = &in->operands[0], *with = &in->operands[1];

	if (with->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return;
	if (what->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		int n = number_of(what->reg.value);

		if (n == NOT_GENERAL || is_second_byte(what->reg.value) ||
		    state->registers[n].kind != FLOW_NUMBER)
			return;
		state->compared = (struct flow_limit){ .number = n, .id = state->registers[n].id };
	} else {
		/* What is counted from an instruction's end is another place at the next one. */
		if (what->mem.base == ZYDIS_REGISTER_RIP)
			return;
		state->compared = (struct flow_limit){ .number = NOT_GENERAL,
						       .in_memory = true,
						       .memory = memory_of(what) };
	}
	state->compared.width = what->size;
	state->compared.limit = with->imm.value.u & ones(what->size);
}

void flow__step(struct flow_state *state, const struct instruction *in, __u64 address)
{
	const ZydisDecodedOperand *to = &in->operands[0];
	struct flow_value result;
	bool known = false;
	int number = NOT_GENERAL;

	if (in->head.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	    in->head.operand_count_visible == 2 && to->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    to->size >= 32) {
		number = number_of(to->reg.value);
		known = number != NOT_GENERAL && compute(state, in, address, &result);
	} else if (in->head.mnemonic == ZYDIS_MNEMONIC_CDQE) {
		number = number_of(ZYDIS_REGISTER_RAX);
		result = extend(part_of(state, ZYDIS_REGISTER_EAX, 32));
		known = true;
	}
	forget_written(state, in, address);
	if (known)
		set_register(state, number, result, address);
	if (in->head.meta.category == ZYDIS_CATEGORY_CALL ||
	    in->head.meta.category == ZYDIS_CATEGORY_SYSCALL ||
	    in->head.meta.category == ZYDIS_CATEGORY_INTERRUPT)
		forget_called(state, address);
	if (changes_flags(&in->head))
		state->compared.width = 0;
	if (in->head.mnemonic == ZYDIS_MNEMONIC_CMP)
		follow_comparison(state, in);
}

static struct flow_value limited(struct flow_value value, int width, __u64 limit)
{
	if (value.kind != FLOW_NUMBER)
		return value;
	if (width == 64)
		value.max = least(value.max, limit);
	if (width == 32)
		value.low = (__u32)least(value.low, limit);
	if (width == 16)
		value.word = (__u16)least(value.word, limit);
	if (width == 8)
		value.byte = (__u8)least(value.byte, limit);
	return settle(value);
}

/* What was compared turns out to be at most this. */
static void limit(struct flow_state *state, __u64 max)
{
	const struct flow_limit compared = state->compared;

	if (compared.in_memory) {
		state->known = compared;
		state->known.limit = max;
		return;
	}
	if (compared.number != NOT_GENERAL)
		state->registers[compared.number] =
			limited(state->registers[compared.number], compared.width, max);
	for (int i = 0; compared.id && i < FLOW_REGISTERS; i++) {
		struct flow_value *value = &state->registers[i];

		if (value->id != compared.id)
			continue;
		if (compared.width < 64)
			*value = limited(*value, compared.width, max);
		else if (max <= U32_MAX)
			*value = limited(*value, 32, max);
	}
}

void flow__branch(struct flow_state *state, const ZydisDecodedInstruction *jump, bool taken)
{
	__u64 max = state->compared.limit;

	if (!state->compared.width)
		return;
	switch (jump->mnemonic) {
	case ZYDIS_MNEMONIC_JNBE:
	case ZYDIS_MNEMONIC_JNZ:
		if (!taken)
			limit(state, max);
		break;
	case ZYDIS_MNEMONIC_JBE:
	case ZYDIS_MNEMONIC_JZ:
		if (taken)
			limit(state, max);
		break;
	case ZYDIS_MNEMONIC_JNB:
		if (!taken && max)
			limit(state, max - 1);
		break;
	case ZYDIS_MNEMONIC_JB:
		if (taken && max)
			limit(state, max - 1);
		break;
	default:
		break;
	}
}

/* As much as both say: what is limited may be known by the register alone, or by the value. */
static bool merge_limit(struct flow_limit *to, const struct flow_limit *other)
{
	struct flow_limit both = *to;

	if (!to->width)
		return false;
	if (to->width != other->width || to->limit != other->limit ||
	    to->in_memory != other->in_memory || !same_memory(&to->memory, &other->memory))
		both.width = 0;
	if (to->id != other->id)
		both.id = 0;
	if (to->number != other->number)
		both.number = NOT_GENERAL;
	if (both.width == to->width && both.id == to->id && both.number == to->number)
		return false;
	*to = both;
	return true;
}

static bool merge_value(struct flow_value *to, const struct flow_value *other, __u64 meeting)
{
	struct flow_value both = *to;

	if (to->kind != other->kind || to->address != other->address)
		both = up_to(~0ULL);
	both.max = most(both.max, other->max);
	both.low = (__u32)most(both.low, other->low);
	both.word = (__u16)most(both.word, other->word);
	both.byte = (__u8)most(both.byte, other->byte);
	both.id = to->id == other->id ? to->id : meeting;
	if (both.kind == to->kind && both.max == to->max && both.low == to->low &&
	    both.word == to->word && both.byte == to->byte && both.id == to->id)
		return false;
	*to = both;
	return true;
}

bool flow__merge(struct flow_state *state, const struct flow_state *other, __u64 address)
{
	bool less = false;

	for (int i = 0; i < FLOW_REGISTERS; i++)
		less |= merge_value(&state->registers[i], &other->registers[i],
				    id_of_meeting(address, i));
	less |= merge_limit(&state->compared, &other->compared);
	less |= merge_limit(&state->known, &other->known);
	return less;
}
