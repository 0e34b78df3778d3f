//! What every session has by itself.

/// The built-in attributes of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Builtins {
    /// Number in arrival order, from 0.
    pub serial: f64,
    /// 1 at the first turn.
    pub turn_no: f64,
    /// Units of its own prefix that its last admission consumed.
    pub cached: f64,
    /// Position that a preempted hold had computed.
    pub computed: f64,
    /// Trace: new tokens of this turn.
    pub new: f64,
    /// Trace: tokens wanted.
    pub out: f64,
    /// Trace: think time.
    pub think: f64,
    /// Trace: 1 while a turn remains.
    pub more: f64,
    /// Trace: its last column.
    pub forced: f64,
}
