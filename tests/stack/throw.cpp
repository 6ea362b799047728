// SPDX-License-Identifier: GPL-2.0-only
// libthrow.so: a C++ exception through the C frames of libsample.
extern "C" {
typedef long (*sample_callback)(void *arg);
long sample_call_cxx(sample_callback cb, void *arg);
int throw_through_calls(int levels);
}

static long throw_here(void *arg)
{
	int *levels = static_cast<int *>(arg);

	if (--*levels > 0)
		return sample_call_cxx(throw_here, levels);
	throw 1;
}

// Nests so many calls and throws out of them all; 1 when it was caught.
int throw_through_calls(int levels)
{
	try {
		sample_call_cxx(throw_here, &levels);
	} catch (int caught) {
		return caught;
	}
	return 0;
}
