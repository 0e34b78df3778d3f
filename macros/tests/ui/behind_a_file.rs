//! Something behind the file of a program.

serq_runtime::serq! { name: queue; file "programs/queue.sq"; let a = 1; }

fn main() {}
