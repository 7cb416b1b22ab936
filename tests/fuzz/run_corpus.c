/* Runs a fuzz target over files, so that what once broke it is tried in every test run: linked
   in place of libFuzzer. Arguments are files or directories (one level); without any, the corpus of
   the target. */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/strv.h"

#ifndef CORPUS_DIR
#error "CORPUS_DIR is the directory with the seeds of this target"
#endif
#define FILE_BYTES_MAX (16u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int run_file(const char *path)
{
	STR_AUTO struct str text = STR_INIT;
	struct err err = ERR_INIT;

	if (fd_read_file(path, FILE_BYTES_MAX, &text, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	/* A copy of exactly this size: a sanitizer sees the first byte read behind the end. */
	MEM_AUTO uint8_t *exact = mem_alloc(text.len);
	memcpy(exact, str_c(&text), text.len);
	/* Named before it runs: the target aborts where it finds a fault. */
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(exact, text.len);
	return 0;
}

static int list_directory(const char *path, struct strv *ret)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (dir == NULL)
		return -1;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			strv_take(ret, path_join(path, entry->d_name));
	}
	closedir(dir);
	strv_sort(ret);
	return 0;
}

static int add_argument(const char *path, struct strv *ret)
{
	STRV_AUTO struct strv inside = STRV_INIT;
	struct stat st;

	if (stat(path, &st) < 0 || (S_ISDIR(st.st_mode) && list_directory(path, &inside) < 0)) {
		perror(path);
		return -1;
	}
	if (S_ISDIR(st.st_mode))
		strv_copy(ret, &inside);
	else
		strv_add(ret, path);
	return 0;
}

int main(int argc, char **argv)
{
	STRV_AUTO struct strv files = STRV_INIT;

	for (int i = 1; i < argc; i++) {
		if (add_argument(argv[i], &files) < 0)
			return EXIT_FAILURE;
	}
	if (argc < 2 && add_argument(CORPUS_DIR, &files) < 0)
		return EXIT_FAILURE;
	for (size_t i = 0; i < files.count; i++) {
		if (run_file(files.items[i]) < 0)
			return EXIT_FAILURE;
	}
	printf("%zu inputs\n", files.count);
	/* An empty corpus would pass without having tried anything. */
	return files.count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
