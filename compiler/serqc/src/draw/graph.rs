//! What a picture shows: a box for the clients, the router, each queue, each engine with what belongs to it,
//! and every other pool and stage that a session comes to.

use std::fmt::Write;

use serq_compiler::ir::{
    Arrival, Evict, Expr, Pool, PoolId, Program, Serve, Stage, StageId, StageKind, StmtKind, eval,
    print, visit,
};
use serq_compiler::span::{FileId, Span};
use serq_compiler::syntax::{self, ast};

/// Most characters of an expression in a picture.
const LONG: usize = 30;
/// Of a branch beside a line.
const LABEL: usize = 24;

/// What a box is, which says how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Clients,
    Router,
    /// Engines, by what they are for.
    Prefill,
    Decode,
    Engine,
    Pool,
    Stage,
}

/// A line in a box.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// `pool`, `engine`, `nic`, …
    pub tag: &'static str,
    pub text: String,
}

/// A box.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub title: String,
    pub rows: Vec<Row>,
    /// Sessions end here: in which branches.
    pub ends: Option<Vec<String>>,
}

/// What a line says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Sessions go here.
    Path,
    /// Data goes here: a flow over the links of both ends.
    Transfer,
    /// Evicted prefixes go here.
    Spill,
}

/// A line between boxes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub way: Way,
    pub labels: Vec<String>,
}

/// Boxes and lines.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// The box of each pool and stage.
    pub of_pool: Vec<usize>,
    pub of_stage: Vec<usize>,
    pub clients: usize,
    pub router: Option<usize>,
}

impl Graph {
    /// The boxes of a program, and the lines that its declarations say.
    pub fn of(program: &Program) -> Self {
        let words = Words::of(program);
        let mut graph = Self {
            of_pool: vec![usize::MAX; program.pools.len()],
            of_stage: vec![usize::MAX; program.stages.len()],
            ..Self::default()
        };
        graph.clients = graph.add(Kind::Clients, "clients".into(), words.clients());
        graph.queues(&words);
        graph.choices(&words);
        graph.engines(&words);
        graph.others(&words);
        for (i, pool) in program.pools.iter().enumerate() {
            if let Some(spill) = &pool.spill {
                let via = &program.stages[spill.via.stage.index()].name;
                let (from, to) = (graph.of_pool[i], graph.of_pool[spill.to.pool.index()]);
                graph.join(from, to, Way::Spill, Some(format!("evicted, via {via}")));
            }
        }
        graph
    }

    fn add(&mut self, kind: Kind, title: String, rows: Vec<Row>) -> usize {
        self.nodes.push(Node { kind, title, rows, ends: None });
        self.nodes.len() - 1
    }

    fn queues(&mut self, words: &Words) {
        for queue in &words.program.queues {
            let known = words.queue(&queue.name);
            let is = |role: &str| known.is_some_and(|q| q.roles.iter().any(|r| r.kind == role));
            if is("gateway") {
                let title = queue.name.clone();
                self.router = Some(self.add(Kind::Router, title, Vec::new()));
                continue;
            }
            let kind = match (is("prefill"), is("decode"), is("link")) {
                (true, false, _) => Kind::Prefill,
                (false, true, _) => Kind::Decode,
                (true, true, _) => Kind::Engine,
                (false, false, true) => Kind::Stage,
                (false, false, false) => Kind::Engine,
            };
            let node = self.add(kind, words.family(&queue.name, queue.size.as_ref()), Vec::new());
            for id in &queue.pools {
                self.take_pool(*id, node, words, Some(&queue.name));
            }
            for id in &queue.stages {
                self.take_stage(*id, node, words, Some(&queue.name));
            }
            let entries = known.into_iter().flat_map(|q| &q.items).filter_map(entry);
            self.nodes[node].rows.extend(entries.map(|text| Row { tag: "entry", text }));
        }
    }

    /// What is chosen, in the gateway or in a box of its own.
    fn choices(&mut self, words: &Words) {
        let mut rows = Vec::new();
        visit::stmts(&words.program.session, &mut |stmt| {
            if let StmtKind::Choose { attr, count, .. } = &stmt.kind {
                let name = &words.program.attrs[attr.index()].name;
                let text = format!("{name} of {}", words.value(count));
                rows.push(Row { tag: "choose", text });
            }
        });
        rows.dedup();
        match self.router {
            Some(router) => self.nodes[router].rows = rows,
            None if rows.is_empty() => {}
            None => self.router = Some(self.add(Kind::Router, "router".into(), rows)),
        }
    }

    /// An engine of its own, with the pools that it admits to and its memory.
    fn engines(&mut self, words: &Words) {
        let program = words.program;
        for (i, stage) in program.stages.iter().enumerate() {
            let StageKind::Step(step) = &stage.kind else { continue };
            if self.of_stage[i] != usize::MAX {
                continue;
            }
            let id = StageId(i as u32);
            let title = words.family(&stage.name, stage.size.as_ref());
            let node = self.add(Kind::Engine, title, Vec::new());
            for (p, pool) in program.pools.iter().enumerate() {
                let own = pool.admit_via == Some(id) || step.memory == Some(PoolId(p as u32));
                if own && self.of_pool[p] == usize::MAX {
                    self.take_pool(PoolId(p as u32), node, words, None);
                }
            }
            self.take_stage(id, node, words, None);
        }
    }

    fn others(&mut self, words: &Words) {
        let program = words.program;
        for (i, pool) in program.pools.iter().enumerate() {
            if self.of_pool[i] == usize::MAX {
                let title = words.family(&pool.name, pool.size.as_ref());
                let node = self.add(Kind::Pool, title, Vec::new());
                self.take_pool(PoolId(i as u32), node, words, Some(&pool.name));
            }
        }
        for (i, stage) in program.stages.iter().enumerate() {
            if self.of_stage[i] == usize::MAX {
                let title = words.family(&stage.name, stage.size.as_ref());
                let node = self.add(Kind::Stage, title, Vec::new());
                self.take_stage(StageId(i as u32), node, words, Some(&stage.name));
            }
        }
    }

    fn take_pool(&mut self, id: PoolId, node: usize, words: &Words, inside: Option<&str>) {
        self.of_pool[id.index()] = node;
        let row = words.pool(&words.program.pools[id.index()], inside);
        self.nodes[node].rows.push(row);
    }

    fn take_stage(&mut self, id: StageId, node: usize, words: &Words, inside: Option<&str>) {
        self.of_stage[id.index()] = node;
        let row = words.stage(&words.program.stages[id.index()], inside);
        self.nodes[node].rows.push(row);
    }

    /// A line, once for each pair of boxes and kind; its labels together.
    pub fn join(&mut self, from: usize, to: usize, way: Way, label: Option<String>) {
        let same = |e: &&mut Edge| (e.from, e.to, e.way) == (from, to, way);
        let edge = match self.edges.iter_mut().find(same) {
            Some(edge) => edge,
            None => {
                self.edges.push(Edge { from, to, way, labels: Vec::new() });
                let last = self.edges.len() - 1;
                &mut self.edges[last]
            }
        };
        if let Some(label) = label
            && !edge.labels.contains(&label)
        {
            edge.labels.push(label);
        }
    }

    /// Sessions end here.
    pub fn end_at(&mut self, node: usize, label: Option<String>) {
        let ends = self.nodes[node].ends.get_or_insert_default();
        if let Some(label) = label
            && !ends.contains(&label)
        {
            ends.push(label);
        }
    }

    /// Takes out boxes that no line leads to or from.
    pub fn leave_out_what_is_not_reached(&mut self) {
        let reached = |i: usize| self.edges.iter().any(|e| e.from == i || e.to == i);
        let kept: Vec<bool> =
            (0..self.nodes.len()).map(|i| i == self.clients || reached(i)).collect();
        let place: Vec<usize> =
            (0..kept.len()).map(|i| kept[..i].iter().filter(|kept| **kept).count()).collect();
        let mut number = 0..;
        self.nodes.retain(|_| number.next().is_some_and(|i: usize| kept[i]));
        for edge in &mut self.edges {
            (edge.from, edge.to) = (place[edge.from], place[edge.to]);
        }
        self.clients = place[self.clients];
    }
}

fn entry(item: &ast::QueueItem) -> Option<String> {
    let ast::QueueItemKind::Entry { verb, params, from, .. } = &item.kind else { return None };
    let params: Vec<&str> = params.iter().map(|p| p.kind.as_str()).collect();
    let from = from.as_ref().map_or_else(String::new, |from| format!(" from {}", from.kind));
    Some(format!("{} ({}){from}", verb.kind, params.join(", ")))
}

/// How parts of a program are said in a picture.
pub(super) struct Words<'a> {
    program: &'a Program,
    params: Vec<f64>,
    queues: Vec<ast::Queue>,
}

impl<'a> Words<'a> {
    pub fn of(program: &'a Program) -> Self {
        let mut params = Vec::new();
        for param in &program.params {
            params.push(eval::eval(&param.value, &params).unwrap_or(f64::NAN));
        }
        let mut queues = Vec::new();
        for (i, file) in program.sources.files.iter().enumerate() {
            let (file, _) = syntax::parse_partly(FileId(i as u32), &file.text);
            queues.extend(file.items.into_iter().filter_map(|item| match item.kind {
                ast::ItemKind::Queue(queue) => Some(queue),
                _ => None,
            }));
        }
        Self { program, params, queues }
    }

    fn queue(&self, name: &str) -> Option<&ast::Queue> {
        self.queues.iter().find(|q| q.name.kind == name)
    }

    /// A number where it is a constant, else the expression.
    fn value(&self, expr: &Expr) -> String {
        match eval::eval(expr, &self.params) {
            Some(x) => number(x),
            None => shortened(&print::expression(self.program, expr)),
        }
    }

    /// `D × 2`.
    fn family(&self, name: &str, size: Option<&Expr>) -> String {
        size.map_or_else(|| name.to_owned(), |size| format!("{name} × {}", self.value(size)))
    }

    fn clients(&self) -> Vec<Row> {
        let workload = &self.program.workload;
        let text = match &workload.arrival {
            Arrival::Poisson(rate) => format!("poisson, {} a second", self.value(rate)),
            Arrival::Renewal(gap) => format!("gaps of {}", self.value(gap)),
            Arrival::Closed(n) => format!("{} at all times", self.value(n)),
            Arrival::Batch(n) => format!("{} at the start", self.value(n)),
            Arrival::Recorded => "as recorded".to_owned(),
            Arrival::None => "none".to_owned(),
        };
        let mut rows = vec![Row { tag: "arrive", text }];
        let trace = workload.trace.as_ref().map(|t| shortened(&t.path));
        rows.extend(trace.map(|text| Row { tag: "trace", text }));
        rows
    }

    fn pool(&self, pool: &Pool, inside: Option<&str>) -> Row {
        let mut text = format!("{} {}", own(&pool.name, inside), self.value(&pool.cap));
        if let Some(block) = &pool.block {
            let _ = write!(text, " by {}", self.value(block));
        }
        match &pool.evict {
            Evict::Lru if pool.block.is_some() => text += ", lru",
            Evict::Lru => {}
            Evict::By(_) => text += ", evict by keys",
        }
        if !pool.queue_keys.is_empty() {
            text += ", by keys";
        }
        if pool.lifo {
            text += ", preempts";
        }
        if pool.prefix_shared {
            text += ", shared";
        }
        Row { tag: "pool", text: text.trim_start().to_owned() }
    }

    fn stage(&self, stage: &Stage, inside: Option<&str>) -> Row {
        let name = own(&stage.name, inside);
        let named = |text: String| match name {
            "" => text,
            name => format!("{name} {text}"),
        };
        match &stage.kind {
            StageKind::Fifo(servers) => match eval::eval(servers, &self.params) {
                Some(1.0) => Row { tag: "fifo", text: named("1 server".into()) },
                _ => Row { tag: "fifo", text: named(format!("{} servers", self.value(servers))) },
            },
            StageKind::Ps(rate) if stage.shared => {
                Row { tag: "link", text: named(format!("{} a second", self.value(rate))) }
            }
            StageKind::Ps(rate) => {
                Row { tag: "ps", text: named(format!("{} a second", self.value(rate))) }
            }
            StageKind::Delay => Row { tag: "delay", text: name.to_owned() },
            StageKind::Step(step) => {
                let budget = step.budget.as_ref().map(|b| format!("budget {}", self.value(b)));
                let chunk = step.chunk.as_ref().map(|c| format!("chunk {}", self.value(c)));
                let order = match &step.serve {
                    Serve::ExclusivePrefill => Some("one prefill alone".to_owned()),
                    Serve::By { decode_first: true, .. } => Some("decode first".to_owned()),
                    Serve::By { .. } => None,
                };
                let said: Vec<String> = [budget, chunk, order].into_iter().flatten().collect();
                Row { tag: "engine", text: said.join(", ") }
            }
        }
    }
}

/// The text of a place in the source, on one line and short enough for a line's label.
pub(super) fn source(program: &Program, span: Span) -> String {
    let text = &program.sources.file(span.file).text;
    let text = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    shortened_to(&text.split_whitespace().collect::<Vec<_>>().join(" "), LABEL)
}

/// The name inside a queue of that name: `D.kv` in D is `kv`, and D itself needs none.
fn own<'a>(name: &'a str, inside: Option<&str>) -> &'a str {
    let Some(queue) = inside else { return name };
    match name.strip_prefix(queue) {
        Some("") => "",
        Some(rest) => rest.strip_prefix('.').unwrap_or(name),
        None => name,
    }
}

fn shortened(text: &str) -> String {
    shortened_to(text, LONG)
}

fn shortened_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// Thousands separated; other numbers in their shortest form.
fn number(x: f64) -> String {
    if x == f64::INFINITY {
        return "∞".to_owned();
    }
    if x != x.trunc() || x.abs() < 1e4 || x.abs() >= 1e15 {
        return x.to_string();
    }
    let digits = format!("{:.0}", x.abs());
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if x < 0.0 { format!("-{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_short() {
        assert_eq!(
            [number(160_000.0), number(0.6), number(f64::INFINITY)],
            ["160,000", "0.6", "∞"]
        );
        assert_eq!(
            [own("D.kv", Some("D")), own("D", Some("D")), own("kv", None)],
            ["kv", "", "kv"]
        );
        assert_eq!(shortened(&"x".repeat(40)).chars().count(), LONG + 1);
    }
}
