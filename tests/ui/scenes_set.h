/* Sets each scene up. */
#ifndef TESTS_UI_SCENES_SET_H
#define TESTS_UI_SCENES_SET_H

#include <stdint.h>

#include "fixture.h"

/* The day of the queue: twelve are done, 13 runs, 14 to 16 wait. */
void set_day(struct fixture *f);
/* Its last four calls alone, on top of whatever came before: 13 runs, 14 to 16 wait. */
void set_day_open(struct fixture *f);
/* 13 writes lines of a compiler, then `tail`, and is measured. */
void set_tests_output(struct fixture *f, unsigned lines, const char *tail);
/* One call waits after those before it; it has been waiting for so long. */
void set_alone(struct fixture *f, const struct call_spec *spec, int64_t waits_ms);
void set_everyday(struct fixture *f);
void set_card_rest(struct fixture *f);
void set_card_off(struct fixture *f);
void set_card_message(struct fixture *f);
void set_card_ready(struct fixture *f);
void set_card_jumped(struct fixture *f);
void set_card_details(struct fixture *f);
void set_not_held(struct fixture *f);
void set_output(struct fixture *f);
void set_output_scrolled(struct fixture *f);
void set_output_unfolded(struct fixture *f);
void set_output_panned(struct fixture *f);
void set_output_save(struct fixture *f);
void set_output_found(struct fixture *f);
void set_card_found(struct fixture *f);
void set_output_colours(struct fixture *f);
void set_output_ended(struct fixture *f);
void set_output_empty(struct fixture *f);
void set_marked_queue(struct fixture *f);
void set_marked(struct fixture *f);
void set_marked_ready(struct fixture *f);
void set_marked_reject(struct fixture *f);
void set_marked_gone(struct fixture *f);
void set_keys_card(struct fixture *f);
void set_keys_off(struct fixture *f);
void set_keys_queue(struct fixture *f);
void set_keys_help(struct fixture *f);
void set_keys_question(struct fixture *f);
void set_queue(struct fixture *f);
void set_queue_bottom(struct fixture *f);
void set_help(struct fixture *f);
void set_help_queue(struct fixture *f);
void set_edit_prompt(struct fixture *f);
void set_edit_prompt_long(struct fixture *f);
void set_edit_diff(struct fixture *f);
void set_edit_diff_fog(struct fixture *f);
void set_edit_diff_lines(struct fixture *f);
void set_edit_running(struct fixture *f);
void set_edit_ended(struct fixture *f);
void set_reject(struct fixture *f);
void set_reject_long(struct fixture *f);
void set_word(struct fixture *f);
void set_word_typed(struct fixture *f);
void set_word_rest(struct fixture *f);
void set_no_sandbox(struct fixture *f);
void set_bad_line(struct fixture *f);
void set_empty(struct fixture *f);
void set_listening(struct fixture *f);
void set_listening_first(struct fixture *f);
void set_listening_far(struct fixture *f);
void set_first(struct fixture *f);
void set_hidden(struct fixture *f);
void set_blank(struct fixture *f);
void set_long(struct fixture *f);
void set_finished(struct fixture *f);
void set_running(struct fixture *f);
void set_approved(struct fixture *f);
void set_rejected(struct fixture *f);
void set_exit(struct fixture *f);
void set_changed(struct fixture *f);
void set_withdrawn(struct fixture *f);
void set_expired(struct fixture *f);
void set_last_seconds(struct fixture *f);
void set_stop(struct fixture *f);
void set_quit(struct fixture *f);
void set_history(struct fixture *f);  /* the call 11 of twelve is selected */
void open_history(struct fixture *f); /* the same on a screen of its own, 80x24 */
void set_history_expired(struct fixture *f);
void set_history_end(struct fixture *f);
void set_history_empty(struct fixture *f);
void set_history_prompt(struct fixture *f);
void set_history_filter(struct fixture *f);
void set_history_no_match(struct fixture *f);
void set_history_bad_filter(struct fixture *f);
void set_record_failed(struct fixture *f);
void set_grants(struct fixture *f);
void set_grants_last(struct fixture *f);
void set_grants_none(struct fixture *f);
void set_grants_revoke(struct fixture *f);
void set_granted(struct fixture *f);
void set_granted_ended(struct fixture *f);
void set_grant_prompt(struct fixture *f);
void set_grant_ready(struct fixture *f);
void set_grant_wrong(struct fixture *f);
void set_wide_main(struct fixture *f);
void set_wide_queue(struct fixture *f);
void set_wide_output(struct fixture *f);
void set_wide_prompt(struct fixture *f);
void set_wide_one(struct fixture *f);
void set_wide_ended(struct fixture *f);
void set_wide_many(struct fixture *f);
void set_panic_question(struct fixture *f);
void set_panic_ending(struct fixture *f);
void set_panic(struct fixture *f);
void set_panic_many(struct fixture *f);
void set_panic_word(struct fixture *f);
void set_panic_word_ready(struct fixture *f);
void set_panic_queue(struct fixture *f);
void set_flood(struct fixture *f);
void set_flood_reject(struct fixture *f);
void set_agents(struct fixture *f);
void set_agents_refused(struct fixture *f);
void set_agents_none(struct fixture *f);
void set_locked(struct fixture *f);
void set_locked_field(struct fixture *f);
void set_locked_tried(struct fixture *f);
void set_locked_question(struct fixture *f);
void set_locked_stopped(struct fixture *f);
void set_lock_new(struct fixture *f);

#endif
