//! Writes the project's own programs as inputs of the fuzz targets: `cargo run -p serq-tests --bin fuzz_seeds -- FOLDER`.

use serq_tests::fuzz::corpus;
use std::{fs, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("say where: fuzz_seeds FOLDER");
        return ExitCode::from(2);
    };
    let written = fs::create_dir_all(&folder).and_then(|()| {
        corpus::seeds()
            .iter()
            .enumerate()
            .try_for_each(|(n, text)| fs::write(folder.join(format!("seed-{n:03}")), text))
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
