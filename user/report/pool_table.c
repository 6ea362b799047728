// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "report/names.h"
#include "report/pool_table.h"
#include "report/row_writer.h"
#include "report/title.h"

static const struct grid_column columns[] = {
	{ .title = "pool", .align = GRID_LEFT, .least = 12 },
	{ .title = "of", .align = GRID_LEFT },
	{ .title = "id", .align = GRID_LEFT, .drop = 1 },
	{ .title = "storage", .align = GRID_LEFT },
	{ .title = "capacity" },
};

static int put_pool(struct grid *grid, const struct report_run *run, const struct pool_info *pool)
{
	struct row_writer row = row_writer__begin(grid);
	char id[NAMES_POOL_ID];

	row_writer__text(&row, pool->name);
	row_writer__text(&row, names__layer(run, pool->layer));
	row_writer__text(&row, names__pool_id(pool, id));
	row_writer__text(&row, pool->type);
	row_writer__bytes(&row, pool->capacity, pool->capacity != 0);
	return row.ret;
}

int pool_table__print(const struct table_options *options, const struct report_run *run)
{
	const struct pool_info *pool;
	struct grid *grid;
	int ret = 0;

	if (!names__pool(run, 0))
		return 0;
	grid = grid__new(columns, sizeof(columns) / sizeof(*columns));
	if (!grid)
		return -ENOMEM;
	for (size_t i = 0; !ret && (pool = names__pool(run, i)); i++)
		ret = put_pool(grid, run, pool);
	title__heading(options, "storage pools");
	fputs(":\n", options->out);
	if (!ret)
		ret = grid__print(grid, options->out, options->width);
	grid__free(grid);
	return ret;
}
