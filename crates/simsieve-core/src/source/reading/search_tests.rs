//! The tests of `search.rs`.

use std::os::unix::fs::symlink;

use super::*;
use crate::base::context::Context;
use crate::source::Sources;

/// The paths that are read of some folders, in order, and how many names are left out.
fn read(folders: &[&Path], taken: &[&Path]) -> (Vec<PathBuf>, u64) {
    let taken = std::sync::Arc::new(taken.iter().filter_map(|path| Inode::of_file(path)).collect());
    let spec = |path: &&Path| SourceSpec {
        taken: std::sync::Arc::clone(&taken),
        ..SourceSpec::new(*path)
    };
    let specs: Vec<_> = folders.iter().map(spec).collect();
    let store = Sources::open(&specs, 1 << 20, &Context::silent(2)).unwrap();
    let paths = (0..store.len()).map(|position| store.locate(position).path.into_owned());
    (paths.collect(), store.left_out().same)
}

/// A file is read once, under a name that is no link, whatever links, hard links and folders in folders there are.
#[test]
fn a_file_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("box/z/deep")).unwrap();
    fs::create_dir(path("outside")).unwrap();
    fs::write(path("box/z/deep/one.txt"), "one").unwrap();
    fs::write(path("outside/far.txt"), "far").unwrap();
    symlink("z/deep/one.txt", path("box/a.txt")).unwrap();
    symlink("z/deep", path("box/b")).unwrap();
    symlink("../../..", path("box/z/deep/up")).unwrap();
    symlink("../outside", path("box/out")).unwrap();
    symlink("../outside/far.txt", path("box/far.txt")).unwrap();
    let whole = path("box");
    let once = vec![path("box/far.txt"), path("box/z/deep/one.txt")];
    // The link up leads to `outside` before `box/out` does; either is a link.
    let (found, _) = read(&[&whole], &[]);
    assert_eq!(found, once);
    assert_eq!(read(&[&whole, &whole], &[]).0, once);
    assert_eq!(
        read(&[&path("box/z"), &whole], &[]).0[..1],
        [path("box/z/deep/one.txt")]
    );
    // A real name in a later folder precedes a link in an earlier one.
    let both = read(&[&whole, &path("outside")], &[]);
    assert_eq!(both.0, [path("box/z/deep/one.txt"), path("outside/far.txt")]);
    assert_eq!(read(&[&whole], &[&path("box/a.txt")]).0, [path("box/far.txt")]);
}

/// Links between folders make no more work than there are folders.
#[test]
fn folders_are_entered_once() {
    let folder = tempfile::tempdir().unwrap();
    for at in 0..30 {
        let name = folder.path().join(format!("f{at}"));
        fs::create_dir(&name).unwrap();
        for link in ["x", "y"] {
            symlink(format!("../f{}", (at + 1) % 30), name.join(link)).unwrap();
        }
    }
    fs::write(folder.path().join("f7/one.txt"), "one").unwrap();
    assert_eq!(
        read(&[folder.path()], &[]),
        (vec![folder.path().join("f7/one.txt")], 60)
    );
}
