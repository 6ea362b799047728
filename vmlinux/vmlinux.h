/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's types, as far as tmtrace's BPF programs use them. Kept by hand: only the fields
 * that are read, in any order; CO-RE finds their offsets in the running kernel when the object is
 * loaded. Types that the kernel shares with user space come from their uapi headers instead.
 *
 * A field that some kernels name or type otherwise gets a "flavour" (struct name___why), with the
 * commit that changed it.
 */
#ifndef TMTRACE_VMLINUX_H
#define TMTRACE_VMLINUX_H
/* For libbpf's headers: registers have the kernel's names. */
#define __VMLINUX_H__

/* From the uapi, without their includes: clang's BPF target has no libc headers. */
typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;

typedef __s8 s8;
typedef __u8 u8;
typedef __s32 s32;
typedef __u16 u16;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;
typedef _Bool bool;
typedef u32 dev_t;
typedef u16 umode_t;
typedef u32 fmode_t;
typedef s64 loff_t;
typedef u32 blk_opf_t;
typedef u32 req_flags_t;
typedef u64 sector_t;

enum {
	false = 0,
	true = 1,
};

#define NULL ((void *)0)

/* Which maps and flags there are (uapi/linux/bpf.h); numbers are the kernel's ABI. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_QUEUE = 22,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
};

enum {
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_MMAPABLE = 1U << 10,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1ULL << 0,
};

enum {
	BPF_RB_NO_WAKEUP = 1U << 0,
	BPF_RB_FORCE_WAKEUP = 1U << 1,
	BPF_RB_AVAIL_DATA = 0,
	BPF_RB_RING_SIZE = 1,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* x86-64; uprobe and syscall tracepoint programs get it as their context. */
struct pt_regs {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bp;
	unsigned long bx;
	unsigned long r11;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
};

typedef struct {
	int counter;
} atomic_t;

struct list_head {
	struct list_head *next, *prev;
};

struct thread_info {
	u32 status;
};

struct file;

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct file *vm_file;
};

struct mm_struct {
	unsigned long start_stack;
	unsigned long arg_start;
	unsigned long arg_end;
	unsigned long env_start;
	unsigned long env_end;
	struct file *exe_file;
	struct uprobes_state uprobes_state;
};

struct thread_struct {
	unsigned long fsbase;
	unsigned long features; /* with CONFIG_X86_USER_SHADOW_STACK (6.6) */
};

struct kernfs_node {
	const char *name;
	u64 id;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup_root {
	int hierarchy_id;
};

struct task_cputime {
	u64 stime;
	u64 utime;
	unsigned long long sum_exec_runtime;
};

struct cgroup_base_stat {
	struct task_cputime cputime;
};

/* Until 6.15, and since. */
struct cgroup_rstat_cpu {
	struct cgroup_base_stat bstat;
};

struct cgroup_rstat_base_cpu {
	struct cgroup_base_stat bstat;
};

struct bpf_array {
	void *pptrs[1];
};

struct page_counter {
	unsigned long watermark;
};

struct mem_cgroup {
	struct page_counter memory;
};

enum cgroup_subsys_id {
	memory_cgrp_id,
};

struct cgroup {
	struct cgroup_subsys_state self;
	int level;
	struct kernfs_node *kn;
	struct cgroup_subsys_state *subsys[16];
	struct cgroup_root *root;
	struct cgroup_rstat_cpu *rstat_cpu;
	struct cgroup_rstat_base_cpu *rstat_base_cpu;
};

struct css_set {
	struct cgroup_subsys_state *subsys[16];
	struct cgroup *dfl_cgrp;
};

struct file_system_type {
	const char *name;
	int fs_flags;
};

struct super_block {
	dev_t s_dev;
	struct file_system_type *s_type;
};

struct writeback_control {
	long nr_to_write;
};

struct inode {
	umode_t i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
	loff_t i_size;
	unsigned int i_nlink;
	struct address_space *i_mapping;
};

struct rb_node;

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
};

struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

/* Until 13bc24457850 (6.6). */
struct inode___ctime {
	struct timespec64 i_ctime;
};

/* Until 3aa63a569c64 (6.11). */
struct inode___u_ctime {
	struct timespec64 __i_ctime;
};

struct inode___ctime_sec {
	s64 i_ctime_sec;
	u32 i_ctime_nsec;
};

struct address_space {
	struct inode *host;
	struct rb_root_cached i_mmap;
};

struct page {
	struct address_space *mapping;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	int mnt_id;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	fmode_t f_mode;
	unsigned int f_flags;
	loff_t f_pos;
	struct path f_path;
	struct inode *f_inode;
};

struct kiocb {
	loff_t ki_pos;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct signal_struct {
	atomic_t live;
	int nr_threads;
	struct list_head thread_head;
	int group_exit_code;
	unsigned int flags;
	u64 utime; /* of threads that are gone: */
	u64 stime;
	unsigned long long sum_sched_runtime;
	unsigned long maxrss;
	struct mm_struct *oom_mm;
};

struct sched_entity {
	u64 sum_exec_runtime;
};

/* A return probe that is armed in a thread, innermost first (linux/uprobes.h). */
struct return_instance {
	unsigned long stack; /* where the return address was */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances;
};

struct seccomp {
	int mode;
};

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

/* What a process is called in one PID namespace. */
struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one for each namespace, from the first one down */
};

/* Members depend on CONFIG_TASK_XACCT and, the last three, CONFIG_TASK_IO_ACCOUNTING. */
struct task_io_accounting {
	u64 rchar;
	u64 wchar;
	u64 syscr;
	u64 syscw;
	u64 read_bytes;
	u64 write_bytes;
	u64 cancelled_write_bytes;
};

struct task_struct {
	struct seccomp seccomp;
	struct uprobe_task *utask;
	struct thread_info thread_info;
	unsigned int flags;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct list_head tasks;
	struct list_head thread_node; /* in its process's thread_head */
	struct pid *thread_pid;
	const struct cred *cred;
	u64 start_time;
	u64 self_exec_id; /* how often it has called exec, of which a child goes on counting */
	u64 utime;
	u64 stime;
	struct sched_entity se;
	int exit_code;
	struct mm_struct *mm;
	struct files_struct *files;
	struct signal_struct *signal;
	struct css_set *cgroups;
	unsigned long sas_ss_sp;
	unsigned long sas_ss_size;
	unsigned in_iowait : 1;
	char comm[16];
	struct task_io_accounting ioac;
	struct thread_struct thread;
};

struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
	struct request_queue *queue;
};

struct blk_mq_ops;

struct request_queue {
	struct gendisk *disk;
	const struct blk_mq_ops *mq_ops; /* NULL: it takes bios, not requests */
};

struct block_device {
	struct gendisk *bd_disk;
	int bd_holders;
};

/* A device, and the inode whose pages are the device's own. */
struct bdev_inode {
	struct block_device bdev;
	struct inode vfs_inode;
};

struct blkcg {
	struct cgroup_subsys_state css;
};

struct blkcg_gq {
	struct blkcg *blkcg;
};

struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
};

struct bio_vec {
	struct page *bv_page;
};

struct bio {
	struct block_device *bi_bdev;
	blk_opf_t bi_opf;
	u8 bi_status;
	atomic_t __bi_remaining;
	struct bvec_iter bi_iter;
	struct blkcg_gq *bi_blkg;
	struct bio_vec *bi_io_vec;
};

/* Some of the bits above the operation; where they are differs between kernels. */
enum req_flag_bits {
	__REQ_META = 12,
	__REQ_FUA = 17,
	__REQ_PREFLUSH = 18,
};

struct request {
	struct request_queue *q;
	blk_opf_t cmd_flags;
	req_flags_t rq_flags;
	unsigned int __data_len;
	sector_t __sector;
	struct bio *bio;
	struct request *rq_next;
	u64 start_time_ns;
};

/* Its list is a pointer or, since 6.13, a struct that begins with one: read as memory. */
struct io_comp_batch;

/* What the tracepoints of the block layer write for perf (trace/events/block.h). */
struct trace_event_raw_block_rq {
	dev_t dev;
	sector_t sector;
	unsigned int nr_sector;
	unsigned int bytes;
	char rwbs[8];
};

struct trace_event_raw_block_rq_completion {
	dev_t dev;
	sector_t sector;
	unsigned int nr_sector;
	int error;
	char rwbs[8];
};

struct trace_event_raw_block_rq_requeue {
	dev_t dev;
	sector_t sector;
	unsigned int nr_sector;
	char rwbs[8];
};

struct io_kiocb {
	struct file *file;
	u8 opcode;
	u64 flags;
};

/* What a request's operation keeps, at the start of its io_kiocb (io_uring/openclose.c, ...). */
struct io_open {
	int dfd;
	u32 file_slot;
};

struct io_rw {
	struct kiocb kiocb;
};

struct io_close {
	int fd;
	u32 file_slot;
};

struct io_unlink {
	int flags;
};

struct io_splice {
	int splice_fd_in;
	unsigned int flags;
};

/* uapi/linux/io_uring.h; read, never written. */
struct io_uring_cqe {
	u64 user_data;
	s32 res;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

/* A program for each task: its context. */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL: there is no further one */
};

#pragma clang attribute pop

struct bpf_raw_tracepoint_args {
	u64 args[0];
};

#endif
