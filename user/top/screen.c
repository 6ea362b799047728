// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <curses.h>

#include "top/control.h"
#include "top/screen.h"

/* Colour pairs: those of the bar's letters, as enum top_time orders them. */
enum pair {
	PAIR_NONE,
	PAIR_SELECTED,
	PAIR_BAR,
};

static const struct {
	char letter;
	short colour;
} bar_colours[] = {
	{ 'l', COLOR_GREEN },  { 'f', COLOR_CYAN }, { 'n', COLOR_MAGENTA },
	{ 'w', COLOR_YELLOW }, { 'd', COLOR_RED },
};

#define BAR_COLOURS (sizeof(bar_colours) / sizeof(*bar_colours))

struct top_screen {
	SCREEN *terminal;
	bool colours;
	bool keys; /* standard input is a terminal, too */
};

/* What a program that dies puts back, by functions that are safe in a signal handler. */
static struct {
	struct termios before;
	char end[64]; /* leaves the other screen, shows the cursor */
	size_t length;
} restore;

static const int deadly[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

#define DEADLY (sizeof(deadly) / sizeof(*deadly))

static struct sigaction deadly_before[DEADLY];

static void on_death(int signal)
{
	if (write(STDOUT_FILENO, restore.end, restore.length) >= 0)
		tcsetattr(STDOUT_FILENO, TCSANOW, &restore.before);
	raise(signal); /* SA_RESETHAND: it now does what it does */
}

/* What the terminal is told for something; NULL: it cannot do it. */
static const char *has(const char *capability)
{
	const char *text = tigetstr((char *)capability);

	return text == (char *)-1 ? NULL : text; /* -1: it is no string */
}

static void add_end(const char *capability)
{
	const char *text = has(capability);
	size_t length;

	if (!text)
		return;
	length = strlen(text);
	if (restore.length + length > sizeof(restore.end))
		return;
	memcpy(restore.end + restore.length, text, length);
	restore.length += length;
}

static void expect_death(void)
{
	struct sigaction action = { .sa_handler = on_death, .sa_flags = SA_RESETHAND };

	restore.length = 0;
	add_end("sgr0");
	add_end("cnorm");
	add_end("rmcup");
	for (size_t i = 0; i < DEADLY; i++)
		sigaction(deadly[i], &action, &deadly_before[i]);
}

static void open_colours(struct top_screen *screen)
{
	const char *without = getenv("NO_COLOR"); /* as no-color.org has it */

	if ((without && *without) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_SELECTED, COLOR_BLACK, COLOR_CYAN);
	for (size_t i = 0; i < BAR_COLOURS; i++)
		init_pair((short)(PAIR_BAR + i), bar_colours[i].colour, -1);
	screen->colours = true;
}

static void close_terminal(struct top_screen *screen)
{
	endwin();
	delscreen(screen->terminal);
}

int top_screen__open(struct top_screen **out, struct error *err)
{
	struct top_screen *screen = calloc(1, sizeof(*screen));
	const char *type = getenv("TERM");

	if (!screen)
		return error__set(err, -ENOMEM, "no memory");
	tcgetattr(STDOUT_FILENO, &restore.before);
	screen->keys = isatty(STDIN_FILENO);
	screen->terminal = newterm(NULL, stdout, stdin);
	if (!screen->terminal || !has("cup")) {
		if (screen->terminal)
			close_terminal(screen);
		free(screen);
		return error__set(err, -ENOTTY,
				  "cannot draw on a terminal of type \"%s\" (TERM); --batch prints "
				  "plain text",
				  type ? type : "");
	}
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	open_colours(screen);
	expect_death();
	*out = screen;
	return 0;
}

void top_screen__close(struct top_screen *screen)
{
	if (!screen)
		return;
	close_terminal(screen);
	for (size_t i = 0; i < DEADLY; i++)
		sigaction(deadly[i], &deadly_before[i], NULL);
	free(screen);
}

unsigned int top_screen__width(const struct top_screen *screen)
{
	(void)screen;
	return (unsigned int)COLS;
}

unsigned int top_screen__height(const struct top_screen *screen)
{
	(void)screen;
	return (unsigned int)LINES;
}

void top_screen__resize(struct top_screen *screen)
{
	struct winsize size;

	(void)screen;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(stdscr, TRUE);
}

static void colour_bar(const struct top_screen *screen, int y, const struct top_line *line)
{
	for (unsigned int x = line->mark; x < line->mark + line->mark_length; x++)
		for (size_t i = 0; i < BAR_COLOURS && screen->colours; i++)
			if (bar_colours[i].letter == line->text[x])
				mvchgat(y, (int)x, 1, A_NORMAL, (short)(PAIR_BAR + i), NULL);
}

/* What was before is less important than what is now. */
static void dim_trend(int y, const struct top_line *line)
{
	if (line->trend_length)
		mvchgat(y, (int)line->trend, (int)line->trend_length, A_DIM, PAIR_NONE, NULL);
}

static void draw_line(const struct top_screen *screen, int y, const struct top_line *line)
{
	mvaddstr(y, 0, line->text);
	switch (line->style) {
	case TOP_TITLE:
		mvchgat(y, 0, -1, A_BOLD, PAIR_NONE, NULL);
		break;
	case TOP_HEADING:
		mvchgat(y, 0, -1, A_REVERSE, PAIR_NONE, NULL);
		if (line->mark_length)
			mvchgat(y, (int)line->mark, (int)line->mark_length, A_BOLD | A_UNDERLINE,
				PAIR_NONE, NULL);
		break;
	case TOP_ROW:
		colour_bar(screen, y, line);
		dim_trend(y, line);
		break;
	case TOP_SELECTED:
		if (screen->colours)
			mvchgat(y, 0, -1, A_NORMAL, PAIR_SELECTED, NULL);
		else
			mvchgat(y, 0, -1, A_REVERSE, PAIR_NONE, NULL);
		colour_bar(screen, y, line);
		break;
	case TOP_HINT:
		mvchgat(y, 0, -1, A_DIM, PAIR_NONE, NULL);
		break;
	default:
		break;
	}
}

void top_screen__draw(struct top_screen *screen, const struct top_frame *frame)
{
	erase();
	for (size_t i = 0; i < frame->n && (int)i < LINES; i++)
		draw_line(screen, (int)i, &frame->lines[i]);
	refresh();
}

int top_screen__fd(const struct top_screen *screen)
{
	return screen->keys ? STDIN_FILENO : -1;
}

/* Has the terminal gone away? */
static bool is_gone(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int top_screen__key(struct top_screen *screen)
{
	int key;

	(void)screen;
	while ((key = getch()) == KEY_RESIZE)
		;
	switch (key) {
	case ERR:
		return is_gone() ? -EIO : 0;
	case KEY_LEFT:
		return TOP_KEY_LEFT;
	case KEY_RIGHT:
		return TOP_KEY_RIGHT;
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_END:
		return TOP_KEY_END;
	case KEY_ENTER:
		return '\n';
	case KEY_BACKSPACE:
	case '\b':
	case 0x7f:
		return TOP_KEY_ERASE;
	default:
		return key;
	}
}
