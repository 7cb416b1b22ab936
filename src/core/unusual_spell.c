#include "config.h"

#include "core/unusual_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

/* How words are written, and what secrets they name. */

#define LONG_BYTES 160
#define LONG_CODES 24

static const char *const credential_ends[] = {".ssh", ".aws", ".netrc", "_netrc", ".pgpass",
	".my.cnf", ".git-credentials", ".pypirc", ".npmrc", ".vault-token", ".htpasswd", "id_rsa",
	"id_dsa", "id_ecdsa", "id_ed25519", ".docker/config.json", ".kube/config", ".gnupg",
	".config/gh/hosts.yml", ".config/gcloud", ".azure", "etc/shadow", "etc/gshadow",
	"etc/sudoers", ".env", ".envrc", "credentials.json", "secrets.yml", "secrets.yaml", "token",
	".token", "tokens", "tokens.json", "token.json", "token.txt", ".password-store", ".kdbx",
	NULL};
static const char *const credential_parts[] = {
	".ssh/", ".aws/", ".gnupg/", ".config/gcloud/", ".azure/", ".password-store/", NULL};
/* What a key itself looks like. */
static const char *const token_starts[] = {"ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "AKIA",
	"xoxb-", "xoxp-", "sk-ant-", "sk_live_", NULL};

/* .env.production is one, the sample that is in version control is none. */
static bool is_env_file(const char *name)
{
	static const char *const samples[] = {
		".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test", NULL};

	return strncmp(name, ".env.", 5) == 0 && !name_in(name, samples);
}

static bool is_token(const char *text)
{
	text += strspn(text, "/");
	for (size_t i = 0; token_starts[i] != NULL; i++) {
		if (strncmp(text, token_starts[i], strlen(token_starts[i])) == 0 &&
			strlen(text) >= 16)
			return true;
	}
	return false;
}

static bool is_credential(const char *path)
{
	for (size_t i = 0; credential_ends[i] != NULL; i++) {
		bool bare = strchr(path, '/') == NULL;

		/* "token" alone is a word like another. */
		if (bare && strncmp(credential_ends[i], "token", 5) == 0)
			continue;
		if (is_place(path, credential_ends[i]))
			return true;
	}
	for (size_t i = 0; credential_parts[i] != NULL; i++) {
		if (is_place(path, credential_parts[i]))
			return strcmp(path_basename(path), "known_hosts") != 0 &&
			       !is_place(path, "authorized_keys") && strstr(path, ".pub") == NULL;
	}
	return is_env_file(path_basename(path)) || is_token(path);
}

/* A path stands alone, or behind the = : @ of an option, a host, a file to send. */
static bool names_credential(const char *value)
{
	if (strpbrk(value, " \t\n") != NULL || strlen(value) > 512)
		return false;
	for (;;) {
		size_t len = strcspn(value, "=:@,");
		MEM_AUTO char *part = mem_strndup(value, len);

		if (is_credential(part))
			return true;
		if (value[len] == '\0')
			return false;
		value += len + 1;
	}
}

static void check_spelling(struct reading *r, const struct shell_word *word)
{
	unsigned odd = word->role == SHELL_ASSIGNMENT ? SHELL_CODED : SHELL_CODED | SHELL_PIECES;

	if (word->flags & odd) {
		char *raw = mem_strndup(r->bytes + word->start, word->end - word->start);

		note_add(r, word->flags & SHELL_CODED ? NOTE_CODED : NOTE_PIECES, word->start,
			word->end, mem_printf("%s is %s", raw, word->value));
		free(raw);
	}
	const char *ifs = strstr(word->value, "$IFS");

	if (ifs == NULL)
		ifs = strstr(word->value, "${IFS");
	if (ifs != NULL && !(word->flags & SHELL_QUOTED) && word->role != SHELL_ASSIGNMENT &&
		strlen(word->value) > 7)
		note_word(r, NOTE_BLANK, word);
}

void check_words(struct reading *r, size_t command, const char *program)
{
	static const char *const talkers[] = {"echo", "printf", "test", "[", NULL};
	const struct shell *shell = r->shell;
	bool named = false;

	for (size_t at = shell->commands[command].first; at != SHELL_NONE;
		at = shell->words[at].next) {
		const struct shell_word *word = &shell->words[at];

		if (word->role == SHELL_OTHER || word->role == SHELL_HERE)
			continue;
		check_spelling(r, word);
		bool said = word->role == SHELL_ARGUMENT && name_in(program, talkers);

		if (!named && !said && names_credential(word->value)) {
			note_word(r, NOTE_CREDENTIAL, word);
			named = true;
		}
	}
}

struct run { /* of encoded text */
	size_t upper, lower, digits, slashes;
};

static bool is_code_byte(char c, struct run *run)
{
	run->upper += isupper((unsigned char)c) != 0;
	run->lower += islower((unsigned char)c) != 0;
	run->digits += isdigit((unsigned char)c) != 0;
	run->slashes += c == '/';
	return isalnum((unsigned char)c) || c == '/' || c == '+' || c == '=';
}

static bool is_encoded(const struct run *run, size_t len)
{
	bool mixed = run->upper > len / 16 && run->lower > len / 16;
	bool hex = run->digits > len / 4 && run->slashes == 0;

	return len >= LONG_BYTES && run->digits > len / 32 && run->slashes < len / 16 &&
	       (mixed || hex);
}

static size_t code_run(const char *bytes, size_t len, size_t at)
{
	size_t start = at;

	while (at + 3 < len && bytes[at] == '\\' && bytes[at + 1] == 'x' &&
		isxdigit((unsigned char)bytes[at + 2]) && isxdigit((unsigned char)bytes[at + 3]))
		at += 4;
	return at - start;
}

static size_t text_run(const char *bytes, size_t len, size_t at, bool *ret_encoded)
{
	struct run run = {0};
	size_t n = 0;

	while (at + n < len && is_code_byte(bytes[at + n], &run))
		n++;
	*ret_encoded = is_encoded(&run, n);
	return n;
}

/* What stands behind the long text in its line, without what only closes its string. */
static void check_behind(struct reading *r, const char *bytes, size_t len, size_t at)
{
	const char *lf = memchr(bytes + at, '\n', len - at);
	size_t end = lf == NULL ? len : (size_t)(lf - bytes);

	while (at < end && strchr("'\")]}; \t", bytes[at]) != NULL)
		at++;
	while (end > at && strchr("'\")]}; \t", bytes[end - 1]) != NULL)
		end--;
	if (end > at)
		note_add(r, NOTE_BEHIND_LONG, at, end, NULL);
}

void check_long(struct reading *r, const char *bytes, size_t len)
{
	bool found = false;

	for (size_t at = 0; at < len && !found;) {
		size_t n = code_run(bytes, len, at);

		found = n >= 4 * LONG_CODES;
		if (n == 0)
			n = text_run(bytes, len, at, &found);
		if (found) {
			note_add(r, NOTE_LONG, at, at + n, mem_printf("%zu characters", n));
			check_behind(r, bytes, len, at + n);
		}
		at += n > 0 ? n : 1;
	}
}
