// SPDX-License-Identifier: GPL-2.0-only
/* The library is loaded, called, unloaded, and loaded anew, also into other namespaces. */
#include <dlfcn.h>

#include "harm.h"

int main(int argc, char **argv)
{
	int i, sum = 0;

	if (argc != 2)
		return 2;
	for (i = 0; i < 40; i++) {
		/* There are sixteen namespaces, of which the dynamic loader gives none back. */
		void *library =
			i % 4 ? dlopen(argv[1], RTLD_NOW) : dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
		int (*plain)(int);

		harm_check(library != NULL, dlerror());
		plain = (int (*)(int))dlsym(library, "hm_plain");
		harm_count(number_hm_plain);
		sum += plain(i);
		dlclose(library);
	}
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
