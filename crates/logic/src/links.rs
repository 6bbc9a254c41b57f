//! Strong and weak links between candidates, and the shortest chains of them.
//!
//! A chain starts and ends with a strong link and alternates: if its start is off, then its end is
//! on. One of both ends is on, so candidates that see both are off; if start and end are the same
//! candidate, it is on. Chains are found for all starts at once, one strong link longer at a time.

use crate::board::Bits;

/// Numbers of candidates, as a set.
pub type Set<const W: usize> = [u64; W];

/// The links that chains consist of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Within one digit.
    X,
    /// Strong links within cells, weak ones within digits.
    Y,
    /// All links.
    #[default]
    All,
}

/// Iterates over the numbers in a set.
#[inline(always)]
pub fn members<const W: usize>(set: &Set<W>) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(i, &word)| Bits(word.into()).map(move |bit| i * 64 + bit))
}

#[inline(always)]
pub fn contains<const W: usize>(set: &Set<W>, i: usize) -> bool {
    set[i / 64] >> (i % 64) & 1 != 0
}

#[inline(always)]
pub fn insert<const W: usize>(set: &mut Set<W>, i: usize) {
    set[i / 64] |= 1 << (i % 64);
}

#[inline(always)]
pub fn or<const W: usize>(set: &mut Set<W>, other: &Set<W>) {
    for (word, other) in set.iter_mut().zip(other) {
        *word |= other;
    }
}

#[inline(always)]
pub fn and<const W: usize>(a: &Set<W>, b: &Set<W>) -> Set<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

#[inline(always)]
pub fn is_empty<const W: usize>(set: &Set<W>) -> bool {
    set.iter().fold(0, |all, word| all | word) == 0
}

/// All shortest chains up to a length.
#[derive(Debug, Default)]
pub struct Chains<const W: usize> {
    /// For each candidate, those that are on after one weak and one strong link.
    steps: Vec<Set<W>>,
    /// Candidates off which chains start.
    starts: Vec<u16>,
    /// For each start, the ends of all chains so far.
    reached: Vec<Set<W>>,
    /// For each start, the ends of those with the current length that have no shorter chain.
    ends: Vec<Set<W>>,
}

impl<const W: usize> Chains<W> {
    /// Starts over, with chains of one strong link, from the links of `len` candidates.
    pub fn start<'a>(
        &mut self,
        len: usize,
        weak: impl Fn(usize) -> &'a Set<W>,
        strong: impl Fn(usize) -> Set<W>,
    ) {
        self.steps.clear();
        self.steps.resize(len, [0; W]);
        self.starts.clear();
        self.reached.clear();
        self.ends.clear();
        for i in 0..len {
            let ends = strong(i);
            if !is_empty(&ends) {
                for before in members(weak(i)) {
                    or(&mut self.steps[before], &ends);
                }
                self.starts.push(i as u16);
                self.reached.push(ends);
                self.ends.push(ends);
            }
        }
    }

    /// Appends a weak and a strong link to all chains. Returns `false` if no chain can be longer.
    pub fn extend(&mut self) -> bool {
        let mut len = 0;
        for i in 0..self.starts.len() {
            let mut longer = [0; W];
            for end in members(&self.ends[i]) {
                or(&mut longer, &self.steps[end]);
            }
            let mut reached = self.reached[i];
            let ends = std::array::from_fn(|word| longer[word] & !reached[word]);
            // Starts without longer chains are dropped.
            if !is_empty(&ends) {
                or(&mut reached, &longer);
                self.starts[len] = self.starts[i];
                self.reached[len] = reached;
                self.ends[len] = ends;
                len += 1;
            }
        }
        self.starts.truncate(len);
        self.reached.truncate(len);
        self.ends.truncate(len);
        len > 0
    }

    /// Returns the candidates that are on after one weak and one strong link.
    #[inline(always)]
    pub fn step(&self, i: usize) -> &Set<W> {
        &self.steps[i]
    }

    /// Visits the start and the ends of all current chains.
    #[inline(always)]
    pub fn all(&self) -> impl Iterator<Item = (usize, &Set<W>)> {
        self.starts.iter().map(|&start| usize::from(start)).zip(&self.ends)
    }

    /// Returns how many times a weak and a strong link are followed from a candidate that is on until
    /// one of some candidates is on, if that is useful.
    pub fn steps_to(
        &self,
        start: usize,
        ends: &Set<W>,
        is_useful: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let (mut all, mut steps) = ([0; W], 0);
        insert(&mut all, start);
        let mut last = all;
        while is_useful(steps) && !is_empty(&last) {
            if !is_empty(&and(&last, ends)) {
                return Some(steps);
            }
            let before = all;
            members(&last).for_each(|on| or(&mut all, &self.steps[on]));
            last = std::array::from_fn(|word| all[word] & !before[word]);
            steps += 1;
        }
        None
    }
}
