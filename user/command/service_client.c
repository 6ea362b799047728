// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "command/option_values.h"
#include "command/service_client.h"

void service_client__set_job(struct service_client *client, const char *job)
{
	if (!job[0] || strlen(job) >= sizeof(client->request.job))
		option_values__refuse("--job %.64s: no name of a job", job);
	memcpy(client->request.job, job, strlen(job) + 1);
	client->asks = true;
}

int service_client__print(const struct service_client *client, struct error *err)
{
	char part[65536];
	FILE *answer;
	size_t n;
	int rc = client__ask(&answer, client->socket, &client->request, err);

	if (rc < 0)
		return rc;
	errno = 0;
	while ((n = fread(part, 1, sizeof(part), answer)) > 0)
		fwrite(part, 1, n, stdout);
	fclose(answer);
	if (fflush(stdout) || ferror(stdout))
		return error__set(err, errno ? -errno : -EIO, "standard output: %s",
				  strerror(errno ? errno : EIO));
	return 0;
}
