//! What one shard is: the simulation's own binary with its part and its folder.
//!
//! The simulation ends with 2 if its options are wrong, which no second try mends, and with
//! [`IN_USE`] if another process is at work on the part: one that outlived its job, whose work is waited
//! for. After anything else the shard is tried again; runs that are kept are not made again.

use super::plan::Plan;
use super::words;

/// The simulation's exit code when another process has its part (`EX_TEMPFAIL` of sysexits.h).
pub const IN_USE: u8 = 75;
/// Seconds between two looks at a part that another process has.
pub const WAIT: u32 = 10;

/// The binary as a command: a name alone would be looked for on the PATH.
pub fn binary(plan: &Plan) -> String {
    if plan.binary.contains('/') { plan.binary.clone() } else { format!("./{}", plan.binary) }
}

/// The command of every shard, without its part.
pub fn command(plan: &Plan) -> Vec<String> {
    let mut command = vec![binary(plan)];
    command.extend(plan.options.iter().cloned());
    command.extend(["--jobs".to_owned(), plan.jobs.to_string()]);
    command
}

/// The same with its part, for a shell; `number` is the shard's, a variable such as `$n`.
pub fn shell(plan: &Plan, number: &str) -> String {
    let command = command(plan);
    let of = plan.shards;
    let start = words::join(command.iter().map(String::as_str));
    format!(
        "{start} \\\n    --shard \"{number}/{of}\" --out {}/part-\"{number}\"-of-{of}",
        words::quoted(&plan.out)
    )
}

/// A shell script that does one shard and tries again; `number` as for [`shell`].
pub fn script(plan: &Plan, number: &str) -> String {
    let (shard, retries) = (shell(plan, number), plan.retries);
    format!(
        "\
tries=0
until {shard}
do
    code=$?
    case $code in
        # Another process is at work on this part.
        {IN_USE}) sleep {WAIT} ;;
        # The options are wrong.
        2) exit 2 ;;
        *)
            [ $tries -lt {retries} ] || exit $code
            tries=$((tries + 1)) ;;
    esac
done
"
    )
}

/// The folder of the parts as whoever submits sees it.
pub fn out_from_outside(plan: &Plan) -> String {
    match &plan.directory {
        Some(directory) if !plan.out.starts_with('/') => format!("{directory}/{}", plan.out),
        _ => plan.out.clone(),
    }
}
