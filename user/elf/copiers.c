// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <string.h>

#include "elf/copiers.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

/*
 * One row a copier; to add one, add a row. Tried: Valgrind and qemu translate the text as they read
 * it, and report the breakpoint to the program as its own. From their sources: the others.
 *
 * Not here, as they copy no code: hooks by the table of procedure linkage (plthook, gotcha, xhook),
 * interposition by LD_PRELOAD (Darshan, Score-P, jemalloc, tcmalloc, sanitizers), Open MPI's and
 * libfabric's memory hooks, which overwrite functions that they never call again.
 */
static const struct copier copiers[] = {
	/* Code into huge pages */
	{ .name = "libhugetlbfs",
	  .files = LIST("libhugetlbfs*.so*", "hugectl"),
	  .symbols = LIST("hugetlbfs_find_path", "__lh_hugetlbfs_setup_elflink"),
	  /* It remaps the segments that this names: W is data alone, as on Cray systems. */
	  .variable = "HUGETLB_ELFMAP",
	  .letters = "rR" },
	{ .name = "Intel's large pages (iodlr)",
	  .files = LIST("liblppreload*.so*"),
	  .symbols = LIST("MapStaticCodeToLargePages", "MapStaticCodeRangeToLargePages",
			  "MapDSOToLargePages") },
	{ .name = "Node.js with its code in large pages",
	  .reach = COPIER_OWN,
	  .symbols = LIST("_ZN4node25MapStaticCodeToLargePagesEv") },
	{ .name = "Chromium's code in huge pages",
	  .reach = COPIER_OWN,
	  .symbols = LIST("_ZN8chromeos24ReloadElfTextInHugePagesEv",
			  "_ZN8chromeos24InitHugepagesAndMlockSelfEv") },
	{ .name = "HHVM's code in huge pages",
	  .reach = COPIER_OWN,
	  .symbols = LIST("_ZN4HPHP10hugifyTextEPcS0_", "_ZN4HPHPL10hugifyTextEPcS0_") },
	{ .name = "ClickHouse's code in huge pages",
	  .reach = COPIER_OWN,
	  .symbols = LIST("_ZN2DB16remapExecutableEv") },
	{ .name = "BOLT's code in huge pages",
	  .symbols = LIST("__bolt_hugify_self", "__bolt_hugify_start_program") },
	{ .name = "code in huge pages",
	  .symbols = LIST("hugifyText", "hugify_text", "hugify_uncached", "remapExecutable",
			  "remap_executable", "_Z10hugifyTextPcS_", "_Z15remapExecutablev") },
	/* Hooks: the first instructions of a function are copied elsewhere */
	{ .name = "funchook",
	  .files = LIST("libfunchook*.so*"),
	  .symbols = LIST("funchook_create", "funchook_prepare", "funchook_install") },
	{ .name = "subhook",
	  .files = LIST("libsubhook*.so*"),
	  .symbols = LIST("subhook_new", "subhook_install", "subhook_get_trampoline") },
	{ .name = "Frida",
	  .files = LIST("libfrida-*.so*", "frida-gadget*.so*", "frida-agent*.so*", "frida-inject*",
			"frida-trace", "frida-server*"),
	  .symbols = LIST("gum_interceptor_attach", "gum_interceptor_replace",
			  "gum_stalker_follow_me", "frida_agent_main") },
	{ .name = "bpftime", .files = LIST("libbpftime-*.so*") },
	{ .name = "Dobby",
	  .files = LIST("libdobby*.so*"),
	  .symbols = LIST("DobbyHook", "DobbyInstrument") },
	{ .name = "mhook", .symbols = LIST("Mhook_SetHook") },
	{ .name = "MinHook", .symbols = LIST("MH_CreateHook") },
	{ .name = "Detours",
	  .files = LIST("libdetours*.so*"),
	  .symbols = LIST("DetourAttach", "DetourTransactionBegin") },
	{ .name = "PolyHook", .files = LIST("libPolyHook*.so*") },
	{ .name = "SafetyHook", .files = LIST("libsafetyhook*.so*") },
	{ .name = "uftrace", .files = LIST("libmcount*.so*", "uftrace") },
	{ .name = "UCX's memory hooks",
	  .reach = COPIER_NAMED,
	  .files = LIST("libucm.so*"),
	  .symbols = LIST("ucm_bistro_patch"),
	  .named = LIST("libc.so*", "libc-2.*.so", "libcuda.so*", "libcudart.so*") },
	/* What runs a copy of all code */
	{ .name = "Valgrind",
	  .files = LIST("valgrind", "valgrind.bin", "vgpreload_*", "*-amd64-linux") },
	{ .name = "qemu's translation", .files = LIST("qemu-x86_64*") },
	{ .name = "DynamoRIO",
	  .files = LIST("libdynamorio*.so*", "libdrpreload*.so*", "drrun", "drmemory"),
	  .symbols = LIST("dynamorio_app_init", "dr_app_start") },
	{ .name = "Intel Pin", .files = LIST("pin", "pinbin", "pin.sh", "libpin3dwarf.so*") },
	{ .name = "Dyninst", .files = LIST("libdyninstAPI_RT*.so*") },
	{ .name = "rr", .files = LIST("rr", "librrpreload*.so*") },
};

#define N_COPIERS (sizeof(copiers) / sizeof(*copiers))

static bool matches(const char *const *patterns, const char *name)
{
	for (; patterns && *patterns; patterns++)
		/* Most names differ in a plain character; fnmatch is slow to find out. */
		if (!strncmp(*patterns, name, strcspn(*patterns, "*?[\\")) &&
		    !fnmatch(*patterns, name, 0))
			return true;
	return false;
}

const struct copier *copiers__by_file(const char *name)
{
	for (size_t i = 0; i < N_COPIERS; i++)
		if (matches(copiers[i].files, name))
			return &copiers[i];
	return NULL;
}

/* The symbol of a row that is the same; NULL: none. */
static const char *find_in_row(const struct copier *copier, const char *symbol)
{
	for (const char *const *known = copier->symbols; known && *known; known++)
		if (!strcmp(*known, symbol))
			return *known;
	return NULL;
}

/* Most symbols begin otherwise than all of these. */
static bool may_be_known(const char *symbol)
{
	switch (symbol[0]) {
	case '_': /* as all of C++ */
		return symbol[1] == '_' ? symbol[2] == 'l' || symbol[2] == 'b' : symbol[1] == 'Z';
	case 'D':
	case 'M':
	case 'd':
	case 'f':
	case 'g':
	case 'h':
	case 'r':
	case 's':
	case 'u':
		return true;
	default:
		return false;
	}
}

const char *copiers__find_symbol(const char *symbol)
{
	const char *known = NULL;

	if (!may_be_known(symbol))
		return NULL;
	for (size_t i = 0; i < N_COPIERS && !known; i++)
		known = find_in_row(&copiers[i], symbol);
	return known;
}

const struct copier *copiers__by_symbol(const char *symbol)
{
	for (size_t i = 0; i < N_COPIERS; i++)
		if (find_in_row(&copiers[i], symbol))
			return &copiers[i];
	return NULL;
}

const char *copiers__symbol(size_t i)
{
	for (size_t row = 0; row < N_COPIERS; row++)
		for (const char *const *known = copiers[row].symbols; known && *known; known++)
			if (!i--)
				return *known;
	return NULL;
}

bool copiers__spares(const struct copier *copier, const char *name)
{
	return copier->reach == COPIER_NAMED && !matches(copier->named, name);
}

bool copiers__is_off(const struct copier *copier, const char *value)
{
	return copier->variable && value && !strpbrk(value, copier->letters);
}
