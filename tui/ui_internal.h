/* What the files of ui share. Private to ui*.c. */
#ifndef TUI_UI_INTERNAL_H
#define TUI_UI_INTERNAL_H

#include "tui/action.h"
#include "tui/ui.h"

/* One key on its way to an effect. */
struct press {
	struct ui *ui;
	const struct model *model;
	const struct key *key;
	int64_t now_ms;
	enum gate gate; /* as it was when the key came */
	bool still;     /* nothing had come just before it */
	bool rested;    /* and a lamp was lit when it came */
	bool in_range; /* it scrolled: its text was measured, which for an output is most of the work */
	struct intent *ret;
};

/* ui.c */
/* The name of the key that an action is on. */
const char *ui_key_of(const struct ui *ui, enum action action);
/* Of the key that waits for its 50 ms. */
const char *ui_pending_name(const struct ui *ui);
void ui_touch(struct ui *ui,
	int64_t now_ms); /* something visible changes: the rest starts with its frame */
void ui_arrival(struct ui *ui,
	int64_t now_ms); /* bytes came: the rest starts, what waits for its 50 ms is off */
void ui_settle(struct ui *ui, const struct model *model, int64_t now_ms);

/* ui_seen.c */
struct seen *ui_seen_find(const struct ui *ui, uint64_t seq);
const struct seen *ui_seen_of(
	const struct ui *ui, const struct job *job); /* of this very card, or NULL */
void ui_seen_count(struct ui *ui, int64_t now_ms);   /* adds the time that rows stood */
void ui_seen_leave(struct ui *ui);                   /* nothing stands any more */
void ui_seen_drawn(struct ui *ui, const struct model *model, int64_t now_ms);
#define UI_SEEN_BYTES_MAX (4u << 20)
struct seen *ui_seen_add(
	struct ui *ui, uint64_t seq, const struct digest *digest, size_t len, int64_t now_ms);
/* Rows from..to of its card stand on the screen. */
void ui_seen_stand(struct ui *ui, const struct job *job, const struct rows *rows, size_t from,
	size_t to, int64_t now_ms);
void ui_seen_prune(struct ui *ui, const struct model *model);
void ui_seen_free(struct seen *seen);
int64_t ui_seen_due(const struct ui *ui); /* when the next row counts; -1 */
bool ui_seen_has(const struct seen *seen, size_t start, size_t end);
void ui_seen_mark(struct seen *seen, size_t start, size_t end);

/* ui_gate.c */
/* The gate without its last step, the rest, and as if no prompt were open. */
enum gate ui_gate_hard(const struct ui *ui, const struct model *model);
/* "a did nothing: REASON" on the gate row. */
void ui_refuse(struct ui *ui, const struct model *model, const char *key, enum gate gate);

/* ui_scroll.c */
void ui_clamp(struct ui *ui, const struct model *model);
int ui_scroll(struct press *p, enum action action);
void ui_keep_place(
	struct ui *ui, const struct model *model);  /* the same text at the top at a new width */
int ui_select(struct press *p, enum action action); /* the same keys on the queue */

/* ui_view.c */
int ui_go(struct press *p, enum action action); /* changes of view */
void ui_open_card(struct ui *ui, uint64_t seq, int64_t now_ms);
void ui_show_output(struct ui *ui, uint64_t seq); /* from its end on */
/* Where the three panes are shown: a call that runs takes the place of an output that is over. */
void ui_choose_output(struct ui *ui, const struct model *model);

/* ui_decide.c */
int ui_approve(struct press *p, enum action action);
int ui_reject(struct press *p, enum action action);
int ui_stop(struct press *p, enum action action);
int ui_extend(struct press *p, enum action action);
int ui_quit(struct press *p, enum action action);
int ui_yes(struct press *p, enum action action);
int ui_send_reason(struct press *p);
/* The call of the open prompt still waits; else the prompt is closed and says why. */
bool ui_still_there(struct press *p);
int ui_send_word(struct press *p);
/* Enter in a prompt whose text goes with the intent. */
int ui_send_text(struct press *p, enum intent_kind kind, const char *doing);
void ui_pending_off(struct ui *ui);
/* A deciding key: its intent is due when nothing followed it for 50 ms. key: to name if it did nothing after all; ACTION_NONE: Enter
   in a prompt. */
void ui_wait_alone(struct press *p, enum intent_kind kind, uint64_t seq, enum action key);

/* ui_stop.c */
int ui_stop_all(struct press *p, enum action action);
int ui_open_intake(struct press *p, enum action action);
int ui_send_open(struct press *p);
void ui_follow_stop(struct ui *ui, const struct model *model, int64_t now_ms);

/* ui_lock.c */
int ui_lock(struct press *p, enum action action);
int ui_locked_key(struct press *p); /* while the screen is locked and no prompt is open */
int ui_secret_key(struct press *p); /* in the field of a passphrase; Esc is not among them */
void ui_secret_off(struct ui *ui);  /* wipes what was typed and closes its prompt */
void ui_follow_lock(struct ui *ui, const struct model *model, int64_t now_ms);
/* When it locks by itself; -1: never. */
int64_t ui_lock_due(const struct ui *ui, const struct model *model);
bool ui_lock_tick(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret);
/* The 50 ms are over: 1 when *ret is due. */
int ui_fire(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret);

/* ui_find.c */
int ui_find(struct press *p, enum action action);  /* opens the prompt */
int ui_match(struct press *p, enum action action); /* n N */
int ui_send_find(struct press *p);                 /* Enter in the prompt */

/* ui_list_find.c */
bool ui_queue_accept(struct press *p, const char *text);
void ui_queue_found(struct press *p);
void ui_queue_match(struct press *p, bool back);
void ui_grants_found(struct press *p);
void ui_grants_match(struct press *p, bool back);
void ui_agents_found(struct press *p);
void ui_agents_match(struct press *p, bool back);

/* ui_history.c */
int ui_history_move(struct press *p, enum action action);
void ui_history_open(struct press *p);
bool ui_history_accept(struct press *p, const char *filter);
void ui_history_changed(struct press *p);
void ui_history_match(struct press *p, bool back);
void ui_history_click(struct press *p);
void ui_history_wheel(struct press *p, bool up, size_t by); /* rows; selects nothing */

/* ui_edit.c */
int ui_edit(struct press *p, enum action action);
/* `e` was alone: opens the prompt, or 1 when *ret asks for the editor. */
int ui_begin_edit(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret);
int ui_send_edit(struct press *p);
int ui_edit_elsewhere(struct press *p); /* Ctrl-E in the prompt */

/* ui_agents.c */
int ui_reject_all(struct press *p); /* all that waits of the selected sender: asks for the reason */
int ui_send_reason_all(struct press *p);
int ui_refuse_sender(struct press *p, enum action action);
int ui_agents_move(struct press *p, enum action action);
void ui_open_agents(struct press *p);
int ui_agent_calls(struct press *p); /* Enter in view 6 */

/* ui_grants.c */
int ui_again(struct press *p, enum action action);
int ui_grant_key(struct press *p); /* in the prompt of `t` */
int ui_revoke(struct press *p, enum action action);
int ui_grants_move(struct press *p, enum action action);
void ui_open_grants(struct press *p);
void ui_follow_grants(struct ui *ui, const struct model *model, int64_t now_ms);

/* ui_output.c */
int ui_unfold(struct press *p, enum action action);
int ui_pan(struct press *p, enum action action);
int ui_save(struct press *p, enum action action); /* opens the prompt */
int ui_send_save(struct press *p);                /* Enter in it */
bool ui_find_any(struct press *p, const char *text);
void ui_output_changed(struct press *p);
void ui_output_match(struct press *p, bool back);

/* ui_card_find.c */
void ui_help_found(struct press *p);
void ui_help_match(struct press *p, bool back);
void ui_card_found(struct press *p);
void ui_card_match(struct press *p, bool back);

/* ui_key.c */
int ui_move(struct press *p, enum action action); /* as the keys that move do on this view */
/* The action of a key on this view. */
enum action ui_action(const struct press *p, const struct key *key);

/* ui_marked.c */
int ui_mark(struct press *p, enum action action);
void ui_open_marked(struct press *p);
bool ui_on_marked(const struct ui *ui);
/* What does not wait any more loses its mark, unless the marked cards are on the screen. */
void ui_prune_marks(struct ui *ui, const struct model *model);
/* What keeps the marked calls from being decided, if it is one of them; else the first; NULL. */
const struct job *ui_marked_job(const struct ui *ui, const struct model *model);
void ui_marked_rows(
	const struct ui *ui, const struct model *model, size_t *ret_total, size_t *ret_unseen);
/* Of the card of one of them. */
void ui_marked_rows_of(const struct ui *ui, const struct model *model, uint64_t seq,
	size_t *ret_total, size_t *ret_unseen);
enum gate ui_marked_seen(const struct ui *ui, const struct model *model);
void ui_marked_drawn(struct ui *ui, const struct model *model, int64_t now_ms);
void ui_marked_keep_place(struct ui *ui, const struct model *model);
void ui_bind_marked(struct press *p, struct intent *intent);
bool ui_marked_same(const struct ui *ui, const struct model *model); /* as the pending intent */
int ui_send_marked_reason(struct press *p);

/* ui_mouse.c */
bool ui_is_mouse(enum key_code code);
int ui_mouse(struct press *p);

/* ui_film.c */
/* true: the key is done with, and *ret_due says whether *p->ret is due. action: on the view. */
bool ui_film_key(struct press *p, enum action action, int *ret_due);
bool ui_film_mouse(struct press *p, int *ret_due);
int ui_send_goto(struct press *p); /* Enter in the prompt */

/* ui_prompt.c */
int ui_prompt_key(struct press *p);
void ui_remember_reason(struct ui *ui, const char *reason);

#endif
