/* The only readers of clocks. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC: time while the machine sleeps does not count. */
int64_t clock_mono_ms(void);
int64_t clock_wall_ms(void); /* UTC, since 1970 */
/* "2026-11-30T13:28:01.123Z"; buf of at least 32 bytes. Pure. */
void clock_format_utc(int64_t wall_ms, char buf[32]);
/* "14:31" and "14:31:07" in local time; buf of at least 16 bytes. */
void clock_format_hm(int64_t wall_ms, char buf[16]);
void clock_format_hms(int64_t wall_ms, char buf[16]);
/* "30 Nov 2026" in local time, the month in English; buf of at least 16 bytes. */
void clock_format_day(int64_t wall_ms, char buf[16]);
/* "20261130T132801Z" for file names. */
void clock_format_compact(int64_t wall_ms, char buf[32]);

#endif
