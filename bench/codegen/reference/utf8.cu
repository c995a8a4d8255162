// UTF8 finds how far each text is valid UTF-8, a text a thread.
struct __align__(8) Prefix {
	unsigned bytes, characters;
};

static __device__ unsigned characterLength(const unsigned char *__restrict__ text, unsigned length)
{
	unsigned char first = text[0];
	if (first < 0x80)
		return 1;
	unsigned n;
	unsigned char least = 0x80, most = 0xbf;
	if (first < 0xc2)
		return 0;
	if (first < 0xe0) {
		n = 2;
	} else if (first < 0xf0) {
		n = 3;
		if (first == 0xe0)
			least = 0xa0;
		else if (first == 0xed)
			most = 0x9f;
	} else if (first < 0xf5) {
		n = 4;
		if (first == 0xf0)
			least = 0x90;
		else if (first == 0xf4)
			most = 0x8f;
	} else {
		return 0;
	}
	if (length < n)
		return 0;
	if (text[1] < least || text[1] > most)
		return 0;
	for (unsigned k = 2; k < n; k++)
		if ((text[k] & 0xc0) != 0x80)
			return 0;
	return n;
}

extern "C" __global__ void __launch_bounds__(128)
UTF8(const unsigned *__restrict__ starts, unsigned, const unsigned char *__restrict__ letters, unsigned,
     Prefix *__restrict__ prefixes, unsigned n)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	unsigned length = starts[i + 1] - starts[i];
	const unsigned char *text = letters + starts[i];
	Prefix valid = {0, 0};
	while (valid.bytes < length) {
		unsigned k = characterLength(text + valid.bytes, length - valid.bytes);
		if (k == 0)
			break;
		valid.bytes += k;
		valid.characters++;
	}
	prefixes[i] = valid;
}
