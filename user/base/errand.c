// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <bpf/bpf.h>

#include "base/errand.h"

int errand__run(int program, const void *words, size_t bytes)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = words, .ctx_size_in = (__u32)bytes);

	if (bytes > ERRAND_BYTES_MAX)
		return -E2BIG;
	return bpf_prog_test_run_opts(program, &options) ? -errno : (int)options.retval;
}
