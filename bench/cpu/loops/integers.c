// Loops on integers, and those that go where data says.
#include "loops.h"

enum { PACKETS = 1024, PACKET = 256, PAIRS = 2048, LETTERS = 32, POWERS = 1024, QUEENS = 9, BOARDS = 729, NODES = 16384, SLOTS = 32768, KEYS = 16384 };

static uint32_t packets[PACKETS][PACKET / 4], sums[PACKETS], table[256];

static void make_packets(void) {
	words(packets, PACKETS * PACKET / 4, 0);
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
}
static void crc32(void) {
	for (int i = 0; i < PACKETS; i++) {
		const uint8_t *at = (const uint8_t *)packets[i];
		uint32_t crc = ~0u;
		for (int k = 0; k < PACKET; k++) crc = crc >> 8 ^ table[(crc ^ at[k]) & 255];
		sums[i] = ~crc;
	}
}

static uint8_t first[PAIRS][LETTERS], second[PAIRS][LETTERS];
static uint32_t distances[PAIRS];

static void make_pairs(void) {
	words(first, PAIRS * LETTERS / 4, 0), words(second, PAIRS * LETTERS / 4, PAIRS * LETTERS / 4);
	for (int i = 0; i < PAIRS; i++)
		for (int k = 0; k < LETTERS; k++) first[i][k] &= 3, second[i][k] &= 3;
}
static void edit(void) {
	for (int i = 0; i < PAIRS; i++) {
		uint32_t row[LETTERS + 1];
		for (int k = 0; k <= LETTERS; k++) row[k] = k;
		for (int j = 0; j < LETTERS; j++) {
			uint32_t diagonal = row[0];
			row[0] = j + 1;
			for (int k = 0; k < LETTERS; k++) {
				uint32_t cost = diagonal + (first[i][j] != second[i][k]);
				diagonal = row[k + 1];
				row[k + 1] = min_u32(cost, min_u32(row[k], diagonal) + 1);
			}
		}
		distances[i] = row[LETTERS];
	}
}

static uint64_t bases[POWERS], powers[POWERS], modulus, power, inverse, square;

static void make_powers(void) {
	modulus = (1ull << 63) - 25, power = 0xc0ffee1234567, inverse = 1;
	for (int i = 0; i < 6; i++) inverse *= 2 - modulus * inverse;
	inverse = -inverse;
	unsigned __int128 one = ((unsigned __int128)1 << 64) % modulus;
	square = one * one % modulus;
	for (uint32_t i = 0; i < POWERS; i++) bases[i] = ((uint64_t)mix(2 * i + 1) << 32 | mix(2 * i)) % modulus;
}
static uint64_t montgomery(uint64_t a, uint64_t b) {
	unsigned __int128 p = (unsigned __int128)a * b, q = (unsigned __int128)((uint64_t)p * inverse) * modulus;
	uint64_t r = (uint64_t)(p >> 64) + (uint64_t)(q >> 64) + ((uint64_t)p + (uint64_t)q < (uint64_t)p);
	return r >= modulus ? r - modulus : r;
}
static void raise(void) {
	for (int i = 0; i < POWERS; i++) {
		uint64_t base = montgomery(bases[i], square), all = montgomery(1, square);
		for (uint64_t e = power; e > 0; e >>= 1) {
			if (e & 1) all = montgomery(all, base);
			base = montgomery(base, base);
		}
		powers[i] = montgomery(all, 1);
	}
}

static uint32_t counts[BOARDS];
struct board { uint32_t columns, down, up, left; };

static struct board with(struct board b, uint32_t queen) {
	b.columns |= queen, b.down = (b.down | queen) << 1, b.up = (b.up | queen) >> 1;
	b.left = ((1 << QUEENS) - 1) & ~(b.columns | b.down | b.up);
	return b;
}
static uint32_t ways(struct board b, uint32_t depth) {
	struct board stack[20];
	uint32_t top = 0, found = 0;
	for (;;) {
		if (b.left == 0) {
			if (top == 0) return found;
			b = stack[--top];
			continue;
		}
		uint32_t queen = b.left & -b.left;
		b.left ^= queen;
		if (depth + top + 1 == QUEENS) {
			found++;
			continue;
		}
		stack[top++] = b;
		b = with(b, queen);
	}
}
static void nothing(void) {}
static void place(void) {
	for (uint32_t i = 0; i < BOARDS; i++) {
		struct board b = {0, 0, 0, (1 << QUEENS) - 1};
		uint32_t rest = i, k = 0;
		for (; k < 3; k++, rest /= QUEENS) {
			uint32_t queen = 1u << rest % QUEENS;
			if (!(b.left & queen)) break;
			b = with(b, queen);
		}
		counts[i] = k < 3 ? 0 : ways(b, 3);
	}
}

static uint32_t rows[NODES + 1], arcs[NODES * 56], frontier[NODES / 32], visited[NODES / 32], next[NODES / 32];

static void make_graph(void) {
	for (uint32_t v = 0; v < NODES; v++) rows[v + 1] = rows[v] + 8 + mix(v) % 49;
	for (uint32_t i = 0; i < rows[NODES]; i++) arcs[i] = mix(i + NODES) % NODES;
	words(frontier, NODES / 32, 1 << 24), words(visited, NODES / 32, 1 << 25);
}
static void again_graph(void) { memset(next, 0, sizeof next); }
static void level(void) {
	for (uint32_t v = 0; v < NODES; v++) {
		if (!(frontier[v / 32] >> v % 32 & 1)) continue;
		for (uint32_t j = rows[v]; j < rows[v + 1]; j++) {
			uint32_t w = arcs[j], bit = 1u << w % 32;
			if (!(visited[w / 32] & bit)) next[w / 32] |= bit;
		}
	}
}

static struct { uint64_t key, value; } slots[SLOTS];
static uint64_t keys[KEYS], found[KEYS];

static uint64_t key_of(uint32_t i) { return (uint64_t)mix(2 * i + 1) << 32 | mix(2 * i); }
static uint64_t hashed(uint64_t k) {
	k = (k ^ k >> 33) * 0xff51afd7ed558ccd;
	k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53;
	return k ^ k >> 33;
}
static void make_table(void) {
	for (uint32_t i = 0; i < SLOTS / 2; i++) {
		uint64_t at = hashed(key_of(i + 1)) % SLOTS;
		while (slots[at].key) at = (at + 1) % SLOTS;
		slots[at].key = key_of(i + 1), slots[at].value = i;
	}
	for (uint32_t i = 0; i < KEYS; i++) keys[i] = key_of(1 + mix(i) % (SLOTS / 2 + SLOTS / 6));
}
static void look(void) {
	for (int i = 0; i < KEYS; i++) {
		uint64_t at = hashed(keys[i]) % SLOTS;
		while (slots[at].key && slots[at].key != keys[i]) at = (at + 1) % SLOTS;
		found[i] = slots[at].key ? slots[at].value : 0;
	}
}

const struct problem integers[] = {
	{"crc32", make_packets, 0, crc32, sums, sizeof sums},
	{"editdistance", make_pairs, 0, edit, distances, sizeof distances},
	{"powmod", make_powers, 0, raise, powers, sizeof powers},
	{"queens", nothing, 0, place, counts, sizeof counts},
	{"bfs", make_graph, again_graph, level, next, sizeof next},
	{"lookup", make_table, 0, look, found, sizeof found},
	{0},
};
