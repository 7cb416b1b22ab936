/* Warnings for a person on standard error, "exequatur: ...". Foreign text passes the safe-text
   rule. App only. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
