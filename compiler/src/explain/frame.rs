//! What stands around an example that is a piece of a program.

/// Where an example stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Frame {
    /// It is a whole program.
    #[default]
    Program,
    /// It is a whole program, and right when it is compiled: what is wrong shows in its report.
    Report,
    /// Declarations, and perhaps a session, of a program with two stages and two pools.
    Declarations,
    /// Statements of that program's session.
    Statements,
    /// Further declarations of a deployment with a prefill and a decode queue.
    Queues,
    /// The relation between its two queues.
    Pull,
    /// The statements of its gateway.
    Route,
    /// The body of its prefill entry.
    Prefill,
    /// The body of its decode entry.
    Decode,
    /// The body of its decode entry that reads from the prefill queue.
    Read,
}

const WORDS: &[(&str, Frame)] = &[
    ("program", Frame::Program),
    ("report", Frame::Report),
    ("declarations", Frame::Declarations),
    ("statements", Frame::Statements),
    ("queues", Frame::Queues),
    ("pull", Frame::Pull),
    ("route", Frame::Route),
    ("prefill", Frame::Prefill),
    ("decode", Frame::Decode),
    ("read", Frame::Read),
];

impl Frame {
    /// The frame that a page calls by this word.
    pub(super) fn named(word: &str) -> Option<Frame> {
        WORDS.iter().find(|(name, _)| *name == word).map(|(_, frame)| *frame)
    }

    /// Where an example stands, as it goes on behind "wrong" and "right".
    pub(super) fn place(self) -> &'static str {
        match self {
            Frame::Program | Frame::Report | Frame::Declarations | Frame::Queues | Frame::Pull => {
                ""
            }
            Frame::Statements => ", in a session",
            Frame::Route => ", in a gateway's route",
            Frame::Prefill => ", in an entry `prefill (x)`",
            Frame::Decode => ", in an entry `decode (x)`",
            Frame::Read => ", in an entry `decode (x) from src`",
        }
    }

    /// What a reader should know of the rest of the program.
    pub(super) fn told(self) -> Option<&'static str> {
        match self {
            Frame::Program | Frame::Report => None,
            Frame::Declarations | Frame::Statements => Some(
                "Here `d` is a delay stage, `s` a fifo stage, `p` a pool of 10 units in blocks of 2, `q`\n\
                 a pool of 4; sessions have the attributes `n`, `w` and, hidden, `o`.",
            ),
            Frame::Queues
            | Frame::Pull
            | Frame::Route
            | Frame::Prefill
            | Frame::Decode
            | Frame::Read => Some(
                "Here `P` is a prefill queue, `D` a decode queue that pulls from it, and `gw` the gateway;\n\
                 each of the two has a pool `kv`, a stage and a NIC; `top` is a stage and `tp` a pool\n\
                 outside; sessions have the attributes `m`, `n` and, hidden, `o`.",
            ),
        }
    }

    /// The whole program around an example.
    pub(super) fn around(self, text: &str) -> String {
        match self {
            Frame::Program | Frame::Report => text.to_owned(),
            Frame::Declarations if text.contains("session {") => small(text, ""),
            Frame::Declarations => small(text, "session { turn; run d (1); }"),
            Frame::Statements => small("", &format!("session {{ turn;\n{text}\n}}")),
            Frame::Queues => deployment(&[("MORE", text)]),
            Frame::Pull => deployment(&[("PULL", text)]),
            Frame::Route => deployment(&[("CALLS", text)]),
            Frame::Prefill => deployment(&[("PREFILL", text)]),
            Frame::Decode => deployment(&[("LOCAL", text)]),
            Frame::Read => deployment(&[("READ", text)]),
        }
    }
}

fn small(declarations: &str, session: &str) -> String {
    format!(
        "stage d : delay; stage s : fifo; pool p {{ cap 10; block 2; }} pool q {{ cap 4; }}\n\
         workload {{ arrive batch(2); hidden o; init {{ set w = serial; }} \
         turn {{ set n = 2; set o = 3; }} }}\n\
         {declarations}\n{session}\nrun {{ horizon 10; }}"
    )
}

fn deployment(parts: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "stage top : delay; pool tp { cap 3; }\n\
         queue P : prefill { pool kv { cap 20; } serve delay; nic ps(2); prefill (x) { PREFILL } }\n\
         queue D : decode { pool kv { cap 20; } serve delay; nic ps(2);\n\
         decode (x) { LOCAL } decode (x) from src { READ } }\n\
         PULL\n\
         queue gw : gateway { route { set m = 3; CALLS } }\n\
         workload { arrive batch(1); hidden o; turn { set o = 2; set n = 3; } \
         session { turn; request gw; } }\n\
         MORE\n\
         run { horizon 30; }",
    );
    let defaults = [
        ("PREFILL", "hold kv (x) { run (1); } lease kv (inf);"),
        ("LOCAL", "run (1);"),
        ("READ", "hold kv (x) { transfer (x) from src to kv (x); run (1); }"),
        ("PULL", "D pull P share maxmin;"),
        ("CALLS", "P.prefill (m); D.decode (m) from P;"),
        ("MORE", ""),
    ];
    for (part, value) in parts.iter().chain(&defaults) {
        text = text.replace(part, value);
    }
    text
}
