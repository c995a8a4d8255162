package verify_test

import (
	"testing"

	"github.com/govyre/vyre/ir/text"
)

// Each clause of ir.Traits.Deterministic has programs on both sides: they differ in what the clause is about alone.
func TestProgramsOnBothSidesOfEveryClauseOfDeterminism(t *testing.T) {
	const (
		id   = "%i = global.x\n"
		loc  = "%l = local.x\n"
		name = "%i = global.x\n%l = local.x\n%g = group.x\n"
		zero = loc + "store @s[%l], 0_u32\nbarrier.wg\n"
	)
	for _, c := range []struct {
		clause  string
		is, not string
		group   string // 32 if empty
	}{
		{"the class is exact", id + "%v = load @r[%i]\n%b = bitcast.f32.u32 %v\n%e = sqrt.f32 %b\n%w = bitcast.u32.f32 %e\nstore @x[%i], %w",
			id + "%v = load @r[%i]\n%b = bitcast.f32.u32 %v\n%e = fast_exp2.f32 %b\n%w = bitcast.u32.f32 %e\nstore @x[%i], %w", ""},
		{"no clock", id + "store @x[%i], 1_u32", id + "%t = clock\n%v = cvt.u32.u64 %t\nstore @x[%i], %v", ""},
		{"no trace", id + "store @x[%i], 1_u32", id + "trace %i, #1\nstore @x[%i], 1_u32", ""},
		{"atomics of integers", "atomic_add.relaxed.dev @x[0_u32], 1_u32", "atomic_add.relaxed.dev @f[0_u32], 1_f32", ""},
		{"atomics that commute", "atomic_max.relaxed.dev @x[0_u32], 1_u32", id + "%o = atomic_exch.relaxed.dev @x[0_u32], %i", ""},
		{"atomics of one op an object", "atomic_add.relaxed.dev @x[0_u32], 1_u32\natomic_xor.relaxed.dev @y[0_u32], 1_u32",
			"atomic_add.relaxed.dev @x[0_u32], 1_u32\natomic_xor.relaxed.dev @x[0_u32], 1_u32", ""},
		{"results of atomics unused", id + "%o = atomic_add.relaxed.dev @x[0_u32], 1_u32\nstore @y[%i], %i",
			id + "%o = atomic_add.relaxed.dev @x[0_u32], 1_u32\nstore @y[%i], %o", ""},
		{"a scope that all who come have", zero + "atomic_add.relaxed.wg @s[0_u32], 1_u32", "atomic_add.relaxed.wg @x[0_u32], 1_u32", ""},
		{"no loads beside atomics", id + "atomic_add.relaxed.dev @x[0_u32], 1_u32\n%v = load @y[0_u32]\nstore @z[%i], %v",
			id + "atomic_add.relaxed.dev @x[0_u32], 1_u32\n%v = load @x[0_u32]\nstore @z[%i], %v", ""},
		{"no stores beside atomics", id + "atomic_add.relaxed.dev @x[0_u32], 1_u32\nstore @y[%i], 1_u32",
			id + "atomic_add.relaxed.dev @x[0_u32], 1_u32\nstore @x[%i], 1_u32", ""},
		{"atomic loads of what nobody writes", id + "%v = atomic_load.relaxed.dev @y[0_u32]\nstore @x[%i], %v",
			id + "%v = atomic_load.relaxed.dev @x[0_u32]\nstore @x[%i], %v", ""},

		{"stores at an index for each", id + "store @x[%i], %i", id + "%h = shr.u32 %i, 1_u32\nstore @x[%h], %i", ""},
		{"by the global id, not the local one", id + "store @x[%i], %i", loc + "store @x[%l], %l", ""},
		{"of a group with one axis", id + "store @x[%i], %i", id + "store @x[%i], %i\n", "8, 4"},
		{"a sum that numbers all", "%a = local.x\n%b = local.y\n%m = mul.u32 %b, 8_u32\n%k = add.u32 %a, %m\nstore @s[%k], 1_u32",
			"%a = local.x\n%b = local.y\n%m = mul.u32 %b, 7_u32\n%k = add.u32 %a, %m\nstore @s[%k], 1_u32", "8, 4"},
		{"an offset that is the launch's", id + "%j = add.u32 %i, %n\nstore @x[%j], 1_u32", id + "%m = load @r[0_u32]\n%j = add.u32 %i, %m\nstore @x[%j], 1_u32", ""},
		{"room for what each stores", id + "%a = mul.u32 %i, 2_u32\n%b = add.u32 %a, 1_u32\nstore @x[%a], 1_u32\nstore @x[%b], 2_u32",
			id + "%a = mul.u32 %i, 2_u32\n%b = add.u32 %a, 2_u32\nstore @x[%a], 1_u32\nstore @x[%b], 2_u32", ""},
		{"room for vectors", id + "%v = vec %i, %i\nstore.v2 @x[%i], %v\n%a = mul.u32 %i, 2_u32\nstore @x[%a], 1_u32",
			id + "%v = vec %i, %i\nstore.v2 @x[%i], %v\nstore @x[%i], 1_u32", ""},
		{"products that do not wrap", id + "%a = mul.u32 %i, 2_u32\nstore @x[%a], 1_u32", id + "%a = mul.u32 %i, 4_u32\nstore @x[%a], 1_u32", ""},
		{"loads of one's own cell", id + "%v = load @x[%i]\nstore @x[%i], %v", id + "%j = add.u32 %i, 1_u32\n%v = load @x[%j]\nstore @x[%i], %v", ""},

		{"one invocation, by its global id", id + "%c = eq.u32 %i, 3_u32\nif %c { store @x[0_u32], 1_u32 }", loc + "%c = eq.u32 %l, 3_u32\nif %c { store @x[0_u32], 1_u32 }", ""},
		{"one invocation of a group, at the group's cell", name + "%c = eq.u32 %l, 0_u32\nif %c { store @x[%g], 1_u32 }",
			name + "%c = lt.u32 %l, 2_u32\nif %c { store @x[%g], 1_u32 }", ""},
		{"one invocation, where the others have left", id + "%c = ne.u32 %i, 0_u32\nif %c { return }\nstore @x[0_u32], 1_u32",
			id + "%c = eq.u32 %i, 0_u32\nif %c { return }\nstore @x[0_u32], 1_u32", ""},
		{"one invocation, from where the others have left on", id + "%c = ne.u32 %i, 0_u32\nif %c { return }\nstore @x[0_u32], 1_u32",
			id + "store @x[0_u32], 1_u32\n%c = ne.u32 %i, 0_u32\nif %c { return }", ""},
		{"one invocation, by && of conditions", name + "%c = eq.u32 %l, 0_u32\n%d = if %c -> (bool) {\n%e = eq.u32 %g, %n\nyield %e\n} else {\nyield false\n}\nif %d { store @x[0_u32], 1_u32 }",
			name + "%c = eq.u32 %l, 0_u32\n%d = if %c -> (bool) {\nyield true\n} else {\n%e = eq.u32 %g, %n\nyield %e\n}\nif %d { store @x[0_u32], 1_u32 }", ""},
		{"a condition on what is the launch's", id + "%c = eq.u32 %i, %n\nif %c { store @x[0_u32], 1_u32 }",
			id + "%m = load @r[%i]\n%c = eq.u32 %i, %m\nif %c { store @x[0_u32], 1_u32 }", ""},

		{"steps of as many as there are", id + "loop ^l (%j: u32 = %i) {\n%k = len @x\n%c = le.u32 %k, %j\nif %c { break ^l }\nstore @x[%j], 1_u32\n%s = groups.x\n%m = mul.u32 %s, 32_u32\n%o = add.u32 %j, %m\ncontinue ^l (%o)\n}",
			id + "loop ^l (%j: u32 = %i) {\n%k = len @x\n%c = le.u32 %k, %j\nif %c { break ^l }\nstore @x[%j], 1_u32\n%s = groups.x\n%m = mul.u32 %s, 16_u32\n%o = add.u32 %j, %m\ncontinue ^l (%o)\n}", ""},
		{"steps below a length", id + "loop ^l (%j: u32 = %i) {\n%k = len @x\n%c = le.u32 %k, %j\nif %c { break ^l }\nstore @x[%j], 1_u32\n%s = groups.x\n%m = mul.u32 %s, 32_u32\n%o = add.u32 %j, %m\ncontinue ^l (%o)\n}",
			id + "loop ^l (%j: u32 = %i) {\n%c = le.u32 %n, %j\nif %c { break ^l }\nstore @x[%j], 1_u32\n%s = groups.x\n%m = mul.u32 %s, 32_u32\n%o = add.u32 %j, %m\ncontinue ^l (%o)\n}", ""},

		{"others after a barrier", zero + "%i = global.x\n%m = xor.u32 %l, 1_u32\n%v = load @s[%m]\nstore @z[%i], %v", loc + "%i = global.x\nstore @s[%l], 0_u32\n%m = xor.u32 %l, 1_u32\n%v = load @s[%m]\nstore @z[%i], %v", ""},
		{"a barrier of all who come", id + "store @x[%i], 1_u32\nbarrier.grid\n%m = xor.u32 %i, 1_u32\n%v = load @x[%m]\nstore @y[%i], %v",
			id + "store @x[%i], 1_u32\nbarrier.wg\n%m = xor.u32 %i, 1_u32\n%v = load @x[%m]\nstore @y[%i], %v", ""},
		{"a barrier in every round", zero + "loop ^l (%k: u32 = 0_u32) {\n%m = xor.u32 %l, 1_u32\n%v = load @s[%m]\nbarrier.wg\nstore @s[%l], %v\nbarrier.wg\n%c = lt.u32 3_u32, %k\nif %c { break ^l }\n%o = add.u32 %k, 1_u32\ncontinue ^l (%o)\n}",
			zero + "loop ^l (%k: u32 = 0_u32) {\n%m = xor.u32 %l, 1_u32\n%v = load @s[%m]\nbarrier.wg\nstore @s[%l], %v\n%c = lt.u32 3_u32, %k\nif %c { break ^l }\n%o = add.u32 %k, 1_u32\ncontinue ^l (%o)\n}", ""},

		{"shared arrays that were written", zero + "%v = load @s[%l]\natomic_add.relaxed.dev @x[0_u32], %v", loc + "%v = load @s[%l]\natomic_add.relaxed.dev @x[0_u32], %v", ""},
		{"all of them, before others read", zero + "%v = load @s[%n]\natomic_add.relaxed.dev @x[0_u32], %v",
			loc + "store @t[%l], 0_u32\nbarrier.wg\n%v = load @t[%n]\natomic_add.relaxed.dev @x[0_u32], %v", ""},
		{"by everybody", zero + "%v = load @s[%n]\natomic_add.relaxed.dev @x[0_u32], %v",
			loc + "%c = lt.u32 %l, 9_u32\nif %c { store @s[%l], 0_u32 }\nbarrier.wg\n%v = load @s[%n]\natomic_add.relaxed.dev @x[0_u32], %v", ""},
		{"by the one invocation of each group", loc + "%c = eq.u32 %l, 0_u32\nif %c { store @o[0_u32], 7_u32 }\nbarrier.wg\n%v = load @o[0_u32]\natomic_add.relaxed.dev @x[0_u32], %v",
			loc + "%c = eq.u32 %l, %n\nif %c { store @o[0_u32], 7_u32 }\nbarrier.wg\n%v = load @o[0_u32]\natomic_add.relaxed.dev @x[0_u32], %v", ""},
		{"in a loop that comes to all", loc + "loop ^l (%j: u32 = %l) {\n%k = len @t\n%c = le.u32 %k, %j\nif %c { break ^l }\nstore @t[%j], 1_u32\n%o = add.u32 %j, 32_u32\ncontinue ^l (%o)\n}\nbarrier.wg\n%v = load @t[%n]\natomic_add.relaxed.dev @x[0_u32], %v",
			loc + "loop ^l (%j: u32 = %l) {\n%k = len @t\n%c = le.u32 %k, %j\nif %c { break ^l }\nstore @t[%j], 1_u32\n%d = lt.u32 %n, %j\nif %d { break ^l }\n%o = add.u32 %j, 32_u32\ncontinue ^l (%o)\n}\nbarrier.wg\n%v = load @t[%n]\natomic_add.relaxed.dev @x[0_u32], %v", ""},
		{"local arrays that were written", id + "store @a[0_u32], 1_u32\nstore @a[1_u32], 2_u32\n%v = load @a[%n]\nstore @x[%i], %v",
			id + "store @a[0_u32], 1_u32\n%v = load @a[%n]\nstore @x[%i], %v", ""},
		{"at the cell that is read", id + "store @a[%n], 1_u32\n%v = load @a[%n]\nstore @x[%i], %v", id + "store @a[%n], 1_u32\n%m = xor.u32 %n, 1_u32\n%v = load @a[%m]\nstore @x[%i], %v", ""},
	} {
		group := c.group
		if group == "" {
			group = "32"
		}
		for _, side := range []struct {
			body string
			want bool
		}{{c.is, c.group == "" || c.clause != "of a group with one axis"}, {c.not, false}} {
			source := "vyre 1\n\nkernel @k workgroup(" + group + ") {\nparam @r: buf<u32> ro\nparam %n: u32\nparam @x: buf<u32> rw\nparam @y: buf<u32> rw\n" +
				"param @z: buf<u32> rw\nparam @f: buf<f32> rw\nshared @s: u32[32]\nshared @t: u32[64]\nshared @o: u32[1]\nlocal @a: u32[2]\n" + side.body + "\n}\n"
			ps, err := text.Parse("clause", source)
			if err != nil {
				t.Errorf("%s: %v\n%s", c.clause, err, side.body)
				continue
			}
			if got := ps[0].Traits().Deterministic; got != side.want {
				t.Errorf("%s: deterministic is %v, want %v:\n%s", c.clause, got, side.want, side.body)
			}
		}
	}
}
