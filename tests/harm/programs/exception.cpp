// SPDX-License-Identifier: GPL-2.0-only
/* A C++ exception goes through a C frame of the library; also several frames deep, and rethrown. */
#include <stdexcept>
#include <thread>
#include <vector>

#include "harm.h"

static int throw_odd(void *arg)
{
	if (*static_cast<int *>(arg) % 2)
		throw std::runtime_error("odd");
	return 0;
}

static int catch_and_rethrow(void *arg)
{
	try {
		return HARM(hm_call)(throw_odd, arg);
	} catch (const std::exception &) {
		HARM(hm_plain)(0);
		throw;
	}
}

static int deeper(void *arg)
{
	return HARM(hm_call)(catch_and_rethrow, arg) + HARM(hm_tail)(throw_odd, arg);
}

static void run(int *caught)
{
	for (int i = 0; i < 100; i++) {
		try {
			HARM(hm_call)(i % 3 ? throw_odd : deeper, &i);
		} catch (const std::exception &) {
			++*caught;
		}
		HARM(hm_plain)(i);
	}
}

int main()
{
	int caught[4] = {};
	std::vector<std::thread> threads;

	for (int &count : caught)
		threads.emplace_back(run, &count);
	for (std::thread &thread : threads)
		thread.join();
	printf("caught %d %d %d %d\n", caught[0], caught[1], caught[2], caught[3]);
	harm_report();
	return 0;
}
