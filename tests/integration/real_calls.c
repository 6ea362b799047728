// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls many functions of the C library, the same calls with the same arguments in every run:
 *     real_calls FOLDER ROUNDS
 * Nothing depends on the time, on process numbers or on what else the machine does.
 */
#include <argz.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <envz.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <monetary.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int compare_with(const void *a, const void *b, void *way)
{
	return (*(const int *)a - *(const int *)b) * *(int *)way;
}

static void memory(void)
{
	char *p = malloc(100), *q = calloc(7, 13), *r;
	void *aligned = NULL;

	p = realloc(p, 300);
	p = reallocarray(p, 40, 10);
	posix_memalign(&aligned, 64, 256);
	r = aligned_alloc(64, 128);
	memcpy(p, "some bytes", 11);
	memmove(p + 1, p, 11);
	memset(q, 'x', 91);
	mempcpy(q, p, 5);
	memccpy(q, p, 'b', 20);
	memfrob(q, 91);
	memfrob(q, 91);
	swab(p, q, 10);
	explicit_bzero(q, 91);
	free(p);
	free(q);
	free(r);
	free(aligned);
}

static void strings(void)
{
	char text[200] = "one two,three;four", buffer[200], *rest = NULL, *p = text;

	strtok_r(text, " ,", &rest);
	strsep(&p, ";");
	strfry(strcpy(buffer, ""));
	strncpy(buffer, "beginning", sizeof(buffer));
	strcat(strncat(buffer, " and ", 3), "end");
	stpcpy(stpncpy(buffer, "abc", 3), "def");
	free(strdup(buffer));
	free(strndup(buffer, 2));
	strcoll("a", "b");
	strxfrm(text, "words", sizeof(text));
	strverscmp("file10", "file9");
	strcasestr("A Needle here", "needle");
	strerror_r(ENOENT, buffer, sizeof(buffer));
	strerror(EIO);
	strerrordesc_np(EIO);
	strerrorname_np(EIO);
	strsignal(SIGTERM);
	sigabbrev_np(SIGTERM);
	ffs(12);
	ffsl(1L << 40);
	ffsll(1LL << 41);
	basename(strcpy(text, "/a/b/c"));
	dirname(strcpy(text, "/a/b/c"));
	fnmatch("*.[ch]", "x.c", FNM_PATHNAME);
	l64a(a64l("abcdef"));
	rpmatch("yes");
}

static void numbers(void)
{
	int values[] = { 5, 3, 9, 1, 7, 2 }, key = 7, way = -1, exponent;
	struct drand48_data state;
	double d, whole;
	char *end;

	strtol("0x1234 rest", &end, 0);
	strtoul("077", NULL, 8);
	strtoll("-99999999999", NULL, 10);
	strtoull("99999999999999999999", NULL, 10);
	strtod("1.5e10", &end);
	strtof("0.1", NULL);
	strtold("nan", NULL);
	strtoimax("12", NULL, 10);
	atoi("42");
	atol("43");
	atoll("44");
	atof("4.5");
	abs(-1);
	labs(-2);
	llabs(-3);
	div(17, 5);
	ldiv(17L, 5L);
	lldiv(17LL, 5LL);
	qsort(values, 6, sizeof(*values), compare);
	bsearch(&key, values, 6, sizeof(*values), compare);
	qsort_r(values, 6, sizeof(*values), compare_with, &way);
	srand(1);
	rand();
	srandom(2);
	random();
	rand_r((unsigned int[]){ 3 });
	srand48(4);
	drand48();
	lrand48();
	mrand48();
	srand48_r(5, &state);
	drand48_r(&state, &d);
	frexp(10.0, &exponent);
	ldexp(0.5, 4);
	modf(3.25, &whole);
	scalbn(1.0, 3);
	copysign(1.0, -2.0);
	finite(1.0);
	isinf(1.0);
	isnan(1.0);
	ecvt(1.5, 3, &exponent, &key);
	fcvt(1.5, 3, &exponent, &key);
	gcvt(1.5, 3, (char[32]){ 0 });
}

static void characters(void)
{
	wchar_t wide[64] = L"wide text", other[64];
	mbstate_t state = { 0 };
	const char *from = "bytes";
	const wchar_t *back = L"back";
	char narrow[64];
	int c;

	for (c = 0; c < 128; c += 7) {
		isalpha(c);
		isdigit(c);
		isspace(c);
		ispunct(c);
		toupper(c);
		tolower(c);
		towupper(c);
		towlower(c);
		iswalpha(c);
		iswspace(c);
		btowc(c);
		wctob(c);
	}
	iswctype(L'a', wctype("alpha"));
	towctrans(L'a', wctrans("toupper"));
	mbstowcs(other, "text", 64);
	wcstombs(narrow, wide, sizeof(narrow));
	mbsrtowcs(other, &from, 64, &state);
	wcsrtombs(narrow, &back, sizeof(narrow), &state);
	mbrtowc(other, "x", 1, &state);
	wcrtomb(narrow, L'y', &state);
	mbsinit(&state);
	mblen("z", 1);
	mbtowc(other, "q", 1);
	wctomb(narrow, L'w');
	wcscat(wcscpy(other, wide), L" more");
	wcsncat(other, L"less", 2);
	free(wcsdup(wide));
	wcscoll(L"a", L"b");
	wcsstr(wide, L"text");
	wcspbrk(wide, L"t");
	wcscspn(wide, L"t");
	wcsspn(wide, L"wide");
	wcstol(L"12", NULL, 10);
	wcstod(L"1.5", NULL);
	wcswidth(wide, 9);
	wmemcpy(other, wide, 5);
	wmemmove(other + 1, other, 5);
	swprintf(other, 64, L"%d %ls", 5, L"x");
	swscanf(L"17", L"%d", &c);
}

static void times(void)
{
	struct tm tm = { .tm_year = 120, .tm_mon = 1, .tm_mday = 29 };
	time_t at = 1600000000;
	char text[100];

	gmtime_r(&at, &tm);
	gmtime(&at);
	localtime_r(&at, &tm);
	localtime(&at);
	timegm(&tm);
	mktime(&tm);
	asctime_r(&tm, text);
	ctime_r(&at, text);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	strptime("2020-02-29", "%Y-%m-%d", &tm);
	difftime(at, at - 5);
	tzset();
	dysize(2020);
}

static void printing(FILE *out)
{
	char text[200], *made = NULL, *chunk = NULL;
	size_t size = 0;
	int a, b;
	FILE *f;

	fprintf(out, "%d %s %f %p\n", 5, "text", 1.5, (void *)16);
	snprintf(text, sizeof(text), "%05d|%-8s|%e", 42, "ab", 2.5);
	sprintf(text, "%x", 255);
	if (asprintf(&made, "%s-%d", "made", 7) > 0)
		free(made);
	sscanf("12 34", "%d %d", &a, &b);
	strfmon(text, sizeof(text), "%n", 12.5);
	f = open_memstream(&made, &size);
	fputs("to memory", f);
	fputc('c', f);
	putc('d', f);
	fwrite("efgh", 2, 2, f);
	fflush(f);
	ftell(f);
	fclose(f);
	f = fmemopen(made, size, "r");
	fgetc(f);
	getc(f);
	ungetc('u', f);
	fgets(text, 5, f);
	fread(text, 1, 3, f);
	fseek(f, 0, SEEK_SET);
	getline(&chunk, &size, f);
	rewind(f);
	getdelim(&chunk, &size, 'm', f);
	feof(f);
	ferror(f);
	clearerr(f);
	fileno(f);
	fclose(f);
	free(made);
	free(chunk);
	__fpending(out);
	__fbufsize(out);
	setvbuf(out, NULL, _IOFBF, 4096);
	flockfile(out);
	putc_unlocked('x', out);
	funlockfile(out);
}

static int visit(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)path, (void)st, (void)kind, (void)at;
	return 0;
}

static void files(void)
{
	char buffer[64] = "data for the file", *path;
	struct iovec vector[2] = { { buffer, 4 }, { buffer + 4, 6 } };
	struct statvfs vfs;
	struct stat st;
	struct dirent **names;
	DIR *folder;
	FILE *f;
	int fd, n;

	fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);
	write(fd, buffer, 17);
	pwrite(fd, buffer, 5, 20);
	writev(fd, vector, 2);
	lseek(fd, 0, SEEK_SET);
	read(fd, buffer, 10);
	pread(fd, buffer, 10, 3);
	readv(fd, vector, 2);
	fstat(fd, &st);
	ftruncate(fd, 30);
	fcntl(fd, F_GETFL);
	isatty(fd);
	dup2(fd, 50);
	close(50);
	close(fd);
	close(999);
	stat("file", &st);
	lstat("missing", &st);
	access("file", R_OK);
	faccessat(AT_FDCWD, "file", W_OK, 0);
	chmod("file", 0600);
	link("file", "second");
	symlink("file", "link");
	readlink("link", buffer, sizeof(buffer));
	path = realpath("link", NULL);
	free(path);
	rename("second", "third");
	statvfs(".", &vfs);
	mkdir("folder", 0755);
	rmdir("folder");
	folder = opendir(".");
	while (readdir(folder))
		;
	rewinddir(folder);
	dirfd(folder);
	closedir(folder);
	n = scandir(".", &names, NULL, alphasort);
	while (n-- > 0)
		free(names[n]);
	free(names);
	nftw(".", visit, 4, FTW_PHYS);
	f = fopen("file", "r+");
	fgets(buffer, sizeof(buffer), f);
	fseeko(f, 0, SEEK_END);
	fputs("appended", f);
	f = freopen("third", "r", f);
	fclose(f);
	unlink("file");
	remove("third");
	unlink("link");
	unlink("missing");
}

static void matching(void)
{
	char text[] = "key=value", *argz = NULL;
	size_t length = 0;
	regmatch_t match[2];
	wordexp_t words;
	regex_t regex;
	glob_t found;

	regcomp(&regex, "([a-z]+)=([a-z]+)", REG_EXTENDED);
	regexec(&regex, text, 2, match, 0);
	regerror(REG_NOMATCH, &regex, text, sizeof(text));
	regfree(&regex);
	glob("o*", 0, NULL, &found);
	globfree(&found);
	wordexp("a b 'c d'", &words, WRDE_NOCMD);
	wordfree(&words);
	argz_create_sep("a:b:c", ':', &argz, &length);
	argz_add(&argz, &length, "d");
	argz_count(argz, length);
	envz_add(&argz, &length, "name", "value");
	envz_get(argz, length, "name");
	free(argz);
	setenv("REAL_CALLS", "1", 1);
	getenv("REAL_CALLS");
	secure_getenv("REAL_CALLS");
	unsetenv("REAL_CALLS");
}

static void ignore(void *item)
{
	(void)item;
}

static void walk(const void *node, VISIT visit_kind, int depth)
{
	(void)node, (void)visit_kind, (void)depth;
}

static void searching(void)
{
	int values[] = { 4, 2, 6, 1, 3 };
	size_t n = 5;
	void *tree = NULL;
	struct hsearch_data table = { 0 };
	ENTRY item = { "key", values }, *found;

	for (int i = 0; i < 5; i++)
		tsearch(&values[i], &tree, compare);
	tfind(&values[2], &tree, compare);
	twalk(tree, walk);
	tdelete(&values[0], &tree, compare);
	tdestroy(tree, ignore);
	lfind(&values[3], values, &n, sizeof(*values), compare);
	hcreate_r(10, &table);
	hsearch_r(item, ENTER, &found, &table);
	hsearch_r(item, FIND, &found, &table);
	hdestroy_r(&table);
}

static void processes(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	struct pollfd poll_on = { .events = POLLIN };
	struct sigaction action;
	int pair[2], pipes[2];
	pthread_attr_t attr;
	struct in_addr address;
	char buffer[64];
	sigset_t set;
	sem_t sem;

	pthread_mutex_lock(&mutex);
	pthread_mutex_trylock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 20);
	pthread_attr_destroy(&attr);
	pthread_equal(pthread_self(), pthread_self());
	sem_init(&sem, 0, 1);
	sem_wait(&sem);
	sem_trywait(&sem);
	sem_post(&sem);
	sem_destroy(&sem);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigismember(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGUSR1, NULL, &action);
	pipe(pipes);
	write(pipes[1], "x", 1);
	poll_on.fd = pipes[0];
	poll(&poll_on, 1, 0);
	read(pipes[0], buffer, 1);
	close(pipes[0]);
	close(pipes[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	send(pair[0], "hello", 5, 0);
	recv(pair[1], buffer, sizeof(buffer), 0);
	shutdown(pair[0], SHUT_WR);
	close(pair[0]);
	close(pair[1]);
	inet_aton("127.0.0.1", &address);
	inet_ntop(AF_INET, &address, buffer, sizeof(buffer));
	inet_pton(AF_INET, "1.2.3.4", &address);
	htonl(1);
	htons(1);
	sysconf(_SC_PAGESIZE);
	getpagesize();
	getcwd(buffer, sizeof(buffer));
	umask(022);
	sched_yield();
	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	localeconv();
	setlocale(LC_ALL, NULL);
}

int main(int argc, char **argv)
{
	FILE *out;

	if (argc != 3 || chdir(argv[1]))
		err(2, "usage: real_calls FOLDER ROUNDS");
	out = fopen("out", "w");
	if (!out)
		err(1, "out");
	for (int i = atoi(argv[2]); i > 0; i--) {
		memory();
		strings();
		numbers();
		characters();
		times();
		printing(out);
		files();
		matching();
		searching();
		processes();
	}
	return fclose(out) != 0;
}
