//! The picture of a program: its stations with their pools, engines and links, and the way of a session over
//! them.
//!
//! In: the IR. Out: the text of an SVG, the same for the same program on every machine.
//!
//! - `graph`: what is drawn, without places
//! - `path`: the edges, by following the session's statements
//! - `layout`: places of boxes and lines
//! - `svg`: the text

mod graph;
mod layout;
mod path;
mod svg;

use serq_compiler::ir::Program;

/// The picture of a program.
pub fn svg(program: &Program) -> String {
    let mut graph = graph::Graph::of(program);
    path::follow(program, &mut graph);
    graph.leave_out_what_is_not_reached();
    svg::text(&program.name, &layout::lay_out(graph))
}
