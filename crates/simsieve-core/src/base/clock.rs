//! The time that work takes.

/// Seconds that the processors worked for this process, counted from any start. Other programs do not lengthen them, as they do the
/// seconds of a clock. Where the system is not Linux these are taken.
pub(crate) fn processor_seconds() -> f64 {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    }
    #[cfg(not(target_os = "linux"))]
    {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::processor_seconds;

    #[test]
    fn work_takes_time_of_the_processors() {
        let start = processor_seconds();
        let mut sum = 0_u64;
        while processor_seconds() - start < 1e-3 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(sum > 10, "{sum}");
    }
}
