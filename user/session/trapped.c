// SPDX-License-Identifier: GPL-2.0-only
#include "session/trapped.h"

#define ADVICE                                                                                     \
	"copies or moves the code of that library, as programs do that put code into huge pages, " \
	"hook functions or translate code, then it has copied the probes' breakpoints, and died "  \
	"of one: name it in --leave-alone, or leave the library's layer out, by --layer"

/* Had it mapped a library that is traced? */
static enum mappers_answer ask(const struct session *session, const struct tm_trap *trap)
{
	enum mappers_answer answer = mappers__ask(left_alone__mappers(session->left_alone),
						  (pid_t)trap->tgid, trap->start_ns);

	/* Numbers of another namespace; what a parent has mapped; what was not seen. */
	if (kernel__is_in_namespace(session->kernel) ||
	    (answer == MAPPERS_NONE && (trap->forked || late__has_gaps(session->late))))
		return MAPPERS_UNKNOWN;
	return answer;
}

static void note(struct session *session, const struct tm_trap *trap)
{
	enum mappers_answer answer = ask(session, trap);

	if (answer == MAPPERS_NONE)
		return;
	session->trapped = true;
	if (answer == MAPPERS_MAPPED)
		note_list__add(&session->notes,
			       "%s, which had mapped a traced library, was ended by SIGTRAP. If "
			       "it " ADVICE,
			       trap->comm);
	else
		note_list__add(&session->notes,
			       "%s was ended by SIGTRAP, and may have mapped a traced library. If "
			       "it did, and " ADVICE,
			       trap->comm);
}

void trapped__note(struct session *session)
{
	__u32 n = kernel__n_traps(session->kernel);
	struct tm_trap trap;

	if (!session->attach || !attach__n_files(session->attach))
		return;
	if (n - session->traps > TM_TRAPS)
		session->traps = n - TM_TRAPS;
	for (; session->traps != n && !session->trapped; session->traps++) {
		kernel__trap(session->kernel, session->traps, &trap);
		note(session, &trap);
	}
}
