//! A program whose tokens another macro put together.

macro_rules! queue {
    ($name:ident, $amount:expr, $($session:tt)*) => {
        serq_runtime::serq! {
            name: $name;
            let a = $amount;
            stage server : fifo;
            workload { arrive batch(3); }
            session { $($session)* }
            run { horizon 10; }
        }
    };
}

queue!(one, 1 + 2, run server (a););
queue!(two, 1 + 2, run server (a + b););

fn main() {}
