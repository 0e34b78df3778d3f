//! All errors at once, and none where the module is used.

use serq_runtime::{Settings, serq};

serq! {
    name: queue;
    let lambda = 0.8; // arrivals per second
    stage server : fifo;
    workload { arrive poisson(lamda); }
    session {
        set start = nwo;
        run servr (~exp(1));
        observe sojourn = now - start;
    }
    run { horizon 1e5; warmup 2e5; }
}

// What uses the module is not wrong because of it.
pub fn mean() -> f64 {
    queue::run(&queue::Params::default(), Settings::default()).unwrap().observe.sojourn.mean()
}

fn main() {}
