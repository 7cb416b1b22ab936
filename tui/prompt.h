/* One line of text asked for on the screen: a reason, a typed word, a question. Editing keys only edit. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tui/keys.h"

enum prompt_kind {
	PROMPT_NONE,
	PROMPT_REASON,         /* reject */
	PROMPT_WORD,           /* the typed word(s) of a !! card */
	PROMPT_STOP,           /* question: y */
	PROMPT_QUIT,           /* question: y */
	PROMPT_FIND,           /* what to find in a text, or the filter of a list */
	PROMPT_SAVE,           /* the name of a file for an output */
	PROMPT_STOP_ALL,       /* question: y */
	PROMPT_OPEN_INTAKE,    /* the typed word of O */
	PROMPT_PASS,           /* the passphrase; what is typed is in no prompt but in ui->typed */
	PROMPT_NEW_PASS,       /* a new one */
	PROMPT_NEW_PASS_AGAIN, /* the same once more */
	PROMPT_EDIT,           /* the command of a card */
	PROMPT_GRANT,          /* minutes and times, then y */
	PROMPT_REVOKE,         /* question: y; seq: number of the grant */
	PROMPT_REASON_ALL,     /* reject all of a sender; seq: its number */
	PROMPT_GOTO,           /* of a recording: a time, an event, a call */
	PROMPT_KIND_COUNT
};
struct prompt {
	enum prompt_kind kind;
	uint64_t seq;     /* which call it is about */
	struct str text;  /* UTF-8 */
	size_t cursor;    /* byte offset, at a character */
	size_t history;   /* which earlier reason is shown, 1: the newest; 0: none */
	struct str draft; /* what was typed before an earlier reason was fetched */
	int64_t opened_at_ms;
};

#define PROMPT_BYTES_MAX 1000 /* an agent gets it in its answer, the record in a line */

enum prompt_result {
	PROMPT_EDITED,
	PROMPT_UNUSED /* the key means nothing here */,
	PROMPT_REFUSED,
	PROMPT_FULL
};

void prompt_open(struct prompt *prompt, enum prompt_kind kind, uint64_t seq, int64_t now_ms);
void prompt_close(struct prompt *prompt); /* frees; kind NONE */
bool prompt_is_text(enum prompt_kind kind);
bool prompt_is_secret(enum prompt_kind kind);   /* a passphrase */
bool prompt_is_question(enum prompt_kind kind); /* y answers it */
/* One key edits: characters, Left Right Home End Backspace Delete. A character that the safe-text rule would show as an escape
   is PROMPT_REFUSED: nobody types what cannot be seen. */
enum prompt_result prompt_key(struct prompt *prompt, const struct key *key);
/* Replaces the text, cursor at its end. */
void prompt_set(struct prompt *prompt, const char *text);
bool prompt_blank(const struct prompt *prompt); /* nothing but blanks */

#endif
