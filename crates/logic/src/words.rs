//! Steps as sentences, such as "in box 5, 7 is possible only in row 4, so r4c1 and r4c2 lose 7".

use std::{fmt, iter};

use bulkdoku_core::puzzle::{Unit, cell_name};

use super::evidence::mask_of;
use super::{Alternative, By, Implication};
use super::{Contradiction, Evidence, Link, Node, Role, Step, Technique};
use crate::board::{Bits, Candidates, Cells, PEERS, UNITS, UNITS_OF, any_peers, digits_of, set_of};

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
        format!("{}, so {}{}", words.pattern(), words.effect(), words.length())
    }

    /// Returns what follows from each alternative of a step that is explained ([`Step::explain`]), as
    /// a sentence without a period, such as "If r1c1 is 3: r4c5 is 3, the only place left for 3 in
    /// column 5; so r4c7 loses 3". Candidates that a digit excludes from its cell and from its peers
    /// are left out.
    pub fn alternatives(&self, name: fn(usize) -> String) -> impl Iterator<Item = String> {
        let words = Words { step: self, name };
        self.evidence.implications.iter().map(move |it| words.alternative(it))
    }

    /// Returns the step as a sentence, followed by one for each of its alternatives, without the last
    /// period.
    pub fn explained(&self, name: fn(usize) -> String) -> String {
        let sentence = iter::once(self.sentence(name));
        sentence.chain(self.alternatives(name)).collect::<Vec<_>>().join(". ")
    }
}

/// A step, and how its cells are named.
#[derive(Clone, Copy)]
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
        let (cells, digits) = (self.cells(Role::Pattern), self.digits(Role::Pattern));
        let place = placed.map_or_else(String::new, |placed| (self.name)(placed.cell));
        let fins = evidence.cells(Role::Fins);
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
            _ if fins != 0 => {
                let fins = format!("{} {}", the_fins(fins), self.cells(Role::Fins));
                format!("{digits} is possible in {base} only in {cover}, except for {fins}")
            }
            T::Skyscraper | T::TwoStringKite | T::TurbotFish => {
                let [first, weak, last] = &evidence.links[..] else { return String::new() };
                let near = self.all(mask_of(&weak.from.cells) | mask_of(&weak.to.cells));
                let far = self.any(mask_of(&first.from.cells) | mask_of(&last.to.cells));
                let digit = weak.to.digit;
                format!(
                    "{base} have two places each for {digit}, and {near} see each other; {far} must \
                     be {digit}"
                )
            }
            T::EmptyRectangle => self.empty_rectangle(),
            T::XYWing | T::XYZWing => {
                let [pivot, pincers] = [Role::Pivot, Role::Pincers].map(|it| evidence.cells(it));
                let (case, wings) = match technique {
                    T::XYWing => ("either way", self.any(pincers)),
                    _ => ("in any case", self.any(pivot | pincers)),
                };
                let (pivot, options) = (self.all(pivot), any_digit(evidence.digits(Role::Pivot)));
                let digit = self.digits(Role::Pincers);
                format!("{pivot} is {options}; {case}, {wings} must be {digit}")
            }
            T::WWing => {
                let [Link { from, to }] = &evidence.links[..] else { return String::new() };
                let (pair, digits) = (self.cells(Role::Pair), self.digits(Role::Pair));
                let digit = from.digit;
                let ends = self.any(mask_of(&from.cells) | mask_of(&to.cells));
                format!(
                    "{pair} have only the candidates {digits}, but cannot both be {digit}, which \
                     {base} has in {ends}"
                )
            }
            T::RemotePair => self.remote_pair(),
            T::SimpleColors => self.colors(),
            T::HiddenRectangle => self.hidden_rectangle(),
            _ if technique.assumes_uniqueness() => self.deadly_pattern(),
            T::AlignedPairExclusion | T::AlignedTripletExclusion => {
                let aligned = evidence.cells(Role::Pattern);
                let see = any_peers(aligned) & aligned != 0;
                let repeats = if see { "repeats a digit or " } else { "" };
                let excluders = self.one_of(evidence.cells(Role::Excluders));
                format!(
                    "every combination of {cells} with an eliminated candidate {repeats}takes all \
                     candidates of {excluders}"
                )
            }
            T::AlsXZ | T::AlsXYWing | T::SueDeCoq => self.almost_locked(),
            T::Nishio => {
                let not = if placed.is_some() { " not" } else { "" };
                format!(
                    "if {cells} were{not} {digits}, no place would be left for {digits} in {base}"
                )
            }
            _ if technique.is_forcing() => self.forcing(),
            _ => self.chain(),
        }
    }

    fn remote_pair(&self) -> String {
        let parts = self.step.evidence.parts.iter();
        let mut chains = parts.map(|part| (&part.cells[..], &part.digits[..]));
        let Some(([first, middle @ .., last], [x, y])) = chains.next() else {
            return String::new();
        };
        let (ends, middle) = (self.all(1 << first | 1 << last), self.all(mask_of(middle)));
        format!(
            "{ends} are connected by {middle}, which have the same candidates {x} and {y}; one of \
             them is {x} and the other {y}"
        )
    }

    fn empty_rectangle(&self) -> String {
        let evidence = &self.step.evidence;
        let [Link { from: other, to: end }] = &evidence.links[..] else { return String::new() };
        let (digit, square) = (end.digit, units(&evidence.base));
        let (end, other) = (mask_of(&end.cells), mask_of(&other.cells));
        let target = self.step.lost_cells();
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
        let colors = [Role::Color, Role::OtherColor];
        let colored = colors.iter().fold(0, |all, &color| all | self.step.evidence.cells(color));
        let removed = self.step.lost_cells() & colored;
        let (all, digit) = (self.all(colored), self.digits(Role::Color));
        let [first, second] = colors.map(|color| self.cells(color));
        let both = format!(
            "units with two places for {digit} connect {all}; {digit} is either in all of {first} or \
             in all of {second}"
        );
        let mut pairs = Bits(removed).map(|cell| (1 << cell, removed & PEERS[cell] & !0 << cell));
        match pairs.find(|(_, others)| *others != 0) {
            Some((cell, others)) => {
                let pair = self.all(cell | others & others.wrapping_neg());
                format!("{both}, but {pair} see each other")
            }
            None => both,
        }
    }

    fn hidden_rectangle(&self) -> String {
        let evidence = &self.step.evidence;
        let [pattern, opposite] = [Role::Pattern, Role::Extra].map(|role| evidence.cells(role));
        let [digits, common] = [Role::Pattern, Role::Extra].map(|role| evidence.digits(role));
        let [row, column, _] = UNITS_OF[opposite.trailing_zeros() as usize].map(usize::from);
        let [a, b] = [row, column].map(|unit| pattern & UNITS[unit] & !opposite);
        let corner = self.all(pattern & !a & !b & !opposite);
        let [opposite, a, b] = [opposite, a, b].map(|cells| self.all(cells));
        let (x, y, both) = (all_digits(common), all_digits(digits & !common), all_digits(digits));
        let [row, column] = [row, column].map(super::unit);
        format!(
            "if {opposite} were {y}, {x} would be in {a} and {b}, its only other places in {row} and \
             {column}, {corner} would be {y}, and {both} could be exchanged in these cells for a \
             second solution"
        )
    }

    /// Returns why a unique rectangle, a unique loop, or a BUG must be avoided.
    fn deadly_pattern(&self) -> String {
        use Technique as T;
        let evidence = &self.step.evidence;
        let (pattern, digits) = (self.cells(Role::Pattern), self.digits(Role::Pattern));
        let deadly = match digits.as_str() {
            "" => "all open cells would have two candidates, and the puzzle two solutions or none"
                .into(),
            _ => format!("{digits} could be exchanged in {pattern} for a second solution"),
        };
        let (one_of, base) = (self.one_of(evidence.cells(Role::Extra)), units(&evidence.base));
        match self.step.technique {
            T::UniqueRectangle3 | T::UniqueLoop3 | T::Bug3 => {
                let (set, digits) = (self.cells(Role::Set), self.digits(Role::Set));
                format!(
                    "unless {one_of} has one of its other candidates, {deadly}; with {set}, that \
                     cell takes {digits} in {base}"
                )
            }
            T::UniqueRectangle4 | T::UniqueLoop4 | T::Bug4 => {
                let lost = self.step.lost_digits();
                let other = match lost.count_ones() {
                    1 => format!("were {}", all_digits(lost)),
                    _ => "had an eliminated candidate".into(),
                };
                let digit = self.digits(Role::Extra);
                format!("in {base}, {one_of} is {digit}; if the other {other}, {deadly}")
            }
            _ => {
                let options = any_digit(evidence.digits(Role::Extra));
                format!("unless {one_of} is {options}, {deadly}")
            }
        }
    }

    fn almost_locked(&self) -> String {
        let evidence = &self.step.evidence;
        let cells = |i: usize| evidence.parts.get(i).map_or(0, |part| mask_of(&part.cells));
        let set = |i: usize| format!("{{{}}}", self.names(cells(i)).join(", "));
        let (a, b, c) = (set(0), set(1), set(2));
        // The digits that a set and the one to which it is linked cannot both have.
        let restricted = |i: usize| {
            let links = evidence.links.iter();
            let links = links.filter(|it| mask_of(&it.from.cells) & !cells(i) == 0);
            links.fold(0, |rcc: u16, it| rcc | 1 << (it.to.digit - 1))
        };
        let common = restricted(0);
        let (digits, rcc) = (all_digits(self.step.lost_digits()), all_digits(common));
        let has_two = common & common.wrapping_sub(1) != 0;
        let [x, y] = [common, restricted(1)].map(any_digit);
        let all = self.all(cells(0) | cells(1) | cells(2));
        match self.step.technique {
            Technique::SueDeCoq => format!(
                "{all} have only as many candidates as cells, and {b} and {c} share none of them; \
                 each candidate must be in one of these cells"
            ),
            Technique::AlsXYWing => format!(
                "of the almost locked sets A = {a}, B = {b}, and C = {c}, A and C cannot both have \
                 {x}, nor B and C {y}; thus A or B must have {digits}"
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
    fn forcing(&self) -> String {
        use Technique as T;
        let Evidence { base, contradiction, .. } = &self.step.evidence;
        let first = self.step.evidence.cells(Role::Pattern);
        let digits = self.step.evidence.digits(Role::Pattern);
        let means = match self.step.technique {
            T::CellForcingChain | T::RegionForcingChain => "chains",
            T::DynamicForcingChain => "singles",
            T::DynamicForcingChainPlus => "singles, locked candidates, pairs, and X-wings",
            T::NestedForcingChain2 => "singles, locked candidates, pairs, X-wings, and AICs",
            _ => {
                "singles, locked candidates, pairs, X-wings, AICs, and cell and region forcing chains"
            }
        };
        let cells = self.all(first);
        let options = any_digit(digits);
        let not = if self.step.placed.is_some() { " not" } else { "" };
        // Without implications, it is not known whether there are contradictions.
        let implications = &self.step.evidence.implications;
        let has_results = !implications.is_empty()
            && implications.iter().all(|alternative| alternative.contradiction.is_none());
        let end = if has_results { "" } else { " or to a contradiction" };
        let lead = format!("{means} lead from each to the same result{end}");
        if let [base] = base[..] {
            return format!("in {base}, {options} must be in {}, and {lead}", self.any(first));
        }
        if !digits.is_power_of_two() {
            return format!("{cells} must be {options}, and {lead}");
        }
        if implications.len() == 2 {
            return format!("{means} lead to the same result from {cells} being {options} or not");
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
        format!("if {cells} were{not} {options}, {means} would leave {contradiction}")
    }

    /// Returns how many implications a person has to follow, if they are known.
    fn length(&self) -> String {
        let implications = &self.step.evidence.implications;
        let groups = implications.iter().flat_map(|it| shown(it).into_iter().skip(1));
        let (all, nested) = groups.fold((0, 0), |(all, nested), group| {
            (all + 1, nested + usize::from(matches!(group[0].by, By::Step(_))))
        });
        let s = if all == 1 { "" } else { "s" };
        match (implications.is_empty(), nested) {
            (true, _) => String::new(),
            (_, 0) => format!(" ({all} implication{s})"),
            _ => format!(" ({all} implication{s}, {nested} of them by steps of other techniques)"),
        }
    }

    /// Returns what follows from an alternative.
    fn alternative(&self, alternative: &Alternative) -> String {
        let mut groups = shown(alternative).into_iter();
        let start = groups.next().map_or_else(String::new, |group| self.assertion(&group[0].node));
        let implications = groups.map(|group| {
            let Implication { node, by, .. } = &group[0];
            let mut removed = [0; 9];
            group.iter().filter(|it| !it.node.on).for_each(|it| {
                removed[usize::from(it.node.digit) - 1] |= mask_of(&it.node.cells);
            });
            let assertion = if node.on { self.assertion(node) } else { self.losses(&removed, "") };
            match by {
                By::Step(step) => {
                    let inner = Words { step, ..*self };
                    let (title, pattern) = (uncapitalized(step.technique.title()), inner.pattern());
                    format!("{assertion} ({title}: {pattern}{})", inner.length())
                }
                By::Unit(unit) => {
                    format!("{assertion}, the only place left for {} in {unit}", node.digit)
                }
                By::Assumption | By::Cell => format!("{assertion}, its only candidate left"),
            }
        });
        let end = match alternative.contradiction {
            Some(contradiction) => format!("then {}", contradiction.sentence(self.name)),
            None if self.step.eliminated.len() > 4 => "so all of these candidates go".into(),
            None => format!("so {}", self.effect()),
        };
        let all: Vec<_> = implications.chain([end]).collect();
        let all = all.join("; ");
        format!("If {start}: {}", all.strip_prefix("so ").unwrap_or(&all))
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
            format!("if {start_off}, then {nodes}; thus {start} or {end}")
        }
    }

    fn assertion(&self, node: &Node) -> String {
        assertion(&node.cells, node.digit, node.on, self.name)
    }

    /// Returns what the step changes.
    fn effect(&self) -> String {
        match self.step.placed {
            Some(placed) => format!("{} is {}", (self.name)(placed.cell), placed.digit),
            None => self.losses(&self.step.effects().1, &self.seen()),
        }
    }

    /// Returns which cells lose which digits; cells that lose the same digits are named together.
    /// `seen` is what they see, if it decides.
    fn losses(&self, removed: &Candidates, seen: &str) -> String {
        let mut pending = removed.iter().fold(0, |all, cells| all | cells);
        let mut parts = Vec::new();
        while pending != 0 {
            let lost = set_of(removed.map(|cells| cells >> pending.trailing_zeros() & 1 != 0));
            // The cells that lose these digits, and no others.
            let same = removed.iter().enumerate().fold(pending, |same, (digit, cells)| {
                if lost >> digit & 1 != 0 { same & cells } else { same & !cells }
            });
            pending &= !same;
            let s = if same.is_power_of_two() { "s" } else { "" };
            let which = match seen {
                "" => String::new(),
                seen => format!(", which see{s} {seen},"),
            };
            let lose = if s.is_empty() { "lose" } else { "loses" };
            parts.push(format!("{}{which} {lose} {}", self.all(same), all_digits(lost)));
        }
        // Two clauses, unlike two cells, have a comma.
        match &parts[..] {
            [first, last] => format!("{first}, and {last}"),
            _ => and(parts),
        }
    }

    /// Returns which part of the pattern the cells that lose candidates see, if it decides.
    fn seen(&self) -> String {
        use Technique as T;
        let evidence = &self.step.evidence;
        let pattern = self.step.pattern_cells();
        let is_in_pattern = self.step.eliminated.iter().any(|it| pattern >> it.cell & 1 != 0);
        let extra = evidence.cells(Role::Extra).count_ones();
        let (lost, fins) = (self.step.lost_digits(), evidence.cells(Role::Fins));
        let seen = match self.step.technique {
            _ if fins != 0 => the_fins(fins),
            T::AlsXZ | T::AlsXYWing if lost.is_power_of_two() && !is_in_pattern => {
                return format!("every {} in both", all_digits(lost));
            }
            T::Skyscraper | T::TwoStringKite | T::TurbotFish | T::XYWing | T::WWing => "both",
            T::RemotePair => "both ends",
            T::XYZWing => "all three",
            T::SimpleColors if !is_in_pattern => "cells of both kinds",
            T::UniqueRectangle2 | T::UniqueLoop2 | T::Bug2 if extra == 2 => "both",
            T::UniqueRectangle2 | T::UniqueLoop2 | T::Bug2 => "all of them",
            _ => "",
        };
        seen.into()
    }

    fn names(&self, cells: Cells) -> Vec<String> {
        Bits(cells).map(self.name).collect()
    }

    /// Returns cells, such as `r1c1 and r1c2`.
    fn all(&self, cells: Cells) -> String {
        and(self.names(cells))
    }

    /// Returns the cells of a role.
    fn cells(&self, role: Role) -> String {
        self.all(self.step.evidence.cells(role))
    }

    /// Returns the digits of a role.
    fn digits(&self, role: Role) -> String {
        all_digits(self.step.evidence.digits(role))
    }

    /// Returns cells, such as `r1c1`, or `one of r1c1 and r1c2`.
    fn one_of(&self, cells: Cells) -> String {
        let one = if cells.is_power_of_two() { "" } else { "one of " };
        format!("{one}{}", self.all(cells))
    }

    /// Returns cells, such as `r1c1 or r1c2`.
    fn any(&self, cells: Cells) -> String {
        join(self.names(cells), "or")
    }
}

/// Returns a title within a sentence, such as `hidden pair`, `X-wing`, or `AIC`.
fn uncapitalized(title: &str) -> String {
    match title.split_at(1) {
        (first, rest) if rest.starts_with(|next: char| next.is_lowercase()) => {
            first.to_lowercase() + rest
        }
        _ => title.into(),
    }
}

/// Returns the implications of an alternative that are named: its assumption, digits that are placed,
/// and what other techniques exclude, together for each of their steps.
fn shown(alternative: &Alternative) -> Vec<Vec<&Implication>> {
    let all = alternative.implications.iter().enumerate();
    let named = all.filter(|(i, it)| *i == 0 || it.node.on || matches!(it.by, By::Step(_)));
    let named: Vec<_> = named.map(|(_, it)| it).collect();
    let is_same = |a: &&Implication, b: &&Implication| {
        matches!(a.by, By::Step(_)) && a.by == b.by && a.node.on == b.node.on
    };
    named.chunk_by(is_same).map(<[_]>::to_vec).collect()
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

fn the_fins(cells: Cells) -> &'static str {
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
