//! The file around the parts: style, headings, small things that all parts use.

use std::fmt::Write;

use super::chart;
use super::data::Data;
use super::sections;

const STYLE: &str = "
:root{--ink:#1d2430;--soft:#5b6472;--line:#dfe3ea;--warn:#9a3412;--warn-back:#fff4ec}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;color:var(--ink);background:#fff;margin:0 auto;max-width:1180px;padding:24px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:20px;margin:36px 0 10px;border-bottom:2px solid var(--line);padding-bottom:4px}h3{font-size:15px;margin:20px 0 8px}
nav{margin:10px 0 18px}nav a{margin-right:14px;color:#1f4e9c;text-decoration:none}
table{border-collapse:collapse;margin:8px 0;font-variant-numeric:tabular-nums}
th,td{padding:4px 12px 4px 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
thead th{color:var(--soft);font-weight:600}tbody th{text-align:left;font-weight:500}th:first-child{text-align:left}
small,.small{color:var(--soft);font-size:12.5px}.over{color:var(--warn)}
.wide{overflow-x:auto;font-size:14px}
.verdict{background:var(--warn-back);border-left:4px solid #c2410c;padding:8px 12px;margin:8px 0;color:var(--warn)}
.note{color:var(--soft);border-left:4px solid var(--line);padding:4px 12px;margin:8px 0}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(340px,100%),1fr));gap:14px}
figure{margin:0;break-inside:avoid}figcaption{font-size:13.5px;font-weight:600;margin-bottom:2px}
figure svg{width:100%;height:auto;display:block}.picture{overflow-x:auto}.picture svg{min-width:760px}
.key{display:inline-flex;align-items:center;margin:0 16px 4px 0;font-size:13px}.key i{width:12px;height:12px;border-radius:3px;margin-right:6px;display:inline-block}
.bars{width:100%}.bars td{width:100%;text-align:left;white-space:normal}.bar{display:flex;height:18px;background:#f2f4f7;border-radius:3px;overflow:hidden}.bar span{display:block;height:100%}
pre{background:#f6f7f9;padding:12px;overflow-x:auto;font-size:12.5px;border-radius:6px}.commands{white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer;margin:6px 0}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
@media (max-width:640px){body{padding:14px;font-size:14px}th,td{padding-right:8px}}
@media print{body{max-width:none;padding:0;font-size:10.5pt}nav{display:none}h2{break-after:avoid}h3{break-after:avoid}tr{break-inside:avoid}.charts{grid-template-columns:repeat(2,1fr)}.picture svg{min-width:0}pre{white-space:pre-wrap}.wide,.picture{overflow:visible}table{font-size:9pt}}
";

/// The whole file.
pub(super) fn text(data: &Data) -> String {
    let runs: usize = data.points.iter().map(|p| p.runs.len()).sum();
    let title = escaped(&data.program);
    let mut parts = vec![("numbers", "Numbers", sections::numbers(data))];
    let curves = sections::curves(data);
    if !curves.is_empty() {
        parts.push(("curves", "Over the settings", curves));
    }
    parts.extend([
        ("split", "Where a request's time goes", sections::time(data)),
        ("distributions", "Distributions", sections::distributions(data)),
        ("time", "Over time", sections::over_time(data)),
        ("busy", "How busy each pod is", sections::utilization(data)),
        ("program", "The program", sections::program(data)),
    ]);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><title>{title}</title><style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n<p class=\"small\">{}</p>\n",
        said(data, runs)
    );
    out += &sections::verdicts(data);
    out += "<nav>";
    parts.iter().for_each(|(id, name, _)| _ = write!(out, "<a href=\"#{id}\">{name}</a>"));
    out += "</nav>\n";
    for (id, name, text) in parts {
        let _ = writeln!(out, "<section id=\"{id}\"><h2>{name}</h2>\n{text}</section>");
    }
    out + "</body></html>\n"
}

fn said(data: &Data, runs: usize) -> String {
    let points = data.points.len();
    let runs = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
    match (points, data.swept.is_empty()) {
        (_, true) => runs,
        (n, false) => format!("{runs} at {n} points of {}", escaped(&data.swept.join(", "))),
    }
}

/// A chart with its title; nothing where there is none.
pub(super) fn figure(title: &str, kind: &str, svg: Option<String>) -> String {
    svg.map_or_else(String::new, |svg| {
        format!(
            "<figure data-chart=\"{kind}\"><figcaption>{}</figcaption>{svg}</figure>\n",
            escaped(title)
        )
    })
}

/// Names with the colours of their numbers.
pub(super) fn key(names: impl Iterator<Item = String>) -> String {
    let one = |(i, name): (usize, String)| {
        format!(
            "<span class=\"key\"><i style=\"background:{}\"></i>{}</span>",
            chart::css(i),
            escaped(&name)
        )
    };
    let all: String = names.enumerate().map(one).collect();
    if all.is_empty() { all } else { format!("<p>{all}</p>\n") }
}

/// Four significant digits, thousands separated.
pub(super) fn shown(x: f64) -> String {
    if !x.is_finite() {
        return "–".to_owned();
    }
    let size = x.abs();
    if x != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{x:.2e}");
    }
    let decimals = match size {
        _ if x == x.trunc() => 0,
        s if s >= 1000.0 => 0,
        s if s >= 100.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 1.0 => 3,
        s if s >= 0.1 => 4,
        s if s >= 0.01 => 5,
        _ => 6,
    };
    let text = format!("{size:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if x < 0.0 { format!("−{out}{rest}") } else { out + rest }
}

/// Text for HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let all = [0.028671, 12345.6, 3.0, -0.5, 2.5e9].map(shown);
        assert_eq!(all, ["0.02867", "12,346", "3", "−0.5000", "2.50e9"]);
    }

    #[test]
    fn nothing_of_a_programs_text_is_taken_for_html() {
        assert_eq!(escaped("a<b && \"c\">"), "a&lt;b &amp;&amp; &quot;c&quot;&gt;");
    }
}
