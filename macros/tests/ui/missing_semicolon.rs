//! What is missing is said at what stands in its place; an empty program at its name.

serq_runtime::serq! {
    name: queue;
    let a = 1
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (a) }
    run { horizon 10; }
}

serq_runtime::serq! { name: nothing; }

fn main() {}
