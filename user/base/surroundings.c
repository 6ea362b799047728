// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/surroundings.h"

/* Inodes of the first namespaces (linux/proc_ns.h), the same on every machine. */
#define FIRST_PID_NAMESPACE  0xEFFFFFFCU
#define FIRST_USER_NAMESPACE 0xEFFFFFFDU

static ino_t inode_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : status.st_ino;
}

__u32 surroundings__pid_namespace(void)
{
	ino_t inode = inode_of("/proc/self/ns/pid");

	return inode == FIRST_PID_NAMESPACE ? 0 : (__u32)inode;
}

static bool is_mounted(const char *path, unsigned long type)
{
	struct statfs status;

	return !statfs(path, &status) && (unsigned long)status.f_type == type;
}

/* Is /proc/self this process, by the number that it has itself? */
static bool is_own_proc(void)
{
	char link[32];
	ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);

	if (n < 0)
		return false;
	link[n] = '\0';
	return strtol(link, NULL, 10) == getpid();
}

int surroundings__check(struct error *err)
{
	ino_t own;

	if (!is_mounted("/proc", PROC_SUPER_MAGIC))
		return error__set(err, -ENOENT,
				  "/proc is not mounted here, and processes are "
				  "known by it; mount it with \"mount -t proc proc /proc\"");
	if (!is_own_proc())
		return error__set(
			err, -EXDEV,
			"/proc belongs to another PID namespace, where other "
			"processes have these numbers; mount this namespace's own with \"mount -t "
			"proc proc /proc\", or enter it with \"unshare --pid --fork "
			"--mount-proc\"");
	/* It may be bound in parts; that of another machine would be files on a disk. */
	if (!is_mounted("/sys/devices/system/cpu", SYSFS_MAGIC))
		return error__set(err, -ENOENT,
				  "/sys is not mounted here (a chroot, a container), and tells of "
				  "processors and of the kernel's types; mount it with \"mount -t "
				  "sysfs sysfs /sys\"");
	own = inode_of("/proc/self/ns/pid");
	if (own && own != inode_of("/proc/self/ns/pid_for_children"))
		return error__set(
			err, -EXDEV,
			"what this process starts comes into another PID "
			"namespace, which ends with the first of it; enter that namespace "
			"with \"unshare --pid --fork --mount-proc\"");
	return 0;
}

bool surroundings__is_refusal(int code)
{
	return code == -EPERM || code == -EACCES || code == -ENOSYS;
}

struct credentials {
	unsigned long long capabilities;
	int seccomp; /* 0: none; 1: strict; 2: a filter */
};

static struct credentials read_credentials(void)
{
	struct credentials own = { .capabilities = ~0ULL };
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "CapEff:", 7))
			own.capabilities = strtoull(line + 7, NULL, 16);
		if (!strncmp(line, "Seccomp:", 8))
			own.seccomp = (int)strtol(line + 8, NULL, 10);
	}
	if (file)
		fclose(file);
	return own;
}

/* CAP_SYS_ADMIN stands for the two others, but not the other way round. */
static const char *lacking(unsigned long long capabilities)
{
	if (capabilities & 1ULL << CAP_SYS_ADMIN)
		return NULL;
	if (!(capabilities & 1ULL << CAP_BPF) && !(capabilities & 1ULL << CAP_PERFMON))
		return "CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN";
	if (!(capabilities & 1ULL << CAP_BPF))
		return "CAP_BPF and CAP_SYS_ADMIN";
	return capabilities & 1ULL << CAP_PERFMON ? "CAP_SYS_ADMIN"
						  : "CAP_PERFMON and CAP_SYS_ADMIN";
}

/* Nobody may read the kernel's memory then, programs of root neither. */
static bool is_locked_down(void)
{
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	return strstr(line, "[confidentiality]");
}

static bool is_in_user_namespace(void)
{
	ino_t inode = inode_of("/proc/self/ns/user");

	return inode && inode != FIRST_USER_NAMESPACE;
}

const char *surroundings__explain(int code)
{
	static _Thread_local char text[256];
	struct credentials own = read_credentials();

	/* The kernel asks for the capabilities of the machine, not of the namespace. */
	if (code != -ENOSYS && is_in_user_namespace())
		return "not permitted in a user namespace (a rootless container, unshare --user), "
		       "whose root is nobody special on the machine; run tmtrace on the host, or "
		       "in a container of root's without a user namespace";
	if (code != -ENOSYS && lacking(own.capabilities)) {
		snprintf(text, sizeof(text),
			 "not permitted without %s; run as root, e.g. with sudo, or with CAP_BPF, "
			 "CAP_PERFMON and CAP_SYS_ADMIN (of a container: --privileged)",
			 lacking(own.capabilities));
		return text;
	}
	if (code != -ENOSYS && is_locked_down())
		return "the kernel is locked down (lockdown=confidentiality), and allows nobody to "
		       "trace; start it with lockdown=integrity or none";
	if (own.seccomp) {
		snprintf(text, sizeof(text),
			 "a seccomp filter of this process (a container, a sandbox) refuses it: "
			 "%s; run it without, e.g. with --security-opt seccomp=unconfined or "
			 "--privileged",
			 strerror(-code));
		return text;
	}
	if (code == -ENOSYS)
		return "this kernel has no such system call; one built with CONFIG_BPF_SYSCALL and "
		       "CONFIG_PERF_EVENTS is needed";
	return "not permitted, though this process has the capabilities; a security module "
	       "(SELinux, AppArmor) may refuse it: its log says which";
}
