//! How texts are read where more than one reading is possible, and how trees are laid out.

use serq_compiler::span::FileId;
use serq_compiler::syntax::ast::{Expr, ExprKind, ItemKind, QueueItemKind, StmtKind};
use serq_compiler::syntax::{format, parse, parse_expr, print};

/// An expression with every operation in parentheses.
fn grouped(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Num { text, .. } => text.clone(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Unary { op, expr } => format!("({}{})", op.text(), grouped(expr)),
        ExprKind::Chain { first, rest } => rest.iter().fold(grouped(first), |left, (op, term)| {
            format!("({left} {} {})", op.text(), grouped(term))
        }),
        ExprKind::Cond { test, yes, no } => {
            format!("({} ? {} : {})", grouped(test), grouped(yes), grouped(no))
        }
        ExprKind::Paren(expr) => format!("[{}]", grouped(expr)),
        ExprKind::Call { name, args } => {
            let args: Vec<String> = args.iter().map(grouped).collect();
            format!("{}({})", name.kind, args.join(", "))
        }
        ExprKind::Aggregate { var, count, body, .. } => {
            format!("(each {} in {}: {})", var.kind, grouped(count), grouped(body))
        }
        ExprKind::Field { queue, name } => format!("<{} {}>", queue.kind, name.kind),
        ExprKind::Ref(place) => {
            let path: Vec<&str> = place.path.iter().map(|name| name.kind.as_str()).collect();
            let index = place.index.as_ref().map(|(after, i)| format!("@{after} {}", grouped(i)));
            format!("<{}{}>", path.join(" "), index.unwrap_or_default())
        }
        ExprKind::SelfIndex => "SELF".to_string(),
        ExprKind::Draw { dist, .. } => format!("~{}", dist.kind),
    }
}

#[test]
fn operators_bind_as_the_language_says() {
    for (text, want) in [
        ("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b / c", "((a / b) / c)"),
        ("2 ^ 3 ^ 4", "(2 ^ (3 ^ 4))"),
        ("-2 ^ 2", "(-(2 ^ 2))"),
        ("2 ^ -3 ^ 2 * 5", "((2 ^ (-(3 ^ 2))) * 5)"),
        ("-a * b", "((-a) * b)"),
        ("!a == b", "((!a) == b)"),
        ("!-!a", "(!(-(!a)))"),
        ("a || b && c || d", "((a || (b && c)) || d)"),
        ("a + 1 < b * 2 && c", "(((a + 1) < (b * 2)) && c)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("a || b ? c + 1 : -d", "((a || b) ? (c + 1) : (-d))"),
        ("(a)", "[a]"),
        ("max(a, b) - max k in 2 (k) + 1", "((max(a, b) - (each k in 2: k)) + 1)"),
        ("sum in in in (in)", "(each in in in: in)"),
        ("max k in (n + 1) (k * 2)", "(each k in [(n + 1)]: (k * 2))"),
        ("max - min", "(max - min)"),
        ("D.c + D[j].kv + D.nic[j]", "((<D c> + <D kv@1 j>) + <D nic@2 j>)"),
        ("used(kv[j]) / a.b.c", "(used(<kv@1 j>) / <a b c>)"),
        ("5. + .5 + 1_000", "((5. + .5) + 1_000)"),
        ("inf - self", "(inf - SELF)"),
        ("~exp(1) + exp(1)", "(~exp + exp(1))"),
        ("infinite + selfish", "(infinite + selfish)"),
    ] {
        let tree = parse_expr(FileId(0), text).unwrap_or_else(|e| panic!("{text}: {e:#?}"));
        assert_eq!(grouped(&tree), want, "{text}");
    }
}

#[test]
fn numbers_have_the_value_they_say() {
    let texts = ["16", "0.6", "2e-5", "1_000", "5.", ".5", "1_0.2_5e+1_0", "1E3", "inf"];
    let values = [16.0, 0.6, 2e-5, 1000.0, 5.0, 0.5, 10.25e10, 1000.0, f64::INFINITY];
    for (text, want) in texts.iter().zip(values) {
        let tree = parse_expr(FileId(0), text).expect(text);
        assert!(
            matches!(tree.kind, ExprKind::Num { value, .. } if value == want),
            "{text}: {tree:?}"
        );
    }
}

/// The statements of a session and of an entry that say the same words.
fn statements(text: &str) -> [Vec<StmtKind>; 2] {
    let whole = format!("session {{ {text} }} queue Q : prefill {{ prefill (n) {{ {text} }} }}");
    let file = parse(FileId(0), &whole).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    let mut found = [Vec::new(), Vec::new()];
    for item in file.items {
        match item.kind {
            ItemKind::Session { body } => {
                found[0] = body.kind.into_iter().map(|s| s.kind).collect()
            }
            ItemKind::Queue(queue) => {
                for part in queue.items {
                    if let QueueItemKind::Entry { body, .. } = part.kind {
                        found[1] = body.kind.into_iter().map(|s| s.kind).collect();
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }
    found
}

#[test]
fn run_prefill_is_a_mode_in_an_entry_and_a_stage_elsewhere() {
    let shape = |stmt: &StmtKind| match stmt {
        StmtKind::Run { stages, mode, .. } => {
            let stages: Vec<&str> = stages.iter().map(|s| s.path[0].kind.as_str()).collect();
            format!("{} {:?}", stages.join(","), mode.as_ref().map(|mode| mode.kind))
        }
        other => panic!("{other:?}"),
    };
    for (text, outside, inside) in [
        ("run prefill (1);", "prefill None", " Some(Prefill)"),
        ("run decode (1) growing kv;", "decode None", " Some(Decode)"),
        ("run E prefill (1);", "E Some(Prefill)", "E Some(Prefill)"),
        ("run prefill decode (1);", "prefill Some(Decode)", "prefill Some(Decode)"),
        ("run (1);", " None", " None"),
        ("run a, decode (1);", "a,decode None", "a,decode None"),
        ("run d (1);", "d None", "d None"),
    ] {
        let [session, entry] = statements(text);
        assert_eq!(
            (shape(&session[0]).as_str(), shape(&entry[0]).as_str()),
            (outside, inside),
            "{text}"
        );
    }
}

#[test]
fn words_are_reserved_by_position_only() {
    let form = |stmt: &StmtKind| matches!(stmt, StmtKind::Serving { .. });
    for text in
        ["tool (x);", "tool x;", "prefill [j] x;", "decode on on (x);", "prefill on;", "tool .5;"]
    {
        assert!(form(&statements(text)[0][0]), "{text}");
    }
    let call = |stmt: &StmtKind| matches!(stmt, StmtKind::Call { .. });
    for text in
        ["P.x;", "P[i].prefill (1) from P[i];", "tool.x (1);", "set.x (1) to kv (2);", "hold[1].x;"]
    {
        assert!(call(&statements(text)[0][0]), "{text}");
    }
    let text = "set set = set; mark mark; request request; choose by in by by (by); run run (run);
        hold reserve (1) reserve (reuse) reuse (at) at admission (cache = lease) { } cache (cache)
        transfer from from from to to (to); drop drop; hold kv (1) { } lease lease (lease); turn;";
    assert_eq!(statements(text)[0].len(), 10);
    assert!(
        parse(FileId(0), "D pull P share maxmin; pull pull pull latency latency share maxmin;")
            .is_ok()
    );
    assert!(parse(FileId(0), "stage pull : fifo; pool pool { queue by (queue); }").is_ok());
}

#[test]
fn the_layout_keeps_what_the_author_chose() {
    let text = "\
// A header.
// Of two lines.

let a = 1;      // one
let longer = 2;  // two

/* block */
pool p { cap 1; }
pool q {
  cap 1;  // not on one line
}
session {
  // first
  hold p (1) { run d (1); } cache (1);

  branch (a) {
    turn;
  } else { end; }
  // last
}
// end
";
    let want = text
        .replace("1;      // one", "1;       // one")
        .replace("} else { end; }", "} else {\n    end;\n  }");
    assert_eq!(format(text).as_deref(), Ok(want.as_str()));
    let moved = format("let a /* inside */ = 1;;").map_err(|errors| errors.len());
    assert_eq!(moved, Err(1));
    let moved =
        format("let a /* inside */ = 1; /* behind */ let b = 2;\n\n\n\n").expect("it parses");
    assert_eq!(moved, "/* inside */\nlet a = 1;  /* behind */\nlet b = 2;\n");
}

#[test]
fn long_lines_break_where_they_can() {
    let name = "a_long_name_of_an_attribute_or_a_constant";
    let text = format!(
        "gauge g = {name} + {name} * 2 - {name};\n\
         session {{ hold p ({name}) at admission (x = {name}, y = {name} + {name}) {{ turn; }} }}\n"
    );
    let want = format!(
        "gauge g = {name}\n        + {name} * 2\n        - {name};\n\
         session {{\n  hold p ({name})\n       at admission (x = {name},\n                     \
         y = {name} + {name}) {{\n    turn;\n  }}\n}}\n"
    );
    assert_eq!(format(&text).as_deref(), Ok(want.as_str()));
    let tree = parse(FileId(0), &text).expect("it parses");
    assert!(print(&tree).contains("\n        + "), "{}", print(&tree));
}
