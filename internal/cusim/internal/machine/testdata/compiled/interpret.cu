// A machine with a few instructions, which differ between lanes: a switch that becomes a table.
extern "C" __global__ void interpret(const unsigned *code, int *out, unsigned n, unsigned length) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int acc = (int)i, other = 1;
	for (unsigned pc = 0; pc < length; pc++) {
		switch (code[i * length + pc]) {
		case 0: acc += other; break;
		case 1: acc -= 7; break;
		case 2: acc *= 3; break;
		case 3: other = acc; break;
		case 4: acc ^= 0x55; break;
		case 5: acc = acc < 0 ? -acc : acc; break;
		case 6: acc = (acc << 3) | (int)((unsigned)acc >> 29); break;
		case 7: acc = __popc(acc); break;
		case 8: other += 2;
			if (other > 20)
				other = acc & 15;
			break;
		case 9: pc++; break;
		default: out[i] = -acc; return;
		}
	}
	out[i] = acc;
}
