#include "config.h"

#include "core/model_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

int model_bad_field(const struct event *event, const char *key, struct err *err)
{
	return err_set(err, ERR_INVALID, "%s: its field %s does not fit",
		event_type_name(event->type), key);
}

int model_need_str(const struct event *event, const char *key, const char **ret, struct err *err)
{
	const char *text = json_get_str(event->fields, key);

	if (text == NULL)
		return model_bad_field(event, key, err);
	*ret = text;
	return 0;
}

int model_want_int(const struct event *event, const char *key, int64_t *ret, struct err *err)
{
	const struct json *v = json_get(event->fields, key);
	int64_t value;

	if (json_type(v) == JSON_NULL)
		return 0;
	if (json_int(v, &value) != 0 || value < -1)
		return model_bad_field(event, key, err);
	if (value != -1)
		*ret = value;
	return 0;
}

void model_replace(char **field, const char *text)
{
	free(*field);
	*field = mem_strdup(text);
}

static int read_passed_one(const struct json *v, struct passed_list *ret)
{
	const char *name = json_get_str(v, "backend");
	const char *why = json_get_str(v, "why");

	if (ret->count == ARRAY_LEN(ret->items) || name == NULL || why == NULL)
		return -1;
	struct passed_over *one = &ret->items[ret->count];

	if (backend_id_from_name(name, &one->backend) != 0)
		return -1;
	text_fit(why, one->why, sizeof(one->why));
	ret->count++;
	return 0;
}

int model_read_passed(
	const struct event *event, const char *key, struct passed_list *ret, struct err *err)
{
	const struct json *list = json_get(event->fields, key);
	struct passed_list passed = {0};

	for (const struct json *v = json_first(list); v != NULL; v = json_next(v)) {
		if (read_passed_one(v, &passed) != 0)
			return model_bad_field(event, key, err);
	}
	*ret = passed;
	return 0;
}

unsigned model_read_notes(const struct event *event)
{
	unsigned notes = 0;
	const struct json *v = json_first(json_get(event->fields, "notes"));

	/* A note that a later version added is kept in the record and not shown. */
	for (; v != NULL; v = json_next(v)) {
		enum note note;

		if (json_str(v) != NULL && note_from_name(json_str(v), &note) == 0)
			notes |= NOTE_BIT(note);
	}
	return notes;
}

int model_read_reason(const struct event *event, enum reason *ret, struct err *err)
{
	const struct json *v = json_get(event->fields, "reason");
	enum reason reason = REASON_NONE;

	if (json_type(v) != JSON_NULL && json_str(v) == NULL)
		return model_bad_field(event, "reason", err);
	if (json_str(v) != NULL && json_str(v)[0] != '\0' &&
		reason_from_name(json_str(v), &reason) != 0)
		return model_bad_field(event, "reason", err);
	*ret = reason;
	return 0;
}

int model_read_decider(
	const struct event *event, enum decider fallback, enum decider *ret, struct err *err)
{
	const char *by = json_get_str(event->fields, "by");

	*ret = fallback;
	if (by != NULL && decider_from_name(by, ret) != 0)
		return model_bad_field(event, "by", err);
	return 0;
}

void model_keep_ui(struct model *model, const struct event *event)
{
	const struct json *ui = json_get(event->fields, "ui");

	if (json_type(ui) != JSON_OBJECT)
		return;
	json_free(model->last_ui);
	model->last_ui = json_copy(ui);
}
