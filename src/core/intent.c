#include "config.h"

#include "core/intent.h"

#include <stdlib.h>
#include <string.h>

#include "base/password.h"

void intent_release(struct intent *intent)
{
	if (intent->text != NULL)
		password_wipe(intent->text, strlen(intent->text));
	free(intent->text);
	intent->text = NULL;
}
