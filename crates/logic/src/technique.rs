//! The techniques, in order of difficulty.

use std::fmt;
use std::str::FromStr;

use bulkdoku_core::named::named_enum;

use thiserror::Error;

macro_rules! techniques {
    ($($variant:ident $name:literal $title:literal $se:literal $score:literal $code:literal,)*) => {
        /// A technique. Techniques are ordered by difficulty: a round applies the first one that
        /// has an instance.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the names of the field")]
        pub enum Technique { $($variant,)* }

        /// The definition of each technique, in order of difficulty.
        const DEFINITIONS: &[Definition] =
            &[$(Definition { technique: Technique::$variant, name: $name, title: $title, se: $se, score: $score, code: $code },)*];
    };
}

/// What other programs call a technique, and how they rate it.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The technique.
    pub technique: Technique,
    /// Its name in rows.
    pub name: &'static str,
    /// Its name for people, such as `Hidden pair`.
    pub title: &'static str,
    /// The base rating of Sudoku Explainer 1.2.1 in tenths, or 0 if it lacks the technique.
    pub se: u8,
    /// The score of `HoDoKu`, or one of our own if it lacks the technique.
    pub score: u16,
    /// The number in `HoDoKu`'s library of techniques, or an empty text.
    pub code: &'static str,
}

// Techniques that `HoDoKu` lacks have the score of the easiest technique that it has and that
// does the same work: exclusions that of ALS-XZ, Nishio and forcing chains that of its forcing
// chains, dynamic ones that of its nets, nested ones multiples of it.
techniques! {
    FullHouse "full-house" "Full house" 10 4 "0000",
    HiddenSingleBox "hidden-single-box" "Hidden single in a box" 12 14 "0002",
    HiddenSingleLine "hidden-single-line" "Hidden single in a line" 15 14 "0002",
    NakedSingle "naked-single" "Naked single" 23 4 "0003",
    Pointing "pointing" "Pointing" 26 50 "0100",
    Claiming "claiming" "Claiming" 28 50 "0101",
    NakedPair "naked-pair" "Naked pair" 30 60 "0200",
    XWing "x-wing" "X-wing" 32 140 "0300",
    HiddenPair "hidden-pair" "Hidden pair" 34 70 "0210",
    NakedTriple "naked-triple" "Naked triple" 36 80 "0201",
    Swordfish "swordfish" "Swordfish" 38 150 "0301",
    HiddenTriple "hidden-triple" "Hidden triple" 40 100 "0211",
    Skyscraper "skyscraper" "Skyscraper" 0 130 "0400",
    TwoStringKite "2-string-kite" "2-string kite" 0 150 "0401",
    TurbotFish "turbot-fish" "Turbot fish" 0 120 "0403",
    EmptyRectangle "empty-rectangle" "Empty rectangle" 0 120 "0402",
    XYWing "xy-wing" "XY-wing" 42 160 "0800",
    XYZWing "xyz-wing" "XYZ-wing" 44 180 "0801",
    WWing "w-wing" "W-wing" 0 150 "0803",
    UniqueRectangle1 "unique-rectangle-1" "Unique rectangle type 1" 45 100 "0600",
    UniqueRectangle2 "unique-rectangle-2" "Unique rectangle type 2" 45 100 "0601",
    UniqueRectangle3 "unique-rectangle-3" "Unique rectangle type 3" 46 100 "0602",
    UniqueRectangle4 "unique-rectangle-4" "Unique rectangle type 4" 45 100 "0603",
    HiddenRectangle "hidden-rectangle" "Hidden rectangle" 0 100 "0606",
    UniqueLoop1 "unique-loop-1" "Unique loop type 1" 46 100 "",
    UniqueLoop2 "unique-loop-2" "Unique loop type 2" 46 100 "",
    UniqueLoop3 "unique-loop-3" "Unique loop type 3" 47 100 "",
    UniqueLoop4 "unique-loop-4" "Unique loop type 4" 46 100 "",
    NakedQuad "naked-quad" "Naked quad" 50 120 "0202",
    Jellyfish "jellyfish" "Jellyfish" 52 160 "0302",
    HiddenQuad "hidden-quad" "Hidden quad" 54 150 "0212",
    Bug1 "bug-1" "BUG type 1" 56 100 "0610",
    Bug2 "bug-2" "BUG type 2" 57 100 "",
    Bug3 "bug-3" "BUG type 3" 58 100 "",
    Bug4 "bug-4" "BUG type 4" 57 100 "",
    RemotePair "remote-pair" "Remote pair" 0 110 "0703",
    SimpleColors "simple-colors" "Simple colors" 0 150 "0500",
    FinnedXWing "finned-x-wing" "Finned X-wing" 0 130 "0310",
    SashimiXWing "sashimi-x-wing" "Sashimi X-wing" 0 150 "0320",
    FinnedSwordfish "finned-swordfish" "Finned swordfish" 0 200 "0311",
    SashimiSwordfish "sashimi-swordfish" "Sashimi swordfish" 0 240 "0321",
    XCycle "x-cycle" "X-cycle" 65 260 "",
    YCycle "y-cycle" "Y-cycle" 65 260 "",
    XChain "x-chain" "X-chain" 66 260 "0701",
    XYChain "xy-chain" "XY-chain" 70 260 "0702",
    Aic "aic" "AIC" 70 280 "0708",
    FinnedJellyfish "finned-jellyfish" "Finned jellyfish" 0 250 "0312",
    SashimiJellyfish "sashimi-jellyfish" "Sashimi jellyfish" 0 260 "0322",
    SueDeCoq "sue-de-coq" "Sue de Coq" 0 250 "1101",
    GroupedXChain "grouped-x-chain" "Grouped X-chain" 0 300 "",
    GroupedAic "grouped-aic" "Grouped AIC" 0 300 "0711",
    AlignedPairExclusion "aligned-pair-exclusion" "Aligned pair exclusion" 62 300 "",
    AlsXZ "als-xz" "ALS-XZ" 0 300 "0901",
    AlsXYWing "als-xy-wing" "ALS-XY-wing" 0 320 "0902",
    AlignedTripletExclusion "aligned-triplet-exclusion" "Aligned triplet exclusion" 75 320 "",
    Nishio "nishio" "Nishio" 75 500 "",
    CellForcingChain "cell-forcing-chain" "Cell forcing chain" 80 500 "1302",
    RegionForcingChain "region-forcing-chain" "Region forcing chain" 80 500 "1302",
    DynamicForcingChain "dynamic-forcing-chain" "Dynamic forcing chain" 85 700 "1303",
    DynamicForcingChainPlus "dynamic-forcing-chain-plus" "Dynamic forcing chain plus" 90 1400 "",
    NestedForcingChain2 "nested-forcing-chain-2" "Nested forcing chain level 2" 95 2100 "",
    NestedForcingChain3 "nested-forcing-chain-3" "Nested forcing chain level 3" 100 2800 "",
    NestedForcingChain4 "nested-forcing-chain-4" "Nested forcing chain level 4" 105 3500 "",
    NestedForcingChain5 "nested-forcing-chain-5" "Nested forcing chain level 5" 110 4200 "",
}

impl Technique {
    /// The number of techniques.
    pub const COUNT: usize = DEFINITIONS.len();

    /// Iterates over all techniques, the easiest first.
    pub fn all() -> impl Iterator<Item = Self> {
        DEFINITIONS.iter().map(|definition| definition.technique)
    }

    /// Returns the definition.
    pub const fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }

    /// Returns the name in rows, such as `xy-wing`.
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// Returns the name for people, such as `Hidden pair`.
    pub const fn title(self) -> &'static str {
        self.definition().title
    }

    /// Returns a description of some sentences.
    pub fn description(self) -> &'static str {
        self.text(0)
    }

    /// Returns what `HoDoKu` and sudokuwiki.org call the technique; an empty text if they lack it.
    pub fn other_names(self) -> [&'static str; 2] {
        [1, 2].map(|field| self.text(field))
    }

    /// Returns a puzzle whose path has the technique; `None` if it is too rare.
    pub fn example(self) -> Option<&'static str> {
        Some(self.text(3)).filter(|puzzle| !puzzle.is_empty())
    }

    fn text(self, field: usize) -> &'static str {
        let line = include_str!("techniques.txt").lines().nth(self as usize);
        line.and_then(|line| line.split('\t').nth(field)).unwrap_or_default()
    }

    /// Returns how difficult the technique is, by `HoDoKu`'s levels.
    pub const fn difficulty(self) -> Difficulty {
        // The scores are `HoDoKu`'s, or those of techniques that do the same work.
        match self.definition().score {
            ..=14 => Difficulty::Easy,
            15..=100 if self as usize <= Self::HiddenTriple as usize => Difficulty::Medium,
            15..200 => Difficulty::Hard,
            200..500 => Difficulty::Unfair,
            _ => Difficulty::Extreme,
        }
    }

    /// Returns whether only the shortest instances count.
    pub(super) const fn takes_shortest(self) -> bool {
        let (i, first) = (self as usize, Self::XCycle as usize);
        i >= first && i <= Self::Aic as usize
            || matches!(self, Self::GroupedXChain | Self::GroupedAic)
            || i >= Self::Nishio as usize
    }

    /// Returns whether the technique compares or refutes alternatives.
    pub(super) const fn is_forcing(self) -> bool {
        self as usize >= Self::CellForcingChain as usize
    }

    /// Returns whether the technique assumes that the puzzle has exactly one solution.
    pub const fn assumes_uniqueness(self) -> bool {
        let (i, first) = (self as usize, Self::UniqueRectangle1 as usize);
        i >= first && i <= Self::UniqueLoop4 as usize
            || i >= Self::Bug1 as usize && i <= Self::Bug4 as usize
    }
}

impl FromStr for Technique {
    type Err = UnknownTechnique;

    fn from_str(name: &str) -> Result<Self, UnknownTechnique> {
        let found = Self::all().find(|technique| technique.name() == name);
        found.ok_or_else(|| UnknownTechnique(name.into()))
    }
}

named_enum! {
    /// The difficulty of a technique, or of a puzzle by the hardest technique of its path: the levels
    /// of `HoDoKu`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Difficulty {
        /// Singles.
        Easy = "easy",
        /// Locked candidates, pairs, and triples.
        Medium = "medium",
        /// Quads, basic fish, wings, single-digit patterns, and uniqueness.
        Hard = "hard",
        /// Finned fish, chains, and almost locked sets.
        Unfair = "unfair",
        /// Forcing chains and nets.
        Extreme = "extreme",
    }

    /// There is no difficulty with this name.
    UnknownDifficulty = "unknown difficulty {0:?}; expected {names}"
}

/// There is no technique with this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown technique {0:?}")]
pub struct UnknownTechnique(String);

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of techniques.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques(u128);

impl Techniques {
    /// All techniques. Those that assume uniqueness are valid only if the puzzle has exactly one
    /// solution.
    pub const ALL: Self = Self((1 << Technique::COUNT) - 1);

    /// No technique.
    pub const NONE: Self = Self(0);

    /// Returns the techniques that are valid for any puzzle.
    pub fn without_uniqueness() -> Self {
        Self::filter(|technique| !technique.assumes_uniqueness())
    }

    /// Returns the set of the techniques for which `includes` returns `true`.
    pub fn filter(includes: impl Fn(Technique) -> bool) -> Self {
        let included = Technique::all().filter(|&technique| includes(technique));
        Self(included.fold(0, |set, technique| set | 1 << technique as u32))
    }

    /// Returns the techniques of both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the techniques of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Iterates over the techniques of the set, the easiest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Technique> {
        DEFINITIONS.iter().map(|it| it.technique).filter(move |&it| self.contains(it))
    }

    /// Returns the set with only the techniques up to this one.
    #[must_use]
    pub const fn up_to(self, hardest: Technique) -> Self {
        Self(self.0 & ((2 << hardest as u32) - 1))
    }

    /// Returns whether the set contains a technique.
    #[inline(always)]
    pub const fn contains(self, technique: Technique) -> bool {
        self.0 >> technique as u32 & 1 != 0
    }
}
