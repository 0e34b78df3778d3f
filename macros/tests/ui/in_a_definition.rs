serq_runtime::serq! {
    name: queue;
    def twice(x) = 2 * x + missing;
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (twice(1)); }
    run { horizon 10; }
}

fn main() {}
