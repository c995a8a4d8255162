package rules

import "sync"

// simplify has the rules with which the optimiser's pass algebra rewrites, always to something cheaper or more canonical.
// Integer rules hold modulo 2^width for every width. Float rules are exact for every input, zeros of both signs,
// infinities and subnormals included, a NaN giving some NaN.
//
// A rule that is missing here may be missing on purpose; refute_test.go has the counterexamples.
const simplify = `
add-zero        int    (add ?x 0)                       => ?x
add-const       int    (add (add ?x #a) #b)             => (add ?x (add #a #b))
add-from        int    (add (sub #a ?x) #b)             => (sub (add #a #b) ?x)
add-sub         int    (add (sub ?x ?y) ?y)             => ?x
sub-zero        int    (sub ?x 0)                       => ?x
sub-self        int    (sub ?x ?x)                      => 0
sub-and         int    (sub ?x (and ?x #a))             => (and ?x (not #a))
sub-twice-and   int    (sub (shl ?x 1) (and ?x #a))     => (add ?x (and ?x (not #a)))
sub-const       int    (sub ?x #a)                      => (add ?x (neg #a))
sub-from-zero   int    (sub 0 ?x)                       => (neg ?x)
sub-from-add    int    (sub #a (add ?x #b))             => (sub (sub #a #b) ?x)
sub-from-sub    int    (sub #a (sub #b ?x))             => (add ?x (sub #a #b))
sub-add         int    (sub (add ?x ?y) ?y)             => ?x
sub-add-back    int    (sub ?x (add ?x ?y))             => (neg ?y)
sub-sub-back    int    (sub ?x (sub ?x ?y))             => ?y
sub-sub-self    int    (sub (sub ?x ?y) ?x)             => (neg ?y)
sub-from-ones   int    (sub ones ?x)                    => (not ?x)
neg-neg         real   (neg (neg ?x))                   => ?x
neg-neg-int     int    (neg (neg ?x))                   => ?x
neg-sub         int    (neg (sub ?x ?y))                => (sub ?y ?x)
neg-mul         int    (neg (mul ?x #a))                => (mul ?x (neg #a))
neg-add-const   int    (neg (add ?x #a))                => (sub (neg #a) ?x)
add-neg         int    (add ?x (neg ?y))                => (sub ?x ?y)
add-not         int    (add ?x (not ?x))                => ones
sub-neg         int    (sub ?x (neg ?y))                => (add ?x ?y)
mul-zero        int    (mul ?x 0)                       => 0
mul-one         int    (mul ?x 1)                       => ?x
mul-ones        int    (mul ?x ones)                    => (neg ?x)
mul-const       int    (mul (mul ?x #a) #b)             => (mul ?x (mul #a #b))
mul-shl         int    (mul (shl ?x #k) #a)             => (mul ?x (shl #a #k))
mul-neg         int    (mul (neg ?x) (neg ?y))          => (mul ?x ?y)
mul-pow2        int    (mul ?x #a)                      => (shl ?x (ctz #a))              when pow2 #a
shl-mul         int    (shl (mul ?x #a) #k)             => (mul ?x (shl #a #k))
mulhi-zero      int    (mulhi ?x 0)                     => 0
mulhi-one       uint   (mulhi ?x 1)                     => 0
mulhi-pow2      uint   (mulhi ?x #a)                    => (shr ?x (sub width (ctz #a)))  when pow2 #a
div-zero        uint   (div ?x 0)                       => ones
div-zero-signed sint   (div ?x 0)                       => 0
div-one         int    (div ?x 1)                       => ?x
div-ones        sint   (div ?x ones)                    => (neg ?x)
div-of-zero     sint   (div 0 ?x)                       => 0
div-pow2        uint   (div ?x #a)                      => (shr ?x (ctz #a))              when pow2 #a
div-div         uint   (div (div ?x #a) #b)             => (div ?x (mul #a #b))           when product-fits #a #b
rem-zero        int    (rem ?x 0)                       => 0
rem-one         int    (rem ?x 1)                       => 0
rem-ones        sint   (rem ?x ones)                    => 0
rem-of-zero     int    (rem 0 ?x)                       => 0
rem-self        int    (rem ?x ?x)                      => 0
rem-rem         int    (rem (rem ?x #a) #a)             => (rem ?x #a)
rem-pow2        uint   (rem ?x #a)                      => (and ?x (sub #a 1))            when pow2 #a
min-self        any    (min ?x ?x)                      => ?x
max-self        any    (max ?x ?x)                      => ?x
min-const       int    (min (min ?x #a) #b)             => (min ?x (min #a #b))
max-const       int    (max (max ?x #a) #b)             => (max ?x (max #a #b))
min-again       int    (min (min ?x ?y) ?y)             => (min ?x ?y)
min-max         int    (min ?x (max ?x ?y))             => ?x
max-min         int    (max ?x (min ?x ?y))             => ?x
min-zero        uint   (min ?x 0)                       => 0
max-zero        uint   (max ?x 0)                       => ?x
min-ones        uint   (min ?x ones)                    => ?x
max-ones        uint   (max ?x ones)                    => ones
min-top         sint   (min ?x top)                     => top
max-top         sint   (max ?x top)                     => ?x
absdiff-self    int    (absdiff ?x ?x)                  => 0
abs-abs         any    (abs (abs ?x))                   => (abs ?x)
abs-neg         any    (abs (neg ?x))                   => (abs ?x)
addsat-zero     int    (addsat ?x 0)                    => ?x
subsat-zero     int    (subsat ?x 0)                    => ?x
subsat-self     int    (subsat ?x ?x)                   => 0
mulsat-zero     int    (mulsat ?x 0)                    => 0
mulsat-one      int    (mulsat ?x 1)                    => ?x

and-zero        int    (and ?x 0)                       => 0
and-ones        int    (and ?x ones)                    => ?x
and-self        bits   (and ?x ?x)                      => ?x
and-not         int    (and ?x (not ?x))                => 0
and-const       int    (and (and ?x #a) #b)             => (and ?x (and #a #b))
and-or          bits   (and ?x (or ?x ?y))              => ?x
and-and         bits   (and (and ?x ?y) ?y)             => (and ?x ?y)
and-or-const    int    (and (or ?x #a) #b)              => (and ?x #b)                    when disjoint #a #b
or-zero         int    (or ?x 0)                        => ?x
or-ones         int    (or ?x ones)                     => ones
or-self         bits   (or ?x ?x)                       => ?x
or-not          int    (or ?x (not ?x))                 => ones
or-const        int    (or (or ?x #a) #b)               => (or ?x (or #a #b))
or-and          bits   (or ?x (and ?x ?y))              => ?x
or-or           bits   (or (or ?x ?y) ?y)               => (or ?x ?y)
or-xor          bits   (or (xor ?x ?y) ?y)              => (or ?x ?y)
xor-zero        int    (xor ?x 0)                       => ?x
xor-ones        int    (xor ?x ones)                    => (not ?x)
xor-self        int    (xor ?x ?x)                      => 0
xor-not         int    (xor ?x (not ?x))                => ones
xor-const       int    (xor (xor ?x #a) #b)             => (xor ?x (xor #a #b))
xor-xor         bits   (xor (xor ?x ?y) ?y)             => ?x
not-not         bits   (not (not ?x))                   => ?x
not-neg         int    (not (neg ?x))                   => (add ?x ones)
neg-not         int    (neg (not ?x))                   => (add ?x 1)
not-add-const   int    (not (add ?x #a))                => (sub (not #a) ?x)
not-from        int    (not (sub #a ?x))                => (add ?x (not #a))
shl-zero        int    (shl ?x 0)                       => ?x
shr-zero        int    (shr ?x 0)                       => ?x
shl-of-zero     int    (shl 0 ?k)                       => 0
shr-of-zero     int    (shr 0 ?k)                       => 0
shl-out         int    (shl ?x #k)                      => 0                              when over #k
shr-out         uint   (shr ?x #k)                      => 0                              when over #k
shl-shl         int    (shl (shl ?x #k) #j)             => (shl ?x (addsat #k #j))
shr-shr         int    (shr (shr ?x #k) #j)             => (shr ?x (addsat #k #j))
shl-shr         int    (shl (shr ?x #k) #k)             => (and ?x (shl ones #k))
shr-shl         uint   (shr (shl ?x #k) #k)             => (and ?x (shr ones #k))
rotl-zero       int    (rotl ?x 0)                      => ?x
rotr-zero       int    (rotr ?x 0)                      => ?x
rotl-rotl       int    (rotl (rotl ?x #k) #j)           => (rotl ?x (add #k #j))
rotr-const      int    (rotr ?x #k)                     => (rotl ?x (neg #k))
brev-brev       int    (brev (brev ?x))                 => ?x

eq-self         int    (eq ?x ?x)                       => true
ne-self         int    (ne ?x ?x)                       => false
lt-self         any    (lt ?x ?x)                       => false
le-self         int    (le ?x ?x)                       => true
eq-add          int    (eq (add ?x #a) #b)              => (eq ?x (sub #b #a))
ne-add          int    (ne (add ?x #a) #b)              => (ne ?x (sub #b #a))
eq-from         int    (eq (sub #a ?x) #b)              => (eq ?x (sub #a #b))
ne-from         int    (ne (sub #a ?x) #b)              => (ne ?x (sub #a #b))
eq-sub          int    (eq (sub ?x ?y) 0)               => (eq ?x ?y)
ne-sub          int    (ne (sub ?x ?y) 0)               => (ne ?x ?y)
eq-xor          int    (eq (xor ?x #a) #b)              => (eq ?x (xor #a #b))
ne-xor          int    (ne (xor ?x #a) #b)              => (ne ?x (xor #a #b))
eq-xor-zero     int    (eq (xor ?x ?y) 0)               => (eq ?x ?y)
ne-xor-zero     int    (ne (xor ?x ?y) 0)               => (ne ?x ?y)
eq-neg          int    (eq (neg ?x) #a)                 => (eq ?x (neg #a))
ne-neg          int    (ne (neg ?x) #a)                 => (ne ?x (neg #a))
eq-not          int    (eq (not ?x) #a)                 => (eq ?x (not #a))
ne-not          int    (ne (not ?x) #a)                 => (ne ?x (not #a))
lt-zero         uint   (lt ?x 0)                        => false
lt-ones         uint   (lt ones ?x)                     => false
le-zero         uint   (le 0 ?x)                        => true
le-ones         uint   (le ?x ones)                     => true
lt-one          uint   (lt ?x 1)                        => (eq ?x 0)
le-to-zero      uint   (le ?x 0)                        => (eq ?x 0)
lt-from-zero    uint   (lt 0 ?x)                        => (ne ?x 0)
le-from-one     uint   (le 1 ?x)                        => (ne ?x 0)
lt-top          sint   (lt ?x top)                      => false
le-top          sint   (le top ?x)                      => true
not-lt          int    (not (lt ?x ?y))                 => (le ?y ?x)
not-le          int    (not (le ?x ?y))                 => (lt ?y ?x)
not-eq          any    (not (eq ?x ?y))                 => (ne ?x ?y)
not-ne          any    (not (ne ?x ?y))                 => (eq ?x ?y)

and-true        bool   (and ?x true)                    => ?x
and-false       bool   (and ?x false)                   => false
and-not-bool    bool   (and ?x (not ?x))                => false
or-true         bool   (or ?x true)                     => true
or-false        bool   (or ?x false)                    => ?x
or-not-bool     bool   (or ?x (not ?x))                 => true
xor-true        bool   (xor ?x true)                    => (not ?x)
xor-false       bool   (xor ?x false)                   => ?x
xor-self-bool   bool   (xor ?x ?x)                      => false
xor-not-bool    bool   (xor ?x (not ?x))                => true
eq-true         bool   (eq ?x true)                     => ?x
eq-false        bool   (eq ?x false)                    => (not ?x)
ne-true         bool   (ne ?x true)                     => (not ?x)
ne-false        bool   (ne ?x false)                    => ?x
select-same     any    (select ?c ?x ?x)                => ?x
select-true     any    (select true ?x ?y)              => ?x
select-false    any    (select false ?x ?y)             => ?y
select-bool     bool   (select ?x true false)           => ?x
select-not      bool   (select ?x false true)           => (not ?x)
select-and      bool   (select ?c ?x false)             => (and ?c ?x)
select-or       bool   (select ?c true ?x)              => (or ?c ?x)
select-twice    any    (select ?c (select ?c ?x ?y) ?z) => (select ?c ?x ?z)
select-twice-2  any    (select ?c ?x (select ?c ?y ?z)) => (select ?c ?x ?z)
select-steps    int    (select ?c (add ?x #a) (select ?d (add ?x #b) ?x)) => (add ?x (select ?c #a (select ?d #b 0)))
abs-below       sint   (select (lt ?x 0) (neg ?x) ?x)     => (abs ?x)
abs-at-most     sint   (select (le ?x 0) (neg ?x) ?x)     => (abs ?x)
abs-above       sint   (select (lt 0 ?x) ?x (neg ?x))     => (abs ?x)
abs-at-least    sint   (select (le 0 ?x) ?x (neg ?x))     => (abs ?x)
abs-sub-below   sint   (select (lt (sub ?x ?y) 0) (sub ?y ?x) (sub ?x ?y)) => (abs (sub ?x ?y))
abs-sub-at-most sint   (select (le (sub ?x ?y) 0) (sub ?y ?x) (sub ?x ?y)) => (abs (sub ?x ?y))
abs-sub-above   sint   (select (lt 0 (sub ?x ?y)) (sub ?x ?y) (sub ?y ?x)) => (abs (sub ?x ?y))
abs-sub-least   sint   (select (le 0 (sub ?x ?y)) (sub ?x ?y) (sub ?y ?x)) => (abs (sub ?x ?y))
eq-select       int    (eq (select ?c #a #b) #a)        => ?c                             when differ #a #b
eq-select-2     int    (eq (select ?c #a #b) #b)        => (not ?c)                       when differ #a #b
ne-select       int    (ne (select ?c #a #b) #a)        => (not ?c)                       when differ #a #b
ne-select-2     int    (ne (select ?c #a #b) #b)        => ?c                             when differ #a #b

min-nan         real   (min ?x #a)                      => ?x                             when nan #a
max-nan         real   (max ?x #a)                      => ?x                             when nan #a
minp-nan        real   (minp ?x #a)                     => #a                             when nan #a
maxp-nan        real   (maxp ?x #a)                     => #a                             when nan #a
eq-nan          real   (eq ?x #a)                       => false                          when nan #a
ne-nan          real   (ne ?x #a)                       => true                           when nan #a
lt-nan          real   (lt ?x #a)                       => false                          when nan #a
lt-nan-2        real   (lt #a ?x)                       => false                          when nan #a
le-nan          real   (le ?x #a)                       => false                          when nan #a
le-nan-2        real   (le #a ?x)                       => false                          when nan #a
fadd-zero       real   (add ?x -0)                      => ?x
fsub-zero       real   (sub ?x 0)                       => ?x
fmul-one        real   (mul ?x 1)                       => ?x
fmul-minus-one  real   (mul ?x -1)                      => (neg ?x)
fmul-two        real   (mul ?x 2)                       => (add ?x ?x)
fmul-neg        real   (mul (neg ?x) (neg ?y))          => (mul ?x ?y)
fdiv-one        real   (div ?x 1)                       => ?x
fdiv-minus-one  real   (div ?x -1)                      => (neg ?x)
fdiv-neg        real   (div (neg ?x) (neg ?y))          => (div ?x ?y)
fdiv-exact      real   (div ?x #a)                      => (mul ?x (div 1 #a))            when reciprocal-exact #a
fadd-neg        real   (add ?x (neg ?y))                => (sub ?x ?y)
fsub-neg        real   (sub ?x (neg ?y))                => (add ?x ?y)
fma-one         real   (fma ?x 1 ?y)                    => (add ?x ?y)
fma-one-2       real   (fma 1 ?x ?y)                    => (add ?x ?y)
fma-no-sum      real   (fma ?x ?y -0)                   => (mul ?x ?y)
fma-neg         real   (fma (neg ?x) (neg ?y) ?z)       => (fma ?x ?y ?z)
`

// idioms are the rules of the pass idiom, which looks for them after the others: a device has one instruction for them.
const idioms = `
and-shr         int    (and (shr ?x ?k) (shr ?y ?k))                => (shr (and ?x ?y) ?k)
min-lt          int    (select (lt ?x ?y) ?x ?y)                    => (min ?x ?y)
min-le          int    (select (le ?x ?y) ?x ?y)                    => (min ?x ?y)
max-lt          int    (select (lt ?x ?y) ?y ?x)                    => (max ?x ?y)
max-le          int    (select (le ?x ?y) ?y ?x)                    => (max ?x ?y)
abs-lt          sint   (select (lt ?x 0) (neg ?x) ?x)               => (abs ?x)
abs-le          sint   (select (le ?x 0) (neg ?x) ?x)               => (abs ?x)
abs-gt          sint   (select (lt 0 ?x) ?x (neg ?x))               => (abs ?x)
abs-ge          sint   (select (le 0 ?x) ?x (neg ?x))               => (abs ?x)
absdiff-lt      uint   (select (lt ?x ?y) (sub ?y ?x) (sub ?x ?y))  => (absdiff ?x ?y)
absdiff-le      uint   (select (le ?x ?y) (sub ?y ?x) (sub ?x ?y))  => (absdiff ?x ?y)
absdiff-max     uint   (sub (max ?x ?y) (min ?x ?y))                => (absdiff ?x ?y)
rotl-or         uint   (or (shl ?x #k) (shr ?x #j))                 => (rotl ?x #k)          when turn #k #j
rotl-xor        uint   (xor (shl ?x #k) (shr ?x #j))                => (rotl ?x #k)          when turn #k #j
rotl-add        uint   (add (shl ?x #k) (shr ?x #j))                => (rotl ?x #k)          when turn #k #j
rotl-count      int    (rotl ?x (and ?k #m))                        => (rotl ?x ?k)          when all-counts #m
rotr-count      int    (rotr ?x (and ?k #m))                        => (rotr ?x ?k)          when all-counts #m
`

// equalities are rules that e-graphs read, in both directions. Neither side is cheaper.
const equalities = `
add-assoc       int    (add (add ?x ?y) ?z)             <=> (add ?x (add ?y ?z))
mul-assoc       int    (mul (mul ?x ?y) ?z)             <=> (mul ?x (mul ?y ?z))
and-assoc       bits   (and (and ?x ?y) ?z)             <=> (and ?x (and ?y ?z))
or-assoc        bits   (or (or ?x ?y) ?z)               <=> (or ?x (or ?y ?z))
xor-assoc       bits   (xor (xor ?x ?y) ?z)             <=> (xor ?x (xor ?y ?z))
min-assoc       int    (min (min ?x ?y) ?z)             <=> (min ?x (min ?y ?z))
max-assoc       int    (max (max ?x ?y) ?z)             <=> (max ?x (max ?y ?z))
mul-add         int    (mul ?x (add ?y ?z))             <=> (add (mul ?x ?y) (mul ?x ?z))
mul-sub         int    (mul ?x (sub ?y ?z))             <=> (sub (mul ?x ?y) (mul ?x ?z))
mul-neg-out     int    (mul (neg ?x) ?y)                <=> (neg (mul ?x ?y))
and-over-or     bits   (and ?x (or ?y ?z))              <=> (or (and ?x ?y) (and ?x ?z))
and-over-xor    bits   (and ?x (xor ?y ?z))             <=> (xor (and ?x ?y) (and ?x ?z))
or-over-and     bits   (or ?x (and ?y ?z))              <=> (and (or ?x ?y) (or ?x ?z))
not-and         bits   (not (and ?x ?y))                <=> (or (not ?x) (not ?y))
not-or          bits   (not (or ?x ?y))                 <=> (and (not ?x) (not ?y))
not-xor         bits   (not (xor ?x ?y))                <=> (xor (not ?x) ?y)
xor-split       bits   (xor ?x ?y)                      <=> (and (or ?x ?y) (not (and ?x ?y)))
or-split        bits   (or ?x ?y)                       <=> (xor (xor ?x ?y) (and ?x ?y))
neg-add         int    (neg (add ?x ?y))                <=> (sub (neg ?x) ?y)
neg-swap        int    (neg (sub ?x ?y))                <=> (sub ?y ?x)
neg-split       int    (neg ?x)                         <=> (add (not ?x) 1)
not-split       int    (not ?x)                         <=> (sub ones ?x)
not-add         int    (not (add ?x ?y))                <=> (sub (not ?x) ?y)
not-sub         int    (not (sub ?x ?y))                <=> (add (not ?x) ?y)
sub-split       int    (sub ?x ?y)                      <=> (add ?x (neg ?y))
sub-add-out     int    (sub ?x (add ?y ?z))             <=> (sub (sub ?x ?y) ?z)
sub-sub-out     int    (sub ?x (sub ?y ?z))             <=> (add (sub ?x ?y) ?z)
add-split       int    (add ?x ?y)                      <=> (add (xor ?x ?y) (shl (and ?x ?y) 1))
add-or-and      int    (add ?x ?y)                      <=> (add (or ?x ?y) (and ?x ?y))
sub-or-and      int    (xor ?x ?y)                      <=> (sub (or ?x ?y) (and ?x ?y))
or-sub          int    (or ?x ?y)                       <=> (add (and ?x (not ?y)) ?y)
add-self        int    (add ?x ?x)                      <=> (shl ?x 1)
shl-add         int    (shl (add ?x ?y) ?k)             <=> (add (shl ?x ?k) (shl ?y ?k))
shl-sub         int    (shl (sub ?x ?y) ?k)             <=> (sub (shl ?x ?k) (shl ?y ?k))
shl-and         int    (shl (and ?x ?y) ?k)             <=> (and (shl ?x ?k) (shl ?y ?k))
shl-or          int    (shl (or ?x ?y) ?k)              <=> (or (shl ?x ?k) (shl ?y ?k))
shl-xor         int    (shl (xor ?x ?y) ?k)             <=> (xor (shl ?x ?k) (shl ?y ?k))
shl-neg         int    (shl (neg ?x) ?k)                <=> (neg (shl ?x ?k))
shl-product     int    (mul (shl ?x ?k) ?y)             <=> (shl (mul ?x ?y) ?k)
shl-swap        int    (shl (shl ?x ?j) ?k)             <=> (shl (shl ?x ?k) ?j)
shr-swap        int    (shr (shr ?x ?j) ?k)             <=> (shr (shr ?x ?k) ?j)
shr-and         int    (shr (and ?x ?y) ?k)             <=> (and (shr ?x ?k) (shr ?y ?k))
shr-or          int    (shr (or ?x ?y) ?k)              <=> (or (shr ?x ?k) (shr ?y ?k))
shr-xor         int    (shr (xor ?x ?y) ?k)             <=> (xor (shr ?x ?k) (shr ?y ?k))
shr-not         sint   (shr (not ?x) ?k)                <=> (not (shr ?x ?k))
min-not         int    (not (min ?x ?y))                <=> (max (not ?x) (not ?y))
max-not         int    (not (max ?x ?y))                <=> (min (not ?x) (not ?y))
min-over-max    int    (min ?x (max ?y ?z))             <=> (max (min ?x ?y) (min ?x ?z))
max-over-min    int    (max ?x (min ?y ?z))             <=> (min (max ?x ?y) (max ?x ?z))
min-max-sum     int    (add (min ?x ?y) (max ?x ?y))    <=> (add ?x ?y)
select-not-c    any    (select (not ?c) ?x ?y)          <=> (select ?c ?y ?x)
select-neg      int    (select ?c (neg ?x) (neg ?y))    <=> (neg (select ?c ?x ?y))
select-add      int    (select ?c (add ?x ?z) (add ?y ?z)) <=> (add (select ?c ?x ?y) ?z)
select-sub      int    (select ?c (sub ?x ?z) (sub ?y ?z)) <=> (sub (select ?c ?x ?y) ?z)
select-min      int    (select (lt ?x ?y) ?x ?y)        <=> (min ?x ?y)
select-max      int    (select (lt ?x ?y) ?y ?x)        <=> (max ?x ?y)
lt-not          int    (lt (not ?x) (not ?y))           <=> (lt ?y ?x)
real-sub-neg    real   (sub ?x ?y)                      <=> (add ?x (neg ?y))
real-mul-neg    real   (mul (neg ?x) ?y)                <=> (neg (mul ?x ?y))
real-div-neg    real   (div (neg ?x) ?y)                <=> (neg (div ?x ?y))
real-div-neg-2  real   (div ?x (neg ?y))                <=> (neg (div ?x ?y))
real-twice      real   (add ?x ?x)                      <=> (mul ?x 2)
real-lt-neg     real   (lt (neg ?x) (neg ?y))           <=> (lt ?y ?x)
real-le-neg     real   (le (neg ?x) (neg ?y))           <=> (le ?y ?x)
real-fma-neg    real   (fma (neg ?x) ?y ?z)             <=> (fma ?x (neg ?y) ?z)
`

// table is parsed once. A mistake in it is one of ours.
var table = sync.OnceValue(func() []*Rule {
	var list []*Rule
	for _, part := range []struct {
		text  string
		idiom bool
	}{{simplify, false}, {idioms, true}, {equalities, false}} {
		rs, err := parse(part.text)
		if err != nil {
			panic("BUG: rules: " + err.Error())
		}
		for _, r := range rs {
			r.Idiom = part.idiom
		}
		list = append(list, rs...)
	}
	return list
})

// Table returns the rules of the optimiser and of e-graphs, in the order in which they are tried. The rules are shared: do not change them.
func Table() []*Rule { return table() }
