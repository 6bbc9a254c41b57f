//! Human techniques for sudoku, the paths that they take, and their ratings.
//!
//! A finder collects *all* instances of one technique on a board. [`Rater`] applies them in rounds: the easiest technique that has an instance,
//! with all its instances on the same board. Ties are never broken by cell or digit, so isomorphs
//! have the same path.
//!
//! ```
//! use bulkdoku_core::Puzzle;
//! use bulkdoku_core::generate::Generator;
//! use bulkdoku_core::puzzle::cell_name;
//! use bulkdoku_logic::generate::{TechniqueFilter, puzzle};
//! use bulkdoku_logic::{Board, Technique, Techniques, hint, rate};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let hard: Puzzle =
//!         "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
//!             .parse()?;
//!     let path = rate(&hard)?;
//!     let hardest = path.hardest.ok_or("it is solved")?;
//!     println!("{}: {}, score {}", hardest.difficulty(), hardest.title(), path.score);
//!
//!     // What a player sees: the solved cells, and the candidates of the others.
//!     let mut board = Board::of(&hard).ok_or("a clue is repeated")?;
//!     while let Some(step) = hint(&board) {
//!         println!("{}: {step}", step.technique.title());
//!         for part in &step.evidence.parts {
//!             println!("  {:?}: digits {:?} of cells {:?}", part.role, part.digits, part.cells);
//!         }
//!         for alternative in step.alternatives(cell_name) {
//!             println!("  {alternative}");
//!         }
//!         # #[cfg(feature = "serde")]
//!         println!("{}", serde_json::to_string(&step)?);
//!         step.apply(&mut board);
//!     }
//!     assert_eq!(board.grid(), hard.solve());
//!
//!     // A puzzle that needs an X-wing, and nothing harder: row 0 of seed 1.
//!     let x_wing = Techniques::filter(|technique| technique == Technique::XWing);
//!     let mut filter = TechniqueFilter::new(x_wing);
//!     let made = puzzle(&mut Generator::new(), &mut filter, 1, 0).ok_or("it was stopped")?;
//!     assert_eq!(rate(&made)?.hardest, Some(Technique::XWing));
//!     Ok(())
//! }
//! ```
//!
//! Puzzles and pencil marks are those of the crate `bulkdoku-core`. The crate `bulkdoku` re-exports
//! this one as `bulkdoku::logic`.
//!
//! The feature `serde` serializes techniques, steps, paths, and ratings.

mod als;
#[cfg(feature = "serde")]
mod as_text;
mod basic;
mod board;
mod chains;
mod counting;
mod evidence;
mod exclusion;
mod fish;
mod forcing;
pub mod generate;
mod implications;
mod instances;
mod links;
mod position;
mod rounds;
mod se;
mod steps;
mod subsets;
mod technique;
mod turbot;
mod uniqueness;
mod unrated;
mod wings;
mod words;

use bulkdoku_core::StopFlag;
use bulkdoku_core::bands::Singles;
use bulkdoku_core::puzzle::Unit;

use crate::board::Cells;
use chains::Shape;
use instances::{Collect, Instances};
use links::Kind;
use position::{Changed, Position};

pub use bulkdoku_core::bands::{Bands, Contradiction};
pub use bulkdoku_core::board::Board;
pub use evidence::{Candidate, Evidence, Link, Node, Part, Role, Step};
pub use implications::{Alternative, By, Implication, implications};
pub use rounds::{Path, Rater, rate};
pub use se::{Explainer, SeRating};
pub use steps::{Explained, Steps, hint, mistakes, refutation, steps};
pub use technique::{
    Definition, Difficulty, Technique, Techniques, UnknownDifficulty, UnknownTechnique,
};
pub use unrated::Unrated;

/// Returns the unit of a number (0 to 26: rows, columns, boxes).
fn unit(number: usize) -> Unit {
    let i = (number % 9) as u8;
    [Unit::Row(i), Unit::Column(i), Unit::Box(i)][number / 9]
}

/// Memory that searches reuse.
#[derive(Debug, Default)]
struct Memory {
    als: als::Memory,
    chains: chains::Memory,
    fish: fish::Memory,
    forcing: forcing::Memory,
    /// Cells by their distance from one of them.
    layers: Vec<Cells>,
    turbot: turbot::Memory,
    /// Ends the search of nets, which then find nothing.
    stop: StopFlag,
    /// Whether the boards have no instances of the easier basic fish and subsets. With few open
    /// cells in a unit, a subset leaves one of these, with the same effect, in the others.
    lacks_easier: bool,
}

impl Memory {
    /// Returns the number of open cells, or of a digit's lines, that the technique needs if boards
    /// have no easier instance.
    fn min_open(&self, open: usize) -> usize {
        if self.lacks_easier { open } else { 0 }
    }
}

/// Returns all instances of a technique on a board, such as all X-wings. Those that place and
/// eliminate the same count once. Of chains, only the shortest are instances.
pub fn instances(board: &Board, technique: Technique) -> Vec<Step> {
    let mut instances = Instances::new(Collect::DistinctSteps);
    instances.start(technique, 1);
    find(technique, &Position::of(board), &mut Memory::default(), &mut instances);
    instances.steps
}

/// Collects all instances of a technique on a board that involve a change of the position.
fn find(technique: Technique, position: &Position, memory: &mut Memory, out: &mut Instances) {
    use Technique as T;
    let mut chains = |kind, is_grouped, shape| {
        memory.chains.find(position, (kind, is_grouped), shape, out);
    };
    match technique {
        T::FullHouse | T::HiddenSingleBox | T::HiddenSingleLine | T::NakedSingle => {
            let bands = Bands::from(&position.board);
            let mut found = Singles::NONE;
            if basic::singles(&bands, technique, &mut found) {
                basic::report_singles(&bands, technique, &found, out);
            }
        }
        T::Pointing | T::Claiming => {
            basic::locked(&Bands::from(&position.board), technique, out);
        }
        T::NakedPair => subsets::naked(position, 2, memory.min_open(4), out),
        T::NakedTriple => subsets::naked(position, 3, memory.min_open(6), out),
        T::NakedQuad => subsets::naked(position, 4, memory.min_open(8), out),
        T::HiddenPair => subsets::hidden(position, 2, memory.min_open(5), out),
        T::HiddenTriple => subsets::hidden(position, 3, memory.min_open(7), out),
        T::HiddenQuad => subsets::hidden(position, 4, memory.min_open(9), out),
        T::XWing => fish::basic(position, 2, memory.min_open(4), out),
        T::Swordfish => fish::basic(position, 3, memory.min_open(6), out),
        T::Jellyfish => fish::basic(position, 4, memory.min_open(8), out),
        T::FinnedXWing => fish::finned(position, 2, false, &mut memory.fish, out),
        T::SashimiXWing => fish::finned(position, 2, true, &mut memory.fish, out),
        T::FinnedSwordfish => fish::finned(position, 3, false, &mut memory.fish, out),
        T::SashimiSwordfish => fish::finned(position, 3, true, &mut memory.fish, out),
        T::FinnedJellyfish => fish::finned(position, 4, false, &mut memory.fish, out),
        T::SashimiJellyfish => fish::finned(position, 4, true, &mut memory.fish, out),
        T::Skyscraper | T::TwoStringKite | T::TurbotFish => {
            turbot::two_links(position, technique, &mut memory.turbot, out);
        }
        T::EmptyRectangle => turbot::empty_rectangle(position, out),
        T::XYWing => wings::xy_wing(position, out),
        T::XYZWing => wings::xyz_wing(position, out),
        T::WWing => wings::w_wing(position, out),
        T::RemotePair => wings::remote_pair(position, &mut memory.layers, out),
        T::SimpleColors => wings::simple_colors(position, &mut memory.layers, out),
        T::UniqueRectangle1
        | T::UniqueRectangle2
        | T::UniqueRectangle3
        | T::UniqueRectangle4
        | T::UniqueLoop1
        | T::UniqueLoop2
        | T::UniqueLoop3
        | T::UniqueLoop4 => uniqueness::loops(position, technique, out),
        T::HiddenRectangle => uniqueness::hidden_rectangle(position, out),
        T::Bug1 | T::Bug2 | T::Bug3 | T::Bug4 => uniqueness::bug(position, technique, out),
        T::AlignedPairExclusion => exclusion::pair(position, out),
        T::AlignedTripletExclusion => exclusion::triplet(position, out),
        T::AlsXZ => als::xz(position, &mut memory.als, out),
        T::AlsXYWing => als::xy_wing(position, &mut memory.als, out),
        T::SueDeCoq => als::sue_de_coq(position, out),
        T::XCycle => chains(Kind::X, false, Shape::Loop),
        T::YCycle => chains(Kind::Y, false, Shape::Loop),
        T::XChain => chains(Kind::X, false, Shape::Any),
        T::XYChain => chains(Kind::Y, false, Shape::Any),
        T::Aic => chains(Kind::All, false, Shape::Any),
        T::GroupedXChain => chains(Kind::X, true, Shape::Any),
        T::GroupedAic => chains(Kind::All, true, Shape::Any),
        T::Nishio => forcing::nishio(position, &mut memory.forcing.assumptions, out),
        T::CellForcingChain => memory.forcing.find_chains(position, true, out),
        T::RegionForcingChain => memory.forcing.find_chains(position, false, out),
        T::DynamicForcingChain
        | T::DynamicForcingChainPlus
        | T::NestedForcingChain2
        | T::NestedForcingChain3
        | T::NestedForcingChain4
        | T::NestedForcingChain5 => {
            memory.forcing.nets.find(position, technique, &memory.stop, out);
        }
    }
}
