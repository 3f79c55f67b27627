//! Records that are read soon: the system is told, so that it fetches many of them from a disk at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::collection::Sources;
use super::member::Member;
use crate::source::kinds::source::read_from;

/// Announcements that a task makes: each is a call of the system.
const TASK: usize = 64;

/// Tells the system that the records at ascending positions are read soon. It changes no result.
pub fn announce(sources: &Sources, positions: &[u32]) {
    let mut reads: Vec<(&Member, Range<u64>)> = Vec::new();
    for &position in positions {
        let (member, local) = sources.member_of(position as usize);
        let span = member.spans.loaded(local);
        match reads.last_mut() {
            Some((last, read)) if std::ptr::eq(*last, member) && read_from(read.end, &span) == read.end => {
                read.end = span.end;
            }
            _ => reads.push((member, span)),
        }
    }
    let tasks = reads.par_chunks(TASK);
    tasks.for_each(|reads| {
        for (member, read) in reads {
            member.source.announce(read.clone());
        }
    });
}
