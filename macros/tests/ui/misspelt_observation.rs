//! An observation and a pool that the program does not have.

use serq_runtime::{Settings, serq};

serq! {
    name: queue;
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (1); observe sojourn = now; }
    run { horizon 10; }
}

pub fn mean() -> f64 {
    let report = queue::run(&queue::Params::default(), Settings::default()).unwrap();
    report.observe.sojurn.mean() + report.pool.server.mean_used
}

fn main() {}
