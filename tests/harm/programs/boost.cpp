// SPDX-License-Identifier: GPL-2.0-only
/* Fibers of Boost switch in calls; one of them is ended from outside, by an exception inside. */
#include <boost/context/fiber.hpp>
#include <vector>

#include "harm.h"

namespace context = boost::context;

static context::fiber main_fiber;
static int sum;

static int yield(void *)
{
	main_fiber = std::move(main_fiber).resume();
	return 1;
}

static context::fiber body(context::fiber &&from)
{
	main_fiber = std::move(from);
	for (int i = 0; i < 50; i++)
		sum += HARM(hm_call)(yield, nullptr) + HARM(hm_plain)(i);
	return std::move(main_fiber);
}

int main()
{
	std::vector<context::fiber> fibers;

	for (int i = 0; i < 6; i++)
		fibers.emplace_back(body);
	for (int i = 0; i < 40; i++)
		for (context::fiber &fiber : fibers)
			fiber = std::move(fiber).resume();
	fibers.resize(2); /* ends four in their calls */
	for (int i = 0; i < 11; i++)
		for (context::fiber &fiber : fibers)
			fiber = std::move(fiber).resume();
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
