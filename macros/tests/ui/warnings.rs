//! A warning, denied to be seen: at its attribute, and not where it is silenced.

#![deny(warnings)]

serq_runtime::serq! {
    name: queue;
    stage server : fifo;
    workload { arrive batch(3); }
    session {
        set seen = 1;
        set kept = 1; // serqc: allow S200
        run server (1);
    }
    run { horizon 10; }
}

fn main() {}
