//! Which options need or exclude others: one table for all subcommands. The help of an option states its
//! rules.

use std::collections::BTreeSet;

use clap::Command;

use super::Failure;
use super::typed::Typed;

/// A rule about an option. It applies where the subcommand has the option and one of the others.
/// Options may be written with one of their values.
struct Rule {
    option: &'static str,
    relation: Relation,
    others: &'static [&'static str],
    /// The only subcommand to which it applies, if it is not all.
    only: Option<&'static str>,
    why: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// It has no effect without at least one of the others.
    Needs,
    /// It cannot be combined with any of the others.
    Excludes,
    /// It has no effect at all.
    Never,
}

const fn needs(option: &'static str, others: &'static [&'static str], why: &'static str) -> Rule {
    Rule { option, relation: Relation::Needs, others, only: None, why }
}

const fn excludes(
    option: &'static str,
    others: &'static [&'static str],
    why: &'static str,
) -> Rule {
    Rule { option, relation: Relation::Excludes, others, only: None, why }
}

const fn never(option: &'static str, only: &'static str, why: &'static str) -> Rule {
    Rule { option, relation: Relation::Never, others: &[], only: Some(only), why }
}

impl Rule {
    const fn only(self, subcommand: &'static str) -> Self {
        Self { only: Some(subcommand), ..self }
    }
}

const RULES: &[Rule] = &[
    // Outputs.
    needs("--resume", &["--output"], "which it continues"),
    excludes("--resume", &["--force"], "which starts over"),
    needs("--resume", &["--seed"], "which the earlier run has printed").only("generate"),
    never("--errors", "generate", "no record is read"),
    never("--fail-on", "generate", "no record is read"),
    never("--latency", "split", "no engine is measured"),
    never("--latency", "augment", "no engine is used"),
    never("--latency", "canon", "no engine is measured"),
    // Comparing records.
    needs("--by", &["--against", "--dedup"], "to compare puzzles"),
    needs("--known", &["--against"], ""),
    needs("--fail-on known", &["--against"], "which finds them"),
    needs("--fail-on duplicate", &["--dedup"], "which finds them"),
    // Searches.
    excludes("--first", &["--limit"], ""),
    excludes("--first", &["--max-nodes", "--engine", "--simd"], "because no engine is used")
        .only("check"),
    excludes("--solutions", &["--first"], "which ends at one solution").only("solve"),
    excludes("--solutions", &["--where"], "which needs a single row for each record").only("solve"),
    excludes("--solutions", &["--solution first"], "because it lists the smallest"),
    excludes(
        "--limit",
        &["--format boj2580", "--format boj2239"],
        "because judges do not count solutions",
    ),
    excludes("--solution first", &["--format boj2239"], "which shows the smallest"),
    // Generating.
    needs("--from", &["--kind hard"], "whose search starts there"),
    needs("--objective", &["--kind hard"], ""),
    needs("--at-least", &["--kind hard"], ""),
    excludes(
        "--kind hard",
        &["--clues", "--symmetry", "--pattern"],
        "because its search changes single clues; --where can select by clues",
    ),
    excludes(
        "--neighbors",
        &["--seed", "--times", "--hints", "--digits", "--rows", "--bands", "--transpose"],
        "which is for random isomorphs",
    ),
    // Measuring.
    needs("--fail-above", &["--baseline"], ""),
    needs("--timeout", &["--solver"], "").only("bench"),
    excludes("--no-permute", &["--seed"], ""),
    // Drawing.
    excludes("--hint", &["--stage", "--upto", "--candidates"], "").only("show"),
    excludes("--path", &["--stage", "--upto", "--hint", "--candidates"], "").only("show"),
    needs("--output", &["--path", "--hint"], "whose steps it has").only("show"),
    excludes(
        "--peers",
        &["--stage", "--upto", "--hint", "--path", "--candidates"],
        "which draws a puzzle",
    ),
    excludes(
        "--units",
        &["--stage", "--upto", "--hint", "--path", "--candidates"],
        "which draws a puzzle",
    ),
];

impl Rule {
    /// Returns the others that a subcommand with these options has, if the rule applies to it.
    fn others_in(&self, subcommand: &str, offered: &Options) -> Option<Vec<&'static str>> {
        let is_about = self.only.is_none_or(|only| only == subcommand);
        let others = self.others.iter().copied().filter(|other| offered.contains(name(other)));
        let others: Vec<_> = others.collect();
        let applies = self.relation == Relation::Never || !others.is_empty();
        (is_about && offered.contains(name(self.option)) && applies).then_some(others)
    }

    fn text(&self, other: &str) -> String {
        let verb = match self.relation {
            Relation::Needs => "needs",
            Relation::Excludes => "cannot be combined with",
            Relation::Never => return format!("does nothing: {}", self.why),
        };
        let why = if self.why.is_empty() { String::new() } else { format!(", {}", self.why) };
        format!("{verb} {other}{why}")
    }
}

/// Returns the name of an option that may be written with a value.
fn name(option: &str) -> &str {
    option.split_once(' ').map_or(option, |(name, _)| name)
}

/// The long options of a subcommand.
type Options = BTreeSet<String>;

fn options(subcommand: &Command) -> Options {
    let long = subcommand.get_arguments().filter_map(clap::Arg::get_long);
    long.map(|long| format!("--{long}")).collect()
}

/// Rejects options as typed that break a rule.
pub fn check(command: &Command, typed: &Typed) -> Result<(), Failure> {
    let Some(subcommand) = command.find_subcommand(&typed.subcommand) else { return Ok(()) };
    let offered = options(subcommand);
    let is_typed = |option: &str| {
        let values = typed.options.get(name(option));
        let value = option.split_once(' ').map(|(_, value)| value);
        let has = |value: &str| {
            values.is_some_and(|all| {
                all.iter().flat_map(|list| list.split(',')).any(|it| it == value)
            })
        };
        value.map_or(values.is_some(), has)
    };
    for rule in RULES.iter().filter(|rule| is_typed(rule.option)) {
        let Some(others) = rule.others_in(&typed.subcommand, &offered) else { continue };
        let typed_other = others.iter().find(|other| is_typed(other));
        match (rule.relation, typed_other) {
            (Relation::Needs, Some(_)) | (Relation::Excludes, None) => {}
            (Relation::Excludes, Some(other)) => refuse!("{} {}", rule.option, rule.text(other)),
            (Relation::Needs | Relation::Never, _) => {
                refuse!("{} {}", rule.option, rule.text(&others.join(" or ")))
            }
        }
    }
    Ok(())
}

/// Adds its rules to the help of each option of a subcommand.
pub fn documented(subcommand: Command) -> Command {
    let (of, offered) = (subcommand.get_name().to_owned(), options(&subcommand));
    subcommand.mut_args(|arg| {
        let option = arg.get_long().map(|long| format!("--{long}")).unwrap_or_default();
        let texts = RULES.iter().filter(|rule| name(rule.option) == option).filter_map(|rule| {
            let others = rule.others_in(&of, &offered)?;
            let option = if rule.option == option { "It" } else { rule.option };
            Some(format!("{option} {}.", rule.text(&others.join(" or "))))
        });
        let texts: Vec<_> = texts.collect();
        if texts.is_empty() {
            return arg;
        }
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        arg.long_help(format!("{}\n\n{}", help.unwrap_or_default(), texts.join(" ")))
    })
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    #[test]
    fn rules_are_about_options_that_exist_and_are_stated_in_their_help() {
        let mut command = command();
        command.build();
        for rule in RULES {
            let subcommands = command.get_subcommands().filter(|subcommand| {
                rule.others_in(subcommand.get_name(), &options(subcommand)).is_some()
            });
            let mut count = 0;
            for subcommand in subcommands {
                count += 1;
                let mut options = subcommand.get_arguments();
                let option =
                    options.find(|arg| arg.get_long() == name(rule.option).strip_prefix("--"));
                let help = option.unwrap().get_long_help().unwrap().to_string();
                assert!(
                    help.contains(rule.why),
                    "{} {}: {help}",
                    subcommand.get_name(),
                    rule.option
                );
            }
            assert!(count > 0, "{} applies nowhere", rule.option);
        }
    }
}
