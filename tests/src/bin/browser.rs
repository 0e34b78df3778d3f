//! A report page in a real browser: it opens without errors and without a network, its charts have a size, it
//! fits on a narrow screen and on paper, and its numbers are those of the results.
//!
//! `cargo run -p serq-tests --bin browser`; `CHROMIUM` names another browser than `chromium`. It is no part of the
//! tests, as it needs one.

use serde_json::Value;
use serq_tests::compile;
use std::{
    error::Error,
    fs,
    path::Path,
    process::{Command, ExitCode},
};

/// Looks at the page in a frame of each width, and writes what it sees where `--dump-dom` shows it.
const LOOK: &str = r#"<!DOCTYPE html><html><head><link rel="icon" href="data:,"></head><body><pre id="seen"></pre><script>
const widths = [390, 1200], seen = [];
function look(i) {
  if (i == widths.length) { document.getElementById("seen").textContent = JSON.stringify(seen); return; }
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${widths[i]}px;height:900px;border:0`;
  frame.onload = () => {
    const page = frame.contentDocument, root = page.documentElement;
    const charts = [...page.querySelectorAll("figure svg")].map(s => s.getBoundingClientRect());
    seen.push({ width: widths[i], scroll: root.scrollWidth, client: root.clientWidth,
      charts: charts.length, sized: charts.filter(b => b.width > 200 && b.height > 80).length,
      loaded: frame.contentWindow.performance.getEntriesByType("resource").map(e => e.name),
      cells: [...page.querySelectorAll("td[data-at]")].map(c => [c.dataset.at, +c.dataset.point, c.dataset.value, c.innerText]) });
    look(i + 1);
  };
  frame.src = "report.html";
  document.body.append(frame);
}
look(0);
</script></body></html>"#;

fn main() -> ExitCode {
    match check() {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<String, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let place = folder.path();
    let program = compile::project().join("examples/pd-disaggregation/llmd_nixl_pull.sq");
    let program = program.to_string_lossy().into_owned();
    let options = "--sweep Lambda=0.3,0.6 --seeds 1..3 --horizon 400 --warmup 50 --series --slo ttft:0.05 --out results";
    let words: Vec<&str> = ["run", &program].into_iter().chain(options.split(' ')).collect();
    serqc(place, &words)?;
    serqc(place, &["report", "results", "-o", "report.html"])?;
    fs::write(place.join("look.html"), LOOK)?;
    let look = format!("file://{}", place.join("look.html").display());
    let dom = browser(place, &["--virtual-time-budget=20000", "--dump-dom", &look])?;
    let seen = dom.split("<pre id=\"seen\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let seen =
        seen.unwrap_or_default().replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    let seen: Vec<Value> = serde_json::from_str(&seen)?;
    let runs = fs::read_to_string(place.join("results/runs.jsonl"))?;
    let runs: Vec<Value> = runs.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut said = Vec::new();
    for view in &seen {
        said.push(held(view, &runs)?);
    }
    if said.len() != 2 {
        return Err(format!("the page was looked at {} times", said.len()).into());
    }
    let paper = place.join("report.pdf");
    let page = format!("file://{}", place.join("report.html").display());
    browser(place, &[&format!("--print-to-pdf={}", paper.display()), &page])?;
    let bytes = fs::metadata(&paper)?.len();
    if bytes < 20_000 {
        return Err(format!("on paper it has {bytes} bytes").into());
    }
    Ok(said.join("\n"))
}

/// What one look at the page saw, against the results.
fn held(view: &Value, runs: &[Value]) -> Result<String, Box<dyn Error>> {
    let number = |key: &str| view[key].as_u64().unwrap_or_default();
    let (charts, sized) = (number("charts"), number("sized"));
    if charts < 20 || charts != sized {
        return Err(format!("{sized} of {charts} charts have a size").into());
    }
    if number("scroll") > number("client") {
        return Err(
            format!("at {} px the page is {} px wide", view["width"], view["scroll"]).into()
        );
    }
    if view["loaded"].as_array().is_none_or(|l| !l.is_empty()) {
        return Err(format!("the page loads {}", view["loaded"]).into());
    }
    let cells = view["cells"].as_array().map_or(&[][..], Vec::as_slice);
    for cell in cells {
        let (place, value) = (cell[0].as_str().unwrap_or_default(), cell[2].as_str());
        let load = [0.3, 0.6].get(cell[1].as_u64().unwrap_or(9) as usize).copied();
        let of_point = runs.iter().filter(|r| r["point"]["Lambda"].as_f64() == load);
        let values: Vec<f64> =
            of_point.filter_map(|r| r["report"].pointer(place)?.as_f64()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        if value.and_then(|v| v.parse::<f64>().ok()) != Some(mean) {
            return Err(format!("{cell} should be {mean}").into());
        }
    }
    if cells.len() < 30 {
        return Err(format!("the page has {} numbers", cells.len()).into());
    }
    Ok(format!("{} px: {charts} charts, {} numbers as in the results", view["width"], cells.len()))
}

fn serqc(folder: &Path, words: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO"));
    let manifest = compile::project().join("Cargo.toml");
    command
        .args(["run", "-q", "-p", "serqc", "--manifest-path"])
        .arg(manifest)
        .arg("--")
        .args(words);
    let status = command.current_dir(folder).stdout(std::process::Stdio::null()).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("serqc {}: {status}", words.join(" ")).into())
    }
}

/// Runs the browser without a network; what it writes. Whatever the page says on its console is an error.
fn browser(folder: &Path, words: &[&str]) -> Result<String, Box<dyn Error>> {
    let name = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
    let mut command = Command::new(&name);
    command
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
        .args(["--proxy-server=127.0.0.1:9", "--allow-file-access-from-files"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(words);
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if let Some(line) = errors.lines().find(|line| line.contains("CONSOLE")) {
        return Err(format!("the page says: {line}").into());
    }
    if !output.status.success() {
        return Err(format!("{name}: {}\n{errors}", output.status).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
