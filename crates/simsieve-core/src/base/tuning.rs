//! Sizes of steps that change the time and memory of a call, and no result.

/// How much is done at a time, and from where on other ways pay. Tests set them, so that few documents take all ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// Records of an earlier run that are copied at once.
    pub former_records: usize,
    /// Sampled texts whose first paths are taken at one time.
    pub texts_at_once: usize,
    /// Paths that are split at one time, of whole buckets: those that they become are in memory together.
    pub split_at_once: usize,
    /// Rows of the part of the columns that all partitions read at a time: it is read from the disk once.
    pub joined_rows: usize,
    /// Nanoseconds to make, sort and walk a key of a table: they choose the tables of a search within a distance.
    pub table_key_cost: u32,
    /// Rows of a window of the walk.
    pub window: usize,
    /// Up to this many kept members of a row's large buckets are all tested. Of a larger number the index of features gives those
    /// that may be near.
    pub scanned_members: usize,
    /// Index and bits begin after this many rejections in all, and one for each row: before, few rows are met again and again.
    pub rejections: u64,
    /// Fewer indexed rows do not pay a look through all rows for features of one row only.
    pub indexed_rows: usize,
}

impl Tuning {
    /// The values of every run.
    pub const DEFAULT: Self = Self {
        former_records: 1 << 16,
        texts_at_once: 1 << 14,
        split_at_once: 1 << 16,
        joined_rows: 1 << 19,
        table_key_cost: 10,
        window: 4096,
        scanned_members: 8192,
        rejections: 10_000,
        indexed_rows: 4096,
    };

    /// Steps so small that few documents take many.
    #[cfg(test)]
    pub(crate) const SMALL: Self = Self {
        former_records: 16,
        texts_at_once: 1 << 8,
        split_at_once: 1 << 10,
        joined_rows: 64,
        table_key_cost: 10,
        window: 64,
        scanned_members: 256,
        rejections: 1000,
        indexed_rows: 32,
    };
}
