//! What happens when memory runs out: the command ends with one line and exit code 2.
//!
//! Rust aborts when an allocation fails, and its hook for that is not stable. This allocator is the system's. After
//! [`exit_when_memory_runs_out`] it ends the process itself: no destructor runs, so no sink is renamed into place, and existing
//! outputs stay as they are. In a process that uses simsieve as a library it changes nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

const COULD_NOT_RUN: c_int = 2;
const ADVICE: &[u8] =
    b" more bytes were asked for and are not free; give a lower --batch or fewer --threads, use a machine \
with more memory, or ask `simsieve plan` how much a run takes\n";

static EXITS: AtomicBool = AtomicBool::new(false);

/// From now on the process ends with exit code 2 when memory runs out. For the command line alone.
#[pyfunction]
pub fn exit_when_memory_runs_out() {
    EXITS.store(true, Ordering::Relaxed);
}

/// The system's allocator, which ends a command when memory runs out.
pub struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

unsafe extern "C" {
    /// Ends the process without exit handlers, which may allocate.
    safe fn _exit(code: c_int) -> !;
}

/// Gives the result of an allocation of `bytes`, or ends the process where it has none.
fn checked(result: *mut u8, bytes: usize) -> *mut u8 {
    if result.is_null() && EXITS.load(Ordering::Relaxed) {
        end(bytes);
    }
    result
}

/// Writes the line and ends the process; allocates nothing.
#[cold]
fn end(bytes: usize) -> ! {
    let mut line = [0; 256];
    let room = line.len();
    let mut rest = &mut line[..];
    // The line is shorter than the room, and there is nobody left to hear of an error.
    let _ = write!(rest, "simsieve: the memory is used up: {bytes}");
    let _ = rest.write_all(ADVICE);
    let used = room - rest.len();
    let _ = std::io::stderr().write_all(&line[..used]);
    _exit(COULD_NOT_RUN)
}

// SAFETY: each call goes to the system's allocator with the arguments as they came, and its result comes back unchanged.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of this same function.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}
