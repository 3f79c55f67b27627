//! What the process does with memory that it has freed.

/// Fewer freed bytes are not worth a call of [`release_free`], which walks over all free memory.
pub(crate) const LEAST_RELEASED: usize = 8 << 20;

/// Gives memory that is free in the allocator back to the system, where the allocator keeps it.
///
/// Large columns are freed while others grow. The allocator of glibc keeps their memory between blocks that are in use.
pub(crate) fn release_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes no pointer and may run beside all others.
    unsafe {
        libc::malloc_trim(0);
    }
}
