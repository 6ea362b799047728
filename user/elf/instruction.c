// SPDX-License-Identifier: GPL-2.0-only
#include "elf/instruction.h"

static bool init(ZydisDecoder *decoder)
{
	return ZYAN_SUCCESS(
		ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

bool instruction__decode(struct instruction *in, const unsigned char *bytes, size_t n)
{
	ZydisDecoder decoder;

	in->bytes = bytes;
	return init(&decoder) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &in->head, in->operands));
}

bool instruction__decode_head(ZydisDecodedInstruction *head, const unsigned char *bytes, size_t n)
{
	ZydisDecoder decoder;

	return init(&decoder) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, n, head));
}

static bool has_prefix(const ZydisDecodedInstruction *head, unsigned char value)
{
	for (int i = 0; i < head->raw.prefix_count; i++)
		if (head->raw.prefixes[i].value == value)
			return true;
	return false;
}

/* One-byte opcodes that the kernel takes no probe on. */
static bool is_refused_opcode(unsigned char opcode)
{
	static const unsigned char refused[] = {
		0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62,
		0x6c, 0x6d, 0x6e, 0x6f, 0x82, 0x9a, 0xcc, 0xcd, 0xce, 0xcf, 0xd4, 0xd5, 0xd6, 0xe4,
		0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb,
	};

	for (size_t i = 0; i < sizeof(refused); i++)
		if (refused[i] == opcode)
			return true;
	return false;
}

/* Opcodes of instructions that a prefix repeats: cmps, lods, movs, scas, stos. */
static bool is_string(unsigned char opcode)
{
	return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf);
}

/*
 * What goes wrong where it is single-stepped: pushf stores the trap flag, which the program may
 * load again; what a prefix repeats meets the probe at each round; a transaction is aborted; a
 * system call keeps the flags and the address of the copy. Seen by the proof "instructions"
 * on 6.18, and not for the instructions that the kernel emulates.
 */
static bool steps_badly(const ZydisDecodedInstruction *head)
{
	switch (head->mnemonic) {
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_XEND:
		return true;
	default:
		break;
	}
	if (head->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	return head->opcode == 0x9c ||
	       (is_string(head->opcode) && (has_prefix(head, 0xf2) || has_prefix(head, 0xf3)));
}

/* arch/x86/kernel/uprobes.c, uprobe_init_insn(): what it does not take. */
static bool is_refused(const ZydisDecodedInstruction *head)
{
	static const unsigned char bad_prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0xf0 };

	for (size_t i = 0; i < sizeof(bad_prefixes); i++)
		if (has_prefix(head, bad_prefixes[i]))
			return true;
	/*
	 * Kernels up to 7.2 look at the opcode alone: behind a VEX prefix they take 0x70 to 0x7f
	 * for jumps (vmovq, vmovdqa, vzeroupper, ...), emulate those, and so skip the instruction.
	 * None with such a prefix is worth the risk; XOP and the others the kernel cannot decode.
	 */
	if (head->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return true;
	if (steps_badly(head))
		return true;
	if (head->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	/* A load of the stack segment holds back the trap. */
	if (head->opcode == 0x8e && head->raw.modrm.reg == 2)
		return true;
	return is_refused_opcode(head->opcode);
}

static bool is_direct_branch(const ZydisDecodedInstruction *head)
{
	if (head->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return (head->opcode & 0xf0) == 0x80;
	return head->opcode == 0xe8 || head->opcode == 0xe9 || head->opcode == 0xeb ||
	       (head->opcode & 0xf0) == 0x70;
}

static bool is_push(const struct instruction *in)
{
	if (in->head.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT || (in->head.opcode & 0xf8) != 0x50)
		return false;
	return in->head.length == 1 || (in->head.length == 2 && in->bytes[0] == 0x41);
}

static bool is_nop5(const struct instruction *in)
{
	static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return in->head.length == sizeof(nop5) && !__builtin_memcmp(in->bytes, nop5, sizeof(nop5));
}

/* branch_setup_xol_ops() and push_setup_xol_ops() there, which are the same since 4.18. */
enum entry_class instruction__class(const struct instruction *in)
{
	const ZydisDecodedInstruction *head = &in->head;

	if (is_refused(head))
		return ENTRY_REFUSED;
	if (is_push(in))
		return ENTRY_EMULATED;
	/*
	 * With a prefix 0x90 need not be a nop (xchg %r8,%rax), but the kernel skips it like one;
	 * with 0x66 older kernels refuse it.
	 */
	if (head->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && head->opcode == 0x90)
		return head->length == 1 ? ENTRY_EMULATED : ENTRY_REFUSED;
	if (is_direct_branch(head))
		return has_prefix(head, 0x66) ? ENTRY_REFUSED : ENTRY_EMULATED;
	return is_nop5(in) ? ENTRY_NOP5 : ENTRY_STEPPED;
}

bool instruction__is_endbr(const struct instruction *in)
{
	return in->head.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
}

bool instruction__jumps_anywhere(const ZydisDecodedInstruction *head)
{
	return head->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	       head->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && head->opcode == 0xff &&
	       (head->raw.modrm.reg == 4 || head->raw.modrm.reg == 5) &&
	       !(head->raw.modrm.mod == 0 && head->raw.modrm.rm == 5);
}
