//! Calls that do not begin with a name.

serq_runtime::serq! {
    stage server : fifo;
    run { horizon 10; }
}

serq_runtime::serq! {}

serq_runtime::serq! { name: 7; }

fn main() {}
