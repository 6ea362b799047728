// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"

#define LOOPBACK "127.0.0.1"

/* Digits alone. */
static bool read_port(const char *text, in_port_t *out)
{
	unsigned long port;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	port = strtoul(text, &end, 10);
	*out = htons((uint16_t)port);
	return !errno && !*end && port <= UINT16_MAX;
}

int address__parse(struct address *out, const char *text)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->at;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&out->at;
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	size_t n = colon ? (size_t)(colon - text) : 0;
	in_port_t port;

	memset(out, 0, sizeof(*out));
	if (n >= sizeof(host) || !read_port(colon ? colon + 1 : text, &port))
		return -EINVAL;
	snprintf(host, sizeof(host), "%.*s", (int)n, text);
	if (inet_pton(AF_INET, colon ? host : LOOPBACK, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = port;
		out->size = sizeof(*v4);
		return 0;
	}
	if (n < 2 || host[0] != '[' || host[n - 1] != ']')
		return -EINVAL;
	host[n - 1] = '\0';
	if (inet_pton(AF_INET6, host + 1, &v6->sin6_addr) != 1)
		return -EINVAL;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = port;
	out->size = sizeof(*v6);
	return 0;
}

const char *address__text(const struct address *address, char out[ADDRESS_ROOM])
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->at;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->at;
	char host[INET6_ADDRSTRLEN] = "?";

	if (address->at.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(out, ADDRESS_ROOM, "[%s]:%u", host, ntohs(v6->sin6_port));
	} else {
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(out, ADDRESS_ROOM, "%s:%u", host, ntohs(v4->sin_port));
	}
	return out;
}
