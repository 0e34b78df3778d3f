//! What rustc says of wrong calls of `serq!`, word for word: only what the macro does to places. What is wrong with
//! programs is tested without rustc.
//!
//! `UPDATE_EXPECT=1 cargo test -p serq-macros --test ui` writes the answers anew; read the difference.

use std::{env, process::Command};

#[test]
fn wrong_calls_are_said_at_their_tokens() {
    // trybuild takes its orders from the environment, which only a process of its own may change.
    if env::var_os("UPDATE_EXPECT").is_some() && env::var_os("TRYBUILD").is_none() {
        let this = env::current_exe().unwrap_or_else(|error| panic!("{error}"));
        let mut again = Command::new(this);
        again.args(["--exact", "wrong_calls_are_said_at_their_tokens"]);
        let status = again.env("TRYBUILD", "overwrite").status();
        assert!(status.is_ok_and(|status| status.success()));
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
