#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "base/mem.h"

/* The lock of the screen. Its passphrase is here alone, as a hash, in memory; the record knows that it was locked and tried. */

#define WAIT_FIRST_MS 1000
#define WAIT_MOST_MS 30000

static struct json *fields_locked(const struct broker *broker, bool locked, const char *why)
{
	struct json *f = fields_one("why", why);
	json_set_bool(f, "locked", locked);
	json_set_bool(f, "set", broker->passphrase[0] != '\0');
	return f;
}

static bool choose(struct broker *broker, const char *text, char **ret_text)
{
	struct err err = ERR_INIT;
	if (text == NULL || text[0] == '\0') {
		*ret_text = mem_strdup("there is no passphrase yet");
		return false;
	}
	if (password_hash(text, strlen(text), broker->passphrase, &err) == 0)
		return true;
	*ret_text = mem_strdup(err.text);
	return false;
}

bool broker_lock_at_start(struct broker *broker)
{
	return broker_emit(broker, EVENT_LOCKED, 0,
		       fields_locked(broker, true, lock_why_name(LOCK_AT_START))) == 0;
}

bool broker_lock(struct broker *broker, const char *text, bool idle, char **ret_text)
{
	if (broker->model.lock.on)
		return false;
	if (broker->passphrase[0] == '\0' && !choose(broker, text, ret_text))
		return false;
	struct json *f =
		fields_locked(broker, true, lock_why_name(idle ? LOCK_IDLE : LOCK_BY_PERSON));
	if (idle)
		json_set_int(f, "minutes", broker->session->config.lock_after);
	broker_emit(broker, EVENT_LOCKED, 0, f);
	return true;
}

/* A passphrase that was tried in vain is not forgotten with the file that knew of it, nor is that there is one. */
void broker_say_lock(struct broker *broker)
{
	const struct lock *lock = &broker->model.lock;
	int64_t wait_ms = lock->wait_until_ms - broker_at_ms(broker);
	if (!lock->on && !lock->set)
		return;
	struct json *f =
		fields_locked(broker, lock->on, lock->on ? lock_why_name(lock->why) : "passphrase");
	if (lock->on) {
		json_set_int(f, "minutes", lock->minutes);
		json_set_int(f, "tries", lock->tries);
		json_set_int(f, "wait_ms", wait_ms > 0 ? wait_ms : 0);
	}
	broker_emit(broker, EVENT_LOCKED, 0, f);
}

/* 1 s, then twice as long each time, up to 30 s. */
static int64_t wait_after(unsigned tries)
{
	int64_t wait_ms = WAIT_FIRST_MS;
	while (--tries > 0 && wait_ms < WAIT_MOST_MS)
		wait_ms *= 2;
	return wait_ms < WAIT_MOST_MS ? wait_ms : WAIT_MOST_MS;
}

static void wrong(struct broker *broker, char **ret_text)
{
	unsigned tries = broker->model.lock.tries + 1;
	int64_t wait_ms = wait_after(tries);
	struct json *f = fields_locked(broker, true, "passphrase");
	json_set_int(f, "tries", tries);
	json_set_int(f, "wait_ms", wait_ms);
	broker_emit(broker, EVENT_LOCKED, 0, f);
	*ret_text = mem_printf(
		"wrong passphrase: the next one is looked at in %d s", (int)(wait_ms / 1000));
}

bool broker_unlock(struct broker *broker, const char *text, char **ret_text)
{
	const struct lock *lock = &broker->model.lock;
	if (!lock->on || text == NULL || broker_at_ms(broker) < lock->wait_until_ms)
		return false;
	if (broker->passphrase[0] == '\0') {
		if (!choose(broker, text, ret_text))
			return false;
	} else if (!password_matches(broker->passphrase, text, strlen(text))) {
		wrong(broker, ret_text);
		return false;
	}
	broker_emit(broker, EVENT_LOCKED, 0, fields_locked(broker, false, "passphrase"));
	return true;
}

/* What a person may mean while the screen is locked. The screen holds that too; a fault there must not be enough. */
static bool allowed_while_locked(enum intent_kind kind)
{
	return kind == INTENT_STOP_ALL || kind == INTENT_UNLOCK || kind == INTENT_REDRAW ||
	       kind == INTENT_NONE;
}

bool broker_screen_intent(struct broker *broker, const struct intent *intent, char **ret_text)
{
	if (broker->model.lock.on && !allowed_while_locked(intent->kind)) {
		*ret_text = mem_strdup("nothing decided: the screen is locked");
		return true;
	}
	if (intent->kind == INTENT_LOCK)
		broker_lock(broker, intent->text, intent->seq == 1, ret_text);
	else if (intent->kind == INTENT_UNLOCK)
		broker_unlock(broker, intent->text, ret_text);
	else if (intent->kind == INTENT_STOP_ALL)
		broker_stop_all(broker, ret_text);
	else if (intent->kind == INTENT_OPEN_INTAKE)
		broker_open_intake(broker, ret_text);
	else
		return false;
	return true;
}
