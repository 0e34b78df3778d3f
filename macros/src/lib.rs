//! `serq!`: a serQ program inline in Rust.
//!
//! The plan: this crate becomes a proc-macro crate that lays its tokens out again as text by line
//! and column, hands that text to `serq-compiler` (the same library that the `serqc` command
//! calls), maps every diagnostic's byte offsets back to the user's tokens, and returns the emitted
//! module. It will hold no language knowledge and pull no command line library. Until then it is
//! empty on purpose: nothing here pretends to work.
