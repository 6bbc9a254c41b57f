//! Steps as sentences, such as "in box 5, 7 is possible only in row 4, so r4c1 and r4c2 lose 7".

use std::{fmt, iter};

use bulkdoku_core::puzzle::{Unit, cell_name};

use super::evidence::mask_of;
use super::{Alternative, By, Implication};
use super::{Contradiction, Evidence, Link, Node, Part, Role, Step, Technique};
use crate::board::{Bits, Candidates, Cells, PEERS, UNITS, UNITS_OF, digits_of};

impl fmt::Display for Step {
    /// Formats the step as one sentence, without a period.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(cell_name))
    }
}

impl Step {
    /// Returns the step as one sentence, without a period, with other names of cells (0 to 80).
    pub fn sentence(&self, name: fn(usize) -> String) -> String {
        let words = Words { step: self, name };
        format!("{}, so {}", words.pattern(), words.effect())
    }

    /// Returns the step as one sentence, as [`Step::sentence`] does, followed by the implications
    /// of each of its alternatives ([`implications`](super::implications)).
    pub fn explained(&self, alternatives: &[Alternative], name: fn(usize) -> String) -> String {
        let alternatives = alternatives.iter().map(|it| it.sentence(name));
        iter::once(self.sentence(name)).chain(alternatives).collect::<Vec<_>>().join("; ")
    }
}

impl fmt::Display for Alternative {
    /// Formats the implications as one sentence, without a period.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(cell_name))
    }
}

impl Alternative {
    /// Returns the implications as one sentence, without a period, with other names of cells (0 to
    /// 80), such as "if r1c1 is 3: r4c5 is 3, its only place in column 5". Candidates that a digit
    /// excludes from its cell and from its peers are left out, except at the end.
    pub fn sentence(&self, name: fn(usize) -> String) -> String {
        let last = self.implications.len().saturating_sub(1);
        let is_named = |&(i, it): &(usize, &Implication)| {
            it.node.on || !matches!(it.by, By::Cell | By::Unit(_)) || i == last
        };
        let implications = self.implications.iter().enumerate().filter(is_named);
        let implications = implications.map(|(_, Implication { node, by, .. })| {
            let assertion = assertion(&node.cells, node.digit, node.on, name);
            match by {
                By::Assumption => format!("if {assertion}:"),
                By::Cell if node.on => format!("{assertion}, its only candidate;"),
                By::Unit(unit) if node.on => format!("{assertion}, its only place in {unit};"),
                By::Cell | By::Unit(_) => format!("{assertion};"),
                By::Step(step) => format!("{assertion} ({});", step.technique.title()),
            }
        });
        let contradiction = self.contradiction.map(|it| format!("but {};", it.sentence(name)));
        let all: Vec<_> = implications.chain(contradiction).collect();
        all.join(" ").trim_end_matches([';', ':']).into()
    }
}

/// A step, and how its cells are named.
struct Words<'a> {
    step: &'a Step,
    name: fn(usize) -> String,
}

impl Words<'_> {
    /// Returns what the step finds on the board, and what follows from it.
    fn pattern(&self) -> String {
        use Technique as T;
        let Step { technique, placed, evidence, .. } = self.step;
        let (base, cover) = (units(&evidence.base), units(&evidence.cover));
        let cells = self.all(evidence.cells(Role::Pattern));
        let digits = all_digits(evidence.digits(Role::Pattern));
        let place = placed.map(|placed| (self.name)(placed.cell)).unwrap_or_default();
        match technique {
            T::FullHouse => format!("{place} is the last open cell of {base}"),
            T::HiddenSingleBox | T::HiddenSingleLine => {
                format!("in {base}, {digits} is possible only in {place}")
            }
            T::NakedSingle => format!("{digits} is the only candidate of {place}"),
            T::Pointing | T::Claiming => format!("in {base}, {digits} is possible only in {cover}"),
            T::NakedPair | T::NakedTriple | T::NakedQuad => {
                format!("in {base}, {cells} have only the candidates {digits}")
            }
            T::HiddenPair | T::HiddenTriple | T::HiddenQuad => {
                format!("{digits} are possible in {base} only in {cells}")
            }
            T::XWing | T::Swordfish | T::Jellyfish => {
                format!("{digits} is possible in {base} only in {cover}")
            }
            T::FinnedXWing
            | T::SashimiXWing
            | T::FinnedSwordfish
            | T::SashimiSwordfish
            | T::FinnedJellyfish
            | T::SashimiJellyfish => {
                let at = evidence.cells(Role::Fins);
                let (fins, at) = (fins(at), self.all(at));
                format!("{digits} is possible in {base} only in {cover}, except for {fins} {at}")
            }
            T::Skyscraper | T::TwoStringKite | T::TurbotFish => {
                let [first, weak, last] = &evidence.links[..] else { return String::new() };
                let near = self.all(mask_of(&weak.from.cells) | mask_of(&weak.to.cells));
                let far = self.any(mask_of(&first.from.cells) | mask_of(&last.to.cells));
                let digit = weak.to.digit;
                format!(
                    "{base} have two places each for {digit}, and {near} see each other; \
                     {far} must be {digit}"
                )
            }
            T::EmptyRectangle => self.empty_rectangle(),
            T::XYWing | T::XYZWing => {
                let [pivot, pincers] =
                    [Role::Pivot, Role::Pincers].map(|role| evidence.cells(role));
                let options = any_digit(evidence.digits(Role::Pivot));
                let digit = all_digits(evidence.digits(Role::Pincers));
                let wings = if *technique == T::XYWing { pincers } else { pivot | pincers };
                let (pivot, wings) = (self.all(pivot), self.any(wings));
                format!("{pivot} is {options}; in any case, {wings} must be {digit}")
            }
            T::WWing => {
                let [Link { from, to }] = &evidence.links[..] else { return String::new() };
                let pair = self.all(evidence.cells(Role::Pair));
                let digits = all_digits(evidence.digits(Role::Pair));
                format!(
                    "{pair} have only the candidates {digits}, but cannot both be {}, which {base} \
                     has in {}",
                    from.digit,
                    self.any(mask_of(&from.cells) | mask_of(&to.cells))
                )
            }
            T::RemotePair => self.remote_pair(),
            T::SimpleColors => self.colors(),
            T::HiddenRectangle => self.hidden_rectangle(),
            _ if technique.assumes_uniqueness() => self.deadly_pattern(),
            T::AlignedPairExclusion | T::AlignedTripletExclusion => {
                let (aligned, excluders) =
                    (evidence.cells(Role::Pattern), evidence.cells(Role::Excluders));
                let see = Bits(aligned).any(|cell| PEERS[cell] & aligned != 0);
                let repeats = if see { "repeats a digit or " } else { "" };
                let one = if excluders.is_power_of_two() { "" } else { "one of " };
                format!(
                    "every combination of {cells} with an eliminated candidate {repeats}takes all \
                     candidates of {one}{}",
                    self.all(excluders)
                )
            }
            T::AlsXZ | T::AlsXYWing | T::SueDeCoq => self.almost_locked(),
            T::Nishio => {
                let not = if placed.is_some() { " not" } else { "" };
                format!(
                    "if {cells} were{not} {digits}, no place would be left for {digits} in {base}"
                )
            }
            _ if technique.is_forcing() => self.alternatives(),
            _ => self.chain(),
        }
    }

    fn remote_pair(&self) -> String {
        let Some(Part { cells, digits, .. }) = self.step.evidence.parts.first() else {
            return String::new();
        };
        let ([first, middle @ .., last], [x, y]) = (&cells[..], &digits[..]) else {
            return String::new();
        };
        format!(
            "{} are connected by {}, which have the same candidates {x} and {y}; one of them is {x} \
             and the other {y}",
            self.all(1 << first | 1 << last),
            self.all(mask_of(middle)),
        )
    }

    fn empty_rectangle(&self) -> String {
        let evidence = &self.step.evidence;
        let [Link { from: other, to: end }] = &evidence.links[..] else { return String::new() };
        let (digit, square) = (end.digit, units(&evidence.base));
        let (end, other) = (mask_of(&end.cells), mask_of(&other.cells));
        let target = self.step.effects().1.iter().fold(0, |all, cells| all | cells);
        let [end_at, other_at, target_at] =
            [end, other, target].map(|cells| UNITS_OF[cells.trailing_zeros() as usize]);
        // The link is in a column if its first end meets the box in a row.
        let kind = usize::from(end_at[1] == other_at[1]);
        let [link, from, to] =
            [end_at[kind], end_at[1 - kind], target_at[kind]].map(|unit| super::unit(unit.into()));
        let (target, end, other) = (self.all(target), self.all(end), self.all(other));
        format!(
            "in {square}, {digit} is possible only in {from} and {to}; {link} has {digit} in \
             {other}, which {target} sees, or in {end}, and then {square} has it in {to}"
        )
    }

    fn colors(&self) -> String {
        let evidence = &self.step.evidence;
        let [first, second] = [Role::Color, Role::OtherColor].map(|role| evidence.cells(role));
        let digit = all_digits(evidence.digits(Role::Color));
        let removed = self.step.effects().1.iter().fold(0, |all, cells| all | cells);
        let both = format!(
            "units with two places for {digit} connect {}; {digit} is either in all of {} or in all \
             of {}",
            self.all(first | second),
            self.all(first),
            self.all(second)
        );
        let pairs = Bits(removed & (first | second));
        let mut pairs = pairs.map(|cell| removed & PEERS[cell] & (!0 << cell) | 1 << cell);
        match pairs.find(|pair| !pair.is_power_of_two()) {
            Some(pair) => format!("{both}, but {} see each other", self.all(first_two(pair))),
            None => both,
        }
    }

    fn hidden_rectangle(&self) -> String {
        let evidence = &self.step.evidence;
        let [pattern, opposite] = [Role::Pattern, Role::Extra].map(|role| evidence.cells(role));
        let [digits, common] = [Role::Pattern, Role::Extra].map(|role| evidence.digits(role));
        let at = UNITS_OF[opposite.trailing_zeros() as usize].map(usize::from);
        let near = pattern & (UNITS[at[0]] | UNITS[at[1]]) & !opposite;
        let (x, y) = (all_digits(common), all_digits(digits & !common));
        format!(
            "if {} were {y}, {x} would be in {}, its only other places in {} and {}, {} would be {y}, \
             and {} could be exchanged in these cells",
            self.all(opposite),
            self.all(near),
            super::unit(at[0]),
            super::unit(at[1]),
            self.all(pattern & !near & !opposite),
            all_digits(digits),
        )
    }

    /// Returns why a unique rectangle, a unique loop, or a BUG must be avoided.
    fn deadly_pattern(&self) -> String {
        use Technique as T;
        let evidence = &self.step.evidence;
        let [pattern, extra, set] =
            [Role::Pattern, Role::Extra, Role::Set].map(|role| evidence.cells(role));
        let [digits, common] = [Role::Pattern, Role::Extra].map(|role| evidence.digits(role));
        let deadly = match digits {
            0 => "all open cells would have two candidates, which could be exchanged".into(),
            _ => format!("{} could be exchanged in {}", all_digits(digits), self.all(pattern)),
        };
        let one = if extra.is_power_of_two() { "" } else { "one of " };
        let (extra, base) = (self.all(extra), units(&evidence.base));
        match self.step.technique {
            T::UniqueRectangle3 | T::UniqueLoop3 | T::Bug3 => {
                let (set, digits) = (self.all(set), all_digits(evidence.digits(Role::Set)));
                format!(
                    "unless {one}{extra} has one of its other candidates, {deadly}; with {set}, that \
                     cell takes {digits} in {base}"
                )
            }
            T::UniqueRectangle4 | T::UniqueLoop4 | T::Bug4 => {
                let lost = self.step.eliminated.iter();
                let lost = lost.fold(0, |all: u16, it| all | 1 << (it.digit - 1));
                let other = if lost.is_power_of_two() {
                    format!("were {}", all_digits(lost))
                } else {
                    "had an eliminated candidate".into()
                };
                let digit = all_digits(common);
                format!("in {base}, one of {extra} is {digit}; if the other {other}, {deadly}")
            }
            _ => format!("unless {one}{extra} is {}, {deadly}", any_digit(common)),
        }
    }

    fn almost_locked(&self) -> String {
        let Step { evidence, eliminated, .. } = self.step;
        let set = |i: usize| {
            let cells = evidence.parts.get(i).map_or(0, |part| mask_of(&part.cells));
            format!("{{{}}}", self.names(cells).join(", "))
        };
        let (a, b, c) = (set(0), set(1), set(2));
        let common = evidence.links.iter().fold(0, |rcc: u16, it| rcc | 1 << (it.to.digit - 1));
        let shared = evidence.parts[..2].iter().fold(!0, |all, part| all & part.mask());
        let (digits, rcc) = (all_digits(shared & !common), all_digits(common));
        let has_two = common & common.wrapping_sub(1) != 0;
        match self.step.technique {
            Technique::SueDeCoq => format!(
                "{} have only as many candidates as cells, and {b} and {c} share none of them; each \
                 candidate must be in one of these cells",
                self.all(evidence.cells(Role::Pattern) | evidence.cells(Role::AlmostLocked)),
            ),
            Technique::AlsXYWing => format!(
                "if neither {a} nor {b} had {}, they would take {rcc} from {c}, which would have too \
                 few candidates",
                eliminated.first().map_or(0, |it| it.digit)
            ),
            _ if has_two => format!(
                "{rcc} can each be in only one of the almost locked sets {a} and {b}, and both have \
                 all of their other candidates"
            ),
            _ => format!(
                "the almost locked sets {a} and {b} cannot both have {rcc}, and the one without it \
                 must have {digits}"
            ),
        }
    }

    /// Returns the alternatives, or the contradiction, of forcing chains and nets.
    fn alternatives(&self) -> String {
        use Technique as T;
        let Evidence { base, contradiction, .. } = &self.step.evidence;
        let first = self.step.evidence.cells(Role::Pattern);
        let digits = self.step.evidence.digits(Role::Pattern);
        let means = match self.step.technique {
            T::CellForcingChain | T::RegionForcingChain => "chains",
            T::DynamicForcingChain => "singles",
            T::DynamicForcingChainPlus => "singles, locked candidates, pairs, and X-wings",
            T::NestedForcingChain2 => "the easier techniques and chains",
            _ => "the easier techniques and nested forcing chains",
        };
        let (cells, base) = (self.all(first), units(base));
        let options = any_digit(digits);
        if !base.is_empty() {
            let places = self.any(first);
            return format!(
                "{options} must be in one of its places in {base}, {places}, and {means} lead from \
                 each to the same result"
            );
        }
        if !digits.is_power_of_two() {
            return format!(
                "{cells} must be {options}, and {means} lead from each to the same result"
            );
        }
        let contradiction = match contradiction {
            Some(Contradiction::NoPlace { digit, unit }) => {
                format!("{unit} without a place for {digit}")
            }
            Some(Contradiction::NoCandidate { cell }) => {
                format!("{} without a candidate", (self.name)(*cell))
            }
            None => "no solution".into(),
        };
        format!("if {cells} were {options}, {means} would leave {contradiction}")
    }

    /// Returns the assertions of a chain.
    fn chain(&self) -> String {
        let links = &self.step.evidence.links;
        let (Some(first), Some(last)) = (links.first(), links.last()) else {
            return String::new();
        };
        let (start, end) = (&first.from, &last.to);
        let nodes = and(links.iter().map(|link| self.assertion(&link.to)));
        let start_off = self.assertion(start);
        let start = self.assertion(&Node { on: true, ..start.clone() });
        let end = self.assertion(end);
        if start == end {
            format!("if {start_off}, then {nodes} after all")
        } else {
            format!("if {start_off}, then {nodes}; {start} or {end}")
        }
    }

    fn assertion(&self, node: &Node) -> String {
        assertion(&node.cells, node.digit, node.on, self.name)
    }

    /// Returns what the step changes.
    fn effect(&self) -> String {
        match self.step.placed {
            Some(placed) => format!("{} is {}", (self.name)(placed.cell), placed.digit),
            None => self.losses(&self.step.effects().1),
        }
    }

    /// Returns which cells lose which digits; cells that lose the same digits are named together.
    fn losses(&self, removed: &Candidates) -> String {
        let mask = |cell: usize| {
            (0..9).fold(0, |mask: u16, digit| mask | ((removed[digit] >> cell & 1) as u16) << digit)
        };
        let seen = self.seen();
        let mut pending = removed.iter().fold(0, |all, cells| all | cells);
        let mut parts = Vec::new();
        while pending != 0 {
            let lost = mask(pending.trailing_zeros() as usize);
            let same = Bits(pending).filter(|&cell| mask(cell) == lost);
            let same = same.fold(0, |cells: Cells, cell| cells | 1 << cell);
            pending &= !same;
            let s = if same.is_power_of_two() { "s" } else { "" };
            let which = match seen {
                "" => String::new(),
                seen => format!(", which see{s} {seen},"),
            };
            let lose = if s.is_empty() { "lose" } else { "loses" };
            parts.push(format!("{}{which} {lose} {}", self.all(same), all_digits(lost)));
        }
        parts.join("; ")
    }

    /// Returns which part of the pattern the cells that lose candidates see, if it decides.
    fn seen(&self) -> &'static str {
        use Technique as T;
        let evidence = &self.step.evidence;
        let pattern = self.step.pattern_cells();
        let is_in_pattern = self.step.eliminated.iter().any(|it| pattern >> it.cell & 1 != 0);
        let extra = evidence.cells(Role::Extra).count_ones();
        match self.step.technique {
            T::FinnedXWing
            | T::SashimiXWing
            | T::FinnedSwordfish
            | T::SashimiSwordfish
            | T::FinnedJellyfish
            | T::SashimiJellyfish => fins(evidence.cells(Role::Fins)),
            T::Skyscraper | T::TwoStringKite | T::TurbotFish | T::XYWing | T::WWing => "both",
            T::RemotePair => "both ends",
            T::XYZWing => "all three",
            T::SimpleColors if !is_in_pattern => "cells of both kinds",
            T::UniqueRectangle2 | T::UniqueLoop2 | T::Bug2 if extra == 2 => "both",
            T::UniqueRectangle2 | T::UniqueLoop2 | T::Bug2 => "all of them",
            _ => "",
        }
    }

    fn names(&self, cells: Cells) -> Vec<String> {
        Bits(cells).map(self.name).collect()
    }

    /// Returns cells, such as `r1c1 and r1c2`.
    fn all(&self, cells: Cells) -> String {
        and(self.names(cells))
    }

    /// Returns cells, such as `r1c1 or r1c2`.
    fn any(&self, cells: Cells) -> String {
        join(self.names(cells), "or")
    }
}

/// Returns an assertion, such as `one of r1c1 and r1c2 is 3`.
fn assertion(cells: &[usize], digit: u8, on: bool, name: fn(usize) -> String) -> String {
    let names: Vec<_> = cells.iter().map(|&cell| name(cell)).collect();
    match (&names[..], on) {
        ([cell], true) => format!("{cell} is {digit}"),
        ([cell], false) => format!("{cell} is not {digit}"),
        (_, true) => format!("one of {} is {digit}", and(names)),
        ([a, b], false) => format!("neither {a} nor {b} is {digit}"),
        (_, false) => format!("none of {} is {digit}", and(names)),
    }
}

/// Returns the first two cells of a set.
fn first_two(cells: Cells) -> Cells {
    Bits(cells).take(2).fold(0, |two, cell| two | 1 << cell)
}

fn fins(cells: Cells) -> &'static str {
    if cells.is_power_of_two() { "the fin" } else { "the fins" }
}

fn digit_names(mask: u16) -> Vec<String> {
    digits_of(mask).map(|digit| (digit + 1).to_string()).collect()
}

/// Returns digits, such as `4 and 7`.
fn all_digits(mask: u16) -> String {
    and(digit_names(mask))
}

/// Returns digits, such as `4 or 7`.
fn any_digit(mask: u16) -> String {
    join(digit_names(mask), "or")
}

/// Returns units, such as `rows 2 and 4`, or `row 2 and box 1`.
fn units(units: &[Unit]) -> String {
    let mask = units.iter().fold(0_u32, |mask, unit| mask | 1 << unit.number());
    let kinds = ["row", "column", "box"].into_iter().enumerate();
    let kinds = kinds.filter_map(|(kind, name)| {
        let all = digit_names((mask >> (9 * kind)) as u16 & 0x1ff);
        let plural = match (all.len(), name) {
            (0 | 1, _) => "",
            (_, "box") => "es",
            _ => "s",
        };
        (!all.is_empty()).then(|| format!("{name}{plural} {}", and(all)))
    });
    and(kinds)
}

fn and(names: impl IntoIterator<Item = String>) -> String {
    join(names, "and")
}

/// Joins names, such as `a, b, and c`.
fn join(names: impl IntoIterator<Item = String>, word: &str) -> String {
    let names: Vec<_> = names.into_iter().collect();
    match &names[..] {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} {word} {two}"),
        [most @ .., last] => format!("{}, {word} {last}", most.join(", ")),
    }
}
