//! Failed verifications, and candidates that were ruled out before one.

/// For each row, and in all.
#[derive(Debug, Default)]
pub(super) struct Rejections {
    of_rows: Vec<u8>,
    pub(super) all: u64,
    /// The rejected rows in order, since they were taken last; `None` where nobody asks for them.
    pub(super) noted: Option<Vec<u32>>,
}

impl Rejections {
    /// How many an earlier row has, up to 255.
    pub(super) fn of(&self, earlier: u32) -> u8 {
        self.of_rows.get(earlier as usize).copied().unwrap_or(0)
    }

    /// Counts one of an earlier row among `rows`; returns how many it has, up to 255.
    pub(super) fn count(&mut self, earlier: u32, rows: usize) -> u8 {
        if let Some(noted) = &mut self.noted {
            noted.push(earlier);
        }
        if self.of_rows.is_empty() {
            self.of_rows = vec![0; rows];
        }
        let own = &mut self.of_rows[earlier as usize];
        *own = own.saturating_add(1);
        self.all += 1;
        *own
    }
}
