#include "config.h"

#include "core/intent.h"

#include <stdlib.h>

void intent_release(struct intent *intent)
{
	free(intent->text);
	intent->text = NULL;
}
