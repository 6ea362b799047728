// SPDX-License-Identifier: GPL-2.0-only
/* A signal handler throws, and the exception leaves the call in which the fault was. */
#include <csignal>
#include <stdexcept>

#include "harm.h"

static volatile int zero;

static void on_fault(int)
{
	throw std::runtime_error("division");
}

static int divide(void *arg)
{
	return *static_cast<int *>(arg) / zero;
}

int main()
{
	struct sigaction action = {};
	int caught = 0;

	action.sa_handler = on_fault;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGFPE, &action, nullptr);
	for (int i = 0; i < 50; i++) {
		try {
			HARM(hm_call)(divide, &i);
		} catch (const std::exception &) {
			caught++;
		}
	}
	printf("caught %d\n", caught);
	harm_report();
	return 0;
}
