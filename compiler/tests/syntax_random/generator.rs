//! Random syntax trees, every node kind among them, as the parser itself would make them: with
//! parentheses where precedence needs them and no others than it would keep.

use serq_compiler::span::Span;
use serq_compiler::syntax::ast::*;

/// SplitMix64: small, and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Names, words of the language among them: those are reserved by position only.
const NAMES: &[&str] = &[
    "a", "b", "kv", "D", "P", "x_1", "_x", "α", "größe", "loop", "hold", "set", "by", "prefill",
    "decode", "turn", "max", "sum", "at", "growing", "step", "queue", "from", "to", "reserve",
    "else", "pull", "share", "latency", "cache", "first", "run", "now", "tool",
];
const NUMBERS: &[&str] =
    &["0", "16", "0.6", "2e-5", "1_000", "5.", ".5", "1E3", "7.25e+2", "1_0.0_1", "inf"];
/// Words that begin a statement, which the use of a definition therefore cannot.
const NOT_USED: &[&str] =
    &["loop", "hold", "set", "prefill", "decode", "turn", "run", "tool", "fork", "join", "book"];

/// How tightly a primary binds: more than any operator.
const PRIMARY: u8 = 8;

pub struct Generator {
    random: Random,
    in_entry: bool,
}

fn node<T>(kind: T) -> Node<T> {
    Node { kind, span: Span::default() }
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Generator { random: Random::new(seed), in_entry: false }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.below(3) == 0 { Some(make(self)) } else { None }
    }

    fn list<T>(&mut self, least: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let n = least + self.below(3);
        (0..n).map(|_| make(self)).collect()
    }

    fn word(&mut self) -> String {
        NAMES[self.below(NAMES.len())].to_string()
    }

    fn name(&mut self) -> Name {
        node(self.word())
    }

    fn names(&mut self, least: usize) -> Vec<Name> {
        self.list(least, Self::name)
    }

    pub fn file(&mut self) -> File {
        File { items: self.list(1, Self::item), comments: Vec::new() }
    }

    fn item(&mut self) -> Item {
        node(match self.below(15) {
            0 => ItemKind::Let { name: self.name(), value: self.expr() },
            1 => ItemKind::Use { file: node("../lib/é x.sq".to_string()) },
            2 => ItemKind::DefExpr { name: self.name(), params: self.names(0), body: self.expr() },
            3 => {
                ItemKind::DefBlock { name: self.name(), params: self.names(0), body: self.block(3) }
            }
            4 => {
                let size = self.maybe(Self::expr);
                ItemKind::Pool(self.pool(size))
            }
            5 | 6 => ItemKind::Stage {
                name: self.name(),
                size: self.maybe(Self::expr),
                kind: self.stage_kind(),
            },
            7 | 8 => ItemKind::Queue(Queue {
                name: self.name(),
                size: self.maybe(Self::expr),
                roles: self.names(0),
                items: self.list(0, Self::queue_item),
            }),
            9 => ItemKind::Pull {
                reader: self.name(),
                source: self.name(),
                by: if self.flip() { Mover::Reader } else { Mover::Source },
                latency: self.maybe(Self::expr),
                share: self.policy(),
            },
            10 if self.flip() => {
                ItemKind::Fail { queue: self.reference(), at: self.expr(), lasts: self.expr() }
            }
            10 => ItemKind::Share { policy: self.policy() },
            11 => ItemKind::Workload { items: self.list(0, Self::workload_item) },
            12 => ItemKind::Session { body: self.block(3) },
            13 => {
                if self.flip() {
                    ItemKind::Server { body: self.block(3) }
                } else {
                    ItemKind::Gauge { name: self.name(), value: self.expr() }
                }
            }
            _ => ItemKind::Run { options: self.list(0, Self::run_option) },
        })
    }

    fn policy(&mut self) -> Node<Policy> {
        node(if self.flip() { Policy::Maxmin } else { Policy::Bottleneck })
    }

    fn run_option(&mut self) -> RunOption {
        let field = match self.below(4) {
            0 => RunField::Horizon,
            1 => RunField::Warmup,
            2 => RunField::Seed,
            _ => RunField::Arrivals,
        };
        node((field, self.expr()))
    }

    fn pool(&mut self, size: Option<Expr>) -> Pool {
        Pool { name: self.name(), size, options: self.list(0, Self::pool_option) }
    }

    fn pool_option(&mut self) -> PoolOption {
        node(match self.below(10) {
            0 => PoolOptionKind::Cap(self.expr()),
            1 => PoolOptionKind::Block(self.expr()),
            2 => PoolOptionKind::EvictLru,
            3 => PoolOptionKind::EvictBy(self.exprs(1)),
            4 => PoolOptionKind::PreemptNone,
            5 => PoolOptionKind::PreemptLifo,
            6 => PoolOptionKind::QueueFifo,
            7 => PoolOptionKind::QueueBy(self.exprs(1)),
            8 => PoolOptionKind::AdmitVia(self.reference()),
            _ => PoolOptionKind::Spill {
                to: self.reference(),
                via: self.reference(),
                work: self.expr(),
                when: self.expr(),
            },
        })
    }

    fn stage_kind(&mut self) -> StageKind {
        node(match self.below(4) {
            0 => StageKindKind::Fifo(self.maybe(Self::expr)),
            1 => StageKindKind::Ps(self.expr()),
            2 => StageKindKind::Delay,
            _ => StageKindKind::Step(self.list(0, Self::step_option)),
        })
    }

    fn step_option(&mut self) -> StepOption {
        node(match self.below(5) {
            0 => StepOptionKind::Budget(self.expr()),
            1 => StepOptionKind::Cost(self.expr()),
            2 => StepOptionKind::Chunk(self.expr()),
            3 => StepOptionKind::Serve(self.serve_order()),
            _ => StepOptionKind::Memory(self.reference()),
        })
    }

    fn serve_order(&mut self) -> ServeOrder {
        match self.below(4) {
            0 => ServeOrder::ExclusivePrefill,
            1 => ServeOrder::Order { only: Some(self.expr()), order: None },
            other => {
                let only = if other == 2 { Some(self.expr()) } else { None };
                let order = match self.below(3) {
                    0 => BaseOrder::Admission,
                    1 => BaseOrder::By(self.exprs(1)),
                    _ => BaseOrder::DecodeFirst,
                };
                ServeOrder::Order { only, order: Some(order) }
            }
        }
    }

    fn queue_item(&mut self) -> QueueItem {
        node(match self.below(5) {
            0 => QueueItemKind::Pool(self.pool(None)),
            1 => QueueItemKind::Serve { kind: self.stage_kind(), latency: self.maybe(Self::expr) },
            2 => QueueItemKind::Nic {
                ranks: self.maybe(|g| g.expr_at(2, 0)),
                kind: self.stage_kind(),
            },
            _ => {
                let verbs = ["route", "prefill", "decode", "transfer"];
                let verb = node(verbs[self.below(verbs.len())].to_string());
                let (params, from) = (self.names(0), self.maybe(Self::name));
                self.in_entry = true;
                let body = self.block(3);
                self.in_entry = false;
                QueueItemKind::Entry { verb, params, from, body }
            }
        })
    }

    fn workload_item(&mut self) -> WorkloadItem {
        node(match self.below(6) {
            0 => WorkloadItemKind::Arrive(node(match self.below(5) {
                0 => Arrival::Poisson(self.expr()),
                1 => Arrival::Renewal(self.expr()),
                2 => Arrival::Closed(self.expr()),
                3 => Arrival::Batch(self.expr()),
                _ => Arrival::None,
            })),
            1 => WorkloadItemKind::Trace {
                file: node("tr.csv".to_string()),
                order: [TraceOrder::Drawn, TraceOrder::InOrder, TraceOrder::AtArrival]
                    [self.below(3)],
            },
            2 => WorkloadItemKind::Hidden(self.names(1)),
            3 => WorkloadItemKind::Init(self.block(1)),
            4 => WorkloadItemKind::Turn(self.block(1)),
            _ => WorkloadItemKind::Session(self.block(3)),
        })
    }

    fn block(&mut self, depth: usize) -> Block {
        node(self.list(0, |g| g.stmt(depth)))
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let kinds = if depth == 0 { 18 } else { 24 };
        node(match self.below(kinds) {
            0 => StmtKind::Turn,
            1 => StmtKind::End,
            2 => StmtKind::Request(self.maybe(Self::name)),
            3 => StmtKind::Set { name: self.name(), value: self.expr() },
            4 => StmtKind::Observe { name: self.name(), value: self.expr() },
            5 => StmtKind::Mark { name: self.name() },
            6 => StmtKind::Grow { pool: self.reference(), amount: self.expr() },
            7 => StmtKind::Drop { pool: self.reference() },
            8 => StmtKind::Release { pool: self.reference() },
            9 => StmtKind::Load { pool: self.reference(), amount: self.expr() },
            10 => self.run(),
            11 => StmtKind::Choose { name: self.name(), count: self.expr(), keys: self.exprs(1) },
            12 => {
                let mut name = self.name();
                while NOT_USED.contains(&name.kind.as_str()) {
                    name = self.name();
                }
                StmtKind::Use { name, args: self.exprs(0) }
            }
            13 => self.call(depth),
            14 => {
                let form = match self.below(3) {
                    0 => Form::Prefill,
                    1 => Form::Decode,
                    _ => Form::Tool,
                };
                let place = match self.below(3) {
                    0 => Some(Place::Index(self.expr())),
                    1 => Some(Place::On(self.reference())),
                    _ => None,
                };
                let (amount, growing) = (self.expr(), self.maybe(Self::reference));
                StmtKind::Serving { form: node(form), place, amount, growing }
            }
            15 => {
                let place = match self.below(3) {
                    0 => Some(TransferPlace::Index(self.expr())),
                    1 => Some(TransferPlace::On(self.list(1, Self::reference))),
                    _ => None,
                };
                StmtKind::Transfer {
                    place,
                    amount: self.expr(),
                    from: self.reference(),
                    to: self.reference(),
                    loaded: self.expr(),
                    otherwise: if depth > 0 { self.maybe(|g| g.block(depth - 1)) } else { None },
                }
            }
            16 => StmtKind::Join,
            17 => StmtKind::Book(Box::new(Booking {
                claim: self.claim(),
                reuse: self.maybe(Self::expr),
            })),
            18 => StmtKind::Fork(self.block(depth - 1)),
            19 => StmtKind::Open(Box::new(Opening {
                pool: self.reference(),
                body: self.block(depth - 1),
                cache: self.maybe(Self::expr),
                lease: self.maybe(Self::lease),
            })),
            20 => StmtKind::Branch {
                with: self.flip(),
                guard: self.expr(),
                then: self.block(depth - 1),
                otherwise: self.maybe(|g| g.block(depth - 1)),
            },
            21 => StmtKind::Loop(self.block(depth - 1)),
            _ => StmtKind::Hold(Box::new(Hold {
                claims: self.list(1, Self::claim),
                reuse: self.maybe(Self::expr),
                bindings: self.list(0, |g| (g.name(), g.expr())),
                body: self.block(depth - 1),
                cache: self.maybe(Self::expr),
                lease: self.maybe(Self::lease),
            })),
        })
    }

    fn claim(&mut self) -> Claim {
        Claim { pool: self.reference(), units: self.expr(), reserve: self.maybe(Self::expr) }
    }

    fn run(&mut self) -> StmtKind {
        let mut stages = self.list(0, Self::reference);
        let own = |stage: &Ref| {
            let bare = stage.path.len() == 1 && stage.index.is_none();
            bare && matches!(stage.path[0].kind.as_str(), "prefill" | "decode")
        };
        if self.in_entry && stages.len() == 1 && own(&stages[0]) {
            stages.clear(); // would be read as the mode
        }
        let single = stages.len() <= 1;
        let may_have_mode = if stages.is_empty() { self.in_entry } else { single };
        let mode = if may_have_mode && self.flip() {
            Some(node(if self.flip() { Mode::Prefill } else { Mode::Decode }))
        } else {
            None
        };
        let growing = if single { self.maybe(Self::reference) } else { None };
        StmtKind::Run { stages, mode, work: self.expr(), growing }
    }

    fn call(&mut self, depth: usize) -> StmtKind {
        let path = self.list(1, Self::name);
        let index = self.maybe(|g| (1, Box::new(g.expr())));
        StmtKind::Call {
            queue: Ref { path, index, rank: None, span: Span::default() },
            verb: self.name(),
            args: self.exprs(0),
            from: self.maybe(Self::reference),
            to: self.maybe(|g| (g.reference(), g.expr())),
            otherwise: if depth > 0 { self.maybe(|g| g.block(depth - 1)) } else { None },
        }
    }

    fn lease(&mut self) -> Lease {
        let renew = self.maybe(|g| (g.expr(), g.expr()));
        Lease { pool: self.reference(), time: self.expr(), renew }
    }

    fn reference(&mut self) -> Ref {
        let path = self.names(1);
        let index = self.maybe(|g| (1 + g.below(path.len()), Box::new(g.expr_at(2, 0))));
        // A second index stands behind more names than the first.
        let more = index.as_ref().is_some_and(|(after, _): &(usize, _)| *after < path.len());
        let rank = if more { self.maybe(|g| Box::new(g.expr_at(2, 0))) } else { None };
        Ref { path, index, rank, span: Span::default() }
    }

    fn exprs(&mut self, least: usize) -> Vec<Expr> {
        self.list(least, Self::expr)
    }

    fn expr(&mut self) -> Expr {
        self.expr_at(3, 0)
    }

    /// An expression that may stand where operators up to `least` bind it.
    fn expr_at(&mut self, depth: usize, least: u8) -> Expr {
        let (kind, binding) = self.expr_kind(depth);
        if binding < least { node(ExprKind::Paren(Box::new(node(kind)))) } else { node(kind) }
    }

    fn expr_kind(&mut self, depth: usize) -> (ExprKind, u8) {
        if depth == 0 {
            return (self.leaf(), PRIMARY);
        }
        let depth = depth - 1;
        let args = |g: &mut Self| g.list(0, |g| g.expr_at(depth, 0));
        let kind = match self.below(12) {
            0 => ExprKind::Call { name: self.name(), args: args(self) },
            1 => ExprKind::Draw { dist: self.name(), args: args(self) },
            2 => {
                let op = match self.below(3) {
                    0 => AggregateOp::Max,
                    1 => AggregateOp::Min,
                    _ => AggregateOp::Sum,
                };
                let count = match self.below(3) {
                    0 => ExprKind::Num { value: 2.0, text: "2".to_string() },
                    1 => ExprKind::Name("ND".to_string()),
                    _ => ExprKind::Paren(Box::new(self.expr_at(depth, 0))),
                };
                let body = Box::new(self.expr_at(depth, 0));
                ExprKind::Aggregate {
                    op: node(op),
                    var: self.name(),
                    count: Box::new(node(count)),
                    body,
                }
            }
            3 => {
                let mut place = self.reference();
                if place.index.is_none() {
                    while place.path.len() < 3 {
                        place.path.push(self.name());
                    }
                }
                ExprKind::Ref(place)
            }
            4 => ExprKind::Paren(Box::new(self.expr_at(depth, 0))),
            5 => {
                let op = if self.flip() { UnaryOp::Neg } else { UnaryOp::Not };
                let expr = Box::new(self.expr_at(depth, UnaryOp::BINDING));
                return (ExprKind::Unary { op, expr }, UnaryOp::BINDING);
            }
            6 => {
                let test = Box::new(self.expr_at(depth, 1));
                let (yes, no) = (self.expr_at(depth, 0), self.expr_at(depth, 0));
                return (ExprKind::Cond { test, yes: Box::new(yes), no: Box::new(no) }, 0);
            }
            7 => self.leaf(),
            _ => return self.binary(depth),
        };
        (kind, PRIMARY)
    }

    fn binary(&mut self, depth: usize) -> (ExprKind, u8) {
        use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Pow, Sub};
        let ops = [Or, And, Lt, Gt, Le, Ge, Eq, Ne, Add, Sub, Mul, Div, Pow];
        let op = ops[self.below(ops.len())];
        let binding = op.binding();
        let (before, behind) = match op {
            Pow => (PRIMARY, UnaryOp::BINDING),
            _ if op.compares() => (binding + 1, binding + 1),
            _ => (binding, binding + 1),
        };
        let (left, right) = (self.expr_at(depth, before), self.expr_at(depth, behind));
        (ExprKind::infix(left, op, right), binding)
    }

    fn leaf(&mut self) -> ExprKind {
        match self.below(5) {
            0 | 1 => {
                let text = NUMBERS[self.below(NUMBERS.len())];
                let value = text.replace('_', "").parse().expect("a number");
                ExprKind::Num { value, text: text.to_string() }
            }
            2 => ExprKind::SelfIndex,
            3 => ExprKind::Field { queue: self.name(), name: self.name() },
            _ => ExprKind::Name(self.word()),
        }
    }
}
