// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/identity.h"
#include "base/owned_file.h"
#include "command/service_client.h"
#include "options/option_values.h"

void service_client__set_job(struct service_client *client, const char *job)
{
	if (!job[0] || strlen(job) >= sizeof(client->request.job))
		option_values__refuse("--job %.64s: no name of a job", job);
	memcpy(client->request.job, job, strlen(job) + 1);
	client->asks = true;
}

/* A number need not have an entry in the machine's list of users. */
void service_client__finish(struct service_client *client)
{
	const struct passwd *entry;
	unsigned long uid;
	char *end;

	if (!client->user)
		return;
	if (!client->request.job[0])
		option_values__refuse("--user goes with --job");
	errno = 0;
	entry = getpwnam(client->user);
	uid = entry ? entry->pw_uid : strtoul(client->user, &end, 10);
	if (!entry && (errno == ERANGE || client->user[0] < '0' || client->user[0] > '9' || *end ||
		       uid >= UINT32_MAX))
		option_values__refuse("--user %s: there is no such user", client->user);
	client->request.has_uid = true;
	client->request.uid = (uid_t)uid;
}

static int copy(FILE *answer, FILE *out, const char *name, struct error *err)
{
	char part[65536];
	size_t n;

	errno = 0;
	while ((n = fread(part, 1, sizeof(part), answer)) > 0)
		if (fwrite(part, 1, n, out) < n)
			break;
	if (!fflush(out) && !ferror(out) && !ferror(answer))
		return 0;
	return error__set(err, errno ? -errno : -EIO, "%s: %s", name,
			  strerror(errno ? errno : EIO));
}

int service_client__print(const struct service_client *client, struct error *err)
{
	FILE *answer;
	int ret = client__ask(&answer, client->socket, &client->request, err);

	if (ret < 0)
		return ret;
	ret = copy(answer, stdout, "standard output", err);
	fclose(answer);
	return ret;
}

static int write_answer(void *context, FILE *out, struct error *err)
{
	return copy(context, out, "what is kept of the answer", err);
}

int service_client__save(const struct service_client *client, struct error *err)
{
	FILE *answer;
	int ret;

	if (!strcmp(client->output, "-"))
		return service_client__print(client, err);
	ret = client__ask(&answer, client->socket, &client->request, err);
	if (ret < 0)
		return ret;
	if (client->request.has_uid)
		ret = identity__become(client->request.uid, err);
	else
		ret = identity__become_caller(err);
	if (ret == 0)
		ret = owned_file__write(
			client->output,
			OWNED_FILE_MAKE_FOLDER |
				(client->request.has_uid ? OWNED_FILE_OWN_FOLDER : 0),
			write_answer, answer, err);
	fclose(answer);
	return ret;
}

int service_client__print_record(const struct service_client *client,
				 void (*print)(struct json_object *record, FILE *out),
				 struct error *err)
{
	struct json_object *record = NULL;
	char *line = NULL;
	size_t room = 0;
	FILE *answer;
	int ret = client__ask(&answer, client->socket, &client->request, err);

	if (ret < 0)
		return ret;
	if (getline(&line, &room, answer) > 0)
		record = json_tokener_parse(line);
	free(line);
	fclose(answer);
	if (!record)
		return error__set(err, -EPROTO, "the service's answer is no record");
	errno = 0;
	print(record, stdout);
	json_object_put(record);
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return error__set(err, errno ? -errno : -EIO, "standard output: %s",
			  strerror(errno ? errno : EIO));
}
