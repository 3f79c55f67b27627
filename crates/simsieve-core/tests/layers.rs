//! The layers of the core: modules import downward only, and no files import one another in a circle. Nor do the files of
//! the border.
//!
//! In: the files of `src`, without test code. Every path that begins with `crate`, `super`, `self`, a child module or
//! an imported name is followed through re-exports. It ends at the file that defines what it names. `pub use` alone is
//! no import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// From the lowest layer up. Modules of one layer do not import one another.
const LAYERS: [&[&str]; 9] = [
    &["base"],
    &["storage"],
    &["text", "hamming"],
    &["encode", "source"],
    &["sink", "recipe"],
    &["collection"],
    &["search"],
    &["dedup"],
    &["forecast", "index", "distributed", "passages", "lines"],
];

/// A module's path, `["dedup", "decide"]`; the crate itself has the empty path.
type Module = Vec<String>;

/// What a file has: the names that it imports, with their full paths, and every path that it mentions.
#[derive(Default)]
struct File {
    names: BTreeMap<String, Vec<String>>,
    mentions: Vec<Vec<String>>,
}

type Files = BTreeMap<Module, File>;

/// Words, `::` and single signs of Rust code, without comments, strings and items of `#[cfg(test)]`.
fn tokens(code: &str) -> Vec<&str> {
    let (mut tokens, mut rest) = (Vec::new(), code);
    let behind =
        |text: &str, from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            behind(rest, 0, "\n")
        } else if rest.starts_with("#\"") {
            behind(rest, 2, "\"#")
        } else if c == '"' {
            let (bytes, mut at) = (rest.as_bytes(), 1);
            while at < bytes.len() && bytes[at] != b'"' {
                at += 1 + usize::from(bytes[at] == b'\\');
            }
            at + 1
        } else if rest.starts_with("'\"'") {
            3
        } else {
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let length = if rest.starts_with("::") {
                2
            } else {
                word.max(c.len_utf8())
            };
            if !c.is_whitespace() {
                tokens.push(&rest[..length]);
            }
            length
        };
        rest = &rest[length..];
    }
    while let Some(at) = tokens
        .windows(7)
        .position(|seven| seven == ["#", "[", "cfg", "(", "test", ")", "]"])
    {
        let (mut end, mut open) = (at + 7, 0_i32);
        while end < tokens.len() && (open > 0 || !matches!(tokens[end], "}" | ";")) {
            open += i32::from(tokens[end] == "{") - i32::from(tokens[end] == "}");
            end += 1;
            if open == 0 && tokens[end - 1] == "}" {
                end -= 1;
                break;
            }
        }
        tokens.drain(at..tokens.len().min(end + 1));
    }
    tokens
}

/// The paths of a `use` tree that begins at `at`, after `prefix`, each with the name that it binds.
fn use_tree(tokens: &[&str], at: &mut usize, prefix: &[String], found: &mut Vec<(String, Vec<String>)>) {
    let mut path = prefix.to_vec();
    loop {
        match tokens[*at] {
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
                found.push((tokens[*at + 1].to_owned(), path));
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
        } else if is_word(tokens[at]) {
            let is_member = at > 0 && tokens[at - 1] == ".";
            let mut path = vec![tokens[at].to_owned()];
            while tokens.get(at + 1) == Some(&"::") && tokens.get(at + 2).is_some_and(|next| is_word(next)) {
                path.push(tokens[at + 2].to_owned());
                at += 2;
            }
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
    let Some(word) = path.first() else {
        return Some((module.clone(), false));
    };
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
    LAYERS
        .iter()
        .position(|layer| module.first().is_some_and(|top| layer.contains(&top.as_str())))
}

/// The imports of each file of a tree.
fn imports_of(sources: &[(String, String)]) -> BTreeMap<Module, BTreeSet<Module>> {
    let files = sources
        .iter()
        .map(|(path, code)| {
            let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
            let module = path
                .split('/')
                .filter(|&part| part != "lib")
                .map(str::to_owned)
                .collect();
            (module, parse(code))
        })
        .collect();
    imports(&files)
}

fn name(module: &Module) -> String {
    module.join("::")
}

/// Every fault of a tree: imports that do not go downward, and circles.
fn faults(sources: &[(String, String)]) -> Vec<String> {
    let imports = imports_of(sources);
    let mut faults = Vec::new();
    for (module, targets) in &imports {
        if layer(module).is_none() && !module.is_empty() {
            faults.push(format!("{} is in no layer", name(module)));
        }
        let upward = targets
            .iter()
            .filter(|target| target[0] != module[0] && layer(target) >= layer(module));
        faults
            .extend(upward.map(|target| format!("{} imports {}, which is no lower layer", name(module), name(target))));
    }
    faults.extend(circles(&imports));
    faults
}

/// Pairs of files that reach each other by imports, if one imports the other directly.
fn circles(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    let mut faults = Vec::new();
    let reached = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            open.extend(imports[module].iter().filter(|target| seen.insert((*target).clone())));
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<Module>> = imports.keys().map(|module| (module, reached(module))).collect();
    for (module, targets) in imports {
        for target in targets.iter().filter(|target| reach[target].contains(module)) {
            faults.push(format!("{} and {} import one another", name(module), name(target)));
        }
    }
    faults
}

/// The faults of an invented tree.
fn faults_of(tree: &[(&str, &str)]) -> Vec<String> {
    let own = |(path, code): &(&str, &str)| ((*path).to_owned(), (*code).to_owned());
    faults(&tree.iter().map(own).collect::<Vec<_>>())
}

const BASE: (&str, &str) = ("base/mod.rs", "pub mod error;\npub use error::Error;");
const ERROR: (&str, &str) = ("base/error.rs", "pub struct Error;");

/// Downward imports are no fault: by `use`, by path, through a re-export, in a comment, in a string or in a test.
#[test]
fn downward_imports_are_allowed() {
    let text = "use crate::base::{self, Error as E};\n// crate::lines::save\nconst A: &str = \"use crate::lines::save;\";\n\
                #[cfg(test)]\nmod tests {\n fn f() { crate::lines::save() }\n}\nfn f(e: E) -> base::error::Error { e.lines }";
    let lines = "mod save;\npub use save::save;\npub struct Run;";
    let save = "use super::Run;\npub fn save(_: Run) -> crate::base::Error { crate::text::f() }";
    let tree = [
        BASE,
        ERROR,
        ("text/mod.rs", text),
        ("lines/mod.rs", lines),
        ("lines/save.rs", save),
    ];
    assert_eq!(faults_of(&tree), [""; 0]);
}

/// An upward import is a fault, and one between modules of one layer, however it is written.
#[test]
fn an_upward_import_is_found() {
    for code in [
        "use crate::text::f;",
        "pub struct Error(crate::text::T);",
        "use crate::{text::{f as g}, base};",
        "fn f() { super::super::text::f() }",
    ] {
        let found = faults_of(&[BASE, ("base/error.rs", code), ("text/mod.rs", "pub fn f() {}")]);
        assert_eq!(found, ["base::error imports text, which is no lower layer"], "{code}");
    }
    let beside = [
        ("text/mod.rs", "use crate::hamming::f;"),
        ("hamming/mod.rs", "pub fn f() {}"),
    ];
    assert_eq!(faults_of(&beside), ["text imports hamming, which is no lower layer"]);
    assert_eq!(faults_of(&[("extra.rs", "")]), ["extra is in no layer"]);
}

/// Files that import one another are a fault: two of them, three of them, and a parent with its child.
#[test]
fn a_circle_is_found() {
    let (a, b) = (
        ("base/a.rs", "use super::b::B; pub struct A;"),
        ("base/b.rs", "use super::A; pub struct B;"),
    );
    let parent = ("base/mod.rs", "mod a; mod b; mod c; pub use a::A;");
    let both = [
        "base::a and base::b import one another",
        "base::b and base::a import one another",
    ];
    assert_eq!(faults_of(&[parent, a, b]), both);
    let ring = [
        a,
        ("base/b.rs", "pub use super::c::C as B;\nfn f(_: B) {}"),
        ("base/c.rs", "use super::a; pub struct C(a::A);"),
    ];
    assert_eq!(faults_of(&[&[parent][..], &ring].concat()).len(), 2);
    let child = ("base/error.rs", "use super::Level; pub struct Error;");
    let parent = ("base/mod.rs", "mod error;\npub struct Level;\npub use error::Error;");
    assert_eq!(faults_of(&[parent, child]), [""; 0]);
    let uses = (
        "base/mod.rs",
        "mod error;\npub struct Level;\npub use error::Error;\nfn f() -> Error { Error }",
    );
    assert_eq!(faults_of(&[uses, child]).len(), 2);
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
        } else if Path::new(&file).extension().is_some_and(|ending| ending == "rs")
            && file != "tests.rs"
            && !file.ends_with("_tests.rs")
        {
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

/// Tests run the code that ships: no file asks whether it is tested. Sizes that a test sets are in `base::tuning`.
#[test]
fn no_code_has_other_values_in_tests() {
    let mut sources = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut sources);
    let asks = |code: &str| tokens(code).windows(4).any(|four| four == ["cfg", "!", "(", "test"]);
    assert!(asks("const A: usize = if cfg!(test) { 1 } else { 2 };"));
    let asking: Vec<&String> = sources
        .iter()
        .filter(|(_, code)| asks(code))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(asking, [""; 0]);
}

/// No files of the border import one another in a circle.
#[test]
fn the_border_has_no_circle() {
    let mut sources = Vec::new();
    read(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../simsieve-py/src"),
        "",
        &mut sources,
    );
    let imports = imports_of(&sources);
    let store = &imports[&vec!["store".to_owned()]];
    assert!(store.contains(&vec!["convert".to_owned()]), "{store:?}");
    let circles = circles(&imports);
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}
