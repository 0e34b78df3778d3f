//! Literals that only Rust has.

serq_runtime::serq! {
    name: queue;
    let a = 0x10;
    let b = 1.5f64;
    let c = 'x';
    let d = r"x";
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (a + b); }
    run { horizon 10; }
}

fn main() {}
