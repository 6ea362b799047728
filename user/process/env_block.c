// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "process/env_block.h"

void env_block__drop(struct env_block *block)
{
	free(block->text);
	*block = (struct env_block){ 0 };
}

bool env_block__add(struct env_block *block, const struct tm_environment *piece)
{
	if (piece->bytes > sizeof(piece->text) || piece->total > TM_ENVIRONMENT_MAX)
		return false;
	if (!piece->offset) {
		env_block__drop(block);
		block->total = piece->total;
		block->text = malloc(block->total + 1);
	}
	if (!block->text || piece->total != block->total || piece->offset != block->bytes ||
	    piece->bytes > block->total - block->bytes) {
		env_block__drop(block);
		return false;
	}
	memcpy(block->text + block->bytes, piece->text, piece->bytes);
	block->bytes += piece->bytes;
	return block->bytes == block->total;
}
