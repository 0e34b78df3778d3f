//! An error in a definition is there, and the use that led to it is told.

serq_runtime::serq! {
    name: queue;
    def twice(x) = 2 * x + missing;
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (twice(1)); }
    run { horizon 10; }
}

fn main() {}
