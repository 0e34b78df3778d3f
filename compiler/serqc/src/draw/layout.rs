//! Places of boxes and lines, from left to right.
//!
//! Lines that would lead back are left out first; then each box stands one column behind the last box that
//! leads to it. `rust-sugiyama` orders the boxes of each column and places them so that few lines cross;
//! a line over several columns takes a place in each. Lines that lead back run below everything.

use rust_sugiyama::{configure::Config, from_vertices_and_edges};

use super::graph::{Edge, Graph, Node};

/// Width of a character of a row and of a title, height of a row and of a title.
pub(super) const CHAR: f64 = 6.7;
pub(super) const TITLE_CHAR: f64 = 8.2;
pub(super) const ROW: f64 = 18.0;
pub(super) const TITLE: f64 = 26.0;
/// Room of a row's tag.
pub(super) const TAG: f64 = 54.0;
/// Around everything.
const MARGIN: f64 = 20.0;
/// Of the program's name above the picture, and of the key below it.
const HEAD: f64 = 34.0;
/// Room between boxes of a column, and at least between columns.
const ABOVE: f64 = 26.0;
const BESIDE: f64 = 64.0;
/// Between the lines that lead back.
const LANE: f64 = 20.0;
/// Of a way to the end below a box.
pub(super) const STUB: f64 = 30.0;
/// What a line takes in a column that it passes.
const PASSING: f64 = 14.0;

/// A box with its place; the point is its upper left corner.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub node: Node,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// Where the way to the end leaves it, if there is one.
    pub end: Option<End>,
}

/// Where a short way leaves a box.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// On the right, at this height.
    Right(f64),
    /// Below, so that it is out of the way of lines on the right.
    Below(f64),
}

/// A line with its places.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub edge: Edge,
    /// Where it bends; between two points it runs in a curve, unless `back`.
    pub points: Vec<(f64, f64)>,
    /// It leads back, around corners.
    pub back: bool,
    /// Middle of its label.
    pub label: (f64, f64),
}

/// A picture with all its places.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub boxes: Vec<Placed>,
    pub lines: Vec<Line>,
    pub width: f64,
    pub height: f64,
}

/// Places everything.
pub(super) fn lay_out(graph: Graph) -> Layout {
    let back = leading_back(&graph);
    let columns = columns(&graph, &back);
    let sizes: Vec<(f64, f64)> = graph.nodes.iter().map(size).collect();
    let below: Vec<bool> = (0..graph.nodes.len())
        .map(|i| {
            let mut forward = graph.edges.iter().zip(&back).filter(|(_, back)| !**back);
            graph.nodes[i].ends.is_some() && forward.any(|(edge, _)| edge.from == i)
        })
        .collect();
    let room = |i: usize| if below[i] { STUB } else { 0.0 };
    let heights: Vec<f64> = sizes.iter().enumerate().map(|(i, s)| s.1 + room(i)).collect();
    let middles = middles(&graph, &back, &columns, &heights);
    let (x, right) = lefts(&graph, &columns, &sizes, &below);
    let mut boxes: Vec<Placed> = graph
        .nodes
        .into_iter()
        .enumerate()
        .map(|(i, node)| {
            let (width, height) = sizes[i];
            let (left, wide) = x[columns[i]];
            Placed {
                node,
                x: left + (wide - width) / 2.0,
                y: (middles.boxes[i] - heights[i] / 2.0).round(),
                width,
                height,
                end: below[i].then_some(End::Below((left + (wide - width) / 2.0 + 18.0).round())),
            }
        })
        .collect();
    let bottom = boxes.iter().enumerate().map(|(i, b)| b.y + b.height + room(i));
    let bottom = bottom.fold(0.0, f64::max);
    let bottom = middles.passing.iter().flatten().fold(bottom, |most, y| most.max(y + PASSING));
    let mut lines = lines(graph.edges, &mut boxes, &back, &middles.passing, &columns, &x);
    let lanes = run_back(&mut lines, &columns, &x, bottom + LANE);
    let widest = lines.iter().flat_map(|l| &l.points).map(|p| p.0).fold(right, f64::max);
    Layout { boxes, lines, width: widest + MARGIN, height: bottom + lanes + HEAD + MARGIN }
}

fn size(node: &Node) -> (f64, f64) {
    let chars = |text: &str| text.chars().count() as f64;
    let rows = node.rows.iter().map(|r| TAG + CHAR * chars(&r.text)).fold(0.0, f64::max);
    let title = TITLE_CHAR * chars(&node.title);
    let gap = if node.rows.is_empty() { 0.0 } else { 8.0 };
    ((rows.max(title) + 20.0).round(), TITLE + ROW * node.rows.len() as f64 + gap)
}

/// Which edges lead back to a box from which their begin was reached.
fn leading_back(graph: &Graph) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Done,
    }
    fn visit(graph: &Graph, node: usize, seen: &mut [Seen], back: &mut [bool]) {
        seen[node] = Seen::Open;
        for (i, edge) in graph.edges.iter().enumerate().filter(|(_, e)| e.from == node) {
            match seen[edge.to] {
                Seen::Open => back[i] = true,
                Seen::Not => visit(graph, edge.to, seen, back),
                Seen::Done => {}
            }
        }
        seen[node] = Seen::Done;
    }
    let mut seen = vec![Seen::Not; graph.nodes.len()];
    let mut back = vec![false; graph.edges.len()];
    for node in 0..graph.nodes.len() {
        if seen[node] == Seen::Not {
            visit(graph, node, &mut seen, &mut back);
        }
    }
    back
}

/// The column of each box: behind all that lead to it.
fn columns(graph: &Graph, back: &[bool]) -> Vec<usize> {
    let mut columns = vec![0; graph.nodes.len()];
    // Without the edges that lead back, no way has more edges than there are boxes.
    for _ in 0..graph.nodes.len() {
        for (edge, _) in graph.edges.iter().zip(back).filter(|(_, back)| !**back) {
            columns[edge.to] = columns[edge.to].max(columns[edge.from] + 1);
        }
    }
    columns
}

/// Vertical middles of the boxes, and by edge of its places in the columns that it passes.
struct Middles {
    boxes: Vec<f64>,
    passing: Vec<Vec<f64>>,
}

fn middles(graph: &Graph, back: &[bool], columns: &[usize], heights: &[f64]) -> Middles {
    // What the library takes for width runs downwards here.
    let mut vertices: Vec<(u32, (f64, f64))> =
        heights.iter().enumerate().map(|(i, height)| (i as u32, (*height, 1.0))).collect();
    let mut links = Vec::new();
    let mut passing = Vec::new();
    for (edge, back) in graph.edges.iter().zip(back) {
        let mut places = Vec::new();
        if !*back {
            let mut last = edge.from as u32;
            for _ in columns[edge.from] + 1..columns[edge.to] {
                let place = vertices.len() as u32;
                vertices.push((place, (PASSING, 1.0)));
                links.push((last, place));
                places.push(place as usize);
                last = place;
            }
            if !links.contains(&(last, edge.to as u32)) {
                links.push((last, edge.to as u32));
            }
        }
        passing.push(places);
    }
    let config = Config { vertex_spacing: ABOVE, ..Config::default() };
    let mut middle = vec![0.0; vertices.len()];
    let mut top = HEAD + MARGIN;
    for (places, ..) in from_vertices_and_edges(&vertices, &links, &config) {
        let begin = |(i, (at, _)): &(usize, (f64, f64))| at - vertices[*i].1.0 / 2.0;
        let least = places.iter().map(begin).fold(f64::INFINITY, f64::min);
        let mut next = top;
        for (i, (at, _)) in &places {
            // Whole numbers: a picture's text is the same on every machine.
            middle[*i] = (at - least + top).round();
            next = f64::max(next, middle[*i] + vertices[*i].1.0 / 2.0 + ABOVE);
        }
        top = next;
    }
    let passing = passing.iter().map(|list| list.iter().map(|i| middle[*i]).collect()).collect();
    middle.truncate(heights.len());
    Middles { boxes: middle, passing }
}

/// Left end and width of each column, between which there is room for the labels, and where the last one's end.
fn lefts(
    graph: &Graph,
    columns: &[usize],
    sizes: &[(f64, f64)],
    below: &[bool],
) -> (Vec<(f64, f64)>, f64) {
    let last = columns.iter().max().map_or(0, |last| last + 1);
    let (mut x, mut right) = (MARGIN, MARGIN);
    let mut out = Vec::new();
    for column in 0..last {
        let inside = |(i, at): (usize, &usize)| (*at == column).then_some(sizes[i].0);
        let wide = columns.iter().enumerate().filter_map(inside).fold(0.0, f64::max);
        out.push((x, wide));
        let leaving = graph.edges.iter().filter(|e| columns[e.from] == column);
        let label = leaving.filter(|e| columns[e.to] > column).map(label_width);
        let ends = (0..columns.len()).filter(|i| columns[*i] == column && !below[*i]);
        let ends = ends.filter_map(|i| graph.nodes[i].ends.as_deref()).map(widest);
        let room = label.map(|w| w + 36.0).chain(ends.map(|w| w + 62.0));
        right = x + wide + room.clone().fold(0.0, f64::max);
        x += wide + room.fold(BESIDE, f64::max);
    }
    (out, right)
}

fn label_width(edge: &Edge) -> f64 {
    widest(&edge.labels)
}

fn widest(labels: &[String]) -> f64 {
    6.4 * labels.iter().map(|l| l.chars().count()).max().unwrap_or(0) as f64
}

/// The lines; those that lead back have their two ends only.
fn lines(
    edges: Vec<Edge>,
    boxes: &mut [Placed],
    back: &[bool],
    passing: &[Vec<f64>],
    columns: &[usize],
    x: &[(f64, f64)],
) -> Vec<Line> {
    let starts = ports(&edges, boxes, back, passing, true);
    let ends = ports(&edges, boxes, back, passing, false);
    let one = |(i, edge): (usize, Edge)| {
        let (from, to) = (&boxes[edge.from], &boxes[edge.to]);
        let mut points = vec![(from.x + from.width, starts[i])];
        for (step, y) in passing[i].iter().enumerate() {
            let (left, wide) = x[columns[edge.from] + 1 + step];
            points.extend([(left, *y), (left + wide, *y)]);
        }
        points.push((to.x, ends[i]));
        let (a, b) = (points[0], points[1]);
        Line { edge, label: ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0), points, back: back[i] }
    };
    edges.into_iter().enumerate().map(one).collect()
}

/// Where each edge leaves its box on the right, or enters it on the left: in the order of where it goes, so
/// that they do not cross, then the way to the end; those that lead back are the lowest.
fn ports(
    edges: &[Edge],
    boxes: &mut [Placed],
    back: &[bool],
    passing: &[Vec<f64>],
    out: bool,
) -> Vec<f64> {
    let mut at = vec![0.0; edges.len()];
    let middles: Vec<f64> = boxes.iter().map(|b| b.y + b.height / 2.0).collect();
    for (node, placed) in boxes.iter_mut().enumerate() {
        let here = |i: &usize| if out { edges[*i].from == node } else { edges[*i].to == node };
        let mut sides: Vec<usize> = (0..edges.len()).filter(here).collect();
        let goes = |i: &usize| {
            let other = if out { edges[*i].to } else { edges[*i].from };
            let near = if out { passing[*i].first() } else { passing[*i].last() };
            let there = near.copied().unwrap_or(middles[other]);
            (back[*i], there)
        };
        sides.sort_by(|a, b| {
            let (a, b) = (goes(a), goes(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let ends = out && placed.node.ends.is_some() && placed.end.is_none();
        let step = placed.height / (sides.len() + usize::from(ends) + 1) as f64;
        let mut free = (1..).map(|place| (placed.y + step * f64::from(place)).round());
        let (forward, backward): (Vec<usize>, Vec<usize>) = sides.iter().partition(|i| !back[**i]);
        forward.into_iter().zip(&mut free).for_each(|(i, y)| at[i] = y);
        if ends {
            placed.end = free.next().map(End::Right);
        }
        backward.into_iter().zip(&mut free).for_each(|(i, y)| at[i] = y);
    }
    at
}

/// Leads the lines back below everything, each on a lane of its own; returns the room that they take.
fn run_back(lines: &mut [Line], columns: &[usize], x: &[(f64, f64)], top: f64) -> f64 {
    let mut lane = 0.0;
    // The shortest inside, so that they do not cross.
    let mut order: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].back).collect();
    order.sort_by(|a, b| {
        let length = |i: &usize| columns[lines[*i].edge.from].abs_diff(columns[lines[*i].edge.to]);
        length(a).cmp(&length(b))
    });
    for (number, i) in order.into_iter().enumerate() {
        let line = &mut lines[i];
        // Between columns there are no boxes.
        let (left, wide) = x[columns[line.edge.from]];
        let right = left + wide;
        let left = x[columns[line.edge.to]].0;
        let aside = 16.0 + 8.0 * number as f64;
        let (from, to) = (line.points[0], line.points[line.points.len() - 1]);
        let y = top + lane;
        line.points = vec![
            from,
            (right + aside, from.1),
            (right + aside, y),
            (left - aside, y),
            (left - aside, to.1),
            to,
        ];
        line.label = ((from.0 + to.0) / 2.0, y);
        lane += LANE;
    }
    lane
}
