#include "config.h"

#include "scenes.h"

#include "base/mem.h"
#include "scenes_set.h"
#include "tui/view.h"

/* A state of the three panes at each size. */
#define WIDE(name, set)                                                                            \
	{"wide-" name "-110x30", 110, 30, set, false, false},                                      \
		{"wide-" name "-120x36", 120, 36, set, false, false},                              \
		{"wide-" name "-160x45", 160, 45, set, false, false},                              \
		{"wide-" name "-200x50", 200, 50, set, false, false},                              \
		{"wide-" name "-300x100", 300, 100, set, false, false}

const struct scene scenes[] = {
	{"queue", 80, 24, set_queue, false, false},
	{"queue-bottom", 80, 24, set_queue_bottom, false, false},
	{"queue-ascii", 80, 24, set_queue, true, false},
	{"queue-60x16", 60, 16, set_queue, false, false},
	{"queue-120x36", 120, 36, set_queue, false, false},
	{"queue-styles", 80, 24, set_queue, false, true},
	{"card-everyday", 80, 24, set_everyday, false, false},
	{"card-not-held", 80, 24, set_not_held, false, false},
	{"card-rest", 80, 24, set_card_rest, false, false},
	{"card-off", 80, 24, set_card_off, false, false},
	{"card-off-60x16", 60, 16, set_card_off, false, false},
	{"card-off-120x36", 120, 36, set_card_off, false, false},
	{"card-message", 80, 24, set_card_message, false, false},
	{"card-jumped", 80, 24, set_card_jumped, false, false},
	{"card-ready", 80, 24, set_card_ready, false, false},
	{"card-ready-styles", 80, 24, set_card_ready, false, true},
	{"card-details", 80, 24, set_card_details, false, false},
	{"card-last-seconds", 80, 24, set_last_seconds, false, false},
	{"card-hidden", 80, 24, set_hidden, false, false},
	{"card-hidden-ascii", 80, 24, set_hidden, true, false},
	{"card-hidden-styles", 80, 24, set_hidden, false, true},
	{"card-blank", 80, 24, set_blank, false, false},
	{"card-oneliner", 80, 24, set_long, false, false},
	{"card-finished", 80, 24, set_finished, false, false},
	{"card-running", 80, 24, set_running, false, false},
	{"card-approved", 80, 24, set_approved, false, false},
	{"card-rejected", 80, 24, set_rejected, false, false},
	{"card-exit", 80, 24, set_exit, false, false},
	{"card-changed", 80, 24, set_changed, false, false},
	{"card-withdrawn", 80, 24, set_withdrawn, false, false},
	{"card-expired", 80, 24, set_expired, false, false},
	{"no-sandbox", 80, 24, set_no_sandbox, false, false},
	{"no-sandbox-styles", 80, 24, set_no_sandbox, false, true},
	{"bad-line", 80, 24, set_bad_line, false, false},
	{"record-failed", 80, 24, set_record_failed, false, false},
	{"output", 80, 24, set_output, false, false},
	{"output-styles", 80, 24, set_output, false, true},
	{"output-60x16", 60, 16, set_output, false, false},
	{"output-scrolled", 80, 24, set_output_scrolled, false, false},
	{"output-unfolded", 80, 24, set_output_unfolded, false, false},
	{"output-panned", 80, 24, set_output_panned, false, true},
	{"output-panned-ascii", 60, 16, set_output_panned, true, false},
	{"output-save", 80, 24, set_output_save, false, true},
	{"output-save-60x16", 60, 16, set_output_save, false, false},
	{"output-ended", 80, 24, set_output_ended, false, false},
	{"output-empty", 80, 24, set_output_empty, false, false},
	{"help", 80, 24, set_help, false, false},
	{"help-queue", 80, 24, set_help_queue, false, false},
	{"help-60x16", 60, 16, set_help, false, false},
	{"reject-prompt", 80, 24, set_reject, false, false},
	{"reject-long-60x16", 60, 16, set_reject_long, false, false},
	{"typed-word", 80, 24, set_word, false, false},
	{"typed-word-rest", 80, 24, set_word_rest, false, false},
	{"typed-word-ready", 80, 24, set_word_typed, false, false},
	{"question-stop", 80, 24, set_stop, false, false},
	{"question-quit", 80, 24, set_quit, false, false},
	{"question-quit-60x16", 60, 16, set_quit, false, false},
	{"grants", 80, 24, set_grants, false, false},
	{"grants-last", 80, 24, set_grants_last, false, false},
	{"grants-styles", 80, 24, set_grants, false, true},
	{"grants-ascii", 80, 24, set_grants, true, false},
	{"grants-60x16", 60, 16, set_grants, false, false},
	{"grants-100x30", 100, 30, set_grants, false, false},
	{"grants-132x43", 132, 43, set_grants, false, false},
	{"grants-200x50", 200, 50, set_grants, false, false},
	{"grants-none", 80, 24, set_grants_none, false, false},
	{"grants-none-60x16", 60, 16, set_grants_none, false, false},
	{"grants-revoke", 80, 24, set_grants_revoke, false, false},
	{"grants-revoke-60x16", 60, 16, set_grants_revoke, false, false},
	{"granted", 80, 24, set_granted, false, false},
	{"granted-ended", 80, 24, set_granted_ended, false, false},
	{"grant-prompt", 80, 24, set_grant_prompt, false, false},
	{"grant-prompt-ready", 80, 24, set_grant_ready, false, false},
	{"grant-prompt-wrong", 80, 24, set_grant_wrong, false, false},
	{"grant-prompt-styles", 80, 24, set_grant_ready, false, true},
	{"grant-prompt-60x16", 60, 16, set_grant_ready, false, false},
	{"grant-prompt-100x30", 100, 30, set_grant_ready, false, false},
	{"grant-prompt-120x36", 120, 36, set_grant_ready, false, false},
	{"empty", 80, 24, set_empty, false, false},
	{"empty-first", 80, 24, set_first, false, false},
	{"empty-60x16", 60, 16, set_empty, false, false},
	{"wide-main-styles", 120, 36, set_wide_main, false, true},
	{"wide-main-ascii", 120, 36, set_wide_main, true, false},
	{"wide-queue-120x36", 120, 36, set_wide_queue, false, false},
	{"wide-ended-120x36", 120, 36, set_wide_ended, false, false},
	WIDE("main", set_wide_main),
	WIDE("one", set_wide_one),
	WIDE("empty", set_empty),
	WIDE("output", set_wide_output),
	WIDE("prompt", set_wide_prompt),
	WIDE("many", set_wide_many),
	{"history", 80, 24, set_history, false, false},
	{"history-styles", 80, 24, set_history, false, true},
	{"history-60x16", 60, 16, set_history, false, false},
	{"history-100x30", 100, 30, set_history, false, false},
	{"history-132x43", 132, 43, set_history, false, false},
	{"history-200x50", 200, 50, set_history, false, false},
	{"history-ascii", 80, 24, set_history_filter, true, false},
	{"history-expired", 80, 24, set_history_expired, false, false},
	{"history-end", 80, 24, set_history_end, false, false},
	{"history-empty", 80, 24, set_history_empty, false, false},
	{"history-empty-60x16", 60, 16, set_history_empty, false, false},
	{"history-prompt", 80, 24, set_history_prompt, false, false},
	{"history-prompt-60x16", 60, 16, set_history_prompt, false, false},
	{"history-filter", 80, 24, set_history_filter, false, false},
	{"history-no-match", 80, 24, set_history_no_match, false, false},
	{"history-bad-filter", 80, 24, set_history_bad_filter, false, false},
	{"too-small", 52, 14, set_day, false, false},
	{"too-small-20x5", 20, 5, set_day, false, false},
};
const size_t scene_count = ARRAY_LEN(scenes);

void scene_open(const struct scene *scene, struct fixture *f)
{
	fixture_open(f, scene->cols, scene->rows);
	f->ui.ascii = scene->ascii;
	scene->set(f);
	view_draw(&f->model, &f->ui, f->now_ms, &f->frame);
}
