//! Rows of a trace are checked when a program is compiled, and again when a run reads them: both say the same.

use serq_runtime::trace::{Trace, TraceError, TraceOrder, TraceSpec};
use serq_tests::compile::{self, Files};

const LONGEST: usize = 1 << 20;

/// What the compiler says of a trace; the message, or nothing.
fn compiled(text: &str, order: &str) -> Option<String> {
    let arrive = if order == "at arrival" { "" } else { "arrive batch(1);" };
    let program = format!(
        "stage d : delay;\nworkload {{ {arrive} trace \"x.csv\" {order}; }}\n\
         session {{ turn; run d (1); }}\nrun {{ horizon 9; }}"
    );
    let files = Files::default().with("p.sq", &program).with("x.csv", text);
    compile::module_from(&files, "p.sq").err().map(|problem| problem.message)
}

/// What a run says of it.
fn opened(text: &'static str, order: TraceOrder) -> Option<TraceError> {
    Trace::of(TraceSpec::Text { text, order }).err()
}

#[track_caller]
fn agree(text: String) -> bool {
    let text: &'static str = text.leak();
    let shown: String = text.chars().take(60).collect();
    let orders = [
        ("ordered", TraceOrder::InOrder),
        ("", TraceOrder::Drawn),
        ("at arrival", TraceOrder::AtArrival),
    ];
    let mut fine = false;
    for (said, order) in orders {
        let (compiler, run) = (compiled(text, said), opened(text, order));
        match (&compiler, &run) {
            (None, None) => fine |= order == TraceOrder::InOrder,
            (Some(message), Some(TraceError::Line(line, why))) => {
                assert!(
                    message.contains(&format!("line {line} of")) && message.ends_with(why.as_str()),
                    "{shown:?} {order:?}: `{message}`, and line {line}: `{why}`"
                );
            }
            (Some(message), Some(TraceError::Empty)) => {
                assert!(message.ends_with("it has no turn"), "{shown:?}: `{message}`");
            }
            _ => panic!("{shown:?} {order:?}: `{compiler:?}`, and `{run:?}`"),
        }
    }
    fine
}

#[test]
fn both_read_what_is_a_trace() {
    let long = |bytes: usize| {
        let begin = "0,1,2,3,4,5,6:7 ";
        format!("{begin}{}\n1,1,2,3,4,5\n", "8 ".repeat((bytes - begin.len() - 1) / 2))
    };
    for text in [
        "0,1,2,3,4,5\n",
        "\u{feff}session,turn,new,out,think,forced,prefix\r\n# x\r\n\r\n0,1,2,3,4,5,\r\n",
        "0,1,2,3,4,5,6:7",
        " 0 , 1 , 2 , 3 , 4 , 5 , 6:7 8  9:1e3 \n0,2,2,3,4,5, \n",
        "0,1,2,3,4,5,-1:0 +2 .5 1e300\n0,2,2,3,4,5\n1,1,2,3,4,6,-1:0\n",
        "0,1,2,3,4,5,6:1e12\n",
        &long(LONGEST - 1),
        &long(4097),
    ] {
        assert!(agree(text.to_owned()), "{:?}", text.chars().take(60).collect::<String>());
    }
}

#[test]
fn both_say_the_same_of_what_is_none() {
    for text in [
        "",
        "session,turn\n",
        "0,1,2,3\n",
        "0,1,2,3,4,5,6:7,8\n",
        "0,1,2,3,4,5,6:7,\n",
        "0,1,2,3,4,5,6\n",
        "0,1,2,3,4,5,6:7 8:x\n",
        "0,1,2,3,4,5,6:7:8\n",
        "0,1,2,3,4,5,x:7\n",
        "0,1,2,3,4,5,6: 7\n",
        "0,1,2,3,4,5,6:-7\n",
        "0,1,2,3,4,5,6:nan\n",
        "0,1,2,3,4,5,inf:7\n",
        "0,1,2,3,4,5,x\n",
        "0,1,2,3,4,5,6:7\n0,2,2,3,4,5,6:7\n",
        "0,1,2,3,4,5\n0,2,2,3,4,5,6:7\n",
        "0,1,2,x,4,5,6\n",
        "0,1,2,x,4\n\n0,1\n",
        "0,1,2,3,nan\n",
        &"1".repeat(LONGEST),
        &"1".repeat(LONGEST + 5),
        &format!("0,1,2,3,4,5\n{}\n", "1".repeat(LONGEST)),
    ] {
        assert!(!agree(text.to_owned()), "{:?}", text.chars().take(60).collect::<String>());
    }
}
