//! One small recording of each format, and what goes wrong with them.

use super::*;

fn reading(format: Format, lengths: Option<Lengths>) -> Reading {
    Reading { format, lengths, chars_per_token: 4.0, block: None, strict: false }
}

/// The trace's rows without the header, and the fidelity.
fn imported(reading: Reading, text: &str) -> Result<(Vec<String>, Fidelity), Stopped> {
    let mut out = Vec::new();
    let fidelity = import(reading, text.as_bytes(), &mut out)?;
    let text = String::from_utf8(out).unwrap_or_default();
    Ok((text.lines().skip(1).map(str::to_owned).collect(), fidelity))
}

#[track_caller]
fn rows(reading: Reading, text: &str) -> (Vec<String>, Fidelity) {
    imported(reading, text).unwrap_or_else(|why| panic!("{why:?}"))
}

#[test]
fn azure_by_header_with_a_failed_and_a_damaged_row() {
    let text = "ContextTokens,GeneratedTokens,TIMESTAMP\n\
                10,20,2023-11-16 18:15:46.5000000\n\
                7,0,2023-11-16 18:15:47.0000000\n\
                x,1,2023-11-16 18:15:47.0000000\n\
                9,3,2023-11-17 00:00:00.0000000\n";
    let (got, fidelity) = rows(reading(Format::Azure, None), text);
    assert_eq!(got, ["0,1,10,20,0,0", "1,1,9,3,0,20653.5"]);
    assert_eq!((fidelity.sessions, fidelity.turns, fidelity.new, fidelity.out), (2, 2, 19.0, 23.0));
    assert_eq!(fidelity.damaged, [(4, "`x` is no number".to_owned())]);
    let said = fidelity.to_string();
    assert!(said.starts_with("line 4: `x` is no number\n2 sessions, 2 turns"), "{said}");
    assert!(said.ends_with("rows left out: 1 damaged, 1 without an answer"), "{said}");
    let strict = Reading { strict: true, ..reading(Format::Azure, None) };
    assert!(matches!(imported(strict, text), Err(Stopped::Damaged(4, _))));
}

#[test]
fn a_table_without_its_columns_is_none() {
    for text in ["", "a,b\n1,2\n", "TIMESTAMP,ContextTokens,GeneratedTokens\n"] {
        let got = imported(reading(Format::Azure, None), text);
        assert!(matches!(got, Err(Stopped::NotOne(_))), "{text}");
    }
}

#[test]
fn mooncake_in_milliseconds_with_whole_hashes() {
    let text = "{\"timestamp\": 1000, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [18446744073709551615]}\n\n\
                {\"timestamp\": 3500, \"input_length\": 40, \"output_length\": 6, \"hash_ids\": [0.5]}\n\
                {\"timestamp\": 4000, \"input_length\": 41, \"output_length\": 6}\n";
    let (got, fidelity) = rows(reading(Format::Mooncake, None), text);
    // The largest id is no exact number of a trace, so that another stands for it.
    assert_eq!(got, ["0,1,600,5,0,0,-1036033460391517:512", "1,1,41,6,0,3,"]);
    assert_eq!(fidelity.damaged.first().map(|(line, _)| *line), Some(3));
}

const BAILIAN: &str = "\
{\"chat_id\": 1, \"parent_chat_id\": -1, \"timestamp\": 10.0, \"input_length\": 100, \"output_length\": 20}
{\"chat_id\": 2, \"parent_chat_id\": -1, \"timestamp\": 11.0, \"input_length\": 50, \"output_length\": 5}
{\"chat_id\": 3, \"parent_chat_id\": 1, \"timestamp\": 14.5, \"input_length\": 150, \"output_length\": 8}
{\"chat_id\": 4, \"parent_chat_id\": 1, \"timestamp\": 15.0, \"input_length\": 160, \"output_length\": 9}
{\"chat_id\": 5, \"parent_chat_id\": 3, \"timestamp\": 20.0, \"input_length\": 30, \"output_length\": 7}
";

#[test]
fn bailian_follows_parents_and_needs_to_be_told_what_lengths_mean() {
    let unsaid = imported(reading(Format::Bailian, None), BAILIAN);
    assert!(matches!(unsaid, Err(Stopped::NotOne(what)) if what.contains("--lengths")));
    let (got, fidelity) = rows(reading(Format::Bailian, Some(Lengths::Cumulative)), BAILIAN);
    // The second that follows chat 1 stands alone; chat 5 is shorter than its history, so that it begins anew.
    let want =
        ["0,1,100,20,4.5,0", "0,2,30,8,0,0", "1,1,50,5,0,1", "2,1,160,9,0,5", "3,1,30,7,0,10"];
    assert_eq!(got, want);
    assert_eq!((fidelity.sessions, fidelity.cut, fidelity.span), (4, 1, 10.0));
    let (got, fidelity) = rows(reading(Format::Bailian, Some(Lengths::Delta)), BAILIAN);
    assert_eq!(got[..3], ["0,1,100,20,4.5,0", "0,2,150,8,5.5,0", "0,3,30,7,0,0"]);
    assert_eq!(fidelity.cut, 0);
}

#[test]
fn burstgpt_with_and_without_sessions() {
    let text = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
                5,ChatGPT,472,18,490,Conversation log\n\
                45,ChatGPT,1087,230,1317,Conversation log\n";
    let (got, _) = rows(reading(Format::Burstgpt, None), text);
    assert_eq!(got, ["0,1,472,18,0,0", "1,1,1087,230,0,40"]);
    let text = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
                5,a,2.5,GPT-4,100,10,110,Conversation log\n\
                6,,1,GPT-4,50,5,55,API log\n\
                9,a,1,GPT-4,20,10,30,Conversation log\n";
    let (got, _) = rows(reading(Format::Burstgpt, Some(Lengths::Delta)), text);
    assert_eq!(got, ["0,1,100,10,1.5,0", "0,2,20,10,0,0", "1,1,50,5,0,1"]);
}

#[test]
fn sharegpt_counts_characters() {
    let text = r#"[{"id": "x", "conversations": [
        {"from": "system", "value": "abcd"}, {"from": "human", "value": "äöüß"}, {"from": "gpt", "value": "12345"},
        {"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]},
        7, {"id": "y", "conversations": []}]"#;
    let (got, fidelity) = rows(reading(Format::Sharegpt, None), text);
    assert_eq!(got, ["0,1,2,2,0,0", "0,2,1,1,0,0"]);
    assert_eq!(fidelity.dropped.values().sum::<u64>(), 2);
    let strict = Reading { strict: true, ..reading(Format::Sharegpt, None) };
    assert!(matches!(imported(strict, text), Err(Stopped::Damaged(2, _))));
    let cumulative = imported(reading(Format::Sharegpt, Some(Lengths::Cumulative)), text);
    assert!(matches!(cumulative, Err(Stopped::NotOne(_))));
    assert!(matches!(imported(reading(Format::Sharegpt, None), "{}"), Err(Stopped::NotOne(_))));
}

#[test]
fn a_detailed_result_of_vllm_bench() {
    let text = r#"{"duration": 2.0, "input_lens": [10, 20], "output_lens": [3, 4], "start_times": [8.5, 8.0]}"#;
    let (got, _) = rows(reading(Format::VllmBench, None), text);
    assert_eq!(got, ["0,1,20,4,0,0", "1,1,10,3,0,0.5"]);
    let uneven = text.replace("[3, 4]", "[3]");
    assert!(matches!(imported(reading(Format::VllmBench, None), &uneven), Err(Stopped::NotOne(_))));
}

const HASHED: &str = "\
{\"timestamp\": 3000, \"input_length\": 1100, \"output_length\": 5, \"hash_ids\": [7, 8, 9]}
{\"timestamp\": 1000, \"input_length\": 1024, \"output_length\": 6, \"hash_ids\": [7, 8]}
{\"timestamp\": 2000, \"input_length\": 40, \"output_length\": 0, \"hash_ids\": [1]}
{\"timestamp\": 5000, \"input_length\": 30, \"output_length\": 6, \"hash_ids\": [10]}
{\"timestamp\": 4000, \"input_length\": 50, \"output_length\": 6}
";

#[test]
fn hash_ids_are_the_column_prefix() {
    let (got, fidelity) = rows(reading(Format::Mooncake, None), HASHED);
    let want = [
        "0,1,1024,6,0,0,7:512 8",
        "1,1,1100,5,0,2,7:512 8 9:76",
        "2,1,50,6,0,3,",
        "3,1,30,6,0,4,10:30",
    ];
    assert_eq!(got, want);
    assert_eq!(fidelity.hashed, (3, 0));
    assert!(fidelity.to_string().contains("; 3 sessions with hash ids; "), "{fidelity}");
}

#[test]
fn ids_stand_for_as_many_tokens_as_is_said_and_none_goes_beyond_its_prompt() {
    let of = |block| Reading { block: Some(block), ..reading(Format::Mooncake, None) };
    let (got, fidelity) = rows(of(1000), HASHED);
    assert_eq!(got[..2], ["0,1,1024,6,0,0,7:1000 8:24", "1,1,1100,5,0,2,7:1000 8:100"]);
    assert_eq!(fidelity.hashed, (3, 1));
    assert!(fidelity.to_string().contains("1 of them with ids beyond the end"), "{fidelity}");
    // Of fewer ids than blocks none covers more than its block.
    assert_eq!(rows(of(100), HASHED).0[1], "1,1,1100,5,0,2,7:100 8 9");
    assert!(matches!(imported(of(0), HASHED), Err(Stopped::NotOne(_))));
}

#[test]
fn a_conversation_has_the_ids_of_its_first_prompt() {
    let with = |ids: &[&str]| -> String {
        let each = BAILIAN.lines().zip(ids);
        each.map(|(line, ids)| line.replace('}', &format!(", \"hash_ids\": [{ids}]}}\n"))).collect()
    };
    let text =
        with(&["1, 2, 3, 4, 5, 6, 7", "8, 9, 10, 11", "1, 2", "1, 2, 3, 4, 5, 6, 7, 12", "1, 13"]);
    let (got, fidelity) = rows(reading(Format::Bailian, Some(Lengths::Cumulative)), &text);
    let want = [
        "0,1,100,20,4.5,0,1:16 2 3 4 5 6 7:4",
        "0,2,30,8,0,0,",
        "1,1,50,5,0,1,8:16 9 10 11:2",
        "2,1,160,9,0,5,1:16 2 3 4 5 6 7 12",
        "3,1,30,7,0,10,1:16 13:14",
    ];
    assert_eq!(got, want);
    assert_eq!(fidelity.hashed, (4, 0));
}

#[test]
fn more_ids_than_a_row_holds_are_no_request() {
    let ids = |many: usize| vec!["18446744073709551615"; many].join(",");
    let row = |many| {
        let ids = ids(many);
        format!(
            "{{\"timestamp\": 1, \"input_length\": 1e9, \"output_length\": 5, \"hash_ids\": [{ids}]}}\n"
        )
    };
    let text = row(hashes::MOST) + &row(hashes::MOST + 1);
    let (got, fidelity) = rows(reading(Format::Mooncake, None), &text);
    assert_eq!((got.len(), fidelity.damaged.len()), (1, 1));
    assert!(got[0].len() < 1 << 20, "{}", got[0].len());
}
