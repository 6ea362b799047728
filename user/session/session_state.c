// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "session/session_state.h"

int session__new_drain(const struct session *session, struct drain **out, struct error *err)
{
	struct drain_maps maps;
	int ret = 0;

	kernel__maps(session->kernel, &maps);
	maps.moved = probe_table__moved(session->probes);
	maps.numbered = probe_table__numbered(session->probes);
	if (!session->drain)
		ret = drain__new(out, &maps, err);
	else if (drain__share(out, session->drain) < 0)
		ret = error__set(err, -ENOMEM, "no memory");
	if (!ret && session->objects && drain__add_objects(*out, session->objects) < 0)
		ret = error__set(err, -ENOMEM, "no memory");
	return ret;
}
