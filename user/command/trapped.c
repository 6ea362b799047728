// SPDX-License-Identifier: GPL-2.0-only
#include "command/trapped.h"

void trapped__note(struct session *session)
{
	char program[KERNEL_COMM_LENGTH];

	if (session->trapped || !session->attach || !attach__n_files(session->attach) ||
	    !kernel__trapped(session->kernel, program))
		return;
	session->trapped = true;
	note_list__add(
		&session->notes,
		"%s was ended by SIGTRAP. If it copies or moves the code of a traced library, "
		"as programs do that put code into huge pages or hook functions, then it has "
		"copied the probes' breakpoints, and died of one: leave that library's layer "
		"out, by --layer",
		program);
}
