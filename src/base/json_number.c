#include "config.h"

#include "base/json_scan.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MAX (INT64_C(1) << 53)
#define EXPONENT_CAP 1000000

/* A decimal number as its significant digits and a power of ten. */
struct decimal {
	char digits[JSON_NUMBER_BYTES_MAX];
	size_t count;
	long exponent;
};

static void strip_zeros(struct decimal *d)
{
	size_t lead = 0;

	while (d->count > 0 && d->digits[d->count - 1] == '0') {
		d->count--;
		d->exponent++;
	}
	while (lead < d->count && d->digits[lead] == '0')
		lead++;
	d->count -= lead;
	memmove(d->digits, d->digits + lead, d->count);
}

static int split(const char *at, struct decimal *d)
{
	bool fraction = false;

	for (; *at != '\0' && *at != 'e' && *at != 'E'; at++) {
		if (*at == '.') {
			fraction = true;
			continue;
		}
		if (d->count == sizeof(d->digits))
			return -1;
		d->digits[d->count++] = *at;
		d->exponent -= fraction;
	}
	if (*at != '\0') {
		long exponent = strtol(at + 1, NULL, 10);

		if (labs(exponent) > EXPONENT_CAP)
			exponent = exponent < 0 ? -EXPONENT_CAP : EXPONENT_CAP;
		d->exponent += exponent;
	}
	strip_zeros(d);
	return 0;
}

int json_number_exact(const char *spelling, int64_t *ret)
{
	bool negative = spelling[0] == '-';
	struct decimal d = {0};
	int64_t value = 0;

	if (split(spelling + negative, &d) < 0)
		return -1;
	if (d.count > 0 && (d.exponent < 0 || d.exponent > 16 || d.count > 16))
		return -1;
	for (size_t i = 0; i < d.count; i++)
		value = value * 10 + (d.digits[i] - '0');
	for (long e = d.count > 0 ? d.exponent : 0; e > 0; e--) {
		if (value > WHOLE_MAX)
			return -1;
		value *= 10;
	}
	if (value > WHOLE_MAX)
		return -1;
	*ret = negative ? -value : value;
	return 0;
}

int json_number_finite(const char *bytes, size_t len)
{
	char copy[JSON_NUMBER_BYTES_MAX + 1];

	/* 63 digits are far below 1e308: only an exponent can leave the range. */
	if (memchr(bytes, 'e', len) == NULL && memchr(bytes, 'E', len) == NULL)
		return 0;
	memcpy(copy, bytes, len);
	copy[len] = '\0';
	/* The decimal point of the person's locale must not decide what a number is. */
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c_locale == (locale_t)0)
		abort();
	double value = strtod_l(copy, NULL, c_locale);
	freelocale(c_locale);
	return isfinite(value) ? 0 : -1;
}
