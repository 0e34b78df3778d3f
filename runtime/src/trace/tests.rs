//! Kept, ordered and drawn traces hand out the same turns.

use super::*;
use std::io::Write;

const TEXT: &str = "\u{feff}session,turn,new,out,think\r\n# a comment\r\n0,1, 10, 2,0.5\n0,2,20,3,1\n\n1,1,5,1,0,7\n0,1,8,8,8";

fn lens(replay: &mut Replay, n: u64) -> Vec<(usize, f64)> {
    let each = (0..n).map(|serial| {
        let i = replay.assign(serial).unwrap();
        let turns = replay.turns(i);
        let seen = (turns.len(), turns[0].new);
        replay.give_back(i);
        seen
    });
    each.collect()
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

#[test]
fn consecutive_rows_of_one_number_are_one_session() {
    let trace = Trace::of(TraceSpec::Text { text: TEXT, order: TraceOrder::InOrder }).unwrap();
    let mut replay = Replay::new(&trace, 1).unwrap();
    assert_eq!(lens(&mut replay, 5), [(2, 10.0), (1, 5.0), (1, 8.0), (2, 10.0), (1, 5.0)]);
    assert_eq!(replay.turns(1)[0].forced, 7.0);
}

#[test]
fn a_streamed_trace_hands_out_what_a_kept_one_does() {
    let file = file(TEXT);
    for order in [TraceOrder::InOrder, TraceOrder::Drawn] {
        let kept = Trace::open(file.path(), order).unwrap();
        assert!(matches!(kept.0, Kind::Kept { .. }));
        let streamed = Trace::open_keeping(file.path(), order, 0).unwrap();
        assert!(!matches!(streamed.0, Kind::Kept { .. }));
        let [mut a, mut b] = [&kept, &streamed].map(|t| Replay::new(t, 7).unwrap());
        assert_eq!(lens(&mut a, 40), lens(&mut b, 40), "{order:?}");
    }
}

#[test]
fn live_sessions_keep_their_turns_and_ended_ones_none() {
    let file = file(TEXT);
    let trace = Trace::open_keeping(file.path(), TraceOrder::InOrder, 0).unwrap();
    let mut replay = Replay::new(&trace, 1).unwrap();
    let [a, b] = [0, 1].map(|serial| replay.assign(serial).unwrap());
    assert_eq!((replay.turns(a).len(), replay.turns(b)[0].new), (2, 5.0));
    replay.give_back(a);
    assert_eq!(replay.assign(2), Ok(a));
    assert_eq!(replay.turns(a).len(), 1);
}

#[test]
fn what_is_no_trace_is_told_by_line() {
    let cases = [
        ("0,1,x,2,3", TraceError::Line(1, "`x` in column `new` is no number".into())),
        ("# a\n0,1,1,2,nan", TraceError::Line(2, "column `think` is not finite".into())),
        ("0,1,1,2,3,4,a", TraceError::Line(1, "`a` in column `prefix` is no `key:tokens`".into())),
        (
            "0,1,1,2,3,4,5:-1",
            TraceError::Line(1, "`5:-1` in column `prefix` is no `key:tokens`".into()),
        ),
        ("0,1,1,2,3,4,5:1 :2", TraceError::Line(1, "`` in column `prefix` is no number".into())),
        ("0,1,1,2,3,4,5:inf", TraceError::Line(1, "column `prefix` is not finite".into())),
        ("session,turn\n", TraceError::Empty),
        ("", TraceError::Empty),
    ];
    for (text, wrong) in cases {
        let file = file(text);
        for (order, most) in
            [(TraceOrder::InOrder, KEPT), (TraceOrder::InOrder, 0), (TraceOrder::Drawn, 0)]
        {
            let found = Trace::open_keeping(file.path(), order, most).map(drop);
            assert_eq!(found, Err(wrong.clone()), "{text:?}");
        }
    }
    let columns =
        Trace::of(TraceSpec::Text { text: "0,1,1,2", order: TraceOrder::InOrder }).map(drop);
    assert!(columns.unwrap_err().to_string().contains("it has 4 columns"));
    let long = file(&"1".repeat(2 << 20));
    assert!(matches!(Trace::open(long.path(), TraceOrder::InOrder), Err(TraceError::Line(1, _))));
}

#[test]
fn a_bad_line_further_down_is_met_when_it_is_reached() {
    let file = file("0,1,1,1,1\n1,1,1,1,1\n2,1,1,1\n");
    let trace = Trace::open_keeping(file.path(), TraceOrder::InOrder, 0).unwrap();
    let mut replay = Replay::new(&trace, 1).unwrap();
    assert_eq!(replay.assign(0), Ok(0));
    let met = replay.assign(1).unwrap_err();
    assert!(matches!(met, TraceError::Line(3, _)), "{met}");
}

#[test]
fn a_later_turn_begins_with_nothing_shared() {
    let late = "only a session's first turn begins with a shared prefix";
    let file = file("0,1,1,2,3,4,5:6\n1,1,1,2,3,4,7:8\n1,2,1,2,3,4,7:8");
    let wrong = TraceError::Line(3, late.to_owned());
    for (order, most) in [(TraceOrder::InOrder, KEPT), (TraceOrder::Drawn, 0)] {
        let found = Trace::open_keeping(file.path(), order, most).map(drop);
        assert_eq!(found, Err(wrong.clone()));
    }
    let trace = Trace::open_keeping(file.path(), TraceOrder::InOrder, 0).unwrap();
    let mut replay = Replay::new(&trace, 1).unwrap();
    assert_eq!(replay.assign(0), Ok(0));
    assert_eq!(replay.assign(1), Err(wrong));
}

#[cfg(unix)]
#[test]
fn a_folder_or_device_is_no_trace() {
    for path in ["/", "/dev/zero", "/nowhere/at/all"] {
        let found = Trace::open(Path::new(path), TraceOrder::InOrder);
        assert!(matches!(found, Err(TraceError::Unreadable(_))), "{path}");
    }
}

#[test]
fn sessions_arrive_when_the_trace_says() {
    let file = file("0,1,10,1,1,0.5\n0,2,11,1,1,9\n1,1,20,1,1,0.5\n2,1,30,1,1,4\n");
    for most in [KEPT, 0] {
        let trace = Trace::open_keeping(file.path(), TraceOrder::AtArrival, most).unwrap();
        let mut replay = Replay::new(&trace, 1).unwrap();
        assert_eq!(replay.next_arrival(), Ok(Some(0.5)));
        let mut seen = Vec::new();
        for serial in 0..3 {
            let next = replay.next_arrival().unwrap();
            let i = replay.assign(serial).unwrap();
            seen.push((next, replay.turns(i).len(), replay.turns(i)[0].new));
            replay.give_back(i);
        }
        assert_eq!(seen, [(Some(0.5), 2, 10.0), (Some(4.0), 1, 20.0), (None, 1, 30.0)]);
    }
}

#[test]
fn arrivals_go_forward_and_are_given() {
    let file = file("0,1,1,1,1,2\n1,1,1,1,1,1\n");
    let trace = Trace::open(file.path(), TraceOrder::AtArrival).unwrap();
    let mut replay = Replay::new(&trace, 1).unwrap();
    assert_eq!(replay.next_arrival(), Ok(Some(2.0)));
    assert_eq!(replay.next_arrival(), Err(TraceError::Backwards(1.0, 2.0)));
    let spec = TraceSpec::Text { text: "0,1,1,1,1\n", order: TraceOrder::AtArrival };
    assert!(matches!(Trace::of(spec), Err(TraceError::Line(1, _))));
}

const PREFIXES: &str = "session,turn,new,out,think,forced,prefix\n0,1,10,2,0,0,7:16 8 9:4\n0,2,20,3,1,0\n1,1,5,1,0,0,\n\
                        2,1,8,8,8,0, 7:16 \n3,1,8,8,8,0,-1:0.5 2\n";

#[test]
fn prefixes_are_the_same_kept_read_along_and_drawn() {
    let file = file(PREFIXES);
    let want: [&[Segment]; 4] =
        [&[(7.0, 16.0), (8.0, 16.0), (9.0, 4.0)], &[], &[(7.0, 16.0)], &[(-1.0, 0.5), (2.0, 0.5)]];
    for order in [TraceOrder::InOrder, TraceOrder::AtArrival, TraceOrder::Drawn] {
        for most in [KEPT, 0] {
            let trace = Trace::open_keeping(file.path(), order, most).unwrap();
            let mut replay = Replay::new(&trace, 3).unwrap();
            let mut live = Vec::new();
            for serial in 0..if order == TraceOrder::AtArrival { 3 } else { 40 } {
                if order == TraceOrder::AtArrival {
                    replay.next_arrival().unwrap();
                    if serial == 0 {
                        replay.next_arrival().unwrap();
                    }
                }
                let i = replay.assign(serial).unwrap();
                // A session is known by how long its turns are.
                let lengths: Vec<f64> = replay.turns(i).iter().map(|turn| turn.new).collect();
                let session = match (lengths.as_slice(), replay.prefix(i).first()) {
                    ([10.0, 20.0], _) => 0,
                    ([5.0], _) => 1,
                    ([8.0], Some((7.0, _))) => 2,
                    _ => 3,
                };
                assert_eq!(replay.prefix(i), want[session], "{order:?}, {most} kept");
                if order == TraceOrder::InOrder {
                    assert_eq!(session as u64, serial % 4);
                }
                live.push(i);
                // Two at a time, so that slots are used again.
                if live.len() == 2 {
                    replay.give_back(live.remove(0));
                }
            }
        }
    }
}

#[test]
fn a_long_row_is_read_and_not_kept() {
    let ids: Vec<String> = (0..150_000).map(|id| id.to_string()).collect();
    let text = format!("0,1,10,2,0,0,1:16 {}\n1,1,5,1,0\n", ids.join(" "));
    assert!(text.len() < 1 << 20);
    let file = file(&text);
    for most in [KEPT, 0] {
        let trace = Trace::open_keeping(file.path(), TraceOrder::InOrder, most).unwrap();
        let mut replay = Replay::new(&trace, 1).unwrap();
        let i = replay.assign(0).unwrap();
        assert_eq!(replay.prefix(i).len(), 150_001);
        assert_eq!(replay.prefix(i)[150_000], (149_999.0, 16.0));
        replay.give_back(i);
        assert_eq!(replay.assign(1).map(|i| replay.prefix(i).len()), Ok(0));
    }
}
