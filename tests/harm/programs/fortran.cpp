// SPDX-License-Identifier: GPL-2.0-only
/* An exception goes through a callback in Fortran (callback.f90) and the library below it. */
#include <stdexcept>

#include "harm.h"

extern "C" {
int fortran_callback(void *arg);

int counted_plain(int x)
{
	return HARM(hm_plain)(x);
}

int throw_if_odd(void *arg)
{
	if (*static_cast<int *>(arg) % 2)
		throw std::runtime_error("odd");
	return 0;
}
}

int main()
{
	int caught = 0, sum = 0;

	for (int i = 0; i < 100; i++) {
		try {
			sum += HARM(hm_call)(fortran_callback, &i);
		} catch (const std::exception &) {
			caught++;
		}
	}
	printf("caught %d, sum %d\n", caught, sum);
	harm_report();
	return 0;
}
