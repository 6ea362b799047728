// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places that stand in for a `ret`: in functions of this program, written out so that it is known,
 * and in the C library's, by execution. These are run one instruction at a time; what is told in
 * front of a `ret` is compared with what is there when it comes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <regex.h>
#include <time.h>

#include "elf/exits.h"
#include "kernel/uprobe.h"
#include "tmtrace/exit.h"

#include "elf_sample.h"

#define FUNCTION(name, body)                                                           \
	".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body \
	".cfi_endproc\n.size " name ", . - " name "\n"

/*
 * Each has its one `ret` at a label NAME_ret, and the places that stand in for it at NAME_1, ...
 * They are away from code that the unwind table does not know: its bytes might be short branches.
 */
__asm__(".text\n .skip 256\n" //
	FUNCTION("sites_guard",
		 "push %rbx\n cmp %rax, %rbx\n sites_guard_1: jne 1f\n"
		 " add $0x18, %rsp\n mov %ebp, %eax\n pop %rbx\n sites_guard_ret: ret\n"
		 " 1: call abort@plt\n")
		FUNCTION("sites_join",
			 "test %edi, %edi\n sites_join_1: je 2f\n mov $-5, %eax\n"
			 " sites_join_2: jmp 2f\n nop\n 2: leave\n sites_join_ret: ret\n")
			FUNCTION(
				"sites_far",
				"test %edi, %edi\n sites_far_1: jnle 1f\n ud2\n 1: xor %eax, %eax\n"
				" add $0x1000, %rsp\n sites_far_ret: ret\n")
				FUNCTION("sites_slot",
					 "test %edi, %edi\n sites_slot_1: jc 1f\n ud2\n"
					 " 1: movslq 12(%rsp), %rax\n add $16, %rsp\n pop %rbp\n"
					 " sites_slot_ret: ret\n"));

/* None stands in: what is after the name says why. */
__asm__(FUNCTION("sites_straight", "push %rbx\n pop %rbx\n ret\n") FUNCTION(
	"sites_call", "test %edi, %edi\n je 1f\n ud2\n 1: call sites_straight\n ret\n")
		FUNCTION("sites_loop", "1: sub $1, %edi\n jne 1b\n ret\n") FUNCTION(
			"sites_stores",
			"test %edi, %edi\n je 1f\n ud2\n 1: mov %eax, (%rsi)\n ret\n")
			FUNCTION("sites_loads",
				 "test %edi, %edi\n je 1f\n ud2\n 1: mov (%rsi), "
				 "%eax\n ret\n") FUNCTION("sites_computes",
							  "test %edi, %edi\n je 1f\n ud2\n 1: add "
							  "%esi, %eax\n ret\n")
				FUNCTION(
					"sites_aligns",
					"test %edi, %edi\n je 1f\n ud2\n 1: and $-16, %rsp\n ret\n")
					FUNCTION("sites_indirect",
						 "lea sites_table(%rip), %rdx\n cmp $1, %edi\n ja "
						 "2f\n"
						 " mov %edi, %edi\n movslq (%rdx,%rdi,4), %rcx\n "
						 "add %rdx, %rcx\n"
						 " jmp *%rcx\n 1: ret\n 2: ret\n"
						 ".section .rodata\n.balign 4\nsites_table: .long "
						 "1b - sites_table,"
						 " 2b - sites_table\n.text\n")
	/* Many jumps that a call passes one after the other. */
	FUNCTION("sites_many",
		 "test %edi, %edi\n je 9f\n test %esi, %esi\n je 9f\n test %ecx, %ecx\n je 9f\n"
		 " test %eax, %eax\n je 9f\n ud2\n 9: ret\n")
	/* Another function, that nobody looks at, jumps behind the place. */
	FUNCTION("sites_entered", "test %edi, %edi\n je 1f\n ud2\n 1: pop %rbx\n"
				  " sites_entered_in: pop %rbp\n ret\n")
		FUNCTION("sites_enters",
			 "call sites_straight\n jmp sites_entered_in\n") ".skip 256\n");

#define DECLARE(name) extern const char name[]
DECLARE(sites_guard);
DECLARE(sites_guard_1);
DECLARE(sites_guard_ret);
DECLARE(sites_join);
DECLARE(sites_join_1);
DECLARE(sites_join_2);
DECLARE(sites_join_ret);
DECLARE(sites_far);
DECLARE(sites_far_1);
DECLARE(sites_far_ret);
DECLARE(sites_slot);
DECLARE(sites_slot_1);
DECLARE(sites_slot_ret);
DECLARE(sites_straight);
DECLARE(sites_call);
DECLARE(sites_loop);
DECLARE(sites_stores);
DECLARE(sites_loads);
DECLARE(sites_computes);
DECLARE(sites_aligns);
DECLARE(sites_indirect);
DECLARE(sites_many);
DECLARE(sites_entered);

static struct exits *open_file(const char *path, struct elf_file **elf)
{
	struct exits *exits;
	struct error err;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(elf_file__open_fd(elf, fd, path, &err), 0);
	assert_int_equal(exits__open(&exits, fd, *elf, path, &err), 0);
	close(fd);
	return exits;
}

/* The n ways that stand in for the only exit of a function of this program; entry: its probe. */
static size_t find_ways(const char *function, const char *entry, struct exits_way ways[4])
{
	__u64 entries[] = { uprobe__own_offset(entry) };
	const struct exits_way *found;
	struct exits_found exits_found;
	struct elf_file *elf;
	struct exits *exits = open_file("/proc/self/exe", &elf);
	size_t n, all = 0;

	assert_null(exits__find(exits, uprobe__own_offset(function), &exits_found));
	assert_int_equal(exits__choose(exits, entries, 1), 0);
	for (size_t i = 0; i < exits_found.n; i++) {
		found = exits__ways(exits, exits_found.offsets[i], &n);
		for (size_t k = 0; k < n; k++, all++)
			if (all < 4)
				ways[all] = found[k];
	}
	exits__close(exits);
	elf_file__close(elf);
	return all;
}

static __u64 part(__u64 code, int shift, int bits)
{
	return code >> shift & ((1ULL << bits) - 1);
}

#define PART(code, name) part(code, TM_EXIT_##name##_SHIFT, TM_EXIT_##name##_BITS)

static void expect_way(const struct exits_way *way, const char *ret, const char *place, int when,
		       int base, int words, int kind, int holder, int value)
{
	assert_int_equal(way->ret, uprobe__own_offset(ret));
	assert_int_equal(way->offset, uprobe__own_offset(place));
	assert_int_equal(PART(way->code, WHEN), when);
	assert_int_equal(PART(way->code, BASE), base);
	assert_int_equal((__s16)PART(way->code, WORDS), words);
	assert_int_equal(PART(way->code, KIND), kind);
	assert_int_equal(PART(way->code, HOLDER), holder);
	assert_int_equal((__s32)(way->code >> TM_EXIT_VALUE_SHIFT), value);
}

/* Conditions as in opcodes, plus 1: not equal is 5, so that equal is 4. */
static void test_known(void **state)
{
	struct exits_way ways[4];

	(void)state;
	assert_int_equal(find_ways(sites_guard, sites_guard, ways), 1);
	expect_way(&ways[0], sites_guard_ret, sites_guard_1, 1 + 4, 4, 4, TM_EXIT_REGISTER_LOW, 5,
		   0);
	assert_int_equal(find_ways(sites_join, sites_join, ways), 2);
	expect_way(&ways[0], sites_join_ret, sites_join_1, 1 + 4, 5, 1, TM_EXIT_REGISTER, 0, 0);
	expect_way(&ways[1], sites_join_ret, sites_join_2, 0, 5, 1, TM_EXIT_REGISTER, 0, 0);
	assert_int_equal(find_ways(sites_far, sites_far, ways), 1);
	expect_way(&ways[0], sites_far_ret, sites_far_1, 1 + 15, 4, 512, TM_EXIT_CONSTANT, 0, 0);
	assert_int_equal(find_ways(sites_slot, sites_slot, ways), 1);
	expect_way(&ways[0], sites_slot_ret, sites_slot_1, 1 + 2, 4, 3, TM_EXIT_MEMORY_INT, 4, 12);
}

static void test_none(void **state)
{
	static const struct {
		const char *name, *code;
	} functions[] = {
		{ "straight", sites_straight }, { "call", sites_call },
		{ "loop", sites_loop },		{ "stores", sites_stores },
		{ "loads", sites_loads },	{ "computes", sites_computes },
		{ "aligns", sites_aligns },	{ "indirect", sites_indirect },
		{ "many", sites_many },		{ "entered", sites_entered },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct exits_way ways[4];
		size_t n = find_ways(functions[i].code, functions[i].code, ways);

		if (n)
			fail_msg("%s: %zu places", functions[i].name, n);
	}
}

/* Where the probe of the entry is, too, the call would end before it has begun. */
static void test_entry_at_the_same_place(void **state)
{
	struct exits_way ways[4];

	(void)state;
	assert_int_equal(find_ways(sites_guard, sites_guard_1, ways), 0);
}

/* The C library's functions, one instruction at a time. */
#define WAYS_MAX  16384
#define TABLE	  65536
#define STEPS_MAX 1500000

static struct exits_way all_ways[WAYS_MAX];
static size_t n_ways;
/* Of what is at an offset: by a bit that a way begins, or a `ret` without a probe. */
static struct {
	__u64 offset;
	int way; /* plus 1 */
	bool ret;
} table[TABLE];
static __u64 load_base;
static volatile sig_atomic_t running;

static struct {
	struct exits_way way;
	bool pending;
	__u64 sp, value;
	unsigned int since;
	unsigned long steps, compared, wrong, unannounced, strayed;
} run;

static size_t slot_of(__u64 offset)
{
	size_t i = offset * 2654435761U % TABLE;

	while (table[i].offset && table[i].offset != offset)
		i = (i + 1) % TABLE;
	return i;
}

static __u64 register_of(const ucontext_t *context, unsigned int n)
{
	static const int registers[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					 REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					 REG_R12, REG_R13, REG_R14, REG_R15 };

	return (__u64)context->uc_mcontext.gregs[registers[n]];
}

/* By the processor's manual, appendix B. */
static bool holds(__u64 flags, unsigned int condition)
{
	bool c = flags & 1, p = flags & 4, z = flags & 0x40, s = flags & 0x80, o = flags & 0x800;
	bool yes = false;

	switch (condition >> 1) {
	case 0:
		yes = o;
		break;
	case 1:
		yes = c;
		break;
	case 2:
		yes = z;
		break;
	case 3:
		yes = c || z;
		break;
	case 4:
		yes = s;
		break;
	case 5:
		yes = p;
		break;
	case 6:
		yes = s != o;
		break;
	default:
		yes = z || s != o;
	}
	return condition & 1 ? !yes : yes;
}

static __u64 result_of(const ucontext_t *context, __u64 code)
{
	__s32 number = (__s32)(code >> TM_EXIT_VALUE_SHIFT);
	__u64 word = register_of(context, (unsigned int)PART(code, HOLDER));
	__u64 memory = 0;
	__u32 low;

	if (PART(code, KIND) >= TM_EXIT_MEMORY)
		memcpy(&memory, (void *)(word + (__u64)(__s64)number), sizeof(memory)); // NOLINT
	switch (PART(code, KIND)) {
	case TM_EXIT_REGISTER:
		return word;
	case TM_EXIT_REGISTER_LOW:
		return (__u32)word;
	case TM_EXIT_REGISTER_INT:
		return (__u64)(__s64)(__s32)word;
	case TM_EXIT_CONSTANT:
		return (__u64)(__s64)number;
	case TM_EXIT_CONSTANT_LOW:
		return (__u32)number;
	case TM_EXIT_MEMORY:
		return memory;
	default:
		low = (__u32)memory;
		return PART(code, KIND) == TM_EXIT_MEMORY_LOW ? low : (__u64)(__s64)(__s32)low;
	}
}

static void look(const ucontext_t *context)
{
	__u64 offset = (__u64)context->uc_mcontext.gregs[REG_RIP] - load_base;
	size_t slot = slot_of(offset);
	const struct exits_way *way;
	unsigned int when;

	if (table[slot].offset && table[slot].ret) {
		if (!run.pending || run.way.ret != offset)
			run.unannounced++;
		else if (run.sp != register_of(context, 4) || run.value != register_of(context, 0))
			run.wrong++;
		else
			run.compared++;
		run.pending = false;
		return;
	}
	if (run.pending && ++run.since > 16) {
		run.strayed++;
		run.pending = false;
	}
	if (!table[slot].offset || !table[slot].way)
		return;
	way = &all_ways[table[slot].way - 1];
	when = (unsigned int)PART(way->code, WHEN);
	if (when && !holds((__u64)context->uc_mcontext.gregs[REG_EFL], when - 1))
		return;
	run.strayed += run.pending;
	run.pending = true;
	run.since = 0;
	run.way = *way;
	run.sp = register_of(context, (unsigned int)PART(way->code, BASE)) +
		 8 * (__u64)(__s64)(__s16)PART(way->code, WORDS);
	run.value = result_of(context, way->code);
}

#define TRAP_FLAG 0x100

static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	(void)signal;
	(void)info;
	if (!running || ++run.steps > STEPS_MAX) {
		at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	look(at);
	at->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static int compare_words(const void *left, const void *right)
{
	return strcmp(left, right);
}

/* What a library has to do in everyday life; whatever comes of it. */
static void use_library(void)
{
	char text[512], words[40][8];
	struct tm tm;
	time_t now = 1234567890;
	regex_t regex;
	char *end = text;
	void *blocks[32];

	for (int i = 0; i < 40; i++)
		snprintf(words[i], sizeof(words[i]), "%d%c", i * 7 % 13, 'a' + i % 26);
	qsort(words, 40, sizeof(*words), compare_words);
	snprintf(text, sizeof(text), "%s %-8d %#lx %.3f %g %5c %p %%", "text", -5, 255UL, 3.25,
		 1e100, 'x', (void *)text);
	strtol("0x7fffG", &end, 0);
	strtoull("99999999999999999999999", &end, 10);
	strtod("1.5e300", &end);
	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %a", &tm);
	mktime(&tm);
	if (!regcomp(&regex, "^([a-z]+)-([0-9]{2,3})$", REG_EXTENDED)) {
		regexec(&regex, "probe-123", 0, NULL, 0);
		regfree(&regex);
	}
	for (int i = 0; i < 32; i++)
		blocks[i] = malloc((size_t)(i * i * 40 + 1));
	for (int i = 0; i < 32; i += 2)
		blocks[i] = realloc(blocks[i], (size_t)(i * 90 + 5));
	for (int i = 0; i < 32; i++)
		free(blocks[31 - i]);
	setenv("TMTRACE_TEST", "value", 1);
	getenv("TMTRACE_TEST");
	unsetenv("TMTRACE_TEST");
	rand();
	getpid();
	access("/nonexistent", R_OK);
}

static int find_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	if (strstr(info->dlpi_name, "/libc.so"))
		load_base = info->dlpi_addr;
	return 0;
}

static void note_ways(struct exits *exits, const struct elf_file *elf)
{
	for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
		struct exits_found found;

		exits__find(exits, elf_file__function(elf, i)->offset, &found);
	}
	assert_int_equal(exits__choose(exits, NULL, 0), 0);
	for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
		struct exits_found found;

		if (exits__find(exits, elf_file__function(elf, i)->offset, &found))
			continue;
		for (size_t k = 0; k < found.n; k++) {
			size_t n, slot = slot_of(found.offsets[k]);
			const struct exits_way *ways = exits__ways(exits, found.offsets[k], &n);

			if (!n || table[slot].ret || n_ways + n > WAYS_MAX)
				continue;
			table[slot].offset = found.offsets[k];
			table[slot].ret = true;
			for (size_t w = 0; w < n; w++) {
				slot = slot_of(ways[w].offset);
				assert_int_equal(table[slot].way, 0);
				all_ways[n_ways++] = ways[w];
				table[slot].offset = ways[w].offset;
				table[slot].way = (int)n_ways;
			}
		}
	}
}

/* In the C library, whose code is mapped where its addresses say, an offset is an address. */
static void test_by_execution(void **state)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	char path[ELF_SAMPLE_PATH];
	struct elf_file *elf;
	struct exits *exits;

	(void)state;
	elf_sample__libc(path);
	dl_iterate_phdr(find_base, NULL);
	exits = open_file(path, &elf);
	note_ways(exits, elf);
	exits__close(exits);
	elf_file__close(elf);
	assert_true(n_ways > 100);
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	running = 1;
	raise(SIGTRAP);
	use_library();
	running = 0;
	raise(SIGTRAP);
	signal(SIGTRAP, SIG_DFL);
	print_message(
		"%zu places, %lu steps, %lu returns told, %lu wrong, %lu of which nothing was "
		"told, %lu that did not come\n",
		n_ways, run.steps, run.compared, run.wrong, run.unannounced, run.strayed);
	assert_int_equal(run.wrong, 0);
	assert_int_equal(run.strayed, 0);
	assert_int_equal(run.unannounced, 0);
	assert_true(run.compared > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_entry_at_the_same_place),
		cmocka_unit_test(test_by_execution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
