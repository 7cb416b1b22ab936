#include "config.h"

#include "tui/term_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define HANDLER_STACK_BYTES (64 * 1024)

static const int fatal_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
static const int job_signals[] = {SIGTSTP, SIGCONT};

/* One terminal a process: handlers know nothing but this. */
static struct {
	int fd;
	struct termios before, ours;
	struct term_strings leave, enter;
	struct sigaction old_fatal[ARRAY_LEN(fatal_signals)];
	struct sigaction old_job[ARRAY_LEN(job_signals)];
	stack_t old_stack;
	bool installed;
	volatile sig_atomic_t left, resumed, paused;
} at;

static char handler_stack[HANDLER_STACK_BYTES];

static void write_all(const struct term_strings *s)
{
	size_t done = 0;

	while (done < s->len) {
		ssize_t n = write(at.fd, s->bytes + done, s->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		done += (size_t)n;
	}
}

static void set_modes(const struct termios *modes)
{
	while (tcsetattr(at.fd, TCSANOW, modes) < 0 && errno == EINTR)
		;
}

static void leave(void)
{
	write_all(&at.leave);
	set_modes(&at.before);
	at.left = 1;
}

/* The disposition is the default again (SA_RESETHAND), so that raising ends the process as if nobody had looked. */
static void on_fatal(int sig)
{
	if (!at.left)
		leave();
	raise(sig);
}

/* SIGSTOP instead of SIGTSTP raised once more: in `agent | exequatur` the latter never gives the prompt back. */
static void on_stop(int sig)
{
	int saved_errno = errno;

	(void)sig;
	if (!at.paused)
		leave();
	raise(SIGSTOP);
	errno = saved_errno;
}

/* In the background the first call stops the process again (SIGTTOU), before a byte is on another program's screen. What was typed
   meanwhile was meant for the shell: it is thrown away. */
static void take_again(void)
{
	set_modes(&at.ours);
	tcflush(at.fd, TCIFLUSH);
	if (at.left)
		write_all(&at.enter);
	at.left = 0;
	at.resumed = 1;
}

static void on_continue(int sig)
{
	int saved_errno = errno;

	(void)sig;
	if (!at.paused) {
		take_again();
		raise(SIGWINCH); /* wakes a loop that sleeps; the size may be another anyway */
	}
	errno = saved_errno;
}

void term_signals_pause(void)
{
	at.paused = 1;
	leave();
}

bool term_signals_paused(void)
{
	return at.paused != 0;
}

void term_signals_resume(void)
{
	take_again();
	at.paused = 0;
}

static void install_fatal(void)
{
	stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)};
	struct sigaction action = {.sa_handler = on_fatal};

	sigemptyset(&action.sa_mask);
	action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
	sigaltstack(&stack, &at.old_stack); /* a stack that ran over is a SIGSEGV too */
	for (size_t i = 0; i < ARRAY_LEN(fatal_signals); i++)
		sigaction(fatal_signals[i], &action, &at.old_fatal[i]);
}

static void install_job(void)
{
	static void (*const handlers[])(int) = {on_stop, on_continue};

	for (size_t i = 0; i < ARRAY_LEN(job_signals); i++) {
		struct sigaction action = {.sa_handler = handlers[i], .sa_flags = SA_RESTART};

		sigemptyset(&action.sa_mask);
		sigaction(job_signals[i], &action, &at.old_job[i]);
		/* Started by a shell without job control: Ctrl-Z is ignored, and stays so. */
		if (job_signals[i] == SIGTSTP && at.old_job[i].sa_handler == SIG_IGN)
			sigaction(SIGTSTP, &at.old_job[i], NULL);
	}
}

void term_signals_install(int fd, const struct termios *before, const struct termios *ours,
	const struct term_strings *leave_strings, const struct term_strings *enter_strings)
{
	at.fd = fd;
	at.before = *before;
	at.ours = *ours;
	at.leave = *leave_strings;
	at.enter = *enter_strings;
	at.left = 0;
	at.resumed = 0;
	at.paused = 0;
	at.installed = true;
	install_fatal();
	install_job();
}

void term_signals_remove(void)
{
	if (!at.installed)
		return;
	for (size_t i = 0; i < ARRAY_LEN(fatal_signals); i++)
		sigaction(fatal_signals[i], &at.old_fatal[i], NULL);
	for (size_t i = 0; i < ARRAY_LEN(job_signals); i++)
		sigaction(job_signals[i], &at.old_job[i], NULL);
	sigaltstack(&at.old_stack, NULL);
	at.installed = false;
}

bool term_signals_take_resumed(void)
{
	bool resumed = at.resumed != 0;

	at.resumed = 0;
	return resumed;
}
