//! A lone quote: no token to Rust, which says so before the macro is asked.

serq_runtime::serq! {
    name: queue;
    stage server : fifo;
    workload { arrive batch(3); }
    session { set x' = 1; run server (x'); }
    run { horizon 10; }
}

fn main() {}
