//! A sweep handed to an engine that runs jobs on many machines.
//!
//! In: a plan. Out: the text of the engine's job, the command that submits it and the one that puts the
//! parts together. Nothing is run here. Every engine starts the simulation's own binary once a shard with
//! `--shard I/N` and a folder of the shard's own, so that no two machines need locks on the same file; a
//! shard that is started again goes on where it was stopped.
//!
//! - `plan`: the plan, read
//! - `check`: its options, held against the simulation
//! - `unit`: what one shard is, in words and in shell
//! - `slurm`, `kubernetes`, `hyperqueue`, `ray`: the job as each of them wants it

mod check;
mod hyperqueue;
mod kubernetes;
pub mod plan;
mod ray;
mod slurm;
mod unit;
pub mod words;

use clap::ValueEnum;

use crate::failure::Failure;
use plan::{Plan, Read};

pub use check::{Checked, check};

/// What is in the first lines of every job that was written here.
pub const MARK: &str = "Written by `serqc submit`";

/// Who runs the shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// A HyperQueue job definition file
    Hyperqueue,
    /// A Slurm array script for `sbatch`
    Slurm,
    /// A Kubernetes Indexed Job
    Kubernetes,
    /// A Python script of Ray tasks
    Ray,
}

/// A job, ready to be written and submitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The text of its file.
    pub text: String,
    /// The command that submits it, without the file, which comes last.
    pub command: &'static [&'static str],
}

impl Engine {
    /// What the name of a job's file ends in.
    pub fn ending(self) -> &'static str {
        match self {
            Engine::Hyperqueue => "hyperqueue.toml",
            Engine::Slurm => "slurm.sh",
            Engine::Kubernetes => "kubernetes.yaml",
            Engine::Ray => "ray.py",
        }
    }

    /// What this engine does not do as a plan may have it.
    pub fn notes(self, plan: &Plan) -> Option<String> {
        match self {
            Engine::Hyperqueue => plan.at_once.map(|_| {
                "HyperQueue's workers decide how many shards run at a time, so `at_once` is not used"
                    .to_owned()
            }),
            Engine::Slurm if plan.shards > slurm::USUAL_MOST => Some(format!(
                "Slurm takes arrays of up to {} tasks, unless the cluster's MaxArraySize is larger",
                slurm::USUAL_MOST
            )),
            Engine::Slurm | Engine::Kubernetes | Engine::Ray => None,
        }
    }

    /// Whether the shards run on machines that see the files of this one, as far as anybody can tell.
    pub fn shares_files(self) -> bool {
        self != Engine::Kubernetes
    }

    /// The job of a plan.
    ///
    /// # Errors
    /// The plan lacks something that this engine needs.
    pub fn job(self, read: &Read) -> Result<Job, Failure> {
        let plan = &read.plan;
        let (text, command): (_, &[&str]) = match self {
            Engine::Hyperqueue => (hyperqueue::text(plan)?, &["hq", "job", "submit-file"]),
            Engine::Slurm => (slurm::text(plan), &["sbatch"]),
            Engine::Kubernetes => (kubernetes::text(read)?, &["kubectl", "create", "-f"]),
            Engine::Ray => (ray::text(plan)?, &["python3"]),
        };
        Ok(Job { text, command })
    }
}

/// The command that puts the parts together, for a shell.
pub fn merge_command(plan: &Plan) -> String {
    let out = unit::out_from_outside(plan);
    let parts = format!("{}/part-*-of-{}", words::quoted(&out), plan.shards);
    format!("serqc collect {parts} --out {}", words::quoted(&format!("{out}/all")))
}
