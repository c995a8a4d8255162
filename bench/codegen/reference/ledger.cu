// Ledger reads lines with a date, an amount and a currency into columns, a line a thread.
#include "twin.h"

struct Field {
	const u8 *at, *end;

	__device__ int number(int most, s64 &v)
	{
		int digits = 0;
		for (v = 0; digits < most && at < end && *at >= '0' && *at <= '9'; digits++)
			v = v * 10 + (*at++ - '0');
		return digits;
	}

	__device__ bool skip(u8 c)
	{
		if (at == end || *at != c)
			return false;
		at++;
		return true;
	}

	__device__ bool date(int &days)
	{
		const u16 before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
		s64 year, month, day;
		if (number(4, year) != 4 || !skip('-'))
			return false;
		if (number(2, month) != 2 || month < 1 || month > 12 || !skip('-'))
			return false;
		if (number(2, day) != 2 || day < 1 || day > 31)
			return false;
		bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
		s64 past = year - 1;
		days = past * 365 + past / 4 - past / 100 + past / 400 + before[month - 1] + day - 1 - 719162 + (leap && month > 2);
		return true;
	}

	__device__ bool cents(s64 &v)
	{
		bool negative = skip('-');
		if (number(15, v) == 0)
			return false;
		v *= 100;
		if (skip('.')) {
			s64 part;
			if (number(2, part) != 2)
				return false;
			v += part;
		}
		if (negative)
			v = -v;
		return true;
	}
};

static __device__ u8 line(const u8 *text, const u8 *end, int &days, s64 &cents, u8 &currency)
{
	const u8 names[4][4] = {"EUR", "USD", "JPY", "CHF"};
	Field f = {text, end};
	if (!f.date(days) || !f.skip(','))
		return 1;
	if (!f.cents(cents) || !f.skip(','))
		return 2;
	for (int k = 0; k < 4; k++)
		if (end - f.at >= 3 && f.at[0] == names[k][0] && f.at[1] == names[k][1] && f.at[2] == names[k][2]) {
			currency = k;
			return 0;
		}
	return 3;
}

static __device__ void row(const u8 *text, const u8 *end, int *day, s64 *cent, u8 *currency, u8 *flaw)
{
	int d = 0;
	s64 c = 0;
	u8 money = 0, bad = line(text, end, d, c, money);
	*day = bad ? 0 : d;
	*cent = bad ? 0 : c;
	*currency = money;
	*flaw = bad;
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(128)
Ledger(const unsigned *__restrict__ starts, unsigned, const u8 *__restrict__ text, unsigned, int *__restrict__ days, unsigned,
       s64 *__restrict__ cents, unsigned, u8 *__restrict__ currency, unsigned, u8 *__restrict__ flaws, unsigned n)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i < n)
		row(text + starts[i], text + starts[i + 1], days + i, cents + i, currency + i, flaws + i);
}
#else
static void twin(const Arg *a)
{
	const unsigned *starts = a[0];
	const u8 *text = a[1];
	int *days = a[2];
	s64 *cents = a[3];
	u8 *currency = a[4], *flaws = a[5];
	for (u64 i = 0; i < a[5].n; i++)
		row(text + starts[i], text + starts[i + 1], days + i, cents + i, currency + i, flaws + i);
}
#endif
