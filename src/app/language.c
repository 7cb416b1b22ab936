#include "config.h"

#include "app/language.h"

#include <limits.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/words.h"

/* A program that was built and not installed has them beside it; that directory is trusted with the programs in it. */
void language_begin(bool ascii)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (ascii)
		return;
	if (len > 0) {
		self[len] = '\0';
		MEM_AUTO char *own = path_dirname(self);
		MEM_AUTO char *dir = path_join(own, "po");
		if (access(dir, X_OK) == 0) {
			words_begin(dir);
			return;
		}
	}
	words_begin(LOCALEDIR);
}
