#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

static void recover_record(struct broker *broker)
{
	struct err err = ERR_INIT;
	if (broker->can_run)
		return;
	/* First: the timer that refuses what the broken record does not hold may not have run yet, and a decision that could not
	   be written would start its command in the new file. */
	broker_sweep(broker);
	if (audit_recover(broker->audit, clock_wall_ms(), &err) != 0)
		return;
	char *why MEM_AUTO = mem_strdup(broker->model.record_failed);
	broker->can_run = true;
	broker_emit(broker, EVENT_GAP, 0, fields_gap(broker, why));
	broker_say_standing(broker);
}

/* The sentence of a refusal by number, or NULL while there is room. */
static char *queue_is_full(const struct call *call)
{
	const struct broker *broker = call->broker;
	const struct config *config = &broker->session->config;
	const struct sender *sender =
		model_sender(&broker->model, broker_sender(broker, call->peer));
	unsigned waiting = broker->model.waiting;
	unsigned own = sender != NULL ? (unsigned)sender->waiting.count : 0;
	bool crowded = own >= broker_sender_most(broker, call->peer);
	if (waiting < config->max_pending && !crowded)
		return NULL;
	return mem_printf("%u calls%s wait already; ask again when some are decided",
		crowded ? own : waiting, crowded && own < waiting ? " of this sender" : "");
}

static void refuse_bad_line(struct broker *broker, struct call *call, const char *line, size_t len,
	enum reason reason, const char *sentence)
{
	broker_emit(broker, EVENT_RECEIVED, call->seq,
		fields_bad_line(call->peer, call->request.line_no, &call->request.id, line, len));
	broker_refuse(call, reason, sentence);
}

void broker_line(struct broker *broker, unsigned peer, uint64_t line_no, const char *line,
	size_t len, bool too_long)
{
	recover_record(broker);
	struct call *call = broker_add_call(broker, peer, 0);
	struct err err = ERR_INIT;
	enum reason reason = REASON_INVALID_REQUEST;
	int bad = too_long ? err_set(&err, ERR_LIMIT, "the line is longer than %u bytes",
				     REQUEST_LINE_BYTES)
			   : request_parse(line, len, &call->request, &reason, &err);
	call->request.line_no = line_no;
	if (bad == 0 && call_ids_has(&broker->ids, peer, &call->request.id)) {
		reason = REASON_INVALID_REQUEST;
		bad = err_set(
			&err, ERR_INVALID, "the id is in use by a call that has no answer yet");
	}
	if (bad != 0) {
		refuse_bad_line(broker, call, line, len, reason, err.text);
		return;
	}
	call_ids_add(&broker->ids, &call->id, peer, &call->request.id);
	broker_emit(broker, EVENT_RECEIVED, call->seq, fields_received(call));
	broker_admit(call);
}

static struct call *add_request(
	struct broker *broker, unsigned peer, const struct request *request, int stdin_fd)
{
	struct call *call = broker_add_call(broker, peer, 0);
	request_copy(&call->request, request);
	call->stdin_fd = stdin_fd;
	return call;
}

void broker_request(
	struct broker *broker, unsigned peer, const struct request *request, int stdin_fd)
{
	struct call *call = STEAL(broker->expected);
	if (call == NULL)
		call = add_request(broker, peer, request, stdin_fd);
	broker_emit(broker, EVENT_RECEIVED, call->seq, fields_received(call));
	broker_admit(call);
}

static bool refused_before_ruling(struct call *call)
{
	struct broker *broker = call->broker;
	if (!broker->can_run) {
		char *why MEM_AUTO =
			mem_printf("the record cannot be written (%s), so nothing runs; make "
				   "room, then ask again",
				broker->model.record_failed);
		broker_refuse(call, REASON_AUDIT_UNAVAILABLE, why);
		return true;
	}
	if (broker->phase != BROKER_OPEN) {
		broker_refuse(call, REASON_CONSOLE_CLOSED, "the console is closing");
		return true;
	}
	if (broker->stopped) {
		broker_refuse(call, REASON_INTAKE_CLOSED,
			"the operator stopped everything; it may be asked for again when intake is "
			"open");
		return true;
	}
	if (broker_is_refused(broker, call->peer)) {
		broker_refuse(call, REASON_INTAKE_CLOSED,
			"the operator takes no new calls of this agent; it may be asked for again "
			"when they are taken");
		return true;
	}
	return false;
}

static struct json *ruled_fields(const struct ruling *ruling)
{
	struct json *f = fields_one("rule", ruling->rule);
	json_set_str(f, "verdict", verdict_name(ruling->verdict));
	return f;
}

static bool refused_by_ruling(struct call *call)
{
	if (call->ruling.verdict == VERDICT_DENY) {
		char *why MEM_AUTO =
			mem_printf("%s; only the operator can change that", call->ruling.rule);
		broker_refuse(call, REASON_DENIED_BY_POLICY, why);
		return true;
	}
	if (call->ruling.verdict != VERDICT_SUPERVISED)
		return false;
	if (!call->broker->reviewer) {
		broker_refuse(call, REASON_APPROVAL_UNAVAILABLE,
			"it needs a person and none can decide here: start exequatur on a "
			"terminal");
		return true;
	}
	char *full MEM_AUTO = queue_is_full(call);
	if (full != NULL)
		broker_refuse(call, REASON_QUEUE_FULL, full);
	return full != NULL;
}

void broker_admit(struct call *call)
{
	struct broker *broker = call->broker;
	if (refused_before_ruling(call))
		return;
	policy_judge(&call->request, &broker->session->config, &call->ruling);
	broker_emit(broker, EVENT_RULED, call->seq, ruled_fields(&call->ruling));
	if (refused_by_ruling(call))
		return;
	if (call->ruling.verdict == VERDICT_SUPERVISED && broker_parks(call)) {
		broker_park(call);
		return;
	}
	if (broker_card(call, false) != 0)
		return;
	if (call->ruling.verdict == VERDICT_ALLOW) {
		broker_decide(call, DECISION_ALLOWED, DECIDER_POLICY, NULL, NULL);
	} else if (broker_use_grant(call)) {
		return;
	} else if (call->peer == BROKER_PEER_OPERATOR) {
		call->approved_by_person = true;
		broker_decide(call, DECISION_APPROVED, DECIDER_OPERATOR, NULL, NULL);
	} else {
		call->deadline_ms = call->received_ms +
				    (int64_t)broker->session->config.approval_timeout_s * 1000;
		broker_arm(broker);
	}
}

static void came_from(const struct call *call, struct str *out)
{
	if (call->peer == BROKER_PEER_OPERATOR)
		str_add(out, "you, exequatur run");
	else {
		broker_peer_words(call, out);
		str_printf(out, ", line %llu", (unsigned long long)call->request.line_no);
	}
	if (call->request.id.kind == REQUEST_ID_STRING) {
		str_add(out, ", id ");
		text_quote(call->request.id.text, out); /* what follows it on the card is ours */
	} else if (call->request.id.kind == REQUEST_ID_INTEGER)
		str_printf(out, ", id %lld", (long long)call->request.id.number);
}

static void say_proved(struct call *call)
{
	const struct broker *broker = call->broker;
	char hm[16];
	if (broker->proved_wall_ms == 0 || broker->proved_backend != call->offer.backend) {
		snprintf(call->offer.proved, sizeof(call->offer.proved), "proved at start");
		return;
	}
	clock_format_hm(broker->proved_wall_ms, hm);
	snprintf(call->offer.proved, sizeof(call->offer.proved), "proved at %s and again at start",
		hm);
}

int broker_encode_plan(
	const struct call *call, const struct offer *offer, struct str *out, struct err *err)
{
	struct plan plan;
	if (call->backend->plan(
		    &call->broker->session->host, &call->confinement, offer, &plan, err) != 0)
		return -1;
	plan.stdin_passed = call->stdin_fd >= 0;
	plan_encode(&plan, out);
	plan_release(&plan);
	return 0;
}

static void name_run(struct call *call)
{
	const struct audit *audit = call->broker->audit;
	free(call->confinement.run_name);
	call->confinement.run_name = mem_printf("%s-%llu",
		audit != NULL ? audit_session(audit) : "", (unsigned long long)call->seq);
}

/* Confinement, backend, plan: everything that the digest covers. 0, or -1 with reason and err. */
static int build_plan(struct call *call, enum reason *ret_reason, struct err *err)
{
	struct session *s = call->broker->session;
	const struct offer before = call->offer;
	confinement_release(&call->confinement);
	pins_release(&call->pins);
	str_clear(&call->plan);
	call->passed.count = 0;
	*ret_reason = REASON_WORKING_DIR_NOT_ALLOWED;
	if (places_confine(&s->base, &s->config, &call->request, s->envp, s->host.cpus,
		    &call->confinement, &call->pins, ret_reason, err) != 0)
		return -1;
	name_run(call);
	if (call->request.network)
		host_look_at_network(&s->host);
	if (backend_select(&s->config, &s->host, &call->confinement, &call->backend, &call->offer,
		    &call->passed, ret_reason, err) != 0)
		return -1;
	backend_adapt(&call->offer, &call->confinement);
	/* What the first card said of the proof stays: another backend that was proved meanwhile changes nothing here. */
	if (before.backend == call->offer.backend && before.proved[0] != '\0')
		memcpy(call->offer.proved, before.proved, sizeof(before.proved));
	else
		say_proved(call);
	*ret_reason = REASON_SANDBOX_FAILED;
	return broker_encode_plan(call, &call->offer, &call->plan, err);
}

void broker_expect(
	struct broker *broker, unsigned peer, const struct request *request, int stdin_fd)
{
	enum reason reason;
	struct err err = ERR_INIT;
	const struct session *s = broker->session;
	/* For the others nobody waits yet, and an engine would be asked twice. */
	if (!s->prepared && s->config.backend != BACKEND_BUBBLEWRAP)
		return;
	broker->expected = add_request(broker, peer, request, stdin_fd);
	/* What is wrong is said when it is requested. */
	if (build_plan(broker->expected, &reason, &err) == 0)
		broker_plan_ahead(broker->expected);
	broker->expected->planned = broker->expected->plan_sent.len > 0;
}

void broker_build_card(const struct call *call, const struct offer *offer,
	const struct str *encoded, bool again, struct card *ret)
{
	struct broker *broker = call->broker;
	struct str from STR_AUTO = STR_INIT;
	struct str text STR_AUTO = STR_INIT;
	struct plan plan;
	struct err err = ERR_INIT;
	came_from(call, &from);
	/* What is printed is decoded from the very bytes that will run. */
	if (plan_decode(str_c(encoded), encoded->len, &plan, &err) == 0) {
		plan_print(&plan, &text);
		plan_release(&plan);
	}
	struct card_inputs in = {.session = audit_session(broker->audit),
		.seq = call->seq,
		.request = &call->request,
		.asked = call->edit.asked,
		.editor = call->edit.editor,
		.edited_at = call->edit.at,
		.ruling = &call->ruling,
		.confinement = &call->confinement,
		.offer = offer,
		.passed = &call->passed,
		.plan_bytes = str_c(encoded),
		.plan_len = encoded->len,
		.plan_text = str_c(&text),
		.came_from = str_c(&from),
		.helpers = &broker->session->helpers_digest,
		.details_key = config_binding_key(&broker->session->config, "details"),
		.user = broker->session->user};
	struct card_inputs same;
	struct request request;
	struct offer unproved;
	if (again)
		grant_inputs(&in, &request, &unproved, &same);
	card_build(again ? &same : &in, ret);
}

static void build_card(struct call *call, struct card *card)
{
	broker_build_card(call, &call->offer, &call->plan, false, card);
}

int broker_card(struct call *call, bool changed)
{
	enum reason reason = REASON_NONE;
	struct err err = ERR_INIT;
	if (call->planned) {
		call->planned = false;
		name_run(call); /* the session has its name now */
	} else if (build_plan(call, &reason, &err) != 0) {
		broker_refuse(call, reason, err.text);
		return -1;
	}
	broker_check_plan_ahead(call);
	struct card card;
	struct digest old = call->digest;
	card_init(&card);
	build_card(call, &card);
	call->digest = card.digest;
	int written = broker_emit(call->broker, EVENT_CARD, call->seq,
		fields_card(&call->broker->model, &card, changed ? &old : NULL));
	card_release(&card);
	if (written == 0)
		return 0;
	broker_refuse(
		call, REASON_AUDIT_UNAVAILABLE, "the record cannot be written, so nothing runs");
	return -1;
}

int broker_recheck(struct call *call)
{
	enum reason reason = REASON_NONE;
	struct err err = ERR_INIT;
	struct card card;
	if (build_plan(call, &reason, &err) != 0) {
		broker_refuse(call, reason, err.text);
		return -1;
	}
	/* All of the card and not the plan alone: a socket that appeared inside is in no plan, and the yes was not meant for it. */
	card_init(&card);
	build_card(call, &card);
	bool same = digest_equal(&card.digest, &call->digest);
	card_release(&card);
	if (same)
		return 0;
	return broker_card(call, true) == 0 ? 1 : -1;
}

bool broker_wants_more(const struct broker *broker, unsigned peer)
{
	unsigned backlog = 0, sender = broker_sender(broker, peer);
	if (broker->hooks.room != NULL && !broker->hooks.room(broker->hooks.ctx, peer))
		return false;
	const struct sender *known = model_sender(&broker->model, sender);
	/* Mostly so: and then none of the calls that wait need be looked at. */
	if (known == NULL || known->running < BROKER_ALLOWED_BACKLOG)
		return true;
	for (size_t i = 0; i < broker->call_count; i++) {
		const struct call *call = broker->calls[i];
		if (call->decided_ms >= 0 && !call->launched)
			backlog += broker_sender(broker, call->peer) == sender ? 1 : 0;
	}
	return backlog < BROKER_ALLOWED_BACKLOG;
}

void broker_intake_end(struct broker *broker, const char *why)
{
	if (broker->intake_closed)
		return;
	broker->intake_closed = true;
	struct json *f = fields_one("why", why);
	json_set_bool(f, "open", false);
	broker_emit(broker, EVENT_INTAKE, 0, f);
}
