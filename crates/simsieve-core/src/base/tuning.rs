//! Sizes of steps that change the time and memory of a call, and no result.

/// How much is done at a time, and from where on other ways pay. Tests set them, so that few documents take all ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
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
    /// Up to this many kept members of a row's large buckets are all tested by their sketches. Of a larger number the index of features
    /// gives those that may be near.
    pub scanned_members: usize,
    /// That bound grows with the mean number of features, in steps of this many: a test costs the same for any text, and the cost of
    /// indexing one grows with its features. 10 million pages of 900 features: decisions take 94 s, and 252 s with one bound for all.
    pub scanned_features: usize,
    /// If sketches let more members than this pass, their feature bits are tested, or the index is asked: each would cost a fetch.
    pub tested_members: usize,
    /// The kept documents of a bucket of an index are put in order by their features once this many times as many were read: to put one in
    /// order costs as much as to read three.
    pub read_members: usize,
    /// Words that one row is compared with at most, 2 MiB: of more members the index costs less.
    pub tested_words: usize,
    /// Of more members than this that sketches let pass a form is made, if their numbers keep them apart.
    pub formed_members: usize,
    /// If feature bits let more members than this pass, the index is asked: each would be verified.
    pub verified_members: usize,
    /// The index gives the members if at most one of this many can be near by common features alone.
    pub members_of_possible: usize,
    /// The index is asked from this many indexed candidates on.
    pub indexed_candidates: usize,
    /// After this many rejections the bits of a row are held, where the search has none of all rows.
    pub rejections_to_bits: u8,
    /// After this many rejections in all, and one for each row, the index begins, and the bits of each candidate are held.
    pub rejections: u64,
    /// After this many rejections a row goes into the index, where there are no bits.
    pub rejections_to_index: u8,
    /// When this many rows are indexed, features of one row only get no posting from then on.
    pub indexed_rows: usize,
    /// And when one row of this many is indexed. Of a million questions a fifth is: there the look through all rows would cost more
    /// than it spares.
    pub indexed_of: usize,
    /// And where one feature of this many is rare, so that it has a posting.
    pub rare_of: usize,
    /// Up to this many postings, 128 MiB, the index takes all members of a row's buckets.
    pub free_postings: usize,
    /// A larger index takes a member after this many rejections: it holds some 14 KiB of a text of 3 kB, and costs as much time as some
    /// verifications.
    pub rejections_to_postings: u8,
    /// Postings at most: 2 GiB. Rows that do not fit are compared one by one.
    pub most_postings: usize,
    /// Feature bits of rows, in bytes: of more the rows become narrower, as far as they say something.
    pub most_bits: usize,
    /// With a run directory index and bits take at most this many times what a stage may gather.
    pub index_of_gathered: usize,
    /// Rows of a change of a durable index that memory holds: some 300 bytes each. More are written, and merged in the end.
    pub index_rows: usize,
}

impl Tuning {
    /// The values of every run.
    pub const DEFAULT: Self = Self {
        texts_at_once: 1 << 14,
        split_at_once: 1 << 16,
        joined_rows: 1 << 19,
        table_key_cost: 10,
        window: 4096,
        scanned_members: 8192,
        scanned_features: 64,
        tested_members: 48,
        read_members: 3,
        formed_members: 48,
        tested_words: 1 << 18,
        verified_members: 16,
        members_of_possible: 8,
        indexed_candidates: 2,
        rejections_to_bits: 2,
        rejections: 10_000,
        rejections_to_index: 3,
        indexed_rows: 4096,
        indexed_of: 3,
        rare_of: 4,
        free_postings: 1 << 24,
        rejections_to_postings: 8,
        most_postings: 1 << 28,
        most_bits: 1 << 29,
        index_of_gathered: 2,
        index_rows: 1 << 20,
    };

    /// Steps so small that few documents take many.
    #[cfg(test)]
    pub(crate) const SMALL: Self = Self {
        texts_at_once: 1 << 8,
        split_at_once: 1 << 10,
        joined_rows: 64,
        window: 64,
        scanned_members: 256,
        tested_words: 1 << 17,
        read_members: 1,
        formed_members: 12,
        rejections: 1000,
        indexed_rows: 32,
        free_postings: 1 << 12,
        index_rows: 16,
        ..Self::DEFAULT
    };
}
