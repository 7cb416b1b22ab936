#include "config.h"

#include "app/seal_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

#define PLACE_BYTES 4096 /* apart: a block is written whole or not at all */
#define TEXT_BYTES 512
#define MAGIC "exequatur-seal-key 1 "

static int check(int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_set_errno(err, "looking at %s", SEAL_KEYS_NAME);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(err, ERR_REFUSED, "%s is not a file of this user", SEAL_KEYS_NAME);
	/* Somebody else may have read it: what it seals would prove nothing. */
	if ((st.st_mode & 077) != 0)
		return err_set(err, ERR_REFUSED, "%s is open to others", SEAL_KEYS_NAME);
	return 0;
}

static int open_file(int dir_fd, int flags, struct err *err)
{
	FD_AUTO int fd = openat(dir_fd, SEAL_KEYS_NAME,
		flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

	if (fd < 0)
		return err_set_errno(err, "opening %s", SEAL_KEYS_NAME);
	if (check(fd, err) != 0)
		return -1;
	int ret = fd;

	fd = -1;
	return ret;
}

/* "MAGIC EPOCH SEED CHECK\n", the check being the digest of all before it; else the place is empty, or was torn. */
static void read_text(char *text, struct seal_slot *ret)
{
	struct digest seed, check, again;
	char *number = text + strlen(MAGIC), *end;

	if (strncmp(text, MAGIC, strlen(MAGIC)) != 0)
		return;
	uint64_t epoch = strtoull(number, &end, 10);
	size_t len = (size_t)(end - text) + 1 + DIGEST_HEX_BYTES;

	if (epoch == 0 || *end != ' ' || len + DIGEST_HEX_BYTES > TEXT_BYTES ||
		text[len - 1] != ' ' || text[len + DIGEST_HEX_BYTES - 1] != '\n')
		return;
	digest_bytes(text, len, &again);
	text[len - 1] = text[len + DIGEST_HEX_BYTES - 1] = '\0';
	ret->used = digest_from_hex(end + 1, &seed) == 0 &&
		    digest_from_hex(text + len, &check) == 0 && digest_equal(&check, &again);
	if (ret->used) {
		ret->epoch = epoch;
		memcpy(ret->key.seed, seed.bytes, sizeof(ret->key.seed));
	}
	seal_wipe(&seed, sizeof(seed));
}

static int read_slots(struct seal_keys *keys, struct err *err)
{
	for (unsigned i = 0; i < 2; i++) {
		char text[TEXT_BYTES + 1] = "";
		struct seal_slot slot = {0};

		if (pread(keys->fd, text, TEXT_BYTES, (off_t)i * PLACE_BYTES) < 0)
			return err_set_errno(err, "reading %s", SEAL_KEYS_NAME);
		read_text(text, &slot);
		seal_wipe(text, sizeof(text));
		if (slot.used && slot.epoch % 2 == i)
			keys->slots[i] = slot;
		seal_wipe(&slot, sizeof(slot));
	}
	return 0;
}

int seal_keys_open(int dir_fd, bool create, struct seal_keys *ret, struct err *err)
{
	*ret = (struct seal_keys){.fd = open_file(dir_fd, O_RDWR | (create ? O_CREAT : 0), err)};
	if (ret->fd >= 0 && read_slots(ret, err) == 0)
		return 0;
	seal_keys_close(ret);
	return -1;
}

int seal_keys_epochs(int dir_fd, uint64_t ret[2], struct err *err)
{
	struct seal_keys keys = {.fd = open_file(dir_fd, O_RDONLY, err)};
	int status = keys.fd < 0 ? -1 : read_slots(&keys, err);

	for (unsigned i = 0; status == 0 && i < 2; i++)
		ret[i] = keys.slots[i].used ? keys.slots[i].epoch : 0;
	seal_keys_close(&keys);
	return status;
}

void seal_keys_close(struct seal_keys *keys)
{
	fd_close(&keys->fd);
	seal_wipe(keys->slots, sizeof(keys->slots));
}

const struct seal_key *seal_keys_of(const struct seal_keys *keys, uint64_t epoch)
{
	const struct seal_slot *slot = &keys->slots[epoch % 2];

	return slot->used && slot->epoch == epoch ? &slot->key : NULL;
}

static int write_place(
	const struct seal_keys *keys, uint64_t epoch, const char text[TEXT_BYTES], struct err *err)
{
	ssize_t n = pwrite(keys->fd, text, TEXT_BYTES, (off_t)(epoch % 2) * PLACE_BYTES);

	if (n >= 0 && n < TEXT_BYTES)
		errno = ENOSPC;
	if (n != TEXT_BYTES || fdatasync(keys->fd) != 0)
		return err_set_errno(err, "writing %s", SEAL_KEYS_NAME);
	return 0;
}

int seal_keys_make(struct seal_keys *keys, uint64_t epoch, struct err *err)
{
	char text[TEXT_BYTES] = "", hex[DIGEST_HEX_BYTES];
	struct seal_slot *slot = &keys->slots[epoch % 2];
	struct digest check, seed;

	/* One that is there may stand in a seal of which nobody knows whether it reached the disk. */
	if (!slot->used || slot->epoch != epoch) {
		*slot = (struct seal_slot){.used = true, .epoch = epoch};
		seal_key_new(&slot->key);
	}
	memcpy(seed.bytes, slot->key.seed, sizeof(seed.bytes));
	digest_hex(&seed, hex);
	int len = snprintf(text, sizeof(text), MAGIC "%" PRIu64 " %s ", epoch, hex);

	digest_bytes(text, (size_t)len, &check);
	digest_hex(&check, hex);
	snprintf(text + len, sizeof(text) - (size_t)len, "%s\n", hex);
	int status = write_place(keys, epoch, text, err);

	slot->used = status == 0;
	seal_wipe(text, sizeof(text));
	seal_wipe(hex, sizeof(hex));
	seal_wipe(&seed, sizeof(seed));
	return status;
}

int seal_keys_erase(struct seal_keys *keys, uint64_t epoch, struct err *err)
{
	static const char zeros[TEXT_BYTES];

	seal_wipe(&keys->slots[epoch % 2], sizeof(keys->slots[0]));
	return write_place(keys, epoch, zeros, err);
}
