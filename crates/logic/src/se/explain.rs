//! The path of Sudoku Explainer as steps, with its names of techniques and its ratings.

use std::collections::BTreeSet;

use bulkdoku_core::bands::{Bands, Contradiction};
use bulkdoku_core::puzzle::Puzzle;

use super::super::forcing::LEVELS;
use super::super::implications::{Alternative, By, Implication};
use super::super::instances::{Collect, Instances};
use super::super::links::Kind;
use super::super::unrated::{Unrated, check_unique};
use super::super::{Candidate, Evidence, Explained, Link, Node, Position, Step, Technique};
use super::super::{instances, unit};
use super::dynamic::{self, Source};
use super::links::Chains;
use super::nested::Inner;
use super::nets::{self, Assertion, CELL, Cause, Grid, Net, OTHER, Rules, START};
use super::nets::{is_on, negation, on, place};
use super::{Explainer, Hint, Rule, bases, candidate, direct, easiest, length_tenths};
use crate::board::{Board, Candidates, UNITS_OF, digits_of};

type T = Technique;

impl Explainer {
    /// Returns the steps of Sudoku Explainer that change the board, up to the solution. Those that
    /// are applied together for the rating follow each other.
    ///
    /// # Errors
    /// When there is not exactly one solution, the puzzle needs more than one level of nested
    /// dynamic chains, or the search is stopped.
    pub fn steps(&mut self, puzzle: &Puzzle) -> Result<Vec<Explained>, Unrated> {
        check_unique(&puzzle.into())?;
        let mut board = Bands::of(puzzle).board();
        let mut steps = Vec::new();
        self.tracker.start();
        while !board.is_solved() {
            let (name, rating, found) = self.next(&board)?;
            let explainer = format!("{name} {}.{}", rating / 10, rating % 10);
            for step in found {
                let before = board;
                if step.apply(&mut board) {
                    let explainer = Some(explainer.clone());
                    steps.push(Explained { board: before, step, explainer });
                }
            }
        }
        Ok(steps)
    }

    /// Returns the next steps on a board, with their name and rating.
    fn next(&mut self, board: &Board) -> Result<(String, u16, Vec<Step>), Unrated> {
        for technique in [T::FullHouse, T::HiddenSingleBox, T::HiddenSingleLine] {
            let steps = instances(board, technique);
            if !steps.is_empty() {
                return Ok(("Hidden single".into(), technique.definition().se.into(), steps));
            }
        }
        self.tracker.update(board);
        let (rule, hint) = self.step(0)?;
        let position = &self.tracker.position;
        let (name, steps) = match rule {
            Rule::All(technique) => (name(technique), instances(board, technique)),
            Rule::Direct(technique) => {
                let mut found = Instances::new(Collect::DistinctSteps);
                found.start(technique, 1);
                direct(position, technique, &mut found);
                (format!("Direct {}", name(technique).to_lowercase()), found.steps)
            }
            Rule::Easiest(techniques) => {
                let found = easiest(position, techniques, &mut self.memory);
                found.map(|(_, step)| (name(step.technique), vec![step])).unwrap_or_default()
            }
            Rule::Chain => chain(position, &hint),
            Rule::Nishio | Rule::MultipleChain | Rule::Dynamic => self.net(&hint),
        };
        // A step that is not found again would be a fault.
        if steps.is_empty() { Err(Unrated::Beyond) } else { Ok((name, hint.rating, steps)) }
    }

    /// Returns the step that the search of nets has found last.
    fn net(&self, hint: &Hint) -> (String, Vec<Step>) {
        let dynamic::Search { found: Some((source, end)), nets, .. } = &self.nets else {
            return Default::default();
        };
        let (source, end) = (*source, *end);
        let position = &self.tracker.position;
        let grid = Grid::of(position);
        let (kind, evidence) = match source {
            Source::Cell(cell) => ("Cell", Evidence::pattern(1 << cell, grid.masks[cell])),
            Source::Unit(cell, digit, kind) => {
                let places = Evidence::pattern(grid.places(cell, digit, kind), 1 << digit);
                ("Region", places.with_base(1 << UNITS_OF[cell][kind]))
            }
            Source::Candidate(cell, digit) => ("Double", Evidence::pattern(1 << cell, 1 << digit)),
            Source::Absurd(assertion) => {
                let (cell, digit) = place(assertion);
                ("Contradiction", Evidence::pattern(1 << cell, 1 << digit))
            }
        };
        let (technique, more) = match (self.nets.inner_kind, nets.rules, source) {
            (None, Rules::Nishio, _) => (T::Nishio, "Nishio"),
            (None, Rules::Static, Source::Cell(_)) => (T::CellForcingChain, ""),
            (None, Rules::Static, _) => (T::RegionForcingChain, ""),
            (None, ..) => (T::DynamicForcingChain, ""),
            (Some(Inner::Basic), ..) => (T::DynamicForcingChainPlus, " (+)"),
            (Some(Inner::Simple), ..) => (T::NestedForcingChain2, " (+ forcing chains)"),
            (Some(Inner::Multiple), ..) => (T::NestedForcingChain3, " (+ multiple forcing chains)"),
            (Some(Inner::Dynamic), ..) => (T::NestedForcingChain4, " (+ dynamic forcing chains)"),
        };
        let name = match technique {
            T::Nishio => "Nishio forcing chain".into(),
            T::CellForcingChain | T::RegionForcingChain => format!("{kind} forcing chain"),
            _ => format!("Dynamic {} forcing chain{more}", kind.to_lowercase()),
        };
        let nets = source.assertions(&grid).map(|it| &nets.all[nets.number(it)]);
        let alternatives = nets.map(|net| alternative(&position.board, net, source, end));
        let mut step = step(technique, hint, evidence);
        step.set_implications(alternatives.collect());
        (name, vec![step])
    }
}

/// Returns the name of a technique.
fn name(technique: Technique) -> String {
    match technique {
        T::NakedTriple | T::HiddenTriple => format!("{}t", technique.title()),
        _ => technique.title().into(),
    }
}

fn step(technique: Technique, hint: &Hint, evidence: Evidence) -> Step {
    let placed = Candidate::list(&hint.placed).first().copied();
    Step { round: 1, technique, placed, eliminated: Candidate::list(&hint.removed), evidence }
}

fn node(assertion: Assertion) -> Node {
    let (cell, digit) = place(assertion);
    Node::new(1 << cell, digit, is_on(assertion))
}

/// Returns the forcing chain or loop of a hint.
fn chain(position: &Position, hint: &Hint) -> (String, Vec<Step>) {
    let grid = Grid::of(position);
    let mut chains = Chains::default();
    chains.clear();
    let on_of = |it: Candidate| on(it.cell, usize::from(it.digit) - 1);
    let placed = Candidate::list(&hint.placed).into_iter().map(on_of);
    let removed = Candidate::list(&hint.removed).into_iter().map(|it| negation(on_of(it)));
    let ends: Vec<_> = placed.chain(removed).collect();
    for kind in [Kind::X, Kind::Y, Kind::All] {
        let (of_loops, of_chains) = bases(kind);
        chains.select(kind);
        if let &[end] = &ends[..]
            && kind != Kind::Y
            && chains.find_chain(&grid, negation(end))
            && of_chains + length_tenths(chains.nodes.len()) == hint.rating
        {
            let (name, technique) = match kind {
                Kind::X => ("Forcing X-chain", T::XChain),
                _ => ("Forcing chain", T::Aic),
            };
            // Both sides of a candidate that is off see it.
            let ends = usize::from(!is_on(end));
            let nodes = &chains.nodes[ends..chains.nodes.len() - ends];
            return (name.into(), vec![step(technique, hint, links(nodes))]);
        }
        for cell in 0..81 {
            for digit in digits_of(grid.masks[cell]) {
                let rating = |length: usize| of_loops + length_tenths(2 * length);
                let mut found = None;
                let is_useful = |length: usize| rating(length) <= hint.rating;
                let visit = |nodes: &[_], length: usize, removed: &Candidates| {
                    if *removed == hint.removed && rating(length) == hint.rating {
                        found = Some(links(nodes));
                    }
                    found.is_none()
                };
                chains.find_loops(&grid, on(cell, digit), 2, is_useful, visit);
                if let Some(evidence) = found {
                    let (name, technique) = match kind {
                        Kind::X => ("Bidirectional X-cycle", T::XCycle),
                        Kind::Y => ("Bidirectional Y-cycle", T::YCycle),
                        Kind::All => ("Bidirectional cycle", T::Aic),
                    };
                    return (name.into(), vec![step(technique, hint, evidence)]);
                }
            }
        }
    }
    Default::default()
}

/// Returns the links of nodes in the opposite order.
fn links(nodes: &[(Assertion, Cause)]) -> Evidence {
    let link = |pair: &[(Assertion, Cause)]| Link { from: node(pair[1].0), to: node(pair[0].0) };
    Evidence::default().with_links(nodes.windows(2).rev().map(link).collect())
}

/// Returns what leads to a conclusion in a net, or to its contradiction.
fn alternative(board: &Board, net: &Net, source: Source, end: Assertion) -> Alternative {
    let absurd = net.contradiction.filter(|_| matches!(source, Source::Absurd(_)));
    let mut pending = Vec::new();
    let mut contradiction = None;
    if let Some(last) = absurd {
        let other = net.nodes[usize::from(net.number(negation(last.assertion)))];
        let on = if is_on(last.assertion) { last } else { other };
        let (cell, digit) = place(on.assertion);
        contradiction = Some(match on.cause {
            CELL => Contradiction::NoCandidate { cell },
            kind => Contradiction::NoPlace {
                digit: digit as u8 + 1,
                unit: unit(UNITS_OF[cell][usize::from(kind)].into()),
            },
        });
        pending.extend(net.reasons(&on));
        if is_on(last.assertion) {
            pending.push(net.number(other.assertion));
        } else {
            pending.extend(net.reasons(&last));
        }
    } else {
        pending.push(net.number(end));
    }
    let mut needed = BTreeSet::from([0]);
    while let Some(number) = pending.pop() {
        if number == 0 || needed.insert(number) {
            pending.extend(net.reasons(&net.nodes[usize::from(number)]));
        }
    }
    let needed: Vec<_> = needed.into_iter().collect();
    let nodes = needed.iter().map(|&number| net.nodes[usize::from(number)]);
    let implications = nodes.chain(absurd.filter(|last| !is_on(last.assertion))).map(|it| {
        let because = net.reasons(&it).iter();
        let because = because.filter_map(|number| needed.binary_search(number).ok()).collect();
        let (cell, _) = place(it.assertion);
        let by = match it.cause {
            START => By::Assumption,
            CELL => By::Cell,
            OTHER => By::Step(Box::new(inner(board, net, &it))),
            kind => By::Unit(unit(UNITS_OF[cell][usize::from(kind)].into())),
        };
        Implication { node: node(it.assertion), because, by }
    });
    Alternative { implications: implications.collect(), contradiction }
}

/// Returns the step by which a candidate is off in a net: one of another technique on the board
/// without the candidates that are its reasons, a forcing chain there, or that a net refutes it.
fn inner(board: &Board, net: &Net, end: &nets::Node) -> Step {
    let mut board = *board;
    for &reason in net.reasons(end) {
        let (cell, digit) = place(net.nodes[usize::from(reason)].assertion);
        board.remove(&candidate((digit, cell)));
    }
    let (cell, digit) = place(end.assertion);
    let removed = Candidate::new((digit, cell));
    let steps = LEVELS[..3].iter().copied().flatten().flat_map(|&it| instances(&board, it));
    steps.into_iter().find(|step| step.eliminated.contains(&removed)).unwrap_or_else(|| {
        let hint = Hint::of(0, end.assertion);
        let mut chains = Chains::default();
        chains.clear();
        chains.select(Kind::All);
        if chains.find_chain(&Grid::of(&Position::of(&board)), on(cell, digit)) {
            step(T::Aic, &hint, links(&chains.nodes[1..chains.nodes.len() - 1]))
        } else {
            step(T::DynamicForcingChain, &hint, Evidence::pattern(1 << cell, 1 << digit))
        }
    })
}
