//! The words as a double array (Aoe 1989): a step from a prefix to the prefix with one more character reads one cell.
//!
//! A node is a cell. The child of a node under the symbol `s` is the cell `base + s` if the cell's `check` is `s`. No
//! two nodes share a base, so no other node's child with that symbol is in that cell. The root has base 0 and its
//! children are marked, so a leaf, whose base is 0 too, has none. Words can be added at any time; if the place of a
//! child is taken, its node moves all its children to another base.
//!
//! Only characters of searchable words need symbols: see [`symbol`].

/// Han characters of words: U+4E00 to U+9FD5, as in jieba's patterns.
pub const HAN: std::ops::RangeInclusive<u32> = 0x4E00..=0x9FD5;

/// The symbol of the first Han character; below it every ASCII character is its own.
pub const FIRST_HAN: u16 = 128;

/// How many symbols there are.
pub const SYMBOLS: usize = FIRST_HAN as usize + (0x9FD5 - 0x4E00) + 1;

/// The entry of a node that ends no word.
pub const NO_ENTRY: u32 = u32::MAX;

/// The symbol of a character; `None` for characters that are always cut off, and so are in no word.
pub const fn symbol(c: char) -> Option<u16> {
    match c as u32 {
        code @ 0..=0x7F => Some(code as u16),
        code @ 0x4E00..=0x9FD5 => Some((code - 0x4E00) as u16 + FIRST_HAN),
        _ => None,
    }
}

/// A node: 16 bytes, so one fetch has all that a walk needs.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// The place of the children, less their symbols; 0 for a leaf.
    base: u32,
    /// The symbol that leads here; [`FREE`] for no node.
    check: u32,
    /// The weight of the word that ends here; below 0 if none does.
    pub weight: f64,
}

impl Cell {
    /// Whether a word ends here.
    #[inline]
    pub fn is_word(self) -> bool {
        self.weight >= 0.0
    }

    /// Whether it is the node that a symbol leads to; see [`Trie::cell`].
    #[inline]
    pub fn is_of(self, symbol: u16) -> bool {
        self.check == u32::from(symbol)
    }
}

const FREE: u32 = u32::MAX;
/// The mark of the root's children, which a walk never reads.
const OF_ROOT: u32 = 1 << 31;
/// The root has a cell for every symbol; this marks those that begin a word.
const BEGINS: u32 = 1 << 30;
const NO_WORD: f64 = -1.0;
const NOTHING: Cell = Cell {
    base: 0,
    check: FREE,
    weight: NO_WORD,
};

/// A set of words, each with an entry: a number that the caller gives it.
#[derive(Debug, Clone)]
pub struct Trie {
    cells: Vec<Cell>,
    /// The entry of each cell's word, or [`NO_ENTRY`].
    entries: Vec<u32>,
    /// A bit for each cell that is a node.
    taken: Bits,
    /// A bit for each base in use.
    bases: Bits,
    /// The first block to search for a base, for nodes of one, two, three to six, and more children.
    from: [usize; 4],
}

/// Bits in 64s; beyond their end all are 0.
#[derive(Debug, Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    /// 64 bits from `at` on.
    fn window(&self, at: usize) -> u64 {
        let word = |k| self.0.get(k).copied().unwrap_or(0);
        let (k, shift) = (at / 64, at % 64);
        if shift == 0 {
            word(k)
        } else {
            word(k) >> shift | word(k + 1) << (64 - shift)
        }
    }

    fn set(&mut self, at: usize, value: bool) {
        if at / 64 >= self.0.len() {
            self.0.resize(at / 64 + 1, 0);
        }
        let bit = 1 << (at % 64);
        if value {
            self.0[at / 64] |= bit;
        } else {
            self.0[at / 64] &= !bit;
        }
    }
}

impl Trie {
    /// No words.
    pub fn new() -> Self {
        let mut trie = Self {
            cells: vec![NOTHING; 2 * SYMBOLS],
            entries: vec![NO_ENTRY; 2 * SYMBOLS],
            taken: Bits::default(),
            bases: Bits::default(),
            from: [0; 4],
        };
        trie.bases.set(0, true);
        for symbol in 0..SYMBOLS {
            trie.cells[symbol].check = OF_ROOT | symbol as u32;
            trie.taken.set(symbol, true);
        }
        trie
    }

    /// The trie of words in ascending order, distinct and non-empty; the entry of each is its place in the list.
    ///
    /// Words are inserted level by level: nodes with many children come first and find space, nodes with one child fill
    /// the gaps.
    pub fn of_sorted(words: &[(&[u16], f64)]) -> Self {
        let mut trie = Self::new();
        let mut level: Vec<_> = (!words.is_empty())
            .then_some((0, words.len(), None))
            .into_iter()
            .collect();
        let mut depth = 0;
        let mut symbols = Vec::new();
        while !level.is_empty() {
            let mut below = Vec::new();
            for (mut low, high, node) in level {
                if words[low].0.len() == depth {
                    let cell: usize = node.expect("no word is empty");
                    trie.cells[cell].weight = words[low].1;
                    trie.entries[cell] = low as u32;
                    low += 1;
                }
                let groups: Vec<_> = words[low..high]
                    .chunk_by(|(a, _), (b, _)| a[depth] == b[depth])
                    .map(|group| (group[0].0[depth], group.len()))
                    .collect();
                if groups.is_empty() {
                    continue;
                }
                symbols.clear();
                symbols.extend(groups.iter().map(|group| group.0));
                let base = node.map_or(0, |_| trie.free_base(&symbols));
                if let Some(node) = node {
                    trie.cells[node].base = base as u32;
                }
                for &symbol in &symbols {
                    match node {
                        Some(_) => _ = trie.occupy(base, symbol),
                        None => trie.cells[symbol as usize].check |= BEGINS,
                    }
                }
                for (symbol, count) in groups {
                    below.push((low, low + count, Some(base + symbol as usize)));
                    low += count;
                }
            }
            level = below;
            depth += 1;
        }
        trie
    }

    /// The node of one character.
    #[inline]
    pub fn first(&self, symbol: u16) -> Cell {
        self.cells[symbol as usize]
    }

    /// The cell of the node one character further, if there is one.
    #[inline]
    pub fn cell(&self, node: Cell, symbol: u16) -> Cell {
        self.cells[node.base as usize + symbol as usize]
    }

    /// The node one character further; `None` if no word continues so.
    #[inline]
    pub fn next(&self, node: Cell, symbol: u16) -> Option<Cell> {
        Some(self.cell(node, symbol)).filter(|cell| cell.is_of(symbol))
    }

    /// The cell of a word or prefix.
    fn place(&self, word: &[u16]) -> Option<usize> {
        let (&first, rest) = word.split_first()?;
        let mut at = first as usize;
        for &symbol in rest {
            let child = self.cells[at].base as usize + symbol as usize;
            if self.cells[child].check != u32::from(symbol) {
                return None;
            }
            at = child;
        }
        (self.cells[first as usize].check & BEGINS != 0).then_some(at)
    }

    /// The entry of a word; [`NO_ENTRY`] for a prefix that is no word, `None` otherwise.
    pub fn entry(&self, word: &[u16]) -> Option<u32> {
        self.place(word).map(|at| self.entries[at])
    }

    /// Whether this is a word with a weight.
    pub fn has(&self, word: &[u16]) -> bool {
        self.place(word).is_some_and(|at| self.cells[at].is_word())
    }

    /// Inserts or replaces a word with its weight and entry. A weight below 0 keeps the entry, but the word is not
    /// found. An empty word is not inserted.
    pub fn insert(&mut self, word: &[u16], weight: f64, entry: u32) {
        if let Some(at) = self.grow(word) {
            self.cells[at].weight = weight;
            self.entries[at] = entry;
        }
    }

    /// Makes `word` a prefix and returns its cell.
    pub fn grow(&mut self, word: &[u16]) -> Option<usize> {
        let (&first, rest) = word.split_first()?;
        let mut at = first as usize;
        self.cells[at].check |= BEGINS;
        for &symbol in rest {
            let base = self.cells[at].base as usize;
            let child = base + symbol as usize;
            at = if self.cells[child].check == u32::from(symbol) {
                child
            } else {
                self.add_child(at, symbol)
            };
        }
        Some(at)
    }

    fn add_child(&mut self, node: usize, symbol: u16) -> usize {
        let base = self.cells[node].base as usize;
        if base == 0 {
            let base = self.free_base(&[symbol]);
            self.cells[node].base = base as u32;
            return self.occupy(base, symbol);
        }
        if self.cells[base + symbol as usize].check == FREE {
            return self.occupy(base, symbol);
        }
        let mut symbols: Vec<u16> = (0..SYMBOLS as u16)
            .filter(|&s| self.cells[base + s as usize].check == u32::from(s))
            .collect();
        let children = symbols.clone();
        symbols.push(symbol);
        symbols.sort_unstable();
        let new = self.free_base(&symbols);
        for child in children {
            let (old, at) = (base + child as usize, self.occupy(new, child));
            self.cells[at] = self.cells[old];
            self.entries[at] = self.entries[old];
            self.cells[old] = NOTHING;
            self.entries[old] = NO_ENTRY;
            self.taken.set(old, false);
        }
        self.bases.set(base, false);
        self.cells[node].base = new as u32;
        self.occupy(new, symbol)
    }

    fn occupy(&mut self, base: usize, symbol: u16) -> usize {
        let at = base + symbol as usize;
        self.cells[at].check = u32::from(symbol);
        self.taken.set(at, true);
        at
    }

    /// A base, now in use, at which all of these children find free cells: 64 are tried at a time.
    fn free_base(&mut self, symbols: &[u16]) -> usize {
        let kind = match symbols.len() {
            0 | 1 => 0,
            2 => 1,
            3..=6 => 2,
            _ => 3,
        };
        let mut block = self.from[kind];
        let base = loop {
            let mut refused = self.bases.window(block * 64);
            for &symbol in symbols {
                refused |= self.taken.window(block * 64 + symbol as usize);
                if refused == !0 {
                    break;
                }
            }
            if refused != !0 {
                break block * 64 + refused.trailing_ones() as usize;
            }
            block += 1;
        };
        self.from[kind] = block;
        self.bases.set(base, true);
        // Every symbol can be read at every base.
        if base + SYMBOLS > self.cells.len() {
            self.cells.resize(base + 2 * SYMBOLS, NOTHING);
            self.entries.resize(base + 2 * SYMBOLS, NO_ENTRY);
        }
        base
    }
}

impl Default for Trie {
    fn default() -> Self {
        Self::new()
    }
}
