//! `serqc explain [CODE]`: what a diagnostic means, with a wrong and a right example.

use std::process::ExitCode;

use clap::Args;
use serq_compiler::explain;

use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// Say what a diagnostic means, with a wrong and a right example
#[derive(Debug, Args)]
pub struct Arguments {
    /// A code, such as S040 [default: list them all]
    code: Option<String>,
}

/// Prints the page of the code, or the titles of all pages; exits with 2 if there is no such code.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let Some(code) = &arguments.code else {
        let lines = explain::pages().iter().map(|page| format!("{}  {}\n", page.code, page.title));
        super::print(&lines.collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    };
    let Some(page) = explain::page(code) else {
        let near: Vec<&str> = explain::nearest(code).iter().map(|page| page.code).collect();
        // A long word is not shown whole.
        let shown: String = code.chars().take(40).collect();
        screen.failure(&Outside::unknown_code(&shown, &near).into());
        return Ok(ExitCode::from(2));
    };
    super::print(&page.render())?;
    Ok(ExitCode::SUCCESS)
}
