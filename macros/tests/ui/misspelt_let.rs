//! A `let` that the program does not have.

use serq_runtime::serq;

serq! {
    name: queue;
    let service = 1;
    stage server : fifo;
    workload { arrive batch(3); }
    session { run server (service); }
    run { horizon 10; }
}

pub fn faster() -> queue::Params {
    queue::Params { sevice: 0.5, ..queue::Params::default() }
}

fn main() {}
