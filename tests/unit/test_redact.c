#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/redact.h"

#define PEM_BODY "MIIEpAIBAAKCAQEA7\nq-/+abc==\n"
#define PEM_MASK "*****************\n*********\n"

/* Equal texts: nothing in it is a secret. */
static const struct {
	const char *text, *masked;
	enum redact_kind kind;
} cases[] = {
	{"Authorization: Bearer sk-TESTTESTTEST", "Authorization: Bearer ***************",
		REDACT_AUTHORIZATION},
	{"curl -H 'authorization: token abc def' x", "curl -H 'authorization: token *******' x",
		REDACT_AUTHORIZATION},
	{"Proxy-Authorization: Basic dTpw\r\nHost: x", "Proxy-Authorization: Basic ****\r\nHost: x",
		REDACT_AUTHORIZATION},
	{"{\"Authorization\": \"Bearer x.y\"}", "{\"Authorization\": \"Bearer ***\"}",
		REDACT_AUTHORIZATION},
	{"Authorization: abc", "Authorization: ***", REDACT_AUTHORIZATION},
	{"Set-Cookie: session=1; path=/\nA: b", "Set-Cookie: *****************\nA: b",
		REDACT_AUTHORIZATION},
	{"say bearer 0123456789abcdef now", "say bearer **************** now",
		REDACT_AUTHORIZATION},
	{"a bearer certificate", "a bearer certificate", REDACT_KIND_COUNT},
	{"id AKIAIOSFODNN7EXAMPLE.", "id AKIA****************.", REDACT_AWS},
	{"ASIAIOSFODNN7EXAMPLE", "ASIA****************", REDACT_AWS},
	{"AKIASHORT", "AKIASHORT", REDACT_KIND_COUNT},
	{"aws_secret_access_key = wJalr/XUtn+FE", "aws_secret_access_key = *************",
		REDACT_NAMED},
	{"x ghp_0123456789012345678901234567890123456 y",
		"x ghp_************************************* y", REDACT_GITHUB},
	{"github_pat_01234567890123456789_abc", "github_pat_************************",
		REDACT_GITHUB},
	{"glpat-01234567890123456789", "glpat-********************", REDACT_GITLAB},
	{"xoxb-0123456789-abc", "xoxb-**************", REDACT_SLACK},
	{"key sk-proj-0123456789ab", "key sk-*****************", REDACT_API_KEY},
	{"desk-0123456789abcdef", "desk-0123456789abcdef", REDACT_KIND_COUNT},
	{"AIza012345678901234567890123456789", "AIza******************************",
		REDACT_API_KEY},
	{"eyJhbGciOiJI.UzI1NiIsInR5.cCI6", "eyJ***************************", REDACT_JWT},
	{"-----BEGIN RSA PRIVATE KEY-----\n" PEM_BODY "-----END RSA PRIVATE KEY-----\n",
		"-----BEGIN RSA PRIVATE KEY-----\n" PEM_MASK "-----END RSA PRIVATE KEY-----\n",
		REDACT_PRIVATE_KEY},
	{"-----BEGIN CERTIFICATE-----\n" PEM_BODY "-----END CERTIFICATE-----\n",
		"-----BEGIN CERTIFICATE-----\n" PEM_BODY "-----END CERTIFICATE-----\n",
		REDACT_KIND_COUNT},
	{"API_KEY=zzSECRETzz curl x", "API_KEY=********** curl x", REDACT_NAMED},
	{"export DB_PASSWORD='a b\\'c'; ls", "export DB_PASSWORD='******'; ls", REDACT_NAMED},
	{"password=\"two words\" x", "password=\"*********\" x", REDACT_NAMED},
	{"{\\\"password\\\":\\\"a\\\\\\\\b\\\"}", "{\\\"password\\\":\\\"******\\\"}",
		REDACT_NAMED},
	{"{'client_secret' : 'x', 'a': 1}", "{'client_secret' : '*', 'a': 1}", REDACT_NAMED},
	{"mysql --password hunter2 -h x", "mysql --password ******* -h x", REDACT_NAMED},
	{"tool --api-key=abc", "tool --api-key=***", REDACT_NAMED},
	{"https://x/?access_token=abc&b=c", "https://x/?access_token=***&b=c", REDACT_NAMED},
	{"PASS=a\\ b c", "PASS=**** c", REDACT_NAMED},
	{"secret: \xd0\x9f\xd1\x80 x", "secret: **** x", REDACT_NAMED},
	{"SSH_KEY=abc", "SSH_KEY=***", REDACT_NAMED},
	{"PASSWORD= ls", "PASSWORD= ls", REDACT_KIND_COUNT},
	{"PWD=/home/x", "PWD=/home/x", REDACT_KIND_COUNT},
	{"max_tokens=100", "max_tokens=100", REDACT_KIND_COUNT},
	{"compass=north sort_key=name", "compass=north sort_key=name", REDACT_KIND_COUNT},
	{"the password is asked for\nPassword: \n", "the password is asked for\nPassword: \n",
		REDACT_KIND_COUNT},
	{"a non-secret thing", "a non-secret thing", REDACT_KIND_COUNT},
	{"Token::parse token://x", "Token::parse token://x", REDACT_KIND_COUNT},
	{"git clone https://me:pa@ss@h.example/x", "git clone https://me:*****@h.example/x",
		REDACT_URL},
	{"redis://:pw@h", "redis://:**@h", REDACT_URL},
	{"http://h:80/a@b", "http://h:80/a@b", REDACT_KIND_COUNT},
	{"----------------", "----------------", REDACT_KIND_COUNT},
	{"", "", REDACT_KIND_COUNT},
};

static void each_kind_is_masked_in_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *text = mem_strdup(cases[i].text);
		struct redact_found found = {{0}};

		redact_text(text, strlen(text), NULL, &found);
		assert_string_equal(text, cases[i].masked);
		for (enum redact_kind k = 0; k < REDACT_KIND_COUNT; k++)
			assert_int_equal(found.count[k], k == cases[i].kind);
		assert_int_equal(redact_found_any(&found), cases[i].kind != REDACT_KIND_COUNT);
	}
}

/* Pieces of `first` bytes, then of `each`. */
static void add_in_pieces(
	const char *text, size_t first, size_t each, const struct strv *known, struct str *out)
{
	struct redact_stream stream;
	struct redact_found found = {{0}};
	size_t len = strlen(text);

	redact_stream_init(&stream, known);
	for (size_t at = 0, size = first; at < len; at += size, size = each) {
		if (size > len - at)
			size = len - at;
		redact_stream_add(&stream, text + at, size, out, &found);
		assert_true(stream.held.len <= REDACT_HELD_MAX);
	}
	redact_stream_end(&stream, out, &found);
	redact_stream_release(&stream);
}

static void a_text_split_anywhere_is_masked_as_the_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t len = strlen(cases[i].text);

		for (size_t first = 1; first <= len; first++) {
			for (size_t each = 1; each <= len; each += 1 + each) {
				STR_AUTO struct str out = STR_INIT;

				add_in_pieces(cases[i].text, first, each, NULL, &out);
				assert_string_equal(str_c(&out), cases[i].masked);
			}
		}
	}
}

/* Anything, out of what the matchers look for. */
static void any_text_is_masked_as_the_whole(void **state)
{
	static const char *const words[] = {"password", "=", ":", " ", "\"", "'", "\\", "\n", "://",
		"a", "@", "-----", "--", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
		"sk-", "0123456789abcdef", "token", "Bearer ", "Authorization", "ghp_", "KEY", "_",
		"learned-value", "learned", ">", "/", "\xc3\xa4"};
	STRV_AUTO struct strv known = STRV_INIT;
	uint32_t seed = 1;

	(void)state;
	strv_add(&known, "learned-value");
	for (unsigned round = 0; round < 4000; round++) {
		STR_AUTO struct str text = STR_INIT, out = STR_INIT;
		struct redact_found found = {{0}};

		for (unsigned i = 0; i < 24; i++) {
			seed = seed * 1664525 + 1013904223;
			str_add(&text, words[(seed >> 16) % ARRAY_LEN(words)]);
		}
		if (round % 16 == 0) /* longer than what is held */
			for (unsigned i = 0; i < 400; i++)
				str_add(&text, words[(round / 16) % ARRAY_LEN(words)]);
		add_in_pieces(text.data, 1 + round % 7, 1 + round % 3, &known, &out);
		redact_text(text.data, text.len, &known, &found);
		assert_string_equal(out.data, text.data);
	}
}

static void a_secret_that_was_seen_is_masked_where_it_stands_alone(void **state)
{
	STRV_AUTO struct strv known = STRV_INIT;
	const char *command = "API_KEY=zzSECRETzz PASS=short curl -u x";
	char output[] = "got zzSECRETzz, zzSECRETz short";
	struct redact_found found = {{0}};

	(void)state;
	redact_learn(command, strlen(command), &known);
	redact_learn(command, strlen(command), &known);
	assert_int_equal(known.count, 1);
	redact_text(output, strlen(output), &known, &found);
	assert_string_equal(output, "got **********, zzSECRETz short");
	assert_int_equal(found.count[REDACT_REPEATED], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_masked_in_place),
		cmocka_unit_test(a_text_split_anywhere_is_masked_as_the_whole),
		cmocka_unit_test(any_text_is_masked_as_the_whole),
		cmocka_unit_test(a_secret_that_was_seen_is_masked_where_it_stands_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
