//! The layers of the core: modules import downward only, and no files import one another in a circle.
//!
//! In: the files of `src`, without test code. Every path that begins with `crate`, `super`, `self`, a child module or an
//! imported name is followed to the file that defines what it names, through re-exports. `pub use` alone is no import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// From the lowest layer up. Modules of one layer do not import one another.
const LAYERS: [&[&str]; 7] = [
    &["base"],
    &["storage"],
    &["text", "hamming"],
    &["encode", "source"],
    &["sink"],
    &["dedup"],
    &["runs"],
];

/// Circles that are known: folders inside which files may still import one another.
const KNOWN_CIRCLES: [&str; 0] = [];

/// A module's path, `["dedup", "decide"]`; the crate itself has the empty path.
type Module = Vec<String>;

/// What a file has: the names that it imports, with their full paths, and every path that it mentions.
#[derive(Default)]
struct File {
    names: BTreeMap<String, Vec<String>>,
    mentions: Vec<Vec<String>>,
}

type Files = BTreeMap<Module, File>;

/// Words, `::` and single signs of Rust code, without comments and without items of `#[cfg(test)]`.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut skip_to: Option<String> = None;
    for line in code.lines() {
        let text = line.trim_start();
        let indent = &line[..line.len() - text.len()];
        match &skip_to {
            Some(end) if line.starts_with(end.as_str()) || (text.ends_with(';') && end.trim_end_matches('}') == indent) => {
                skip_to = None;
                continue;
            }
            Some(_) => continue,
            None if text.starts_with("#[cfg(test)]") => {
                skip_to = Some(format!("{indent}}}"));
                continue;
            }
            None => {}
        }
        let text = if text.starts_with("//") { "" } else { text.split(" // ").next().unwrap_or_default() };
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let mut token = c.to_string();
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            while is_word(c) && chars.peek().is_some_and(|&c| is_word(c)) || token == ":" && chars.peek() == Some(&':') {
                token.extend(chars.next());
            }
            if !token.trim().is_empty() {
                tokens.push(token);
            }
        }
        if !tokens.is_empty() && text.contains('"') {
            tokens.push(";".to_owned());
        }
    }
    tokens
}

/// The paths of a `use` tree that begins at `at`, behind `prefix`, each with the name that it binds.
fn use_tree(tokens: &[String], at: &mut usize, prefix: &[String], found: &mut Vec<(String, Vec<String>)>) {
    let mut path = prefix.to_vec();
    loop {
        match tokens[*at].as_str() {
            "{" => {
                while tokens[*at] != "}" {
                    *at += 1;
                    if tokens[*at] != "}" {
                        use_tree(tokens, at, &path, found);
                    }
                }
                *at += 1;
                return;
            }
            "::" => *at += 1,
            "as" => {
                found.push((tokens[*at + 1].clone(), path));
                *at += 2;
                return;
            }
            "," | "}" | ";" => {
                found.extend(path.last().map(|last| (last.clone(), path.clone())));
                return;
            }
            "self" if !path.is_empty() => *at += 1,
            word => {
                path.push(word.to_owned());
                *at += 1;
            }
        }
    }
}

fn parse(code: &str) -> File {
    let (tokens, mut file, mut at) = (tokens(code), File::default(), 0);
    let is_word = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    while at < tokens.len() {
        if tokens[at] == "use" {
            let is_public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
            let mut found = Vec::new();
            at += 1;
            use_tree(&tokens, &mut at, &[], &mut found);
            if !is_public {
                file.mentions.extend(found.iter().map(|(_, path)| path.clone()));
            }
            file.names.extend(found);
        } else if is_word(&tokens[at]) {
            let mut path = vec![tokens[at].clone()];
            while tokens.get(at + 1).is_some_and(|token| token == "::") && tokens.get(at + 2).is_some_and(|next| is_word(next)) {
                path.push(tokens[at + 2].clone());
                at += 2;
            }
            let is_member = at >= 2 * path.len() - 1 && tokens[at + 1 - (2 * path.len() - 1) - 1] == ".";
            if !is_member {
                file.mentions.push(path);
            }
            at += 1;
        } else {
            at += 1;
        }
    }
    file
}

/// The module in which a path of `module` ends, and whether it names an item there and not the module itself.
fn resolve(files: &Files, module: &Module, path: &[String], depth: usize) -> Option<(Module, bool)> {
    let mut here = match path[0].as_str() {
        "crate" => Vec::new(),
        "self" => module.clone(),
        "super" => module.split_last()?.1.to_vec(),
        _ => return follow(files, module, path, depth).filter(|(end, is_item)| end != module || !is_item),
    };
    let mut rest = &path[1..];
    while rest.first().is_some_and(|word| word == "super") {
        here.pop();
        rest = &rest[1..];
    }
    follow(files, &here, rest, depth)
}

fn follow(files: &Files, module: &Module, path: &[String], depth: usize) -> Option<(Module, bool)> {
    let Some(word) = path.first() else { return Some((module.clone(), false)) };
    let child = [module.as_slice(), std::slice::from_ref(word)].concat();
    if files.contains_key(&child) {
        return follow(files, &child, &path[1..], depth);
    }
    match files[module].names.get(word) {
        Some(_) if depth > 8 => None,
        Some(target) => match resolve(files, module, target, depth + 1)? {
            (end, false) => follow(files, &end, &path[1..], depth + 1),
            item => Some(item),
        },
        None => Some((module.clone(), true)),
    }
}

/// The imports of each file: modules that define what it mentions.
fn imports(files: &Files) -> BTreeMap<Module, BTreeSet<Module>> {
    let targets = |(module, file): (&Module, &File)| {
        let found = file.mentions.iter().filter_map(|path| resolve(files, module, path, 0));
        let items = found.filter(|(target, is_item)| *is_item && target != module && !target.is_empty());
        (module.clone(), items.map(|(target, _)| target).collect())
    };
    files.iter().map(targets).collect()
}

fn layer(module: &Module) -> Option<usize> {
    LAYERS.iter().position(|layer| module.first().is_some_and(|top| layer.contains(&top.as_str())))
}

/// Every fault of a tree: imports that do not go downward, and circles.
fn faults(sources: &[(String, String)]) -> Vec<String> {
    let name = |module: &Module| module.join("::");
    let files: Files = sources
        .iter()
        .map(|(path, code)| {
            let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
            let module = path.split('/').filter(|&part| part != "lib").map(str::to_owned).collect();
            (module, parse(code))
        })
        .collect();
    let imports = imports(&files);
    let mut faults = Vec::new();
    for (module, targets) in &imports {
        if layer(module).is_none() && !module.is_empty() {
            faults.push(format!("{} is in no layer", name(module)));
        }
        let upward = targets.iter().filter(|target| target[0] != module[0] && layer(target) >= layer(module));
        faults.extend(upward.map(|target| format!("{} imports {}, which is no lower layer", name(module), name(target))));
    }
    let reached = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            open.extend(imports[module].iter().filter(|target| seen.insert((*target).clone())));
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<Module>> = imports.keys().map(|module| (module, reached(module))).collect();
    for (module, targets) in &imports {
        for target in targets.iter().filter(|target| reach[target].contains(module)) {
            let known = |folder: &&str| [module, target].iter().all(|module| name(module).starts_with(*folder));
            if !KNOWN_CIRCLES.iter().any(|folder| known(&folder)) {
                faults.push(format!("{} and {} import one another", name(module), name(target)));
            }
        }
    }
    faults
}

/// The files of a folder and those below it, without tests.
fn read(root: &Path, below: &str, sources: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(root.join(below)).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{below}{file}");
        if root.join(&path).is_dir() {
            if file != "tests" {
                read(root, &format!("{path}/"), sources);
            }
        } else if file.ends_with(".rs") && file != "tests.rs" && !file.ends_with("_tests.rs") {
            sources.push((path.clone(), std::fs::read_to_string(root.join(&path)).unwrap()));
        }
    }
}

/// The core's modules import downward only, and no files import one another in a circle.
#[test]
fn the_core_imports_downward_only() {
    let mut sources = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut sources);
    assert!(sources.len() > 100, "{}", sources.len());
    let faults = faults(&sources);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
