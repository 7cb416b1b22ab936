#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_script.h"

#define REST "a did nothing: the keys must rest a moment"
#define FOLLOWED "a did nothing: something followed it at once"

static const struct script scripts[] = {
	/* rest */
	{"a too early", {{399, "a", 0}}, "", REST},
	{"a in time", {{400, "a", 0}}, "approve 1@450", ""},
	{"the gate row answers at once", {{400, "a", 0}, {449, NULL, 0}}, "approve 1@450", ""},
	{"a during the rest behind a scroll", {{1000, "j", 0}, {1399, "a", 0}}, "", REST},
	{"a behind the rest", {{1000, "j", 0}, {1400, "a", 0}}, "approve 1@1450", NULL},
	{"an early a restarts the rest", {{399, "a", 0}, {798, "a", 0}}, "", REST},
	{"typed ahead", {{0, "y\ra 12", 0}, {100, "a", 0}, {300, "a", 0}}, "", NULL},
	/* alone */
	{"two at once", {{500, "aa", 0}}, "", REST},
	{"a second within 50 ms", {{500, "a", 0}, {549, "a", 0}}, "", REST},
	{"a second behind 50 ms finds the decision",
		{{500, "a", 0}, {551, NULL, RUN}, {600, "a", 0}}, "approve 1@550",
		"a did nothing: decided already"},
	{"a held key",
		{{500, "a", 0}, {530, "a", 0}, {560, "a", 0}, {590, "a", 0}, {620, "a", 0},
			{650, "a", 0}, {680, "a", 0}, {710, "a", 0}, {740, "a", 0}},
		"", REST},
	{"a paste without brackets", {{500, "make all\r", 0}}, "", NULL},
	{"a in the middle of text", {{500, "xay", 0}}, "", NULL},
	{"a key of a letter each 60 ms", {{500, "b", 0}, {560, "a", 0}, {620, "c", 0}}, "", NULL},
	/* sequences */
	{"Shift-Up of rxvt", {{500, "\x1B[a", 0}}, "", ""},
	{"split in three", {{500, "\x1B", 0}, {900, "[", 0}, {1300, "a", 0}}, "", ""},
	{"split and late by a hair", {{500, "\x1B[", 0}, {999, "a", 0}}, "", ""},
	{"given up, then its tail", {{500, "\x1B[", 0}, {1100, "a", 0}}, "", REST},
	{"Alt-a",
		{{500,
			"\x1B"
			"a",
			0}},
		"", ""},
	{"a late OSC 11 reply", {{500, "\x1B]11;rgb:1e1e/ra", 0}, {950, "ry/aaaa\x1B\\", 0}}, "",
		""},
	{"a, then a sequence", {{500, "a", 0}, {530, "\x1B[A", 0}}, "", NULL},
	{"a, then the start of one", {{500, "a", 0}, {540, "\x1B", 0}}, "", NULL},
	{"a, then half a letter", {{500, "a", 0}, {540, "\xC3", 0}}, "", FOLLOWED},
	{"a behind an arrow", {{500, "\x1B[B", 0}, {899, "a", 0}}, "", REST},
	{"a behind an arrow's rest", {{500, "\x1B[B", 0}, {900, "a", 0}}, "approve 1@950", NULL},
	{"the focus comes with a click", {{500, "\x1B[I", 0}, {800, "a", 0}}, "", REST},
	{"kitty's a", {{500, "\x1B[97;1u", 0}}, "", ""},
	{"bracketed paste", {{500, "\x1B[200~a\x1B[201~", 0}}, "",
		"pasted text ignored: 1 character"},
	{"bracketed paste of answers", {{500, "\x1B[200~y\ry\r\x1B[201~", 0}}, "",
		"pasted text ignored: 4 characters"},
	/* other keys */
	{"Caps Lock", {{500, "A", 0}, {1000, "R", 0}, {1500, "X", 0}, {2000, "Y", 0}}, "",
		"No key here: Y. ? shows the keys."},
	{"another layout", {{500, "\xD1\x84", 0}}, "",
		"No key here: \xD1\x84. Switch the keyboard to Latin letters."},
	{"an unknown key", {{500, "z", 0}}, "", "No key here: z. ? shows the keys."},
	{"Enter", {{500, "\r", 0}}, "", "Enter never approves: a does"},
	{"Space", {{500, " ", 0}, {1000, "\t", 0}}, "", NULL},
	{"y without a question", {{500, "y", 0}}, "", "y did nothing: there is no question"},
	{"the message goes with the next key", {{500, "z", 0}, {1000, "v", 0}}, "", ""},
	/* what changes in between */
	{"a new width before", {{1000, NULL, NARROW}, {1399, "a", 0}}, "", REST},
	{"a new width, rested", {{1000, NULL, NARROW}, {1400, "a", 0}}, "approve 1@1450", NULL},
	{"a new width behind a", {{1000, "a", 0}, {1030, NULL, NARROW}}, "", FOLLOWED},
	{"back from a stop", {{1000, NULL, DISTURB}, {1399, "a", 0}}, "", REST},
	{"a stop behind a", {{1000, "a", 0}, {1049, NULL, DISTURB}}, "", FOLLOWED},
	{"a new call moves nothing", {{1000, NULL, ARRIVE}, {1001, "a", 0}}, "approve 1@1051",
		NULL},
	{"the card changes first", {{1000, NULL, CHANGE}, {1100, "a", 0}}, "",
		"a did nothing: the card changed"},
	{"the changed card was read", {{1000, NULL, CHANGE}, {1400, "a", 0}}, "approve 1@1450",
		NULL},
	{"the card changes under a", {{1000, "a", 0}, {1030, NULL, CHANGE}}, "",
		"a did nothing: the card changed"},
	{"withdrawn under a", {{1000, "a", 0}, {1030, NULL, WITHDRAW}}, "",
		"a did nothing: the agent took it back"},
	{"expired under a", {{1000, "a", 0}, {1030, NULL, EXPIRE}}, "",
		"a did nothing: it expired"},
	{"the record breaks under a", {{1000, "a", 0}, {1030, NULL, BREAK_RECORD}}, "",
		"a did nothing: the record cannot be written: disk full"},
	/* each reason of the gate */
	{"no record", {{1000, NULL, BREAK_RECORD}, {2000, "a", 0}}, "",
		"a did nothing: the record cannot be written: disk full"},
	{"decided", {{1000, NULL, RUN}, {2000, "a", 0}}, "", "a did nothing: decided already"},
	{"withdrawn", {{1000, NULL, WITHDRAW}, {2000, "a", 0}}, "",
		"a did nothing: the agent took it back"},
	{"too small", {{1000, NULL, SMALL}, {2000, "a", 0}, {2500, "r", 0}, {3000, "n\r", 0}}, "",
		NULL},
	{"large again", {{1000, NULL, SMALL}, {2000, NULL, LARGE}, {2400, "a", 0}},
		"approve 1@2450", NULL},
	{"on the queue", {{1000, "1", 0}, {2000, "a", 0}}, "",
		"a did nothing: decisions are made on a card"},
	{"on the help", {{1000, "?", 0}, {2000, "a", 0}}, "",
		"a did nothing: close this page first: Esc"},
	/* reject */
	{"reject", {{100, "r", 0}, {110, "no", 0}, {120, "\r", 0}}, "reject 1 \"no\"@170", ""},
	{"edit", {{100, "e", 0}, {200, " -l", 0}, {900, "\r", 0}},
		"edit 1 \"git diff --stat HEAD~3 -l\"@950", ""},
	{"edit and go back", {{100, "e", 0}, {200, "x", 0}, {300, "\x1B", 0}}, "", ""},
	{"an edit that changes nothing", {{100, "e", 0}, {200, "x\x7F", 0}, {300, "\r", 0}}, "",
		"not edited: the text is the same"},
	{"an edit with a key at once behind",
		{{100, "e", 0}, {200, "x", 0}, {300, "\r", 0}, {320, "y", 0}}, "", NULL},
	{"e in a burst", {{100, "ex", 0}, {400, "\r", 0}}, "", "Enter never approves: a does"},
	{"an edit cannot hold what is not seen", {{100, "e", 0}, {200, "\xE2\x80\xAE", 0}}, "",
		"a character that cannot be seen was left out"},
	{"paste into an edit", {{100, "e", 0}, {200, "\x1B[200~ -l\x1B[201~", 0}, {300, "\r", 0}},
		"", "not edited: the text is the same"},
	{"edit what was withdrawn", {{100, "e", 0}, {200, "x", WITHDRAW}, {300, "\r", 0}}, "",
		"Enter did nothing: the agent took it back"},
	{"edit what expired", {{100, "e", 0}, {200, "x", EXPIRE}, {300, "\r", 0}}, "",
		"Enter did nothing: it expired"},
	{"it changes under the edit", {{100, "e", 0}, {200, "x\r", 0}, {230, NULL, CHANGE}}, "",
		"Enter did nothing: the card changed"},
	{"edit what runs", {{100, NULL, RUN}, {200, "e", 0}}, "", "e did nothing: decided already"},
	{"Ctrl-E takes the line to the editor", {{100, "e", 0}, {200, "x", 0}, {300, "\x05", 0}},
		"editor 1 \"git diff --stat HEAD~3x\"@300", ""},
	{"a reason where nobody can read it",
		{{100, "r", 0}, {110, "no", 0}, {200, NULL, SMALL}, {300, "x\r", 0}}, "", ""},
	{"reject without a reason", {{100, "r", 0}, {110, "  \r", 0}}, "",
		"Enter did nothing: there is no reason yet"},
	{"text behind Enter", {{100, "r", 0}, {110, "no\r", 0}, {150, "t", 0}, {600, "\r", 0}},
		"reject 1 \"not\"@650", ""},
	{"text that holds keys", {{100, "r", 0}, {500, "a y x q\r", 0}}, "reject 1 \"a y x q\"@550",
		""},
	{"Esc in a reason", {{100, "r", 0}, {110, "no\x1B", 0}, {1200, "\r", 0}}, "",
		"Enter never approves: a does"},
	{"Ctrl-C in a reason", {{100, "r", 0}, {110, "no\x03\r", 0}}, "",
		"Enter never approves: a does"},
	{"a paste into a reason", {{100, "r", 0}, {200, "\x1B[200~no\x1B[201~\r", 0}}, "",
		"Enter did nothing: there is no reason yet"},
	{"reject what was withdrawn", {{100, "r", 0}, {200, "no", WITHDRAW}, {300, "\r", 0}}, "",
		"Enter did nothing: the agent took it back"},
	{"reject a changed card", {{100, "r", 0}, {200, "no", CHANGE}, {300, "\r", 0}},
		"reject 1 \"no\"@350", ""},
	{"it changes under the reject", {{100, "r", 0}, {200, "no\r", 0}, {230, NULL, CHANGE}}, "",
		"Enter did nothing: the card changed"},
	{"reject what runs", {{100, NULL, RUN}, {200, "r", 0}}, "",
		"r did nothing: decided already"},
	/* the typed word */
	{"a word",
		{{0, NULL, DANGER}, {500, "a", 0}, {600, "hid", 0}, {700, "den", 0},
			{1100, "\r", 0}},
		"approve 1 \"hidden\"@1150", ""},
	{"a word and Enter too early",
		{{0, NULL, DANGER}, {500, "a", 0}, {600, "hidden", 0}, {999, "\r", 0}}, "",
		"Enter did nothing: the keys must rest a moment"},
	{"a word and Enter not alone",
		{{0, NULL, DANGER}, {500, "a", 0}, {600, "hidden", 0}, {1100, "\r", 0},
			{1120, "\r", 0}},
		"", "Enter did nothing: the keys must rest a moment"},
	{"all at once", {{0, NULL, DANGER}, {500, "ahidden\r", 0}}, "", NULL},
	{"another word", {{0, NULL, DANGER}, {500, "a", 0}, {600, "yes", 0}, {1100, "\r", 0}}, "",
		"Enter did nothing: type hidden"},
	{"a pasted word",
		{{0, NULL, DANGER}, {500, "a", 0}, {600, "\x1B[200~hidden\x1B[201~", 0},
			{1100, "\r", 0}},
		"", "Enter did nothing: type hidden"},
	{"two dangers, one word",
		{{0, NULL, TWO_DANGERS}, {500, "a", 0}, {600, "hidden", 0}, {1100, "\r", 0}}, "",
		"Enter did nothing: type hidden remote"},
	{"two dangers, two words",
		{{0, NULL, TWO_DANGERS}, {500, "a", 0}, {600, " hidden  remote", 0},
			{1100, "\r", 0}},
		"approve 1 \" hidden  remote\"@1150", ""},
	{"the card changes under the word",
		{{0, NULL, DANGER}, {500, "a", 0}, {600, "hidden", CHANGE}, {700, "\r", 0}}, "",
		"Enter did nothing: the card changed"},
	/* stop */
	{"stop", {{100, NULL, RUN}, {1000, "x", 0}, {1400, "y", 0}}, "stop 1@1450", ""},
	{"stop too early", {{100, NULL, RUN}, {1000, "x", 0}, {1399, "y", 0}}, "", ""},
	{"stop at once", {{100, NULL, RUN}, {1000, "xy", 0}}, "", ""},
	{"y not alone", {{100, NULL, RUN}, {1000, "x", 0}, {1400, "y", 0}, {1440, "y", 0}}, "", ""},
	{"not stopped", {{100, NULL, RUN}, {1000, "x", 0}, {1400, "\x1B", 0}, {2400, "y", 0}}, "",
		"y did nothing: there is no question"},
	{"Enter is no yes", {{100, NULL, RUN}, {1000, "x", 0}, {1400, "\r", 0}, {1900, " ", 0}}, "",
		""},
	{"it ended first", {{100, NULL, RUN}, {1000, "x", 0}, {1300, NULL, END}, {2000, "y", 0}},
		"", "y did nothing: there is no question"},
	{"it ends under y", {{100, NULL, RUN}, {1000, "x", 0}, {1400, "y", 0}, {1430, NULL, END}},
		"", "#1 ended before the answer: nothing to stop"},
	{"stop what waits", {{500, "x", 0}}, "", "x did nothing: no command of this card runs"},
	/* more time */
	{"more time", {{100, NULL, RUN}, {1000, "+", 0}}, "extend 1@1050", ""},
	{"more time, not rested", {{100, NULL, RUN}, {1000, "j", 0}, {1399, "+", 0}}, "",
		"+ did nothing: the keys must rest a moment"},
	{"more time in other text", {{100, NULL, RUN}, {1000, "+j", 0}}, "", NULL},
	{"more time held", {{100, NULL, RUN}, {1000, "+", 0}, {1030, "+", 0}, {1060, "+", 0}}, "",
		"+ did nothing: the keys must rest a moment"},
	{"more time for what waits", {{500, "+", 0}}, "",
		"+ did nothing: no command of this card runs"},
	{"it ends under +", {{100, NULL, RUN}, {1000, "+", 0}, {1030, NULL, END}}, "",
		"+ did nothing: #1 ended"},
	/* quit */
	{"quit asks", {{500, "q", 0}, {600, "\x1B", 0}}, "", ""},
	{"quit", {{500, "q", 0}, {900, "y", 0}}, "quit@950", ""},
	{"q is no yes", {{500, "q", 0}, {900, "q", 0}, {1400, "\r", 0}}, "", ""},
	{"quit at once when nothing is open", {{100, NULL, END}, {500, "q", 0}}, "quit@550", ""},
	{"Ctrl-C too", {{100, NULL, END}, {500, "\x03", 0}}, "quit@550", ""},
	{"q not alone", {{100, NULL, END}, {500, "qq", 0}, {540, "j", 0}}, "", NULL},
	{"a call arrives under q", {{100, NULL, END}, {500, "q", 0}, {520, NULL, ARRIVE}}, "", ""},
};

static void each_script_gives_its_intents(void **state)
{
	(void)state;
	scripts_run(scripts, ARRAY_LEN(scripts), false);
}

static void pieces_of_a_script_give_the_same_intents(void **state)
{
	(void)state;
	scripts_run(scripts, ARRAY_LEN(scripts), true);
}

static void the_answer_is_on_the_gate_row_before_the_decision(void **state)
{
	struct world world;

	(void)state;
	script_open_card(&world);
	world_keys(&world, 500, "a");
	assert_string_equal(world.ui.message, "approving #1");
	assert_string_equal(str_c(&world.log), "");
	world_run(&world, 549);
	assert_string_equal(str_c(&world.log), "");
	world_run(&world, 550);
	assert_string_equal(str_c(&world.log), "approve 1@550");
	world_release(&world);
}

/* On a slow line the rest begins when the last byte was written, and what was not drawn cannot be decided. */
static void the_rest_begins_when_the_frame_was_written(void **state)
{
	struct world world;
	struct intent intent;
	struct key key = {.code = KEY_CODE_CHAR, .ch = 'j'};

	(void)state;
	script_open_card(&world);
	world_run(&world, 1000);
	ui_key(&world.ui, &world.model, &key, 1000, &intent);
	assert_int_equal(ui_gate(&world.ui, &world.model, 5000), GATE_REST);
	ui_drawn(&world.ui, &world.model, 1300);
	assert_int_equal(ui_gate(&world.ui, &world.model, 1699), GATE_REST);
	assert_int_equal(ui_gate(&world.ui, &world.model, 1700), GATE_READY);
	/* Later frames of clocks and output do not begin it anew. */
	ui_drawn(&world.ui, &world.model, 1600);
	assert_int_equal(ui_gate(&world.ui, &world.model, 1700), GATE_READY);
	world_release(&world);
}

/* Stopped between the key and its 50 ms, or a machine that stands still. */
static void a_yes_that_comes_late_is_none(void **state)
{
	struct world world;
	struct intent intent;

	(void)state;
	script_open_card(&world);
	world_keys(&world, 500, "a");
	assert_int_equal(ui_tick(&world.ui, &world.model, 60000, &intent), 0);
	assert_string_equal(world.ui.message, "a did nothing: the screen was not awake");
	assert_int_equal(ui_next_tick(&world.ui, &world.model, 60000), 61000);
	world_release(&world);
}

static void a_word_is_asked_before_a_danger_is_approved(void **state)
{
	struct world world;
	struct str words STR_AUTO = STR_INIT;

	(void)state;
	script_open_card(&world);
	script_act(&world, TWO_DANGERS);
	card_words(world.model.jobs[0]->card, &words);
	assert_string_equal(str_c(&words), "hidden remote");
	world_keys(&world, 500, "a");
	world_run(&world, 550);
	assert_int_equal(world.ui.prompt.kind, PROMPT_WORD);
	assert_int_equal(world_gate(&world), GATE_PROMPT);
	world_release(&world);
}

static void earlier_reasons_come_back(void **state)
{
	struct world world;

	(void)state;
	script_open_card(&world);
	world_call(&world, "ls", 1);
	world_keys(&world, 500, "rfirst\r");
	world_run(&world, 600);
	world_state(&world, 1, JOB_REJECTED);
	world_keys(&world, 1000, "\r");
	assert_int_equal(world.ui.card_seq, 2);
	world_keys(&world, 2000, "rmine");
	world_keys(&world, 2100, "\x1B[A");
	assert_string_equal(str_c(&world.ui.prompt.text), "first");
	world_keys(&world, 2200, "\x1B[A");
	assert_string_equal(str_c(&world.ui.prompt.text), "first");
	world_keys(&world, 2300, "\x1B[B");
	assert_string_equal(str_c(&world.ui.prompt.text), "mine");
	world_keys(&world, 2400, "\x1B[A\r");
	world_run(&world, 3000);
	assert_string_equal(str_c(&world.log), "reject 1 \"first\"@550, reject 2 \"first\"@2450");
	assert_int_equal(world.ui.reason_count, 1);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_script_gives_its_intents),
		cmocka_unit_test(pieces_of_a_script_give_the_same_intents),
		cmocka_unit_test(the_answer_is_on_the_gate_row_before_the_decision),
		cmocka_unit_test(the_rest_begins_when_the_frame_was_written),
		cmocka_unit_test(a_yes_that_comes_late_is_none),
		cmocka_unit_test(a_word_is_asked_before_a_danger_is_approved),
		cmocka_unit_test(earlier_reasons_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
