//! The command `serqc` of this workspace, built along with the tests, which start it as a user would.

use std::process::ExitCode;

fn main() -> ExitCode {
    serqc::main()
}
