//! How cargo and rustc are started.
//!
//! A simulation must come out the same whatever the user's shell and folder hold: variables that
//! steer a build are not passed on, and cargo runs inside the cache, where no manifest, toolchain
//! file or cargo configuration of the user's project is in sight. What says where packages come
//! from (`CARGO_HOME`, registries, proxies) and which linker to use stays.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::Outside;

/// The installed Rust.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// All that `rustc -vV` says.
    pub version: String,
    /// The machine that it compiles for by itself, as a target triple.
    pub host: String,
    /// What the compiled code may use of the processor, as rustc's `target-cpu`; `None` for what every
    /// processor of the host's kind has.
    pub cpu: Option<&'static str>,
}

/// The level of this machine's processor: instructions that all since some year have. Not the very
/// processor, so that a binary also runs on the neighbours of the machine that it was built on.
fn level() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("fma") && has!("lzcnt") {
            return Some("x86-64-v3");
        }
        if has!("sse4.2") && has!("popcnt") {
            return Some("x86-64-v2");
        }
    }
    None
}

/// What a run of cargo came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether it ended well.
    pub success: bool,
    /// All that it said on standard error.
    pub output: String,
}

impl Outcome {
    /// Whether cargo stopped before compiling, for want of a package.
    pub fn lacks_packages(&self) -> bool {
        !self.success
            && !self.output.contains("could not compile")
            && (self.output.contains("--offline") || self.output.contains("offline mode"))
    }

    /// The end of what it said, short enough for a terminal.
    pub fn tail(&self) -> String {
        const LINES: usize = 60;
        let lines: Vec<&str> = self.output.lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

impl Toolchain {
    /// Asks the installed rustc what it is.
    ///
    /// # Errors
    /// If it cannot be started or does not say.
    pub fn find() -> Result<Self, Outside> {
        // Not in the user's folder, where a toolchain file may choose another one than in the cache.
        let output = command("rustc")
            .arg("-vV")
            .current_dir(std::env::temp_dir())
            .output()
            .map_err(|error| Outside::no_toolchain("rustc", error))?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        match version.lines().find_map(|line| line.strip_prefix("host: ")) {
            Some(host) => Ok(Toolchain {
                host: host.to_owned(),
                version: version.clone(),
                cpu: level().filter(|_| host.starts_with("x86_64")),
            }),
            None => {
                let said = String::from_utf8_lossy(&output.stderr);
                Err(Outside::no_toolchain(
                    "rustc",
                    said.lines().next().unwrap_or("it does not tell its version"),
                ))
            }
        }
    }

    /// What rustc is told, as cargo reads it from one variable.
    pub fn flags(&self) -> String {
        // What the runtime marks as worth inlining is: an event passes through some thirty such functions,
        // and they become one only with more room than the compiler gives them by itself.
        // Loops are over a handful of members or residents: what unrolling prepares for is more than it saves.
        let mut flags: Vec<_> = ["--inlinehint-threshold=1500", "--unroll-runtime=false"]
            .map(|flag| format!("-Cllvm-args={flag}"))
            .into();
        flags.extend(self.cpu.map(|cpu| format!("-Ctarget-cpu={cpu}")));
        flags.join("\x1f")
    }

    /// Runs cargo in `folder`, handing each line of its progress to `watch`.
    ///
    /// # Errors
    /// If cargo cannot be started.
    pub fn cargo(
        &self,
        folder: &Path,
        arguments: &[&str],
        mut watch: impl FnMut(&str),
    ) -> Result<Outcome, Outside> {
        let failed = |error| Outside::no_toolchain("cargo", error);
        let mut cargo = command("cargo");
        cargo.env("CARGO_ENCODED_RUSTFLAGS", self.flags());
        let mut child = cargo
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut output = String::new();
        if let Some(stderr) = child.stderr.take() {
            for line in BufReader::new(stderr).split(b'\n') {
                let line = line.map_err(failed)?;
                let line = String::from_utf8_lossy(&line);
                watch(line.trim());
                output += line.trim_end();
                output.push('\n');
            }
        }
        let success = child.wait().map_err(failed)?.success();
        Ok(Outcome { success, output })
    }
}

/// A command without the variables that steer a build.
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if steers_a_build(&name) {
            command.env_remove(name);
        }
    }
    // Set but empty, they also silence what a configuration file says.
    for name in ["CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
        command.env(name, OsString::new());
    }
    command.env("CARGO_TERM_COLOR", "never").env("CARGO_TERM_PROGRESS_WHEN", "never");
    command
}

/// Whether a variable changes what cargo builds, or how.
fn steers_a_build(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let kept = [
        "CARGO_HOME",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTRIES_",
        "CARGO_REGISTRY_",
        "CARGO_SOURCE_",
    ];
    let linker = name.starts_with("CARGO_TARGET_") && name.ends_with("_LINKER");
    let rust = ["CARGO", "RUSTC", "RUSTFLAGS", "RUSTDOC", "__CARGO", "MAKEFLAGS", "MFLAGS"];
    rust.iter().any(|prefix| name.starts_with(prefix))
        && !linker
        && !kept.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_steers_a_build_is_dropped() {
        for dropped in [
            "CARGO_TARGET_DIR",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_TARGET",
            "CARGO_PROFILE_RELEASE_LTO",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_BOOTSTRAP",
            "CARGO_INCREMENTAL",
            "CARGO",
            "CARGO_MANIFEST_DIR",
            "CARGO_MAKEFLAGS",
        ] {
            assert!(steers_a_build(OsStr::new(dropped)), "{dropped}");
        }
        for kept in [
            "PATH",
            "HOME",
            "CARGO_HOME",
            "RUSTUP_HOME",
            "RUSTUP_TOOLCHAIN",
            "https_proxy",
            "CARGO_HTTP_PROXY",
            "CARGO_NET_OFFLINE",
            "CARGO_REGISTRIES_X_INDEX",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER",
        ] {
            assert!(!steers_a_build(OsStr::new(kept)), "{kept}");
        }
    }
}
