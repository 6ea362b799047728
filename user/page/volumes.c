// SPDX-License-Identifier: GPL-2.0-only
#include "page/volumes.h"
#include "sink/record_tree.h"

void page_volumes__write(struct page_document *document, const struct volumes *volumes)
{
	static const char *const names[VOLUMES] = {
		[VOLUME_FILES_READ] = "files_read_bytes",
		[VOLUME_FILES_WRITTEN] = "files_written_bytes",
		[VOLUME_DEVICES_READ] = "devices_read_bytes",
		[VOLUME_DEVICES_WRITTEN] = "devices_written_bytes",
	};
	struct record_tree tree = record_tree__new(NULL);
	struct record *record = &tree.record;
	struct json_object *object = NULL;

	if (volumes->n) {
		record__open(record, NULL);
		record__u64(record, "start_ns", volumes__start_ns(volumes));
		record__u64(record, "bin_ns", volumes->bin_ns);
		for (enum volume volume = 0; volume < VOLUMES; volume++) {
			record__open_array(record, names[volume]);
			for (size_t i = 0; i < volumes->n; i++)
				record__u64(record, NULL, volumes->bytes[volume][i]);
			record__close_array(record);
		}
		record__close(record);
		object = record_tree__take(&tree);
	}
	if (object)
		page_trim__record(object, &document->common);
	page_document__put(document, "volumes", object);
}
