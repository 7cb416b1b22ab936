#include "config.h"

#include "app/broker.h"

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/json_digest.h"
#include "base/log.h"
#include "base/mem.h"

/* Seals and anchors while a session goes on: when, and what is told of them. Neither ever holds up a call: the record stands without
   them, and verify says what is not sealed. */

static void tell(const struct broker *broker, const char *why)
{
	if (broker->hooks.told != NULL)
		broker->hooks.told(broker->hooks.ctx, why);
	else
		log_warn("%s", why);
}

static void on_seal_trouble(void *ctx, const char *why)
{
	struct broker *broker = ctx;

	broker_emit(broker, EVENT_SEALS, 0, fields_one("why", why));
	tell(broker, why);
}

static void on_anchor_trouble(void *ctx, const char *why)
{
	struct broker *broker = ctx;

	broker_emit(broker, EVENT_ANCHOR, 0, fields_one("why", why));
	tell(broker, why);
}

int broker_seals_open(struct broker *broker, struct err *err)
{
	struct session *s = broker->session;

	broker->sealer = (struct sealer){.dir_fd = -1};
	if (anchor_check(s, err) != 0)
		return -1;
	if (!s->config.sign_events)
		return 0;
	return sealer_open(
		&broker->sealer, s->record_dir, &broker->seal_epoch, &broker->seal_told, err);
}

void broker_seals_begin(struct broker *broker)
{
	anchor_begin(&broker->anchor, broker->loop, broker->session, broker, on_anchor_trouble);
	if (!broker->sealer.on)
		return;
	struct json *f = json_new_object();

	json_set_int(f, "epoch", (int64_t)broker->seal_epoch);
	if (broker->seal_told.len > 0) {
		json_set_str(f, "why", str_c(&broker->seal_told));
		tell(broker, str_c(&broker->seal_told));
	}
	str_release(&broker->seal_told);
	broker_emit(broker, EVENT_SEALS, 0, f);
	sealer_begin(&broker->sealer, broker->loop, broker, on_seal_trouble);
}

static void look_anchor(struct broker *broker)
{
	struct anchor *anchor = &broker->anchor;
	struct audit_point now;

	if (!anchor->on || anchor_is_busy(anchor))
		return;
	audit_point(broker->audit, &now);
	if (now.events < broker->anchored) /* a new file behind a gap counts anew */
		broker->anchored = 0;
	if (now.events < broker->anchored + broker->session->config.anchor_every)
		return;
	broker->anchored = now.events;
	struct json *f = json_new_object();

	json_set_digest(f, "digest", &now.digest);
	json_set_int(f, "number", (int64_t)now.events);
	broker_emit(broker, EVENT_ANCHOR, 0, f);
	anchor_give(anchor, &now.digest, now.events, clock_wall_ms());
}

void broker_seals_look(struct broker *broker)
{
	if (!broker->can_run)
		return;
	sealer_look(&broker->sealer, broker->audit, broker->session->config.seal_every);
	look_anchor(broker);
}

void broker_seals_stop(struct broker *broker)
{
	sealer_stop(&broker->sealer);
}

void broker_seals_close(struct broker *broker, uint64_t events)
{
	struct digest chain = {{0}};
	struct err err = ERR_INIT;

	if (sealer_close(&broker->sealer, clock_wall_ms(), &broker->seal_told, &err) != 0)
		log_warn("the record could not be sealed at its end: %s", err.text);
	if (broker->seal_told.len > 0)
		log_warn("%s", str_c(&broker->seal_told));
	str_release(&broker->seal_told);
	if (!broker->anchor.on)
		return;
	if (seals_chain_digest(broker->session->record_dir, &chain, &err) != 0 ||
		anchor_close(&broker->anchor, &chain, events, clock_wall_ms(), &err) != 0)
		log_warn("the end of the record: %s", err.text);
}
