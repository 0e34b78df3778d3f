//! The way of a session over the boxes of a picture.
//!
//! The statements are followed in order, both sides of every branch. Where the session holds or runs, it
//! comes to a box; a line leads there from each box where it can have been, labelled with the branch that it
//! took. A loop is followed twice, so that the way back shows.

use serq_compiler::ir::{ExprKind, Program, Stmt, StmtKind};

use super::graph::{Graph, Way, source};

/// The other side of a branch.
const ELSE: &str = "else";
/// What runs beside the session.
const LEG: &str = "fork";
/// A pod that failed.
const LOST: &str = "pod lost";

/// Where a session can be, and what it has gone through since it came there.
#[derive(Clone, PartialEq, Debug)]
struct Point {
    node: usize,
    label: Option<String>,
}

struct Walk<'a> {
    program: &'a Program,
    graph: &'a mut Graph,
}

/// Adds the session's way to the picture.
pub(super) fn follow(program: &Program, graph: &mut Graph) {
    let start = vec![Point { node: graph.clients, label: None }];
    let mut walk = Walk { program, graph };
    let left = walk.block(&program.session, start);
    walk.end(left);
}

impl Walk<'_> {
    fn block(&mut self, block: &[Stmt], mut points: Vec<Point>) -> Vec<Point> {
        for stmt in block {
            points = self.stmt(stmt, points);
        }
        points
    }

    fn stmt(&mut self, stmt: &Stmt, points: Vec<Point>) -> Vec<Point> {
        match &stmt.kind {
            StmtKind::Choose { .. } => match self.graph.router {
                Some(router) => self.visit(points, router),
                None => points,
            },
            StmtKind::Book { hold } => self.queue(hold.index(), points),
            StmtKind::Hold { hold, body } | StmtKind::Open { hold, body, .. } => {
                let points = self.queue(hold.index(), points);
                self.block(body, points)
            }
            // A leg goes its own way, which ends where it joins.
            StmtKind::Fork(body) => {
                self.block(body, labelled(&points, LEG));
                points
            }
            StmtKind::Join => points,
            StmtKind::Run { stages, .. } => {
                let nodes: Vec<usize> =
                    stages.iter().map(|s| self.graph.of_stage[s.stage.index()]).collect();
                self.run(points, &nodes)
            }
            StmtKind::Fan { ends, .. } => {
                let nodes = ends.each_ref().map(|s| self.graph.of_stage[s.stage.index()]);
                self.run(points, &nodes)
            }
            StmtKind::Branch { guard, then, otherwise, .. } => {
                let label = match guard.kind {
                    ExprKind::Draw(..) => "at random".to_owned(),
                    _ => self.said(guard.site.index()),
                };
                let mut after = self.block(then, labelled(&points, &label));
                let passed = match otherwise.is_empty() {
                    true => points,
                    false => self.block(otherwise, labelled(&points, ELSE)),
                };
                after.retain(|p| !passed.contains(p));
                after.extend(passed);
                settled(after)
            }
            // Whoever loses the member goes on from where it was.
            StmtKind::Guarded { body, otherwise, .. } => {
                let after = self.block(body, points);
                let mut lost = self.block(otherwise, labelled(&after, LOST));
                lost.retain(|p| !after.contains(p));
                let mut all = after;
                all.extend(lost.into_iter().filter(|p| p.label.as_deref() != Some(LOST)));
                settled(all)
            }
            StmtKind::Loop(body) => {
                let again = self.block(body, points);
                self.block(body, again);
                Vec::new()
            }
            StmtKind::End => {
                self.end(points);
                Vec::new()
            }
            StmtKind::Turn => {
                let clients = self.graph.clients;
                let next = |p: &Point| p.label.is_none() && p.node != clients;
                let named = |p: Point| match next(&p) {
                    true => Point { label: Some("next turn".into()), ..p },
                    false => p,
                };
                points.into_iter().map(named).collect()
            }
            StmtKind::Set { .. }
            | StmtKind::Observe { .. }
            | StmtKind::Grow { .. }
            | StmtKind::Drop { .. }
            | StmtKind::Prefix { .. }
            | StmtKind::Release { .. }
            | StmtKind::Load { .. } => points,
        }
    }

    /// Where a hold queues.
    fn queue(&mut self, hold: usize, points: Vec<Point>) -> Vec<Point> {
        match self.program.holds[hold].claims.first() {
            Some(claim) => {
                let node = self.graph.of_pool[claim.pool.pool.index()];
                self.visit(points, node)
            }
            None => points,
        }
    }

    /// A run, or a flow from the first box to the last.
    fn run(&mut self, points: Vec<Point>, nodes: &[usize]) -> Vec<Point> {
        match *nodes {
            [] => points,
            [node] => self.visit(points, node),
            [first, .., last]
                if first != last && points.iter().any(|p| nodes.contains(&p.node)) =>
            {
                self.graph.join(first, last, Way::Transfer, Some("transfer".into()));
                points
            }
            [first, .., last] => {
                let points = self.visit(points, first);
                self.visit(points, last)
            }
        }
    }

    fn visit(&mut self, points: Vec<Point>, node: usize) -> Vec<Point> {
        // Who is there already still has the branch to be told where it goes on.
        if points.iter().all(|p| p.node == node) {
            return points;
        }
        for p in points.into_iter().filter(|p| p.node != node) {
            self.graph.join(p.node, node, Way::Path, p.label);
        }
        vec![Point { node, label: None }]
    }

    fn end(&mut self, points: Vec<Point>) {
        let said = |label: &String| label != ELSE;
        points.into_iter().for_each(|p| self.graph.end_at(p.node, p.label.filter(said)));
    }

    fn said(&self, site: usize) -> String {
        source(self.program, self.program.sites[site].span)
    }
}

fn labelled(points: &[Point], label: &str) -> Vec<Point> {
    points.iter().map(|p| Point { label: Some(label.to_owned()), ..*p }).collect()
}

/// Each box once: one that can be reached in several ways since needs no label.
fn settled(points: Vec<Point>) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    for p in points {
        match out.iter_mut().find(|o| o.node == p.node) {
            Some(o) if o.label != p.label => o.label = None,
            Some(_) => {}
            None => out.push(p),
        }
    }
    out
}
