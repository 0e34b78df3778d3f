//! Numbers that neither language has: Rust says so too.

serq_runtime::serq! {
    name: queue;
    let a = 1e;
    let b = 0b12;
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (a + b); }
    run { horizon 10; }
}

fn main() {}
