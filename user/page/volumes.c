// SPDX-License-Identifier: GPL-2.0-only
#include "page/volumes.h"
#include "sink/json_value.h"

static struct json_object *bins_of(const struct volumes *volumes, enum volume volume)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < volumes->n; i++)
		json_object_array_add(array, json_object_new_uint64(volumes->bytes[volume][i]));
	return array;
}

void page_volumes__write(struct page_document *document, const struct volumes *volumes)
{
	static const char *const names[VOLUMES] = {
		[VOLUME_FILES_READ] = "files_read_bytes",
		[VOLUME_FILES_WRITTEN] = "files_written_bytes",
		[VOLUME_DEVICES_READ] = "devices_read_bytes",
		[VOLUME_DEVICES_WRITTEN] = "devices_written_bytes",
	};
	struct json_object *object = volumes->n ? json_object_new_object() : NULL;

	if (object) {
		json_value__add_u64(object, "start_ns", volumes__start_ns(volumes));
		json_value__add_u64(object, "bin_ns", volumes->bin_ns);
		for (enum volume volume = 0; volume < VOLUMES; volume++)
			json_object_object_add(object, names[volume], bins_of(volumes, volume));
		page_trim__record(object, &document->common);
	}
	page_document__put(document, "volumes", object);
}
