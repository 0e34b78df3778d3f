//! Whether what a page links to is there.

use crate::page::Page;
use serq_tests::compile::project;
use std::path::{Component, Path, PathBuf};

/// Lines whose links lead nowhere, of the page at `pages[place]`.
pub fn broken(page: &Page, pages: &[Page]) -> Vec<(usize, String)> {
    let inner = page.links.iter().filter(|(_, link)| !link.contains(':'));
    inner.filter_map(|(line, link)| Some((*line, wrong(page, pages, link)?))).collect()
}

fn wrong(page: &Page, pages: &[Page], link: &str) -> Option<String> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = if file.is_empty() { page.path.clone() } else { target(&page.path, file) };
    if !project().join(&path).exists() {
        return Some(format!("`{link}`: there is no {path}"));
    }
    let there = pages.iter().find(|other| other.path == path)?;
    let known = anchor.is_empty() || there.anchors.contains(anchor);
    (!known).then(|| format!("`{link}`: {path} has no heading for `#{anchor}`"))
}

/// Where a link of the page at `from` leads, below the project.
pub fn target(from: &str, link: &str) -> String {
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let mut path = PathBuf::new();
    for part in folder.join(link).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if path.file_name().is_some() => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.to_string_lossy().replace('\\', "/")
}
