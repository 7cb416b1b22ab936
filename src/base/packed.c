#include "config.h"

#include "base/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/fd.h"
#include "base/mem.h"

#define LEVEL 3
#define WINDOW_LOG_MAX 23 /* 8 MiB; a forged frame may ask for gigabytes */
#define BYTES_MAX (1ull << 41)
#define HEAD_BYTES 18 /* the longest header of a frame */
#define MAGIC 0xFD2FB528u

struct unpack {
	int fd;
	ZSTD_DCtx *context;
	char *block;
	ZSTD_inBuffer in;
	uint64_t bytes;
	bool ended;
};

static ssize_t read_some(int fd, char *bytes, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, bytes, len);
	} while (n < 0 && errno == EINTR);
	return n;
}

bool packed_begins(int fd)
{
	unsigned char b[4];

	return pread(fd, b, sizeof(b), 0) == (ssize_t)sizeof(b) &&
	       (b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24) == MAGIC;
}

static int read_size(int fd, uint64_t *ret, struct err *err)
{
	char head[HEAD_BYTES];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < 0)
		return err_set_errno(err, "reading a compressed file");
	unsigned long long bytes = ZSTD_getFrameContentSize(head, (size_t)n);

	if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN ||
		bytes > BYTES_MAX)
		return err_set(err, ERR_INVALID,
			"it is not compressed as records are: it does not say how much it holds");
	*ret = bytes;
	return 0;
}

int unpack_open(int fd, struct unpack **ret, struct err *err)
{
	uint64_t bytes = 0;

	if (read_size(fd, &bytes, err) != 0)
		return -1;
	if (lseek(fd, 0, SEEK_SET) != 0)
		return err_set_errno(err, "reading a compressed file");
	struct unpack *unpack = mem_alloc(sizeof(*unpack));

	unpack->fd = fd;
	unpack->bytes = bytes;
	unpack->context = ZSTD_createDCtx();
	if (unpack->context == NULL)
		abort(); /* no memory */
	ZSTD_DCtx_setParameter(unpack->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	unpack->block = mem_array(ZSTD_DStreamInSize(), 1);
	unpack->in.src = unpack->block;
	*ret = unpack;
	return 0;
}

void unpack_close(struct unpack *unpack)
{
	if (unpack == NULL)
		return;
	ZSTD_freeDCtx(unpack->context);
	free(unpack->block);
	free(unpack);
}

uint64_t unpack_bytes(const struct unpack *unpack)
{
	return unpack->bytes;
}

static int bad(struct err *err, const char *why)
{
	return err_set(err, ERR_INVALID, "the compressed file is damaged: %s", why);
}

/* *ret_more false: the file ends here. */
static int fill(struct unpack *unpack, bool *ret_more, struct err *err)
{
	*ret_more = true;
	if (unpack->in.pos < unpack->in.size)
		return 0;
	ssize_t n = read_some(unpack->fd, unpack->block, ZSTD_DStreamInSize());

	if (n < 0)
		return err_set_errno(err, "reading a compressed file");
	unpack->in.pos = 0;
	unpack->in.size = (size_t)n;
	*ret_more = n > 0;
	return 0;
}

/* Behind the frame nothing may stand: it would be read by nobody. */
static int check_end(struct unpack *unpack, struct err *err)
{
	bool more;

	if (fill(unpack, &more, err) != 0)
		return -1;
	return more ? bad(err, "something follows it") : 0;
}

int unpack_read(struct unpack *unpack, char *bytes, size_t len, size_t *ret_len, struct err *err)
{
	ZSTD_outBuffer out = {.dst = bytes, .size = len};
	bool more;

	while (!unpack->ended && out.pos == 0) {
		if (fill(unpack, &more, err) != 0)
			return -1;
		if (!more)
			return bad(err, "it is cut off");
		size_t status = ZSTD_decompressStream(unpack->context, &out, &unpack->in);

		if (ZSTD_isError(status))
			return bad(err, ZSTD_getErrorName(status));
		unpack->ended = status == 0;
	}
	*ret_len = out.pos;
	return unpack->ended ? check_end(unpack, err) : 0;
}

static int pack_block(ZSTD_CCtx *context, ZSTD_inBuffer *in, bool last, char *block, size_t size,
	int to_fd, struct err *err)
{
	size_t left;

	do {
		ZSTD_outBuffer out = {.dst = block, .size = size};

		left = ZSTD_compressStream2(context, &out, in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return err_set(err, ERR_SYSTEM, "compressing: %s", ZSTD_getErrorName(left));
		if (fd_write_all(to_fd, block, out.pos, err) != 0)
			return -1;
	} while (last ? left != 0 : in->pos < in->size);
	return 0;
}

static int pack(ZSTD_CCtx *context, int from_fd, uint64_t bytes, int to_fd, struct err *err)
{
	size_t in_size = ZSTD_CStreamInSize(), out_size = ZSTD_CStreamOutSize();
	MEM_AUTO char *from = mem_array(in_size, 1);
	MEM_AUTO char *to = mem_array(out_size, 1);
	uint64_t done = 0;

	for (bool last = false; !last;) {
		ssize_t n = read_some(from_fd, from, in_size);

		if (n < 0)
			return err_set_errno(err, "reading what is to be compressed");
		done += (uint64_t)n;
		last = n == 0 || done >= bytes;
		ZSTD_inBuffer in = {.src = from, .size = (size_t)n};

		if (pack_block(context, &in, last, to, out_size, to_fd, err) != 0)
			return -1;
	}
	return 0;
}

int pack_file(int from_fd, int to_fd, struct err *err)
{
	struct stat st;

	if (fstat(from_fd, &st) != 0 || lseek(from_fd, 0, SEEK_SET) != 0)
		return err_set_errno(err, "looking at what is to be compressed");
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (context == NULL)
		abort(); /* no memory */
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setPledgedSrcSize(context, (unsigned long long)st.st_size);
	int status = pack(context, from_fd, (uint64_t)st.st_size, to_fd, err);

	ZSTD_freeCCtx(context);
	return status;
}
