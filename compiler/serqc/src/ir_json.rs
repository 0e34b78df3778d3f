//! The IR as JSON.
use serde_json::{Value, json};
use serq_compiler::ir::Program;
/// The whole program.
pub fn program(program: &Program) -> Value {
    json!({"program": program.name})
}
