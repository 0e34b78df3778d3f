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
