// A run of egg beside one of package egraph: `closure FILE` closes the graph in a file, `sum N` saturates a sum of N leaves
// under commutativity and associativity. It prints a line of numbers, as ../vyre.go does.
use egg::{rewrite, EGraph, Id, Language, RecExpr, Rewrite, Runner, SimpleScheduler, StopReason};
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// Node is a row of W1: a head below 4 is a function, a leaf has a head of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    head: u32,
    len: u32,
    kids: [Id; 3],
}

impl Hash for Node {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.head.hash(to);
        self.children().iter().for_each(|k| k.hash(to));
    }
}

impl Language for Node {
    type Discriminant = u32;
    fn discriminant(&self) -> u32 {
        self.head.min(4) // all leaves are of one kind: egg keeps a set of classes for each kind
    }
    fn matches(&self, other: &Self) -> bool {
        self.head == other.head && self.len == other.len
    }
    fn children(&self) -> &[Id] {
        &self.kids[..self.len as usize]
    }
    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.kids[..self.len as usize]
    }
}

egg::define_language! {
    enum Sum {
        "+" = Add([Id; 2]),
        Leaf(u32),
    }
}

#[repr(C)]
struct Timespec {
    sec: i64,
    nsec: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, to: *mut Timespec) -> i32;
}

/// clock is the processor time that this process has taken, on 64-bit Linux.
fn clock() -> Duration {
    let mut t = Timespec { sec: 0, nsec: 0 };
    let failed = unsafe { clock_gettime(2, &mut t) };
    assert!(failed == 0);
    Duration::new(t.sec as u64, t.nsec as u32)
}

/// memory is a quantity of this process in KiB, 0 where the system does not tell.
fn memory(what: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix(what));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// line prints what the run came to and what it took.
fn line(rows: usize, classes: usize, digest: u64, before: u64, peak: u64, times: [Duration; 3]) {
    let [add, union, rest] = times.map(|t| t.as_nanos());
    println!("{rows} {classes} {digest:016x} {add} {union} {rest} {}", peak.saturating_sub(before) * 1024);
}

fn closure(file: &str) {
    let bytes = std::fs::read(file).expect("the file of a graph");
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    drop(bytes);
    let (n, unions) = (words[0] as usize, words[1] as usize);
    let mut ids = vec![Id::from(0); n];
    let before = memory("VmRSS:");

    let mut g: EGraph<Node, ()> = EGraph::default();
    let begun = clock();
    let mut at = 2;
    for i in 0..n {
        let mut node = Node { head: words[at], len: words[at + 1], kids: [Id::from(0); 3] };
        at += 2;
        for k in node.children_mut() {
            *k = ids[words[at] as usize];
            at += 1;
        }
        ids[i] = g.add(node);
    }
    let add = clock() - begun;
    let begun = clock();
    for pair in words[at..at + 2 * unions].chunks_exact(2) {
        g.union(ids[pair[0] as usize], ids[pair[1] as usize]);
    }
    let union = clock() - begun;
    let begun = clock();
    g.rebuild();
    let rebuild = clock() - begun;
    let peak = memory("VmHWM:");

    let mut least = std::collections::HashMap::new();
    let mut digest = 0u64;
    for (i, &id) in ids.iter().enumerate() {
        let root = *least.entry(g.find(id)).or_insert(i);
        digest = digest.wrapping_mul(1099511628211).wrapping_add(root as u64 + 1);
    }
    line(g.total_number_of_nodes(), g.number_of_classes(), digest, before, peak, [add, union, rebuild]);
}

fn sum(n: u32) {
    let rules: Vec<Rewrite<Sum, ()>> = vec![
        rewrite!("comm"; "(+ ?x ?y)" => "(+ ?y ?x)"),
        rewrite!("assoc"; "(+ (+ ?x ?y) ?z)" => "(+ ?x (+ ?y ?z))"),
    ];
    let mut term = RecExpr::default();
    let mut root = term.add(Sum::Leaf(0));
    for i in 1..n {
        let leaf = term.add(Sum::Leaf(i));
        root = term.add(Sum::Add([root, leaf]));
    }
    let before = memory("VmRSS:");
    let begun = clock();
    let runner = Runner::<Sum, ()>::default()
        .with_expr(&term)
        .with_scheduler(SimpleScheduler)
        .with_iter_limit(usize::MAX)
        .with_node_limit(usize::MAX)
        .with_time_limit(Duration::MAX)
        .run(&rules);
    let took = clock() - begun;
    assert!(matches!(runner.stop_reason, Some(StopReason::Saturated)), "{:?}", runner.stop_reason);
    let g = &runner.egraph;
    line(g.total_number_of_nodes(), g.number_of_classes(), 0, before, memory("VmHWM:"), [Duration::ZERO, Duration::ZERO, took]);
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("closure") => closure(&args[2]),
        Some("sum") => sum(args[2].parse().expect("a number of leaves")),
        _ => panic!("closure FILE, or sum N"),
    }
}
