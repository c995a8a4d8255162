// Lookup finds keys in a hash table with open addressing, a key a thread.
typedef unsigned long long u64;

static __device__ u64 hashed(u64 k)
{
	k = (k ^ k >> 33) * 0xff51afd7ed558ccd;
	k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53;
	return k ^ k >> 33;
}

extern "C" __global__ void __launch_bounds__(256)
Lookup(const ulonglong2 *__restrict__ table, unsigned slots, const u64 *__restrict__ keys, unsigned n, u64 *__restrict__ values, unsigned)
{
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	u64 key = keys[i], mask = slots - 1, value = 0;
	for (u64 at = hashed(key) & mask;; at = (at + 1) & mask) {
		ulonglong2 slot = table[at]; // key, value
		if (slot.x == key) {
			value = slot.y;
			break;
		}
		if (slot.x == 0)
			break;
	}
	values[i] = value;
}
