// SPDX-License-Identifier: GPL-2.0-only
/* The unwinder is told to leave the call, frame by frame, as runtimes do to end a thread. */
#include <setjmp.h>
#include <string.h>
#include <unwind.h>

#include "harm.h"

static jmp_buf top;
static int frames;

static _Unwind_Reason_Code step(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context, void *stop)
{
	(void)version, (void)class, (void)exception;
	frames++;
	if (_Unwind_GetCFA(context) > (_Unwind_Word)stop || (actions & _UA_END_OF_STACK))
		longjmp(top, 1);
	return _URC_NO_REASON;
}

static int unwind(void *stop)
{
	static struct _Unwind_Exception exception;

	memset(&exception, 0, sizeof(exception));
	_Unwind_ForcedUnwind(&exception, step, stop);
	return -1;
}

int main(void)
{
	volatile int left = 0, i;

	for (i = 0; i < 50; i++) {
		if (!setjmp(top))
			HARM(hm_call)(unwind, __builtin_frame_address(0));
		else
			left++;
	}
	printf("left %d, through %d frames\n", left, frames);
	harm_report();
	return 0;
}
