//! Programs of shared links: families of links with capacities, link queues with a latency, runs over one, two or three
//! of them at once, transfers between pools with leases, both policies.

use super::{
    Program,
    words::{Words, indented},
};

/// A family of links and how a transfer over it is written.
struct Link {
    name: &'static str,
    size: u64,
}

impl Link {
    /// A member by the session's number.
    fn member(&self, shift: u64) -> String {
        match self.size {
            0 => self.name.into(),
            n => format!("{}[{}]", self.name, Words::modulo(&format!("(serial + {shift})"), n)),
        }
    }
}

/// A program of a number.
pub fn program(mut words: Words) -> Program {
    let w = &mut words;
    w.odd = true;
    let mut text = String::from("let odd = 0;\n");
    let mut links = Vec::new();
    for (i, name) in ["r", "s", "t"].into_iter().take(w.dice.between(2, 3) as usize).enumerate() {
        let size = if w.dice.chance(40) { 0 } else { w.dice.between(1, 3) };
        let brackets = if size > 0 { format!("[{size}]") } else { String::new() };
        text += &format!("let phi{i} = {} + 0.511 + {} * odd;\n", w.eighths(0, 3), i + 1);
        text += &match w.dice.between(0, 2) {
            0 => format!(
                "queue {name}{brackets} : link {{ serve ps(phi{i}) latency {} + 0.125; }}\n",
                w.eighths(0, 1)
            ),
            1 => format!("queue {name}{brackets} : link {{ serve ps(phi{i}); }}\n"),
            _ => format!("stage {name}{brackets} : ps(phi{i});\n"),
        };
        links.push(Link { name, size });
    }
    // The stage that a transfer finds by its name.
    let plain = w.dice.chance(40).then(|| Link {
        name: "link",
        size: if w.dice.chance(50) { 0 } else { w.dice.between(1, 2) },
    });
    if let Some(plain) = &plain {
        let brackets = if plain.size > 0 { format!("[{}]", plain.size) } else { String::new() };
        let kind =
            w.one_of(&["fifo", "delay", "ps(1.317 + odd)", "ps(0.731 * min(present, 2) + odd)"]);
        text += &format!("stage link{brackets} : {kind};\n");
    }
    text += &format!("stage d : delay;\nshare {};\n", w.one_of(&["maxmin", "bottleneck"]));
    let (from, to) = (w.dice.between(8, 30), w.dice.between(12, 26));
    let block = w.maybe(40, &[" block 2;", " block 3;"]);
    text += &format!("pool src {{ cap {from};{block} }}\npool dst {{ cap {to};{block} }}\n");
    let arrivals = w.arrivals();
    text += &format!(
        "workload {{ arrive {arrivals}; init {{ set a = {}; set b = {}; }} }}\n",
        w.of_session(),
        w.of_session()
    );
    let mut body = vec![
        format!("run d (serial * {} + 0.0071 * serial);", w.eighths(0, 1)),
        "set t0 = now;".into(),
    ];
    // Links are shared only if some run takes two of them.
    body.push(format!("run {}, {} ({});", links[0].member(0), links[1].member(0), w.work()));
    for shift in 0..w.dice.between(2, 4) {
        match &plain {
            Some(plain) if w.dice.chance(50) => body.push(found(w, plain, shift)),
            _ => body.push(step(w, &links, shift)),
        }
        body.push(w.observe("now - t0"));
        if w.dice.chance(50) {
            let at = w.dice.between(0, links.len() as u64 - 1) as usize;
            let link = links[at].member(shift);
            let what = w
                .one_of(&["queue(@) * 10 + busy(@)", "work(@)", "est_lambda(@)"])
                .replace('@', &link);
            body.push(w.observe(&what));
        }
    }
    body.push("run d (0.25);".into());
    text += &format!("session {{\n{}}}\n", indented(&body));
    let what = match links[0].size {
        0 => format!("queue({})", links[0].name),
        n => format!("sum k in {n} (queue({}[k]))", links[0].name),
    };
    text += &format!("gauge g0 = {what};\ngauge g1 = used(src) - used(dst);\n");
    text += &w.run(&arrivals, 15, 60);
    Program::of(text)
}

/// A transfer over the stage that it finds by its name.
fn found(w: &mut Words, link: &Link, shift: u64) -> String {
    let (units, work) = (w.dice.between(1, 4), w.work());
    let place = match link.size {
        0 => String::new(),
        n => format!("[{}] ", Words::modulo(&format!("(serial + {shift})"), n)),
    };
    let place = match w.dice.chance(30) {
        true => format!("on {} ", link.member(shift)),
        false => place,
    };
    let seen = w.observe("used(src) * 10 + used(dst)");
    format!(
        "hold src ({units}) {{ }} cache ({units}) lease src (inf)\n\
         hold dst ({}) {{ transfer {place}({work}) from src to dst ({units}); {seen} run d (0.125); }} cache ({units})",
        2 * units
    )
}

fn step(w: &mut Words, links: &[Link], shift: u64) -> String {
    let from = w.dice.between(0, links.len() as u64 - 1) as usize;
    let count = w.dice.between(2, links.len() as u64) as usize;
    let some: Vec<String> =
        (0..count).map(|i| links[(from + i) % links.len()].member(shift)).collect();
    let work = w.work();
    match w.dice.between(0, 4) {
        0 | 1 => format!("run {} ({work});", some.join(", ")),
        2 => format!("run {} ({work});", some[0]),
        _ => {
            let units = w.dice.between(1, 4);
            let (lease, room) =
                (w.one_of(&["inf", "inf", "0.75", "2"]), 2 * units + w.dice.between(0, 2));
            let (before, after) = (w.eighths(0, 1), w.eighths(0, 1));
            let seen = w.observe("used(src) * 10 + used(dst)");
            let over = if w.dice.chance(70) { some.join(", ") } else { some[0].clone() };
            let kept = w.dice.between(0, 4);
            format!(
                "hold src ({units}) {{ run d ({before} + 0.125); }} cache ({kept}) lease src ({lease})\n\
                 hold dst ({room}) {{ transfer on {over} ({work}) from src to dst ({units}); {seen} run d ({after} + 0.125); }} cache ({units})"
            )
        }
    }
}
