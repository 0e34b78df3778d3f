//! Files that are not there: a program, a library.

serq_runtime::serq! { name: queue; file "programs/none.sq" }

serq_runtime::serq! {
    name: other;
    use "lib/none.sq";
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (1); }
    run { horizon 10; }
}

fn main() {}
