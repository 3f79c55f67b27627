//! Failed verifications, and candidates that were ruled out before one.

/// Failed verifications of each row, and all rejections.
#[derive(Debug, Default)]
pub(super) struct Rejections {
    of_rows: Vec<u8>,
    pub(super) all: u64,
    /// The rejected rows in order, since they were taken last; `None` where nobody asks for them.
    pub(super) noted: Option<Vec<u32>>,
}

/// What is noted in place of a row that its bits ruled out: this rejection counts in all only.
pub const RULED_OUT: u32 = u32::MAX;

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
        self.all += 1;
        let Some(own) = self.of_rows.get_mut(earlier as usize) else {
            return 0;
        };
        *own = own.saturating_add(1);
        *own
    }

    /// Counts candidates that their bits ruled out.
    pub(super) fn count_ruled_out(&mut self, candidates: usize) {
        if let Some(noted) = &mut self.noted {
            noted.extend(std::iter::repeat_n(RULED_OUT, candidates));
        }
        self.all += candidates as u64;
    }
}
